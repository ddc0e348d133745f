//! Assertions on the gates of a merge.

use serde_json::Value;

use super::Output;

/// A `runmill.gates/v1` document and the run that printed it.
pub struct Gates {
    document: Value,
    output: Output,
}

impl Gates {
    #[track_caller]
    pub(super) fn new(output: Output) -> Self {
        let document = output.only_document();
        assert_eq!(document["schema"], "runmill.gates/v1", "{document:#}\n{}", output.stderr);
        let gates = Self { document, output };
        let exit = match gates.document["outcome"].as_str() {
            Some("permitted") => 0,
            Some("refused") => 3,
            Some("undecided") => 4,
            _ => panic!("no outcome in {gates}"),
        };
        assert_eq!(gates.output.exit, exit, "exit code and outcome disagree: {gates}");
        let states = gates.gates().map(|gate| gate["state"].as_str().unwrap());
        assert_eq!(exit == 0, states.into_iter().all(|state| state == "met"), "{gates}");
        gates
    }

    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// They come to this.
    #[track_caller]
    pub fn is(&self, outcome: &str) -> &Self {
        assert_eq!(self.document["outcome"], outcome, "{self}");
        self
    }

    /// Every gate.
    pub fn gates(&self) -> impl Iterator<Item = &Value> {
        self.document["gates"].as_array().unwrap().iter()
    }

    /// One gate.
    #[track_caller]
    pub fn gate(&self, name: &str) -> &Value {
        self.gates().find(|gate| gate["gate"] == name).unwrap_or_else(|| panic!("no `{name}` in {self}"))
    }

    /// The gates that are not met, each with its state: `name: state`.
    pub fn open(&self) -> Vec<String> {
        let open = self.gates().filter(|gate| gate["state"] != "met");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        open.map(|gate| format!("{}: {}", text(&gate["gate"]), text(&gate["state"]))).collect()
    }

    /// Exactly these gates are not met.
    #[track_caller]
    pub fn only<const N: usize>(&self, open: [&str; N]) -> &Self {
        assert_eq!(self.open(), open, "{self}");
        self
    }

    /// The keys of what a gate is open about, sorted.
    pub fn about(&self, gate: &str) -> Vec<&str> {
        let reasons = self.gate(gate)["reasons"].as_array().unwrap();
        let open = reasons.iter().filter(|reason| reason["state"] != "met");
        let mut keys: Vec<_> = open.map(|reason| reason["subject"]["key"].as_str().unwrap()).collect();
        keys.sort_unstable();
        keys
    }

    /// A reason of a gate says this.
    #[track_caller]
    pub fn says(&self, gate: &str, part: &str) -> &Self {
        let reasons = self.gate(gate)["reasons"].as_array().unwrap();
        let said = |reason: &Value| reason["message"].as_str().unwrap().contains(part);
        assert!(reasons.iter().any(said), "`{gate}` does not say `{part}`: {self}");
        self
    }
}

impl std::fmt::Display for Gates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}\n{}", self.document, self.output.stderr)
    }
}
