//! Text that flows into lines of a width.

use super::plain;

/// A width to flow into, in columns.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    width: usize,
}

impl Flow {
    /// Lines of at most so many columns.
    pub fn new(width: usize) -> Self {
        Self { width }
    }

    /// Appends a text, made harmless, its first line after `first` and the others after `next`.
    pub fn push(self, out: &mut String, first: &str, next: &str, text: &str) {
        let options = plain::whole_words(self.width).initial_indent(first).subsequent_indent(next);
        for line in textwrap::wrap(&plain::text(text), options) {
            out.push_str(&line);
            out.push('\n');
        }
    }
}
