//! Which tokens are focus markers, by language.

use super::{
    FocusMarker,
    language::Language,
    token::{Kind, Token},
};

/// The markers among the tokens of a source.
pub(super) fn find(language: Language, source: &str, tokens: &[Token<'_>]) -> Vec<FocusMarker> {
    let mut markers: Vec<FocusMarker> = (0..tokens.len())
        .filter_map(|at| {
            let here = Here { tokens, at };
            let token = match language {
                Language::Script => script(here),
                Language::Ruby => ruby(here),
                Language::Go => go(here),
                Language::Swift => swift(here),
                Language::Shell => shell(here),
                Language::Python => python(here),
                Language::Other => None,
            }?;
            Some(FocusMarker { line: tokens.get(at)?.line, token })
        })
        .collect();
    if language == Language::Shell {
        markers.extend(bats_tags(source));
        markers.sort_by_key(|marker| marker.line);
    }
    markers
}

/// A place among the tokens.
#[derive(Clone, Copy)]
struct Here<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Here<'_, 'a> {
    fn kind(self, ahead: usize) -> Option<Kind<'a>> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn before(self, back: usize) -> Option<Kind<'a>> {
        self.at.checked_sub(back).and_then(|at| self.tokens.get(at)).map(|token| token.kind)
    }

    fn word(self) -> Option<&'a str> {
        self.word_ahead(0)
    }

    fn word_ahead(self, ahead: usize) -> Option<&'a str> {
        match self.kind(ahead)? {
            Kind::Word(word) => Some(word),
            Kind::Mark(_) | Kind::Text(_) => None,
        }
    }

    fn word_before(self, back: usize) -> Option<&'a str> {
        match self.before(back)? {
            Kind::Word(word) => Some(word),
            Kind::Mark(_) | Kind::Text(_) => None,
        }
    }

    fn mark(self, ahead: usize, mark: char) -> bool {
        self.kind(ahead) == Some(Kind::Mark(mark))
    }

    fn mark_before(self, mark: char) -> bool {
        self.before(1) == Some(Kind::Mark(mark))
    }

    fn text(self, ahead: usize) -> bool {
        matches!(self.kind(ahead), Some(Kind::Text(_)))
    }

    fn apart(self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_none_or(|token| token.apart)
    }

    fn starts_line(self) -> bool {
        let line = |token: &Token<'_>| token.line;
        let own = self.tokens.get(self.at).map(line);
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(line) != own
    }

    /// The tokens inside the bracket that opens `ahead`, and the one after it.
    fn inside(self, ahead: usize) -> (Vec<Kind<'a>>, Option<Kind<'a>>) {
        let mut depth = 0_usize;
        let mut inside = Vec::new();
        let mut rest = self.tokens.iter().skip(self.at + ahead).map(|token| token.kind);
        while let Some(kind) = rest.next() {
            match kind {
                Kind::Mark('(' | '[' | '{') => depth += 1,
                Kind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return (inside, rest.next());
            }
            inside.push(kind);
        }
        (inside, None)
    }

    /// The other words of this line, before this one.
    fn earlier_on_line(self) -> impl Iterator<Item = &'a str> {
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let before = self.tokens.get(..self.at).unwrap_or_default();
        before.iter().rev().take_while(move |token| token.line == line).filter_map(|token| match token.kind {
            Kind::Word(word) => Some(word),
            Kind::Mark(_) | Kind::Text(_) => None,
        })
    }
}

fn script(here: Here<'_, '_>) -> Option<String> {
    if let Some(Kind::Text("only")) = here.kind(0)
        && here.mark_before('[')
        && here.mark(1, ']')
        && here.mark(2, '(')
    {
        return Some("['only']".to_owned());
    }
    match here.word()? {
        "only" if here.mark_before('.') => {
            let called = here.mark(1, '(') || here.text(1) || (here.mark(1, '<') && !here.apart(1));
            let chained =
                here.mark(1, '.') && matches!(here.word_ahead(2), Some("each" | "for" | "concurrent" | "failing"));
            let object = here.word_before(2).unwrap_or_default();
            (called || chained).then(|| format!("{object}.only"))
        }
        "only" if here.mark(1, ':') && here.word_ahead(2) == Some("true") => Some("only: true".to_owned()),
        word @ ("fit" | "fdescribe" | "fcontext") => {
            let defined = here.mark_before('.') || here.word_before(1) == Some("function");
            let chained = here.mark(1, '.') && matches!(here.word_ahead(2), Some("each" | "concurrent" | "failing"));
            (!defined && (chained || is_spec_call(here))).then(|| word.to_owned())
        }
        _ => None,
    }
}

