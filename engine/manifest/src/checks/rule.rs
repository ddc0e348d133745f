//! Path rules.

use runmill_model::{CheckId, RepoPath};

use super::MAX_PATTERNS;
use crate::{
    PathPattern,
    faults::{Fault, Faults, Span},
    invalid::{self, quoted},
    yaml::{self, Entries, Node, Value},
};

/// Requires checks when a changed path matches. The ids may be configured elsewhere, by the operator; an id that
/// nobody configures is for the pipeline to refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRule {
    matches: Vec<PathPattern>,
    require: Vec<CheckId>,
}

impl PathRule {
    /// A rule of patterns and ids that were read before.
    pub(crate) fn of(matches: Vec<PathPattern>, require: Vec<CheckId>) -> Self {
        Self { matches, require }
    }

    /// The patterns, at least one; one match is enough.
    pub fn patterns(&self) -> &[PathPattern] {
        &self.matches
    }

    /// The required ids, at least one, each once.
    pub fn require(&self) -> &[CheckId] {
        &self.require
    }

    /// The first pattern that matches the path. Ask for both names of a renamed file.
    pub fn matching(&self, path: &RepoPath) -> Option<&PathPattern> {
        self.matches.iter().find(|pattern| pattern.matches(path))
    }
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<PathRule> {
    let mut left = MAX_PATTERNS;
    let mut rules = Vec::new();
    for item in yaml::list(node, "paths", faults) {
        let Some(mut entries) = Entries::of(item, "a path rule", faults) else { continue };
        let patterns =
            entries.need("match", "write the paths it is about, such as `match: [\"migrations/**\"]`", faults);
        let require = entries.need("require", "write the ids of the checks it requires", faults);
        entries.close(faults);
        let (Some(patterns), Some(require)) = (patterns, require) else { continue };
        let Some(rest) = left.checked_sub(patterns.items()) else {
            let fault = Fault::new(
                format!("the manifest holds more than {MAX_PATTERNS} path patterns"),
                "write fewer, wider ones",
            );
            faults.add(fault.at(patterns.span, "too many"));
            return rules;
        };
        left = rest;
        let matches = yaml::unique(patterns, "match", faults, |text| PathPattern::new(text));
        let ids = yaml::unique(require, "require", faults, invalid::id::<CheckId>);
        rules.push(PathRule {
            matches: at_least_one(matches, patterns, "match", faults),
            require: at_least_one(ids, require, "require", faults),
        });
    }
    rules
}

/// The values of a list whose emptiness would be a rule without effect.
fn at_least_one<T>(values: Vec<(T, Span)>, node: &Node, what: &str, faults: &mut Faults) -> Vec<T> {
    if matches!(&node.value, Value::List(items) if items.is_empty()) {
        faults.add(
            Fault::new(format!("{} is an empty list", quoted(what)), "name at least one, or remove the rule")
                .at(node.span, "empty"),
        );
    }
    values.into_iter().map(|(value, _)| value).collect()
}
