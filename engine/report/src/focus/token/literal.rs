//! Strings, comments, heredocs and regular expressions, at the place where the lexer stands.

use super::{Kind, Lexer, is_word};
use crate::focus::language::Language;

/// A literal: how long it is, and what stands between its quotes.
pub(super) struct Literal<'a> {
    pub length: usize,
    pub inner: &'a str,
}

/// The length of the comment that starts here.
pub(super) fn comment(lexer: &Lexer<'_>) -> Option<usize> {
    let rest = lexer.rest();
    let line = || memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    match lexer.language {
        Language::Script | Language::Go | Language::Swift => {
            if rest.starts_with("//") || (lexer.at_line_start() && rest.starts_with("#!")) {
                Some(line())
            } else if rest.starts_with("/*") {
                Some(block(rest, lexer.language == Language::Swift))
            } else {
                None
            }
        }
        Language::Ruby if lexer.at_line_start() && rest.starts_with("=begin") => {
            Some(rest.find("\n=end").map_or(rest.len(), |end| end + "\n=end".len()))
        }
        Language::Ruby if lexer.at_line_start() && rest.starts_with("__END__") => Some(rest.len()),
        Language::Ruby | Language::Python if rest.starts_with('#') => Some(line()),
        Language::Shell if rest.starts_with('#') && starts_word(lexer) => Some(line()),
        _ => None,
    }
}

fn block(rest: &str, nests: bool) -> usize {
    let (mut at, mut depth) = (2, 1_usize);
    while let Some(found) = rest.get(at..).and_then(|rest| rest.find(['*', '/'])) {
        let here = rest.get(at + found..).unwrap_or_default();
        at += found + 1;
        if here.starts_with("*/") {
            at += 1;
            depth -= 1;
            if depth == 0 {
                return at;
            }
        } else if nests && here.starts_with("/*") {
            at += 1;
            depth += 1;
        }
    }
    rest.len()
}

fn starts_word(lexer: &Lexer<'_>) -> bool {
    lexer.is_apart() || matches!(lexer.previous(), None | Some(Kind::Mark(';' | '(' | '&' | '|')))
}

/// The end word of the heredoc that is announced here, and the length of the announcement.
pub(super) fn heredoc<'a>(lexer: &Lexer<'a>) -> Option<(&'a str, usize)> {
    if !matches!(lexer.language, Language::Ruby | Language::Shell) {
        return None;
    }
    let rest = lexer.rest();
    let after = rest.strip_prefix("<<").filter(|after| !after.starts_with('<'))?;
    let after = after.strip_prefix(['-', '~']).unwrap_or(after);
    let after = if lexer.language == Language::Shell { after.trim_start_matches(' ') } else { after };
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let word_at = after.strip_prefix(['"', '\'', '`']).unwrap_or(after);
    let length = word_at.find(|c| !is_word(c)).unwrap_or(word_at.len());
    let word = word_at.get(..length).filter(|word| !word.is_empty())?;
    let first = word.chars().next()?;
    if quote.is_none() && !(first.is_uppercase() || (first.is_alphabetic() && lexer.language == Language::Shell)) {
        return None;
    }
    let quoted = if quote.is_some() { 1 } else { 0 };
    Some((word, rest.len() - word_at.len() + length + quoted))
}

/// The literal that starts here.
pub(super) fn literal<'a>(lexer: &Lexer<'a>) -> Option<Literal<'a>> {
    let rest = lexer.rest();
    let first = rest.chars().next()?;
    match (lexer.language, first) {
        (Language::Python | Language::Swift, '"' | '\'') if is_triple(rest) => Some(triple(rest)),
        (Language::Swift, '#') => raw_swift(rest),
        (Language::Go, '`') => Some(until(rest, '`')),
        (Language::Shell, '\\') => rest.chars().nth(1).map(|c| Literal { length: 1 + c.len_utf8(), inner: "" }),
        (Language::Shell, '\'') => Some(until(rest, '\'')),
        (Language::Shell | Language::Ruby, '"') => Some(quoted(rest, first, Lines::Many)),
        (Language::Ruby, '\'' | '`') => Some(quoted(rest, first, Lines::Many)),
        (Language::Ruby, '%') => percent(lexer),
        (Language::Ruby, '?') => character(lexer),
        (Language::Swift, '\'') => None,
        (_, '"' | '\'') => Some(quoted(rest, first, Lines::One)),
        (Language::Script | Language::Ruby, '/') => expression(lexer),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Many,
}

fn between(rest: &str, open: usize, close_at: usize, close: usize) -> Literal<'_> {
    Literal { length: (close_at + close).min(rest.len()), inner: rest.get(open..close_at).unwrap_or_default() }
}

/// A string without escapes.
fn until(rest: &str, quote: char) -> Literal<'_> {
    let end = rest.get(1..).and_then(|rest| rest.find(quote)).map_or(rest.len(), |end| end + 1);
    between(rest, 1, end, 1)
}

