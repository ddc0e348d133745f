//! JSON Schemas of the files that people write, for editors. The parsers decide; a test holds both to know the same keys.

mod checks;
mod policy;
mod shape;

use serde_json::Value;

pub use shape::{Member, Shape};

/// The schema of `.runmill/checks.yaml`.
pub fn checks() -> Value {
    checks::document().into_document("runmill: .runmill/checks.yaml")
}

/// The schema of the operator's `policy.yaml`.
pub fn policy() -> Value {
    policy::document().into_document("runmill: policy.yaml")
}
