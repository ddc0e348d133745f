//! The union of what is configured: operator over repository, target over candidate. It only ever adds.

use std::collections::{BTreeMap, BTreeSet};

use runmill_host::redact::Secrets;
use runmill_manifest::{Check, ChecksManifest, OperatorPolicy, PathRule, policy::SkipScope};
use runmill_model::{
    CheckId, Code, CommitId, ManifestSource, Observer, Origin, Problem, Problems,
    facts::{self, Declaration},
};

use crate::{change::ResolvedChange, manifests::Manifests};

/// Every configured check by the definition that governs it, and the facts that say so.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) checks: BTreeMap<CheckId, Check>,
    pub(crate) facts: Vec<facts::Check>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) path_rules: Vec<facts::PathRule>,
}

/// The manifests of a change as look-ups by id.
struct Sides<'a> {
    target: Option<&'a ChecksManifest>,
    candidate: Option<&'a ChecksManifest>,
    operator: BTreeMap<&'a CheckId, &'a Check>,
    /// The operator's stand-ins.
    baselines: &'a BTreeMap<CheckId, CommitId>,
    read_from: ManifestSource,
}

/// Merges the manifests.
///
/// # Errors
/// RM-VERIFY-004: a path rule requires an id that nobody configures.
pub(crate) fn merge(
    manifests: &Manifests,
    policy: &OperatorPolicy,
    change: &ResolvedChange,
) -> Result<Configured, Problems> {
    let sides = Sides {
        target: manifests.target.as_ref(),
        candidate: manifests.candidate.as_ref(),
        operator: policy.verification().commands().iter().map(|check| (check.id(), check)).collect(),
        baselines: policy.verification().baseline(),
        read_from: manifests.read_from,
    };
    let ids: BTreeSet<&CheckId> = sides
        .operator
        .keys()
        .copied()
        .chain([sides.target, sides.candidate].into_iter().flatten().flat_map(ChecksManifest::checks).map(Check::id))
        .collect();
    let mut merged = Configured {
        checks: BTreeMap::new(),
        facts: Vec::new(),
        declarations: Vec::new(),
        path_rules: path_rules(&sides),
    };
    for id in ids {
        let Some((origin, check)) = sides.governing(id) else { continue };
        merged.facts.push(sides.fact(origin, check));
        merged.declarations.extend(sides.declarations(origin, check));
        merged.checks.insert(id.clone(), check.clone());
    }
    merged.declarations.extend(operator_declarations(policy, change, &merged.checks));
    deduplicate(&mut merged.declarations);
    unknown_requirements(&merged)?;
    Ok(merged)
}

impl Configured {
    /// Takes secrets out of the facts. The checks to execute keep theirs, and digests are over what is executed.
    pub(crate) fn redact(&mut self, secrets: &Secrets) {
        for fact in &mut self.facts {
            secrets.redact_all(fact.argv.iter_mut().chain(&mut fact.description));
        }
        for declaration in &mut self.declarations {
            let Declaration { test_id, cause, renamed_to, .. } = declaration;
            secrets.redact_all([test_id, cause].into_iter().chain(renamed_to));
        }
        deduplicate(&mut self.declarations);
    }
}

impl<'a> Sides<'a> {
    fn in_target(&self, id: &CheckId) -> Option<&'a Check> {
        self.target.and_then(|manifest| manifest.check(id))
    }

    fn in_candidate(&self, id: &CheckId) -> Option<&'a Check> {
        self.candidate.and_then(|manifest| manifest.check(id))
    }

    /// The definition that governs an id, whole.
    fn governing(&self, id: &CheckId) -> Option<(Origin, &'a Check)> {
        let operator = self.operator.get(id).map(|check| (Origin::Operator, *check));
        let new = if self.read_from == ManifestSource::WorkingTree { Origin::Repository } else { Origin::Candidate };
        operator
            .or_else(|| self.in_target(id).map(|check| (Origin::Repository, check)))
            .or_else(|| self.in_candidate(id).map(|check| (new, check)))
    }

    fn fact(&self, origin: Origin, check: &Check) -> facts::Check {
        let (in_target, in_candidate) = (self.in_target(check.id()), self.in_candidate(check.id()));
        let same = |other: &Check| other.definition_digest() == check.definition_digest();
        let report = check.report();
        facts::Check {
            observed_by: match origin {
                Origin::Operator => Observer::Operator,
                Origin::Repository | Origin::Candidate => Observer::Repository,
            },
            id: check.id().clone(),
            description: check.description().map(str::to_owned),
            origin,
            required: origin == Origin::Operator || check.is_required(),
            required_by_candidate: in_candidate.is_some_and(Check::is_required),
            in_target: in_target.is_some(),
            in_candidate: in_candidate.is_some(),
            redefined_by_candidate: in_target.is_some() && !in_candidate.is_some_and(same),
            argv: check.argv().words().to_vec(),
            cwd: check.cwd().clone(),
            timeout_ms: check.timeout().as_millis(),
            report_path: report.map(|report| report.path().clone()),
            report_format: report.map(|report| report.format().to_string()),
            identity: report.map(|report| report.identity().to_string()),
            duplicates: report.map(|report| report.duplicates().to_string()),
            definition_digest: check.definition_digest(),
            baseline: self.baselines.get(check.id()).cloned(),
            folder: check.folder().clone(),
        }
    }

    /// The declarations of the governing definition. One counts if target and candidate both carry it, so that a
    /// change can retire its own exception and never grant one; those of a check that is new in the change take nothing
    /// from what the target requires, and count.
    fn declarations(&self, origin: Origin, check: &Check) -> Vec<Declaration> {
        let carried = |side: Option<&Check>, test: &str| {
            side.is_some_and(|check| check.declared_skips().iter().any(|skip| skip.test_id() == test))
        };
        let (in_target, in_candidate) = (self.in_target(check.id()), self.in_candidate(check.id()));
        let all: Vec<_> = match origin {
            Origin::Operator => check.declared_skips().iter().collect(),
            Origin::Repository | Origin::Candidate => {
                let sides = [Some(check), in_candidate];
                sides.into_iter().flatten().flat_map(Check::declared_skips).collect()
            }
        };
        all.into_iter()
            .map(|skip| {
                let (target, candidate) = (carried(in_target, skip.test_id()), carried(in_candidate, skip.test_id()));
                Declaration {
                    observed_by: if origin == Origin::Operator { Observer::Operator } else { Observer::Repository },
                    check: check.id().clone(),
                    test_id: skip.test_id().to_owned(),
                    cause: skip.cause().to_owned(),
                    renamed_to: skip.renamed_to().map(str::to_owned),
                    origin,
                    in_target: target,
                    in_candidate: candidate,
                    counts: origin == Origin::Operator || in_target.is_none() || (target && candidate),
                }
            })
            .collect()
    }
}

