//! Assertions on the documents of JSON mode. Each names the whole document when it fails.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Output, Recorded};

/// A `runmill.verdict/v1` document and the run that printed it.
pub struct Verdict {
    document: Value,
    output: Output,
}

/// One finding that is neither proven nor not applicable.
#[derive(Clone, Copy)]
pub struct Finding<'a>(&'a Value);

/// A `runmill.error/v1` document and the run that printed it.
pub struct ErrorDocument {
    document: Value,
    output: Output,
}

impl Verdict {
    pub(super) fn new(document: Value, output: Output) -> Self {
        let verdict = Self { document, output };
        let word = verdict.word();
        let exit = match word {
            "ready" => 0,
            "blocked" => 3,
            "indeterminate" => 4,
            _ => panic!("`{word}` is no verdict"),
        };
        assert_eq!(verdict.output.exit, exit, "exit code and verdict `{word}` disagree");
        verdict
    }

    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The run.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// The record of the run.
    #[track_caller]
    pub fn recorded(&self) -> Recorded {
        Recorded::of(&self.output.state, self.run())
    }

    /// The id of the run.
    pub fn run(&self) -> &str {
        self.document["run"].as_str().unwrap_or_default()
    }

    /// `ready`, `blocked` or `indeterminate`.
    pub fn word(&self) -> &str {
        self.document["verdict"].as_str().unwrap_or_default()
    }

    /// The verdict is this one, and so is the exit code.
    #[track_caller]
    pub fn is(&self, word: &str) -> &Self {
        assert_eq!(self.word(), word, "{self}");
        self
    }

    /// Every finding that is neither proven nor not applicable.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        let all = self.document["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().map(Finding).filter(|finding| matches!(finding.text("outcome"), "refuted" | "unproven"))
    }

    /// The finding of this code and rule; there is exactly one.
    #[track_caller]
    pub fn finding(&self, code: &str, rule: &str) -> Finding<'_> {
        let found: Vec<_> = self.findings_of(code, rule).collect();
        assert_eq!(found.len(), 1, "findings {code} of `{rule}` in {self}");
        found[0]
    }

    /// Every finding of this code and rule.
    pub fn findings_of(&self, code: &str, rule: &str) -> impl Iterator<Item = Finding<'_>> {
        self.findings().filter(move |finding| finding.text("code") == code && finding.text("rule") == rule)
    }

    /// The findings that count as `block` have these codes and no others.
    #[track_caller]
    pub fn only_codes<const N: usize>(&self, codes: [&str; N]) -> &Self {
        let blocking =
            self.findings().filter(|finding| finding.text("level") == "block" && finding.0["waived"] != true);
        let found: BTreeSet<_> = blocking.map(|finding| finding.text("code")).collect();
        assert_eq!(found, BTreeSet::from(codes), "{self}");
        self
    }

    /// The result of a check on a side.
    #[track_caller]
    pub fn result(&self, check: &str, side: &str) -> &Value {
        let results = self.document["results"].as_array().unwrap_or_else(|| panic!("{self}"));
        let found = results.iter().find(|result| result["check"] == check && result["side"] == side);
        found.unwrap_or_else(|| panic!("no result of `{check}` at {side} in {self}"))
    }

    /// The checks that have a result on a side.
    pub fn ran(&self, side: &str) -> BTreeSet<&str> {
        let results = self.document["results"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ran = results.iter().filter(|result| result["side"] == side);
        ran.filter_map(|result| result["check"].as_str()).collect()
    }

    /// The required checks are these and no others.
    #[track_caller]
    pub fn requires<const N: usize>(&self, ids: [&str; N]) -> &Self {
        let checks = self.document["manifest"]["checks"].as_array().unwrap_or_else(|| panic!("{self}"));
        let required = checks.iter().filter(|check| check["required"] == true);
        let required: BTreeSet<_> = required.filter_map(|check| check["id"].as_str()).collect();
        assert_eq!(required, BTreeSet::from(ids), "{self}");
        self
    }

    /// The entry of a check in the manifest.
    #[track_caller]
    pub fn manifest_check(&self, id: &str) -> &Value {
        let checks = self.document["manifest"]["checks"].as_array().unwrap_or_else(|| panic!("{self}"));
        checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("no check `{id}` in {self}"))
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}\n{}", self.document, self.output.stderr)
    }
}

impl<'a> Finding<'a> {
    /// A text field, empty when it is not there.
    pub fn text(self, field: &str) -> &'a str {
        self.0[field].as_str().unwrap_or_default()
    }

    /// It names these tests and no others.
    #[track_caller]
    pub fn tests<const N: usize>(self, ids: [&str; N]) -> Self {
        let named = self.0["tests"].as_array().map(Vec::as_slice).unwrap_or_default();
        let named: Vec<_> = named.iter().filter_map(Value::as_str).collect();
        assert_eq!(named, ids, "{:#}", self.0);
        self
    }

    /// Its message holds `part`.
    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        assert!(self.text("message").contains(part), "`{part}` is not in {:#}", self.0);
        self
    }

    /// It counts at this level.
    #[track_caller]
    pub fn level(self, level: &str) -> Self {
        assert_eq!(self.text("level"), level, "{:#}", self.0);
        self
    }

    /// It is about a subject that holds `part` in its key.
    pub fn is_about(self, part: &str) -> bool {
        self.0["subject"].to_string().contains(part)
    }
}

impl ErrorDocument {
    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    pub(super) fn new(document: Value, output: Output) -> Self {
        let error = Self { document, output };
        let (message, help) = (error.text("message"), error.text("help"));
        assert!(!message.is_empty() && !message.contains('\n') && !message.ends_with('.'), "message in {error}");
        assert!(!help.is_empty(), "no help in {error}");
        assert!(error.document["labels"].is_array(), "no labels in {error}");
        assert_eq!(error.output.records(), error.output.earlier_records, "a record of a run that never was");
        error
    }

    /// A text field, empty when it is not there.
    pub fn text(&self, field: &str) -> &str {
        self.document[field].as_str().unwrap_or_default()
    }

    /// The run.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Its code and exit code are these.
    #[track_caller]
    pub fn is(&self, code: &str, exit: i32) -> &Self {
        assert_eq!((self.text("code"), self.output.exit), (code, exit), "{self}");
        self
    }

    /// Its message or help holds `part`.
    #[track_caller]
    pub fn says(&self, part: &str) -> &Self {
        let text = format!("{} {} {}", self.text("message"), self.text("help"), self.document["labels"]);
        assert!(text.contains(part), "`{part}` is not in {self}");
        self
    }

    /// It, or another problem of the same input, points at this 1-based line of a file whose name ends so.
    #[track_caller]
    pub fn points_at(&self, file: &str, line: u64) -> &Self {
        let others = self.document["problems"].as_array().map(Vec::as_slice).unwrap_or_default();
        let problems = std::iter::once(&self.document).chain(others);
        let mut labels = problems.filter_map(|problem| problem["labels"].as_array()).flatten();
        let there = |label: &Value| label["file"].as_str().unwrap_or_default().ends_with(file) && label["line"] == line;
        assert!(labels.any(there), "no label at {file}:{line} in {self}");
        self
    }
}

impl std::fmt::Display for ErrorDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}\n{}", self.document, self.output.stderr)
    }
}
