//! Focus markers in test sources: tokens that make a runner run a selection only.
//!
//! Looked for as tokens, never in strings, comments or regular expressions, and only in files that look like tests.

mod language;
mod marker;
mod token;

pub use language::is_test_file;

use language::Language;

/// A focus marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FocusMarker {
    /// The line, 1-based.
    pub line: u64,
    /// The marker as a person knows it, such as `it.only`.
    pub token: String,
}

/// The focus markers of a source, in the order of its lines. Empty for a language that has none.
///
/// ```
/// use runmill_report::focus::focus_markers;
///
/// let source = b"it.only('adds', () => {});\nprofit(3); // it.only(\n";
/// let markers = focus_markers("adds.test.js", source);
/// assert_eq!((markers.len(), markers[0].line, markers[0].token.as_str()), (1, 1, "it.only"));
/// ```
pub fn focus_markers(path: &str, source: &[u8]) -> Vec<FocusMarker> {
    let Some(language) = Language::of(path).filter(|language| *language != Language::Other) else { return Vec::new() };
    let source = String::from_utf8_lossy(source);
    marker::find(language, &source, &token::tokens(language, &source))
}
