//! What a branch requires: its classic protection and the rulesets that hold for it.

use std::collections::{BTreeMap, BTreeSet};

use super::{ACTIONS, Forge};
use crate::{
    document,
    refusal::Refusal,
    wire::{BranchRule, Protection, RuleStatusChecks, RuleWorkflows, StatusCheck, StatusChecks},
};

/// The words of GitHub where a branch has no classic protection. Where it says only that nothing was found, the token may not see.
const UNPROTECTED: &str = "Branch not protected";

/// What a branch requires.
pub(super) struct Protected {
    readable: bool,
    /// The apps that must report a context; none of them where any may.
    contexts: BTreeMap<String, BTreeSet<String>>,
    /// Workflows that must succeed as a whole.
    pub(super) workflows: BTreeSet<String>,
}

impl Protected {
    fn unreadable() -> Self {
        Self { readable: false, contexts: BTreeMap::new(), workflows: BTreeSet::new() }
    }

    fn require(&mut self, check: StatusCheck, slugs: &BTreeMap<i64, String>) {
        let apps = self.contexts.entry(check.context).or_default();
        // An app that has reported nothing has no name here, and no run can have the one it gets.
        let name = |id: i64| slugs.get(&id).cloned().unwrap_or_else(|| format!("app number {id}"));
        apps.extend(check.app_id.filter(|id| *id >= 0).map(name));
    }

    /// In the document one app reports a context. Where several must, what is required cannot be told.
    pub(super) fn document(self) -> document::Protection {
        let readable = self.readable && self.contexts.values().all(|apps| apps.len() <= 1);
        let contexts = self.contexts.into_iter().map(|(context, apps)| document::Required {
            context,
            app: apps.into_iter().next(),
            workflow: None,
        });
        let workflows = self.workflows.into_iter().map(|path| document::Required {
            context: path.clone(),
            app: Some(ACTIONS.to_owned()),
            workflow: Some(path),
        });
        document::Protection { readable, required: contexts.chain(workflows).collect() }
    }
}

impl Forge<'_> {
    /// What a branch requires. What the token may not read is unknown.
    pub(super) fn protection(&self, branch: Option<&str>, slugs: &BTreeMap<i64, String>) -> Result<Protected, Refusal> {
        let Some(branch) = branch else { return Ok(Protected::unreadable()) };
        let (Some(classic), Some(rules)) = (self.classic(branch)?, self.rules(branch)?) else {
            return Ok(Protected::unreadable());
        };
        let mut protected = Protected { readable: true, ..Protected::unreadable() };
        let named = classic.checks.iter().map(|check| check.context.clone()).collect::<BTreeSet<_>>();
        let others = classic.contexts.into_iter().filter(|context| !named.contains(context));
        let others = others.map(|context| StatusCheck { context, app_id: None });
        others.chain(classic.checks).for_each(|check| protected.require(check, slugs));
        for rule in rules {
            self.rule(branch, rule, slugs, &mut protected)?;
        }
        Ok(protected)
    }

    /// The contexts of the classic protection; none where the token may not read it.
    fn classic(&self, branch: &str) -> Result<Option<StatusChecks>, Refusal> {
        let nothing = || StatusChecks { contexts: Vec::new(), checks: Vec::new() };
        match self.client.get::<Protection>(&self.repository.path(&["branches", branch, "protection"])) {
            Ok(protection) => Ok(Some(protection.required_status_checks.clone().unwrap_or_else(nothing))),
            Err(refusal) if refusal.status() == Some(404) && refusal.said() == Some(UNPROTECTED) => Ok(Some(nothing())),
            Err(refusal) => may_not_read(refusal),
        }
    }

    fn rules(&self, branch: &str) -> Result<Option<Vec<BranchRule>>, Refusal> {
        let rules =
            self.client.get_paged::<Vec<BranchRule>>(&self.repository.path(&["rules", "branches", branch]), &[]);
        rules.map(Some).or_else(may_not_read)
    }

    fn rule(
        &self,
        branch: &str,
        rule: BranchRule,
        slugs: &BTreeMap<i64, String>,
        protected: &mut Protected,
    ) -> Result<(), Refusal> {
        let parameters = rule.parameters.unwrap_or_default();
        let read = match rule.r#type.as_str() {
            "required_status_checks" => serde_json::from_value(parameters).map(|rule: RuleStatusChecks| {
                rule.required_status_checks.into_iter().for_each(|check| protected.require(check, slugs));
            }),
            "workflows" => serde_json::from_value(parameters).map(|rule: RuleWorkflows| {
                protected.workflows.extend(rule.workflows.into_iter().map(|workflow| workflow.path));
            }),
            // What else a ruleset asks for is not about what was reported of a commit.
            _ => Ok(()),
        };
        let path = self.repository.path(&["rules", "branches", branch]);
        read.map_err(|error| self.client.unusable(&path, &format!("a rule `{}` is unreadable: {error}", rule.r#type)))
    }
}

fn may_not_read<T>(refusal: Refusal) -> Result<Option<T>, Refusal> {
    if matches!(refusal.status(), Some(401 | 403 | 404)) { Ok(None) } else { Err(refusal) }
}

/// Whether a run's file is the one that a rule names, which may be in another repository.
pub(super) fn is_file(file: &str, path: &str) -> bool {
    file == path || file.strip_suffix(path).is_some_and(|before| before.ends_with('/'))
}
