//! What an operator loosened, for the record.

use std::fmt;

use runmill_model::{
    CheckId, CommitId, RuleId,
    words::{Isolation, Level, TreeHash},
};
use serde::{Serialize, Serializer};

use super::{OperatorPolicy, PackSource, SkipScope};
use crate::{EnvClass, EnvName, invalid::quoted};

/// One loosening. Its text is what records and people get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relaxation {
    /// `fail_on_missing_check: false`.
    MissingCheck,
    /// `fail_on_skipped_check: false`.
    SkippedCheck,
    /// `isolation: landlock`.
    Isolation,
    /// `tree_hash: sealed`.
    TreeHash,
    /// A variable that needs the operator, passed to every invocation, or to one check.
    Variable {
        /// Its name.
        name: EnvName,
        /// The operator's command that gets it; every invocation, if none.
        check: Option<CheckId>,
    },
    /// A rule's level below `block`. Whether the rule's own level is higher, only the pack knows.
    Level {
        /// The pack.
        pack: PackSource,
        /// The rule.
        rule: RuleId,
        /// `warn` or `off`.
        level: Level,
    },
    /// An exception of the operator's.
    Skip {
        /// The check.
        check: CheckId,
        /// The test.
        test_id: String,
        /// Where it counts.
        scope: SkipScope,
    },
    /// A stand-in baseline.
    Baseline {
        /// The check.
        check: CheckId,
        /// The commit whose inventory stands in.
        commit: CommitId,
    },
    /// A waiver; whether it counts, only the fold knows.
    Waiver {
        /// The finding's fingerprint as it was written.
        fingerprint: String,
        /// Who allowed it, as it was written.
        approver: String,
    },
}

impl fmt::Display for Relaxation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingCheck => f.write_str("fail_on_missing_check: false"),
            Self::SkippedCheck => f.write_str("fail_on_skipped_check: false, unproven coverage only warns"),
            Self::Isolation => f.write_str("isolation: landlock, reduced isolation"),
            Self::TreeHash => f.write_str("tree_hash: sealed, file status instead of content around each invocation"),
            Self::Variable { name, check: None } => write!(f, "environment: {name} is passed to every invocation"),
            Self::Variable { name, check: Some(check) } => write!(f, "environment: {name} is given to {check}"),
            Self::Level { pack, rule, level } => write!(f, "level: {rule} of {pack} is {level}"),
            Self::Skip { check, test_id, scope } => write!(f, "declared skip: {} of {check}, {scope}", quoted(test_id)),
            Self::Baseline { check, commit } => write!(f, "baseline: {commit} stands in for the base of {check}"),
            Self::Waiver { fingerprint, approver } => {
                write!(f, "waiver: {}, approved by {}", quoted(fingerprint), quoted(approver))
            }
        }
    }
}

impl Serialize for Relaxation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub(super) fn of(policy: &OperatorPolicy) -> Vec<Relaxation> {
    let section = policy.verification();
    let switches = [
        (!section.fails_on_missing_check(), Relaxation::MissingCheck),
        (!section.fails_on_skipped_check(), Relaxation::SkippedCheck),
        (section.isolation() == Isolation::Landlock, Relaxation::Isolation),
        (section.tree_hash() == TreeHash::Sealed, Relaxation::TreeHash),
    ];
    let mut found: Vec<_> =
        switches.into_iter().filter_map(|(loosened, relaxation)| loosened.then_some(relaxation)).collect();
    let sensitive = |name: &&EnvName| name.class() != EnvClass::Plain;
    found.extend(
        section
            .environment_allow()
            .iter()
            .filter(sensitive)
            .map(|name| Relaxation::Variable { name: name.clone(), check: None }),
    );
    for command in section.commands() {
        let names = command.env().allow().iter().chain(command.env().set().keys()).filter(sensitive);
        found.extend(names.map(|name| Relaxation::Variable { name: name.clone(), check: Some(command.id().clone()) }));
    }
    for pack in section.packs() {
        let lowered = pack.levels().iter().filter(|(_, level)| **level != Level::Block);
        found.extend(lowered.map(|(rule, level)| Relaxation::Level {
            pack: pack.source().clone(),
            rule: rule.clone(),
            level: *level,
        }));
    }
    found.extend(section.declared_skips().iter().map(|skip| Relaxation::Skip {
        check: skip.check().clone(),
        test_id: skip.declaration().test_id().to_owned(),
        scope: skip.scope().clone(),
    }));
    found.extend(
        section
            .baseline()
            .iter()
            .map(|(check, commit)| Relaxation::Baseline { check: check.clone(), commit: commit.clone() }),
    );
    found.extend(policy.waivers().iter().map(|waiver| Relaxation::Waiver {
        fingerprint: waiver.fingerprint().to_owned(),
        approver: waiver.approver().to_owned(),
    }));
    found
}