/// The operator's own exceptions, where they are for every change, for this branch or for this commit.
fn operator_declarations(
    policy: &OperatorPolicy,
    change: &ResolvedChange,
    checks: &BTreeMap<CheckId, Check>,
) -> Vec<Declaration> {
    let declared = policy.verification().declared_skips().iter();
    declared
        .filter(|declared| checks.contains_key(declared.check()))
        .filter(|declared| applies(declared.scope(), change))
        .map(|declared| Declaration {
            observed_by: Observer::Operator,
            check: declared.check().clone(),
            test_id: declared.declaration().test_id().to_owned(),
            cause: declared.declaration().cause().to_owned(),
            renamed_to: declared.declaration().renamed_to().map(str::to_owned),
            origin: Origin::Operator,
            in_target: false,
            in_candidate: false,
            counts: true,
        })
        .collect()
}

fn applies(scope: &SkipScope, change: &ResolvedChange) -> bool {
    match scope {
        SkipScope::Everywhere => true,
        SkipScope::Branch(branch) => change.branch.as_deref() == Some(branch.as_str()),
        SkipScope::Commit(commit) => *commit == change.candidate || change.merged.as_ref() == Some(commit),
    }
}

/// Keeps the first of each (check, origin, test): the governing definition's before the candidate's.
fn deduplicate(declarations: &mut Vec<Declaration>) {
    let mut seen = BTreeSet::new();
    declarations.retain(|declaration| {
        seen.insert((declaration.check.clone(), declaration.origin, declaration.test_id.clone()))
    });
}

/// The target's rules, and the candidate's where it has more: a change may tighten.
fn path_rules(sides: &Sides<'_>) -> Vec<facts::PathRule> {
    let fact = |origin, (position, rule): (u32, &PathRule), require: &CheckId| facts::PathRule {
        observed_by: Observer::Repository,
        origin,
        position,
        patterns: rule.patterns().iter().map(|pattern| pattern.as_str().to_owned()).collect(),
        require: require.clone(),
    };
    let governing = if sides.read_from == ManifestSource::WorkingTree { sides.candidate } else { sides.target };
    let added = if sides.read_from == ManifestSource::WorkingTree { None } else { sides.candidate };
    [(Origin::Repository, governing), (Origin::Candidate, added)]
        .into_iter()
        .filter_map(|(origin, manifest)| manifest.map(|manifest| (origin, manifest)))
        .flat_map(|(origin, manifest)| {
            (0..).zip(manifest.paths()).flat_map(move |rule| {
                rule.1.require().iter().map(move |require| fact(origin, rule, require)).collect::<Vec<_>>()
            })
        })
        .collect()
}

/// A path rule for a check that nobody configures could never be met, and must not be passed over.
fn unknown_requirements(configured: &Configured) -> Result<(), Problems> {
    let unknown: BTreeSet<_> = configured
        .path_rules
        .iter()
        .map(|rule| &rule.require)
        .filter(|id| !configured.checks.contains_key(*id))
        .collect();
    let problems = unknown.into_iter().map(|id| {
        Problem::new(
            Code::Verify004,
            format!("a path rule requires `{id}`, and no check of that id is configured"),
            "add the check under `checks:`, or correct the id under `paths:`",
        )
    });
    Problems::from_list(problems.collect()).map_or(Ok(()), Err)
}
