//! Documents.

use runmill_model::{Problem, Problems};
use serde::Serialize;

#[derive(Serialize)]
struct ErrorDocument<'a> {
    schema: &'static str,
    code: &'static str,
    message: &'a str,
    help: &'a str,
    labels: Vec<LabelEntry<'a>>,
    /// Every problem, the first included.
    problems: Vec<ProblemEntry<'a>>,
}

/// A problem as documents have it.
#[derive(Serialize, Clone)]
pub struct ProblemEntry<'a> {
    code: &'static str,
    message: &'a str,
    help: &'a str,
    labels: Vec<LabelEntry<'a>>,
}

#[derive(Serialize, Clone)]
struct LabelEntry<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

/// `runmill.error/v1`.
pub fn error(problems: &Problems) -> String {
    let problems: Vec<_> = problems.iter().map(entry).collect();
    let nothing = ProblemEntry { code: "", message: "", help: "", labels: Vec::new() };
    let first = problems.first().cloned().unwrap_or(nothing);
    let ProblemEntry { code, message, help, labels } = first;
    text(&ErrorDocument { schema: "runmill.error/v1", code, message, help, labels, problems })
}

/// A problem for a document.
pub fn entry(problem: &Problem) -> ProblemEntry<'_> {
    let labels = problem.labels.iter().filter_map(|label| {
        let (line, column) = problem.position(label)?;
        let file = problem.source.as_ref().map_or("", |source| source.name.as_str());
        Some(LabelEntry { file, line, column, text: &label.text })
    });
    ProblemEntry {
        code: problem.code.as_str(),
        message: &problem.message,
        help: &problem.help,
        labels: labels.collect(),
    }
}

/// Any of our documents.
pub fn text(document: &impl Serialize) -> String {
    // INVARIANT: our documents are maps with text keys, so they can always be written.
    serde_json::to_string_pretty(document).unwrap_or_default()
}
