//! What a person must approve.

use crate::{
    faults::Faults,
    words::words,
    yaml::{self, Entries, Node},
};

words! {
    /// A property of a change that asks for a person.
    Condition {
        /// The change came without acceptance criteria.
        MissingAcceptanceCriteria = "missing_acceptance_criteria",
        /// The configuration of checks changed.
        CheckConfigChanged = "check_config_changed",
        /// A lockfile changed.
        LockfileChanged = "lockfile_changed",
        /// A public interface changed; never provable.
        PublicApiChange = "public_api_change",
        /// Permissions changed; never provable.
        PermissionsChange = "permissions_change",
        /// Something about secrets changed; never provable.
        SecretRelatedChange = "secret_related_change",
    }
}

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

    /// Whether the rule can be evaluated: it has none of `[ ] { } ! \`, is relative, has no drive and no empty, `.` or
    /// `..` segment. An unusable rule asks for a person whatever changed; it is never ignored.
    pub fn is_usable(&self) -> bool {
        !self.0.contains(['[', ']', '{', '}', '!', '\\', ':'])
            && !self.0.chars().any(char::is_control)
            && self
                .0
                .strip_suffix('/')
                .unwrap_or(&self.0)
                .split('/')
                .all(|segment| !matches!(segment.trim(), "" | "." | ".."))
    }
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
