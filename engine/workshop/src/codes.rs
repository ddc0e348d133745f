//! A page for every code: `docs/codes/<CODE>.md`, embedded.
//!
//! A page is Markdown of one form: the title line `# CODE: title`, then the sections Meaning (paragraphs), How it happens
//! and What to do (lists), and Example (one block of text).

use include_dir::{Dir, include_dir};
use runmill_model::{Code, Level, PackName, RuleId};
use runmill_policy::Pack;
use runmill_rules::Settings;
use serde::Serialize;

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../docs/codes");

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.code/v1";

/// The sections of every page, in their order.
pub const SECTIONS: [&str; 4] = ["Meaning", "How it happens", "What to do", "Example"];

/// What there is to say about a code.
#[derive(Debug, Clone, Serialize)]
pub struct CodePage {
    /// `runmill.code/v1`.
    pub schema: &'static str,
    /// The code.
    pub code: Code,
    /// What it means, in one line.
    pub title: &'static str,
    /// What it means: paragraphs, each one line. Backticks mark what is literal.
    pub meaning: Vec<String>,
    /// How people get there, the usual first; each one line.
    pub causes: Vec<String>,
    /// What to do; each one line.
    pub advice: Vec<String>,
    /// How it looks, as lines of a terminal.
    pub example: String,
    /// The built-in rules that speak with it; empty for a code of runmill's own.
    pub rules: Vec<SpokenBy>,
    /// The page as it is kept, Markdown.
    pub page: String,
}

/// A built-in rule that speaks with a code.
#[derive(Debug, Clone, Serialize)]
pub struct SpokenBy {
    /// Its pack.
    pub pack: PackName,
    /// Its id.
    pub rule: RuleId,
    /// How its findings count, as the pack suggests.
    pub level: Level,
    /// Why it exists.
    pub why: String,
    /// What to do about a finding.
    pub fix: String,
}

/// The page of a code; none when its page is missing or not of the form, which a test keeps from happening.
pub fn page(code: Code) -> Option<CodePage> {
    let text = PAGES.get_file(format!("{code}.md"))?.contents_utf8()?;
    let body = text.strip_prefix(&format!("# {code}: {}\n", code.title()))?;
    let mut sections = body.split("\n## ").skip(1);
    let mut section = |name: &str| {
        let (heading, rest) = sections.next()?.split_once('\n')?;
        (heading == name).then(|| rest.trim_matches('\n').to_owned())
    };
    let [meaning, causes, advice, example] = SECTIONS.map(&mut section);
    let example = example?;
    let example = example.strip_prefix("```text\n")?.strip_suffix("\n```")?.to_owned();
    Some(CodePage {
        schema: SCHEMA,
        code,
        title: code.title(),
        meaning: paragraphs(&meaning?),
        causes: items(&causes?),
        advice: items(&advice?),
        example,
        rules: spoken_by(code),
        page: text.to_owned(),
    })
}

/// The code that a text was meant to be, when one is close.
pub fn closest(text: &str) -> Option<Code> {
    let text = text.to_uppercase();
    let near = Code::ALL.iter().map(|code| (strsim::jaro_winkler(&text, code.as_str()), *code));
    near.filter(|(near, _)| *near > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, code)| code)
}

fn paragraphs(section: &str) -> Vec<String> {
    section.split("\n\n").map(one_line).filter(|text| !text.is_empty()).collect()
}

fn items(section: &str) -> Vec<String> {
    let items = section.strip_prefix("- ").unwrap_or(section).split("\n- ");
    items.map(one_line).filter(|text| !text.is_empty()).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The built-in rules that speak with a code, in the order of packs and ids.
fn spoken_by(code: Code) -> Vec<SpokenBy> {
    let registry = runmill_stdlib::registry();
    let sources = runmill_rules::builtin_names().into_iter();
    let packs = sources
        .filter_map(|name| runmill_rules::builtin(name, &Settings::default()).ok())
        .filter_map(|source| Pack::load(source, &registry).ok());
    let mut spoken: Vec<_> = packs
        .flat_map(|pack| {
            let rules: Vec<_> = pack.rules().iter().filter(|rule| rule.head.code == code).cloned().collect();
            let pack = pack.name().clone();
            // A discovery rule has no findings, whatever code its head carries.
            rules.into_iter().filter(|rule| rule.head.source.is_none()).map(move |rule| SpokenBy {
                pack: pack.clone(),
                rule: rule.head.rule.clone(),
                level: rule.pack_level,
                why: rule.why.clone(),
                fix: rule.head.fix.to_string(),
            })
        })
        .collect();
    spoken.sort_by(|a, b| (&a.pack, &a.rule).cmp(&(&b.pack, &b.rule)));
    spoken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_of_the_form_and_no_page_is_without_a_code() {
        for code in Code::ALL {
            let page = page(*code).unwrap_or_else(|| panic!("`docs/codes/{code}.md` is missing or not of the form"));
            assert!(!page.meaning.is_empty() && !page.causes.is_empty() && !page.advice.is_empty(), "{code}");
            assert!(page.example.contains(code.as_str()) || EXAMPLES_WITHOUT_CODE.contains(code), "{code}");
            let sentences = page.meaning.iter().chain(&page.causes).chain(&page.advice);
            for sentence in sentences {
                assert!(sentence.ends_with(['.', ':', '?']), "{code}: `{sentence}` is no sentence");
                assert!(sentence.matches('`').count() % 2 == 0, "{code}: an open backtick in `{sentence}`");
            }
            assert!(page.example.lines().all(|line| line.chars().count() <= 78), "{code}: a wide example");
        }
        let pages: Vec<_> = PAGES.files().filter_map(|file| file.path().to_str()).collect();
        let codes: Vec<_> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
        let stray: Vec<_> = pages.iter().filter(|page| !codes.iter().any(|code| code == *page)).collect();
        assert!(stray.is_empty(), "pages without a code: {stray:?}");
    }

    /// What a person sees there says no code.
    const EXAMPLES_WITHOUT_CODE: &[Code] = &[Code::Evidence002, Code::Internal002];

    #[test]
    fn every_code_of_a_rule_names_its_rules() {
        let zero = page(Code::Verify006).unwrap();
        assert_eq!(zero.rules.iter().map(|rule| rule.rule.as_str()).collect::<Vec<_>>(), ["outcome/zero-tests"]);
        assert!(page(Code::State001).unwrap().rules.is_empty());
    }

    #[test]
    fn a_misspelt_code_is_recognised() {
        assert_eq!(closest("rm-verfy-003"), Some(Code::Verify003));
        assert_eq!(closest("hello"), None);
    }
}
