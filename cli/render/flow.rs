//! Text that flows into lines of a width.

use textwrap::{Options, WordSeparator, WordSplitter};

use super::plain;

/// A width to flow into, in columns. Lines break at spaces only, so that a path or a command can be copied.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    width: usize,
    breaks_words: bool,
}

impl Flow {
    /// Lines of at most so many columns.
    pub fn new(width: usize) -> Self {
        Self { width, breaks_words: true }
    }

    /// A word that is longer than a line stays whole and makes the line longer.
    pub fn of_whole_words(self) -> Self {
        Self { breaks_words: false, ..self }
    }

    /// The lines of a text, made harmless, the first one after `first` and the others after `next`.
    pub fn lines(self, first: &str, next: &str, text: &str) -> Vec<String> {
        let options = Options::new(self.width)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(self.breaks_words)
            .initial_indent(first)
            .subsequent_indent(next);
        textwrap::wrap(&plain::text(text), options).into_iter().map(String::from).collect()
    }

    /// The same behind a label, the further lines below the first.
    pub fn labelled(self, label: &str, text: &str) -> Vec<String> {
        self.lines(label, &" ".repeat(label.chars().count()), text)
    }

    /// Appends these lines.
    pub fn push(self, out: &mut String, first: &str, next: &str, text: &str) {
        for line in self.lines(first, next, text) {
            out.push_str(&line);
            out.push('\n');
        }
    }
}
