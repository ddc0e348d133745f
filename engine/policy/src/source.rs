//! A pack as text, before anything is checked.

use std::collections::BTreeMap;

use runmill_model::{Digest, Level, PackName, RuleId, Stage, Value};

/// A pack as its folder and its manifest give it.
#[derive(Debug, Clone)]
pub struct PackSource {
    /// Its name.
    pub name: PackName,
    /// Its version, as written in `pack.kdl`.
    pub version: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// Its parameters by name, defaults filled in: texts, whole numbers, truth values, or lists of those.
    pub params: BTreeMap<String, Value>,
    /// Levels that the operator decided, by rule.
    pub levels: BTreeMap<RuleId, Level>,
    /// Its rules, one a file.
    pub rules: Vec<RuleFile>,
    /// Its shared functions.
    pub lib: Vec<LibFile>,
    /// The runners whose words it knows, as KDL; no rule reads it. Absent in most packs.
    pub runners: Option<String>,
}

/// The text of one rule.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// The path inside the pack, such as `verdict/zero-tests.rhai`.
    pub path: String,
    /// The stage whose folder it stands in.
    pub stage: Stage,
    /// The text.
    pub text: String,
}

/// The text of one file of shared functions.
#[derive(Debug, Clone)]
pub struct LibFile {
    /// The name rules call it by, as in `name::function(x)`.
    pub name: String,
    /// The path inside the pack, such as `lib/name.rhai`.
    pub path: String,
    /// The text.
    pub text: String,
}
