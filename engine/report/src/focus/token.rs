//! A small lexer for several languages: words and marks outside strings, comments and regular expressions.
//!
//! Where a language is ambiguous without a grammar (a slash, a brace), a wrong guess ends with its line, so that it
//! cannot hide the rest of a file.

mod literal;

use super::language::Language;
use literal::{Literal, literal};

/// What stands in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A name or number.
    Word(&'a str),
    /// One character that is neither.
    Mark(char),
    /// A string, with what stands between its quotes; a part of a template; a regular expression.
    Text(&'a str),
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    /// 1-based.
    pub line: u64,
    /// Whether white space or a comment stands before it.
    pub apart: bool,
}

/// The tokens of a source.
pub(super) fn tokens(language: Language, source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        language,
        source,
        at: 0,
        line: 1,
        apart: true,
        braces: 0,
        templates: Vec::new(),
        heredocs: Vec::new(),
        tokens: Vec::new(),
    };
    while lexer.step() {}
    lexer.tokens
}

pub(super) struct Lexer<'a> {
    pub(super) language: Language,
    pub(super) source: &'a str,
    at: usize,
    line: u64,
    apart: bool,
    /// Open braces.
    braces: usize,
    /// For each open `${` of a template, the braces that are open around it.
    templates: Vec<usize>,
    /// The end words of heredocs that start on this line.
    heredocs: Vec<&'a str>,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn previous(&self) -> Option<Kind<'a>> {
        self.tokens.last().map(|token| token.kind)
    }

    /// Whether white space stands right before the next character.
    pub(super) fn is_apart(&self) -> bool {
        self.apart
    }

    /// Whether the next character is the first of its line.
    pub(super) fn at_line_start(&self) -> bool {
        self.source.get(..self.at).is_none_or(|before| before.is_empty() || before.ends_with('\n'))
    }

    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c == '\n' {
            self.skip(1);
            self.apart = true;
            self.skip_heredocs();
        } else if c.is_whitespace() {
            self.skip(c.len_utf8());
            self.apart = true;
        } else if let Some(length) = literal::comment(self) {
            self.skip(length);
            self.apart = true;
        } else if let Some((end_word, length)) = literal::heredoc(self) {
            self.heredocs.push(end_word);
            self.push(Kind::Text(""), length);
        } else if c == '}' && self.templates.last() == Some(&self.braces) {
            self.templates.pop();
            self.push(Kind::Mark('}'), 1);
            self.template();
        } else if c == '`' && self.language == Language::Script {
            self.push(Kind::Text(""), 1);
            self.template();
        } else if let Some(Literal { length, inner }) = literal(self) {
            self.push(Kind::Text(inner), length);
        } else if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.push(Kind::Word(rest.get(..length).unwrap_or_default()), length);
        } else {
            match c {
                '{' => self.braces += 1,
                '}' => self.braces = self.braces.saturating_sub(1),
                _ => {}
            }
            self.push(Kind::Mark(c), c.len_utf8());
        }
        true
    }

    fn push(&mut self, kind: Kind<'a>, length: usize) {
        self.tokens.push(Token { kind, line: self.line, apart: self.apart });
        self.apart = false;
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        let skipped = self.rest().get(..length).unwrap_or(self.rest());
        self.line += u64::try_from(memchr::memchr_iter(b'\n', skipped.as_bytes()).count()).unwrap_or(0);
        self.at += skipped.len();
    }

    /// Skips a template's text to its end or to the code in its next `${`.
    fn template(&mut self) {
        let rest = self.rest();
        let mut from = 0;
        while let Some(found) = rest.get(from..).and_then(|rest| rest.find(['`', '\\', '$'])) {
            let at = from + found;
            let here = rest.get(at..).unwrap_or_default();
            if here.starts_with('`') {
                return self.skip(at + 1);
            }
            if here.starts_with("${") {
                self.skip(at + 2);
                self.templates.push(self.braces);
                return;
            }
            from = at + literal::escape_length(here);
        }
        self.skip(rest.len());
    }

    fn skip_heredocs(&mut self) {
        for end_word in std::mem::take(&mut self.heredocs) {
            loop {
                let rest = self.rest();
                let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |newline| newline + 1);
                self.skip(length);
                if length == 0 || rest.get(..length).is_none_or(|line| line.trim() == end_word) {
                    break;
                }
            }
        }
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

#[cfg(test)]
mod tests;
