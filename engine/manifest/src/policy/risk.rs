//! What a person must approve.

use runmill_model::{RepoPath, words::Condition};

use crate::{
    faults::Faults,
    yaml::{self, Entries, Node},
};

/// The `risk.manual_approval` section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Risk {
    paths: Vec<RiskPath>,
    labels: Vec<String>,
    conditions: Vec<Condition>,
}

impl Risk {
    /// Path rules in the order of the file.
    pub fn paths(&self) -> &[RiskPath] {
        &self.paths
    }

    /// Labels, trimmed and in lower case; compare with labels treated the same.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Conditions in the order of the file.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
}

/// A path rule: a literal is the path or a directory prefix; `*` and `?` stay within a segment, `**` crosses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskPath(String);

impl RiskPath {
    /// The rule as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the rule can be evaluated: it has none of `[ ] { } ! \`, is relative, has no drive, no empty, `.` or `..` segment
    /// and no outer space. An unusable rule asks for a person whatever changed; it is never ignored.
    pub fn is_usable(&self) -> bool {
        !self.0.contains(['[', ']', '{', '}', '!', '\\', ':'])
            && !self.0.chars().any(char::is_control)
            && self.0.trim() == self.0
            && self.plain().split('/').all(|segment| !matches!(segment.trim(), "" | "." | ".."))
    }

    /// Whether it is about a path. One that cannot be evaluated is about none.
    pub fn matches(&self, path: &RepoPath) -> bool {
        let pattern = self.plain();
        if !self.is_usable() {
            return false;
        }
        if !pattern.contains(['*', '?']) {
            return path.as_str().strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        }
        let below = if self.0.ends_with('/') { "(?:/.*)?" } else { "" };
        regex::Regex::new(&format!("(?s)^{}{below}$", as_regex(pattern)))
            .is_ok_and(|regex| regex.is_match(path.as_str()))
    }

    /// Without the slash that a directory may end in.
    fn plain(&self) -> &str {
        self.0.strip_suffix('/').unwrap_or(&self.0)
    }
}

/// `**/` is any number of whole segments, `**` anything, `*` and `?` anything within a segment.
fn as_regex(pattern: &str) -> String {
    let mut regex = String::new();
    let mut rest = pattern;
    let mut at_start = true;
    while let Some(first) = rest.chars().next() {
        let (piece, length) = match first {
            '*' if at_start && rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            other => (regex::escape(other.encode_utf8(&mut [0; 4])), other.len_utf8()),
        };
        regex.push_str(&piece);
        at_start = rest.get(..length).is_some_and(|read| read.ends_with('/'));
        rest = rest.get(length..).unwrap_or_default();
    }
    regex
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Risk {
    let mut risk = Risk::default();
    let Some(mut entries) = Entries::of(node, "`risk`", faults) else { return risk };
    let approval = entries.get("manual_approval");
    entries.close(faults);
    let Some(mut entries) = approval.and_then(|node| Entries::of(node, "`manual_approval`", faults)) else {
        return risk;
    };
    let (paths, labels, conditions) = (entries.get("paths"), entries.get("labels"), entries.get("conditions"));
    entries.close(faults);
    for item in paths.map(|node| yaml::list(node, "paths", faults)).unwrap_or_default() {
        risk.paths.extend(yaml::text(item, "paths", faults).map(|text| RiskPath(text.to_owned())));
    }
    for item in labels.map(|node| yaml::list(node, "labels", faults)).unwrap_or_default() {
        risk.labels.extend(yaml::text(item, "labels", faults).map(|text| text.trim().to_lowercase()));
    }
    for item in conditions.map(|node| yaml::list(node, "conditions", faults)).unwrap_or_default() {
        risk.conditions.extend(yaml::word(item, "conditions", Condition::ALL, Condition::as_str, faults));
    }
    risk
}