/// A string with escapes and, in Ruby and Swift, code inside. One that may not span lines ends with its line.
fn quoted(rest: &str, quote: char, lines: Lines) -> Literal<'_> {
    let mut at = 1;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with(quote) {
            return between(rest, 1, at, 1);
        }
        if here.starts_with('\n') && lines == Lines::One {
            return between(rest, 1, at, 0);
        }
        at += match here.chars().next() {
            Some('\\') if here.starts_with("\\(") => 1 + balanced(here.get(1..).unwrap_or_default(), '(', ')'),
            Some('\\') => escape_length(here),
            Some('#') if here.starts_with("#{") => 1 + balanced(here.get(1..).unwrap_or_default(), '{', '}'),
            Some(c) => c.len_utf8(),
            None => return between(rest, 1, at, 0),
        };
    }
    between(rest, 1, rest.len(), 0)
}

/// The length of `\` and what it escapes.
pub(super) fn escape_length(here: &str) -> usize {
    let escaped = here.chars().nth(1).map_or(0, char::len_utf8);
    if here.starts_with('\\') { 1 + escaped } else { 1 }
}

/// The length of a bracketed text, its inner brackets included; 0 when it does not close on its line.
fn balanced(rest: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        if c == '\n' {
            break;
        }
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + c.len_utf8();
            }
        }
    }
    0
}

fn is_triple(rest: &str) -> bool {
    rest.starts_with("\"\"\"") || rest.starts_with("'''")
}

fn triple(rest: &str) -> Literal<'_> {
    let quotes = rest.get(..3).unwrap_or_default();
    let mut at = 3;
    while let Some(found) = rest.get(at..).and_then(|rest| rest.find(quotes)) {
        at += found;
        if !rest.get(..at).is_some_and(|before| before.ends_with('\\')) {
            return between(rest, 3, at, 3);
        }
        at += 1;
    }
    between(rest, 3, rest.len(), 0)
}

/// `#"..."#`, with any number of `#`.
fn raw_swift(rest: &str) -> Option<Literal<'_>> {
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let after = rest.get(hashes..)?;
    let quotes = if after.starts_with("\"\"\"") { 3 } else { usize::from(after.starts_with('"')) };
    if quotes == 0 {
        return None;
    }
    let end = format!("{}{}", "\"".repeat(quotes), "#".repeat(hashes));
    let open = hashes + quotes;
    let close_at = rest.get(open..)?.find(&end).map_or(rest.len(), |at| at + open);
    Some(between(rest, open, close_at, end.len()))
}

/// Whether a value stands before: then a slash divides and a percent sign is a remainder.
fn after_value(lexer: &Lexer<'_>) -> bool {
    const NO_VALUES: &[&str] = &[
        "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield", "if",
        "unless", "while", "until", "when", "and", "or", "not", "then", "puts",
    ];
    match lexer.previous() {
        None => false,
        Some(Kind::Word(word)) => {
            let spaced =
                lexer.is_apart() && lexer.rest().chars().nth(1).is_some_and(|c| !c.is_whitespace() && c != '=');
            let argument = lexer.language == Language::Ruby && spaced;
            !NO_VALUES.contains(&word) && !argument
        }
        Some(Kind::Mark(mark)) => matches!(mark, ')' | ']'),
        Some(Kind::Text(_)) => true,
    }
}

/// A regular expression: it must close on its line.
fn expression<'a>(lexer: &Lexer<'a>) -> Option<Literal<'a>> {
    if after_value(lexer) {
        return None;
    }
    let rest = lexer.rest();
    let (mut at, mut in_class) = (1, false);
    loop {
        let here = rest.get(at..)?;
        let c = here.chars().next()?;
        match c {
            '\n' => return None,
            '\\' => {
                at += escape_length(here);
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(between(rest, 1, at, 1)),
            _ => {}
        }
        at += c.len_utf8();
    }
}

/// Ruby's `%w[..]`, `%q(..)`, `%(..)`.
fn percent<'a>(lexer: &Lexer<'a>) -> Option<Literal<'a>> {
    let rest = lexer.rest();
    let after = rest.get(1..)?;
    let after = after.strip_prefix(['q', 'Q', 'w', 'W', 'i', 'I', 'r', 's', 'x']).unwrap_or(after);
    let open = after.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '=')?;
    if after_value(lexer) {
        return None;
    }
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let start = rest.len() - after.len() + open.len_utf8();
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices().skip_while(|(at, _)| *at < start) {
        if c == close && depth == 0 {
            return Some(between(rest, start, at, c.len_utf8()));
        }
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
        }
    }
    None
}

/// Ruby's `?"`, one character.
fn character<'a>(lexer: &Lexer<'a>) -> Option<Literal<'a>> {
    let mut chars = lexer.rest().chars().skip(1);
    let c = chars.next().filter(|c| matches!(c, '"' | '\'' | '`' | '#' | '/'))?;
    let alone = chars.next().is_none_or(|next| !is_word(next));
    (alone && !after_value(lexer)).then(|| Literal { length: 1 + c.len_utf8(), inner: "" })
}