/// Whether a call takes a title and a function, unlike a curve that is fitted, and is no method of that name.
fn is_spec_call(here: Here<'_, '_>) -> bool {
    if !here.mark(1, '(') {
        return false;
    }
    let (inside, after) = here.inside(1);
    let has_function = inside.iter().any(|kind| matches!(kind, Kind::Word("function" | "async")))
        || inside.windows(2).any(|pair| matches!(pair, [Kind::Mark('='), Kind::Mark('>')]));
    after != Some(Kind::Mark('{')) && (here.text(2) || has_function)
}

fn ruby(here: Here<'_, '_>) -> Option<String> {
    const GROUPS: &[&str] = &["fdescribe", "fcontext", "ffeature", "fit", "fexample", "fspecify", "fscenario"];
    let word = here.word()?;
    if word == "focus" {
        return ruby_focus(here);
    }
    let called = here.text(1)
        || here.mark(1, '{')
        || here.word_ahead(1) == Some("do")
        || (here.mark(1, '(') && here.text(2))
        || (word != "fit" && here.word_ahead(1).is_some_and(|next| next.starts_with(char::is_uppercase)));
    let receiver = here.word_before(2).unwrap_or_default();
    let own = !here.mark_before('.') || receiver == "RSpec";
    (GROUPS.contains(&word) && called && own && here.word_before(1) != Some("def")).then(|| word.to_owned())
}

fn ruby_focus(here: Here<'_, '_>) -> Option<String> {
    let value = |ahead| here.word_ahead(ahead) != Some("false") && here.word_ahead(ahead) != Some("nil");
    let configures = || {
        here.earlier_on_line().any(|word| {
            ["filter", "inclusion_filter", "exclusion_filter", "alias_", "define_"]
                .iter()
                .any(|known| word.contains(known))
        })
    };
    if here.mark_before(':') && here.before(2) != Some(Kind::Mark(':')) && !here.apart(0) {
        let arrow = here.mark(1, '=') && here.mark(2, '>');
        return (!configures() && (!arrow || value(3))).then(|| ":focus".to_owned());
    }
    if here.mark(1, ':') && !here.apart(1) {
        return (!configures() && here.word_ahead(2) == Some("true")).then(|| "focus: true".to_owned());
    }
    let before_test = matches!(here.word_ahead(1), Some("def" | "it" | "test" | "specify"));
    (here.starts_line() && before_test).then(|| "focus".to_owned())
}

fn go(here: Here<'_, '_>) -> Option<String> {
    const NODES: &[&str] = &[
        "FIt",
        "FDescribe",
        "FContext",
        "FWhen",
        "FEntry",
        "FSpecify",
        "FDescribeTable",
        "FDescribeTableSubtree",
        "FMeasure",
    ];
    let word = here.word()?;
    if word == "Focus" {
        let package = here.mark_before('.') && here.before(3) == Some(Kind::Mark(','));
        let argument = here.mark_before(',') || package;
        return (argument && (here.mark(1, ',') || here.mark(1, ')'))).then(|| "Focus".to_owned());
    }
    let defined = here.word_before(1) == Some("func") || (here.mark_before(')') && here.word_before(2).is_some());
    (NODES.contains(&word) && here.mark(1, '(') && !defined).then(|| word.to_owned())
}

fn swift(here: Here<'_, '_>) -> Option<String> {
    const GROUPS: &[&str] = &["fit", "fdescribe", "fcontext", "fitBehavesLike"];
    let word = here.word()?;
    let own = !here.mark_before('.') && here.word_before(1) != Some("func");
    let titled =
        here.mark(1, '(') && (here.text(2) || word == "fitBehavesLike" || here.inside(1).1 == Some(Kind::Mark('{')));
    (GROUPS.contains(&word) && own && titled).then(|| word.to_owned())
}

fn shell(here: Here<'_, '_>) -> Option<String> {
    const GROUPS: &[&str] = &["fIt", "fDescribe", "fContext", "fExample", "fSpecify", "fExampleGroup"];
    let word = here.word()?;
    let called = here.text(1) || here.word_ahead(1).is_some();
    (GROUPS.contains(&word) && here.starts_line() && called).then(|| word.to_owned())
}

/// Bats reads its tags from comments, so this marker is looked for there.
fn bats_tags(source: &str) -> impl Iterator<Item = FocusMarker> {
    source.lines().zip(1..).filter_map(|(line, number)| {
        let tags = line.trim().strip_prefix('#')?.trim_start().strip_prefix("bats ")?;
        let tags = tags.strip_prefix("test_tags=").or_else(|| tags.strip_prefix("file_tags="))?;
        let focused = tags.split(',').any(|tag| tag.trim() == "bats:focus");
        focused.then(|| FocusMarker { line: number, token: "bats:focus".to_owned() })
    })
}

fn python(here: Here<'_, '_>) -> Option<String> {
    let marked = here.word() == Some("only") && here.mark_before('.') && here.word_before(2) == Some("mark");
    marked.then(|| "mark.only".to_owned())
}

#[cfg(test)]
mod tests;
