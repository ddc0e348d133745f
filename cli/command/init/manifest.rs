//! The manifest that `init` writes: with comments, and as a person would.

use std::{collections::BTreeSet, fmt::Write as _};

use runmill_manifest::{Argv, ChecksManifest, checks};
use runmill_model::Problems;

use super::{
    draft::{Draft, REPORT, named, report_path},
    tree::{Tree, join, within},
};

/// The name of the schema beside the manifest.
pub const SCHEMA: &str = "checks.schema.json";

/// A check with its id, and with every place filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The id.
    pub id: String,
    /// What it was made from; its words and variables are final.
    pub draft: Draft,
    /// The report, from the root.
    pub report: Option<String>,
    /// Scratch directories, from the root, sorted.
    pub scratch: Vec<String>,
}

/// Names the drafts and fills in where reports go.
pub fn entries(tree: &Tree, drafts: Vec<Draft>) -> Vec<Entry> {
    named(drafts).into_iter().map(|(id, draft)| entry(tree, id, draft)).collect()
}

fn entry(tree: &Tree, id: String, mut draft: Draft) -> Entry {
    let report = report_path(&draft, &id, reports_directory(tree, &draft.dir));
    let from_dir = report.as_deref().and_then(|report| within(report, &draft.dir)).unwrap_or_default().to_owned();
    let fill = |text: &str| text.replace(REPORT, &from_dir);
    draft.words.iter_mut().for_each(|word| *word = fill(word));
    draft.env.iter_mut().for_each(|(_, value)| *value = fill(value));
    draft.env.sort();
    let scratch: BTreeSet<_> = draft.scratch.iter().map(|dir| join(&draft.dir, dir)).collect();
    Entry { id, report, scratch: scratch.into_iter().collect(), draft }
}

/// A directory for reports in which the project keeps nothing.
fn reports_directory(tree: &Tree, dir: &str) -> &'static str {
    let free = |name: &&&str| tree.below(&join(dir, name)).next().is_none();
    ["reports", "test-reports"].iter().find(free).copied().unwrap_or("runmill-reports")
}

impl Entry {
    fn write(&self, out: &mut String) {
        let draft = &self.draft;
        let _ = writeln!(out, "  # From {}.", draft.found);
        let _ = writeln!(out, "  - id: {}", scalar(&self.id));
        let _ = writeln!(out, "    {}", command(&draft.words));
        if !draft.dir.is_empty() {
            let _ = writeln!(out, "    cwd: {}", scalar(&draft.dir));
        }
        if !draft.env.is_empty() {
            let _ = writeln!(out, "    env:\n      set:");
            for (name, value) in &draft.env {
                let _ = writeln!(out, "        {name}: {}", scalar(value));
            }
        }
        if let (Some(path), Some(report)) = (&self.report, &draft.report) {
            let identity = report.identity.map(|identity| format!(", identity: {identity}")).unwrap_or_default();
            let _ = writeln!(out, "    report: {{ path: {}, format: {}{identity} }}", scalar(path), report.format);
        }
        if !self.scratch.is_empty() {
            let dirs: Vec<_> = self.scratch.iter().map(|dir| scalar(dir)).collect();
            let _ = writeln!(out, "    scratch: [{}]", dirs.join(", "));
        }
        if !draft.dependencies.is_empty() {
            let _ = writeln!(out, "    dependencies: [{}]", draft.dependencies.join(", "));
        }
    }
}

const HEAD: &str = "\
#
# What a change must pass. A change is judged by this file as it is on the branch it would merge into, so that it cannot
# loosen its own gate. `run` is split into words; no shell is involved. Everything that a check writes lies in its report
# or in `scratch`; the rest of the tree is read-only. `runmill doctor` says whether it all works.
";

/// The text of the manifest.
pub fn text(entries: &[Entry]) -> String {
    let mut out = format!("# yaml-language-server: $schema=./{SCHEMA}\n{HEAD}\n");
    if entries.is_empty() {
        out.push_str(EMPTY);
        return out;
    }
    out.push_str("checks:\n");
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        entry.write(&mut out);
    }
    out
}

