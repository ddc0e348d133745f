//! What a stored verdict says beyond the facts. Members that are not asked for, later ones too, are passed over.

use std::collections::BTreeMap;

use runmill_model::{Outcome, Side};
use serde::Deserialize;
use serde_json::Value;

use super::document::Finding;

/// A verdict, as far as it is asked.
#[derive(Debug, Deserialize)]
pub struct StoredVerdict {
    pub policy: Value,
    pub relaxations: Vec<String>,
    pub waivers: Vec<Value>,
    pub findings: Vec<Finding>,
    results: Vec<StoredResult>,
}

#[derive(Debug, Deserialize)]
struct StoredResult {
    check: String,
    side: Side,
    coverage: Outcome,
}

/// A receipt or a session, as far as it is asked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StoredAttested {
    pub relaxations: Vec<String>,
    pub findings: Vec<Finding>,
}

impl StoredVerdict {
    /// The coverage of each invocation, by check and side.
    pub fn coverage(&self) -> BTreeMap<(&str, Side), Outcome> {
        self.results.iter().map(|result| ((result.check.as_str(), result.side), result.coverage)).collect()
    }
}
