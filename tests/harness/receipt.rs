//! Assertions on receipts.

use serde_json::Value;

use super::{Output, fits};

/// A `runmill.receipt/v1` document and the run that printed it.
pub struct Receipt {
    document: Value,
    output: Output,
}

impl Receipt {
    #[track_caller]
    pub(super) fn new(output: Output) -> Self {
        let document = output.only_document();
        assert_eq!(document["schema"], "runmill.receipt/v1", "{document:#}\n{}", output.stderr);
        let receipt = Self { document, output };
        let exit = match receipt.document["outcome"].as_str() {
            Some("VERIFIED") => 0,
            Some("FAILED") => 3,
            Some("INDETERMINATE") => 4,
            _ => panic!("no outcome in {receipt}"),
        };
        assert_eq!(receipt.output.exit, exit, "exit code and outcome disagree: {receipt}");
        receipt
    }

    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The run.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// It has the form that its schema describes.
    #[track_caller]
    pub fn fits(&self, schema: &Value) -> &Self {
        fits(schema, &self.document);
        self
    }

    /// It comes to this.
    #[track_caller]
    pub fn is(&self, outcome: &str) -> &Self {
        assert_eq!(self.document["outcome"], outcome, "{self}");
        self
    }

    /// A command of it.
    #[track_caller]
    pub fn command(&self, id: &str) -> &Value {
        let commands = self.document["commands"].as_array().unwrap();
        commands.iter().find(|command| command["id"] == id).unwrap_or_else(|| panic!("no `{id}` in {self}"))
    }

    /// A command came to this.
    #[track_caller]
    pub fn came_to(&self, id: &str, outcome: &str) -> &Self {
        assert_eq!(self.command(id)["outcome"], outcome, "{self}");
        self
    }

    /// The rules that refute or leave something unproven, sorted.
    pub fn open(&self) -> Vec<&str> {
        open_rules(&self.document)
    }
}

/// The rules that refute or leave something unproven in a document with findings, sorted.
pub fn open_rules(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    let open = findings.iter().filter(|it| it["outcome"] == "refuted" || it["outcome"] == "unproven");
    let rules: std::collections::BTreeSet<_> = open.map(|finding| finding["rule"].as_str().unwrap()).collect();
    rules.into_iter().collect()
}

impl std::fmt::Display for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}\n{}", self.document, self.output.stderr)
    }
}