const EMPTY: &str = "\
# Nothing here says how this project is tested, so nothing is required, and every change is blocked until a person
# writes a check:
#
#   - id: unit
#     run: make test
#     report: { path: reports/unit.tap, format: tap }
checks: []
";

/// What our own parser makes of a text.
pub fn parsed(text: &str) -> Result<ChecksManifest, Problems> {
    checks::parse(".runmill/checks.yaml", text)
}

/// `run` where a person would write it, `argv` for everything with an odd word.
fn command(words: &[String]) -> String {
    let line = words.join(" ");
    let same = Argv::split(&line).is_ok_and(|argv| argv.words() == words);
    if same && scalar(&line) == line {
        return if line.len() <= LONGEST { format!("run: {line}") } else { folded(&line) };
    }
    // A script in the middle of a list is easier to see in quotes.
    let shown = |word: &String| if word.contains(' ') { quoted(word) } else { scalar(word) };
    format!("argv: [{}]", words.iter().map(shown).collect::<Vec<_>>().join(", "))
}

/// Longest command on one line.
const LONGEST: usize = 90;

/// A long command over several lines, which are read as one.
fn folded(line: &str) -> String {
    let options = textwrap::Options::new(LONGEST).word_splitter(textwrap::WordSplitter::NoHyphenation);
    let options = options.word_separator(textwrap::WordSeparator::AsciiSpace).break_words(false);
    let lines: Vec<_> = textwrap::wrap(line, options).iter().map(|line| format!("\n      {line}")).collect();
    format!("run: >-{}", lines.concat())
}

/// A text as YAML: as it is where that is one word in every place, else in quotes.
fn scalar(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || " ./_-=+:".contains(letter);
    let first = text.strip_prefix("--").or(text.strip_prefix('-')).unwrap_or(text);
    let starts_well = first.starts_with(|letter: char| letter.is_ascii_alphabetic() || "./_".contains(letter));
    let is_text = starts_well
        && text.chars().all(plain)
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"].contains(&text.to_lowercase().as_str())
        && !text.chars().all(|letter| letter == '.');
    // `.5` and `-.inf` are numbers.
    let is_number = first.strip_prefix('.').is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_alphanumeric()));
    if is_text && !is_number {
        return text.to_owned();
    }
    quoted(text)
}

/// A text in quotes; what JSON takes, YAML takes too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scalar_is_read_back_as_it_was() {
        for word in [
            "a", "-x", "a b", "a: b", "true", "1", ".", "..", "~", "a:", "{x}", "sh", "é\n\"", "*", "a#b", "a #b", "%",
            ".5",
        ] {
            let text = format!("checks:\n  - id: x\n    argv: [sh, {}]\n", scalar(word));
            let manifest = parsed(&text).unwrap();
            assert_eq!(manifest.checks()[0].argv().words(), ["sh", word], "{text}");
        }
    }

    #[test]
    fn a_command_is_written_as_a_person_would() {
        let command = |line: &str| command(&shell_words::split(line).unwrap());
        assert_eq!(command("npm test -- --a=b"), "run: npm test -- --a=b");
        let long = "npm test -- --first-flag=some-value --second-flag=another-value --third-flag=a-third-value --last";
        let folded = command(long);
        assert!(folded.starts_with("run: >-\n      npm test"), "{folded}");
        let manifest = parsed(&format!("checks:\n  - id: x\n    {folded}\n")).unwrap();
        assert_eq!(manifest.checks()[0].argv().words().join(" "), long);
        assert_eq!(command("sh -c 'a > b'"), "argv: [sh, -c, \"a > b\"]");
    }

    #[test]
    fn an_empty_manifest_says_what_to_write() {
        let text = text(&[]);
        assert!(parsed(&text).unwrap().checks().is_empty());
        let filled = text.replace("checks: []\n", "").replace("#   - id", "checks:\n  - id").replace("#     ", "    ");
        assert_eq!(parsed(&filled).unwrap().checks().len(), 1, "{filled}");
    }
}
