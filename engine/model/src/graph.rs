//! The fact graph: built from observations, then sealed (sorted, checked, immutable, digested) before a judging rule
//! sees it.
//!
//! Stable JSON form: `{"schema": "runmill.facts/v1", "tests": [{"group"?, "name"}..], "facts": {kind: [fact..]}}`, with
//! tests sorted by shown id, facts sorted by key, and test sets as sorted lists of positions in `tests`. The digest is
//! SHA-256 over the canonical bytes of that form.

use std::{collections::HashMap, sync::OnceLock};

use serde::{Deserialize, Serialize};

use crate::{
    CheckId, Digest, Kind, TestArena, canonical,
    facts::{Change, Declaration, Fact, Facts, Policy, RecordedVerdict, Report, Session, Worktree},
    words::{Autonomy, Side},
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.facts/v1";

/// A fact of one graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactRef {
    /// Its kind.
    pub kind: Kind,
    /// Its place among the sorted facts of its kind, 0-based.
    pub index: u32,
}

/// Observations that contradict one another, so that no graph can be sealed from them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Not exactly one fact of a kind of which there is exactly one.
    #[error("there must be exactly one `{}` fact, not {count}", kind.as_str())]
    NotOne {
        /// The kind.
        kind: Kind,
        /// How many there are.
        count: usize,
    },
    /// Things of two kinds of run.
    #[error("a run is about a `change`, or about a `worktree` or `session`, and this one is about both")]
    Both,
    /// Two facts of one kind with one key.
    #[error("two `{}` facts are both `{key}`", kind.as_str())]
    Twice {
        /// The kind.
        kind: Kind,
        /// The key.
        key: String,
    },
    /// A fact that names another one that is not there.
    #[error("`{}` `{key}` names {missing} that is not there", kind.as_str())]
    Dangling {
        /// The kind.
        kind: Kind,
        /// The key.
        key: String,
        /// What is missing.
        missing: &'static str,
    },
    /// A report whose sets overlap, or name tests that are not there.
    #[error("the test sets of report `{key}` overlap or name tests that are not there")]
    Sets {
        /// The report's key.
        key: String,
    },
    /// A document that is no graph.
    #[error("not a fact graph: {0}")]
    Document(String),
}

/// Collects observations, in any order.
#[derive(Debug, Default, Clone)]
pub struct GraphBuilder {
    facts: Facts,
    tests: TestArena,
}

impl GraphBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder whose reports' tests are in this arena.
    pub fn with_tests(tests: TestArena) -> Self {
        Self { facts: Facts::default(), tests }
    }

    /// A builder that starts from the observations of a sealed graph.
    pub fn from_graph(graph: &Graph) -> Self {
        Self { facts: graph.facts.clone(), tests: graph.tests.clone() }
    }

    /// Adds one observation.
    pub fn add(&mut self, fact: impl Fact) {
        fact.add_to(&mut self.facts);
    }

    /// The arena that report parsers fill.
    pub fn tests_mut(&mut self) -> &mut TestArena {
        &mut self.tests
    }

    /// Sorts, checks and freezes the observations.
    ///
    /// # Errors
    /// The observations contradict one another.
    pub fn seal(self) -> Result<Graph, GraphError> {
        let Self { mut facts, tests } = self;
        let (tests, renumbered) = tests.sorted();
        for report in &mut facts.reports {
            check_sets(report, tests.len())?;
            for set in [&mut report.passed, &mut report.failed, &mut report.skipped, &mut report.flaky] {
                *set = set.renumbered(&renumbered);
            }
            for repeat in &mut report.repeats {
                repeat.test = renumbered.get(repeat.test.index()).copied().unwrap_or(repeat.test);
            }
            report.repeats.sort_by_key(|repeat| repeat.test);
        }
        let change = at_most_one(&facts.change)?;
        let (worktree, session) = (at_most_one(&facts.worktree)?, at_most_one(&facts.session)?);
        match (&change, worktree.is_some() || session.is_some()) {
            (None, false) => return Err(GraphError::NotOne { kind: Kind::Change, count: 0 }),
            (Some(_), true) => return Err(GraphError::Both),
            _ => {}
        }
        let policy = one(&facts.policy)?;
        let (verdict, _) = (at_most_one(&facts.verdict)?, at_most_one(&facts.merge_policy)?);
        at_most_one(&facts.budgets)?;
        if verdict.is_some() && change.is_none() {
            return Err(GraphError::NotOne { kind: Kind::Change, count: 0 });
        }
        facts.sort().map_err(|(kind, key)| GraphError::Twice { kind, key })?;
        let mut by_key = HashMap::new();
        for &kind in Kind::ALL {
            for index in 0..u32::try_from(facts.count(kind)).unwrap_or(u32::MAX) {
                let fact = FactRef { kind, index };
                if let Some(key) = facts.key(fact) {
                    by_key.insert((kind, key), index);
                }
            }
        }
        let mut declarations: HashMap<CheckId, Vec<u32>> = HashMap::new();
        for (index, declaration) in (0..).zip(&facts.declarations) {
            declarations.entry(declaration.check.clone()).or_default().push(index);
        }
        let graph = Graph { facts, tests, by_key, declarations, change, policy, digest: OnceLock::new() };
        graph.check_edges()?;
        Ok(graph)
    }
}

fn one<F: Fact + Clone>(facts: &[F]) -> Result<F, GraphError> {
    match facts {
        [fact] => Ok(fact.clone()),
        _ => Err(GraphError::NotOne { kind: F::KIND, count: facts.len() }),
    }
}

fn at_most_one<F: Fact + Clone>(facts: &[F]) -> Result<Option<F>, GraphError> {
    if facts.is_empty() { Ok(None) } else { one(facts).map(Some) }
}

fn check_sets(report: &Report, tests: usize) -> Result<(), GraphError> {
    let Report { passed, failed, skipped, flaky, repeats, .. } = report;
    let listed = passed.union(failed).union(skipped);
    let disjoint = listed.len() == passed.len() + failed.len() + skipped.len();
    let inside = flaky.difference(&listed).is_empty() && repeats.iter().all(|repeat| listed.contains(repeat.test));
    let known = listed.iter().last().is_none_or(|test| test.index() < tests);
    if disjoint && inside && known { Ok(()) } else { Err(GraphError::Sets { key: report.key() }) }
}

/// A sealed fact graph.
#[derive(Debug, Clone)]
pub struct Graph {
    facts: Facts,
    tests: TestArena,
    by_key: HashMap<(Kind, String), u32>,
    declarations: HashMap<CheckId, Vec<u32>>,
    // INVARIANT: the `change`, if there is one, and the one `policy` of `facts`.
    change: Option<Change>,
    policy: Policy,
    digest: OnceLock<Digest>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'a str,
    tests: &'a TestArena,
    facts: &'a Facts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedDocument {
    schema: String,
    tests: TestArena,
    facts: Facts,
}

impl Graph {
    /// All facts, sorted.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The tests of all reports.
    pub fn tests(&self) -> &TestArena {
        &self.tests
    }

    /// The change; none in a run about a working tree or a session.
    pub fn change(&self) -> Option<&Change> {
        self.change.as_ref()
    }

    /// How far runmill may act.
    pub fn mode(&self) -> Autonomy {
        self.change.as_ref().map_or(self.policy.mode, |change| change.mode)
    }

    /// The working tree; none in a run about a change.
    pub fn worktree(&self) -> Option<&Worktree> {
        self.facts.worktree.first()
    }

    /// The session; none in any other run.
    pub fn session(&self) -> Option<&Session> {
        self.facts.session.first()
    }

    /// What a recorded run came to; none but where the gates of a merge are judged.
    pub fn verdict(&self) -> Option<&RecordedVerdict> {
        self.facts.verdict.first()
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The facts of one kind, in order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = FactRef> + use<> {
        (0..u32::try_from(self.facts.count(kind)).unwrap_or(u32::MAX)).map(move |index| FactRef { kind, index })
    }

    /// The fact of a kind with this key.
    pub fn find(&self, kind: Kind, key: &str) -> Option<FactRef> {
        self.by_key.get(&(kind, key.to_owned())).map(|&index| FactRef { kind, index })
    }

    /// The fact behind a reference; none when the kind is another one or it is not there.
    pub fn get<F: Fact>(&self, fact: FactRef) -> Option<&F> {
        if fact.kind == F::KIND { F::all(&self.facts).get(fact.index as usize) } else { None }
    }

    /// The key of a fact; empty when it is not there.
    pub fn key(&self, fact: FactRef) -> String {
        self.facts.key(fact).unwrap_or_default()
    }

    /// The invocation of a check on one side.
    pub fn invocation_of(&self, check: &CheckId, side: Side) -> Option<FactRef> {
        self.find(Kind::Invocation, &format!("{check}@{side}"))
    }

    /// The report of a check on one side.
    pub fn report_of(&self, check: &CheckId, side: Side) -> Option<&Report> {
        self.find(Kind::Report, &format!("{check}@{side}")).and_then(|fact| self.get(fact))
    }

    /// The declarations for a check.
    pub fn declarations_of(&self, check: &CheckId) -> impl Iterator<Item = (FactRef, &Declaration)> {
        let indexes = self.declarations.get(check).map(Vec::as_slice).unwrap_or_default();
        indexes.iter().filter_map(|&index| {
            let fact = FactRef { kind: Kind::Declaration, index };
            self.get(fact).map(|declaration| (fact, declaration))
        })
    }

    /// The check a fact is about; none for facts that are about no check.
    pub fn check_of(&self, fact: FactRef) -> Option<&CheckId> {
        let Facts { checks, declarations, requirements, invocations, reports, path_rules, prior_runs, .. } =
            &self.facts;
        let index = fact.index as usize;
        match fact.kind {
            Kind::Check => checks.get(index).map(|check| &check.id),
            Kind::Declaration => declarations.get(index).map(|declaration| &declaration.check),
            Kind::Requirement => requirements.get(index).and_then(|requirement| requirement.check.as_ref()),
            Kind::Invocation => invocations.get(index).map(|invocation| &invocation.check),
            Kind::Report => reports.get(index).map(|report| &report.check),
            Kind::PathRule => path_rules.get(index).map(|rule| &rule.require),
            Kind::PriorRun => prior_runs.get(index).map(|prior| &prior.check),
            Kind::Change
            | Kind::Policy
            | Kind::RemoteRequirement
            | Kind::Forge
            | Kind::RemoteCheck
            | Kind::Proposal
            | Kind::Waiver
            | Kind::MergePolicy
            | Kind::ApprovalPath
            | Kind::ApprovalLabel
            | Kind::ApprovalCondition
            | Kind::Budgets
            | Kind::RecordedVerdict
            | Kind::Worktree
            | Kind::Command
            | Kind::Session
            | Kind::Event => None,
        }
    }

    /// The JSON form.
    pub fn to_document(&self) -> impl Serialize + '_ {
        Document { schema: SCHEMA, tests: &self.tests, facts: &self.facts }
    }

    /// Reads the JSON form. The order of facts does not matter, except that test sets point into `tests`.
    ///
    /// # Errors
    /// The document is no graph, or its observations contradict one another.
    pub fn from_json(bytes: &[u8]) -> Result<Self, GraphError> {
        let document: OwnedDocument =
            serde_json::from_slice(bytes).map_err(|error| GraphError::Document(error.to_string()))?;
        if document.schema != SCHEMA {
            return Err(GraphError::Document(format!("the schema is `{}`, not `{SCHEMA}`", document.schema)));
        }
        GraphBuilder { facts: document.facts, tests: document.tests }.seal()
    }

    /// SHA-256 over the canonical bytes of the JSON form.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| {
            // INVARIANT: a graph holds only texts, whole numbers, lists and maps with text keys.
            canonical::digest(&self.to_document()).unwrap_or_else(|_| Digest::of(b""))
        })
    }

    fn check_edges(&self) -> Result<(), GraphError> {
        let dangling = |kind, key, missing| Err(GraphError::Dangling { kind, key, missing });
        let has_check = |check: &CheckId| self.find(Kind::Check, check.as_str()).is_some();
        for invocation in &self.facts.invocations {
            if !has_check(&invocation.check) {
                return dangling(Kind::Invocation, invocation.key(), "a check");
            }
        }
        for declaration in &self.facts.declarations {
            if !has_check(&declaration.check) {
                return dangling(Kind::Declaration, declaration.key(), "a check");
            }
        }
        for report in &self.facts.reports {
            if self.invocation_of(&report.check, report.side).is_none() {
                return dangling(Kind::Report, report.key(), "an invocation");
            }
        }
        for requirement in &self.facts.requirements {
            let known = match (&requirement.check, &requirement.context) {
                (Some(check), None) => has_check(check),
                (None, Some(context)) => self.find(Kind::RemoteRequirement, context.as_str()).is_some(),
                _ => false,
            };
            if !known || requirement.sources.is_empty() {
                return dangling(Kind::Requirement, requirement.key(), "a check, context or source");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, example};

    #[test]
    fn the_order_of_observations_does_not_change_the_digest() {
        let graph = |names: [&str; 3], tests: [&str; 3]| {
            let mut builder = example::ready();
            for name in names {
                builder.add(example::check(name));
            }
            let passed = tests.iter().map(|test| builder.tests_mut().intern(Some("suite"), test).unwrap()).collect();
            builder.add(example::report("unit", Side::Candidate, passed));
            builder.seal().unwrap()
        };
        let (a, b) = (graph(["x", "y", "z"], ["one", "two", "six"]), graph(["z", "x", "y"], ["six", "one", "two"]));
        assert_eq!(a.digest(), b.digest());
        assert_ne!(a.digest(), graph(["x", "y", "z"], ["one", "two", "ten"]).digest());
    }

    #[test]
    fn reads_back_its_own_document() {
        let mut builder = example::ready();
        let test = builder.tests_mut().intern(None, "a").unwrap();
        builder.add(example::report("unit", Side::Candidate, std::iter::once(test).collect()));
        let graph = builder.seal().unwrap();
        let json = serde_json::to_vec(&graph.to_document()).unwrap();
        assert_eq!(Graph::from_json(&json).unwrap().digest(), graph.digest());
        let text = String::from_utf8(json).unwrap();
        for (from, to) in [("facts/v1", "facts/v2"), ("\"target\"", "\"taget\""), ("\"passed\":[0]", "\"passed\":[7]")]
        {
            assert!(Graph::from_json(text.replace(from, to).as_bytes()).is_err(), "{from}");
        }
    }

    #[test]
    fn refuses_contradictory_observations() {
        let refused = |change: fn(&mut GraphBuilder)| {
            let mut builder = example::ready();
            change(&mut builder);
            builder.seal().unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            refused(|builder| builder.add(example::change())),
            refused(|builder| builder.add(example::check("unit"))),
            refused(|builder| builder.add(example::invocation("other", Side::Candidate))),
            refused(|builder| builder.add(example::report("unit", Side::Base, Default::default()))),
            refused(|builder| builder.add(example::requirement("other"))),
            refused(|builder| {
                let set: crate::TestSet = std::iter::once(builder.tests_mut().intern(None, "a").unwrap()).collect();
                let report = example::report("unit", Side::Candidate, set.clone());
                builder.add(Report { failed: set, ..report });
            }),
        ].join("\n"), @r"
        there must be exactly one `change` fact, not 2
        two `check` facts are both `unit`
        `invocation` `other@candidate` names a check that is not there
        `report` `unit@base` names an invocation that is not there
        `requirement` `check:other` names a check, context or source that is not there
        the test sets of report `unit@candidate` overlap or name tests that are not there
        ");
    }

    #[test]
    fn edges_lead_from_fact_to_fact() {
        let graph = example::ready().seal().unwrap();
        let check = graph.find(Kind::Check, "unit").unwrap();
        let property = |name: &str| {
            let accessor = Kind::Check.accessors().iter().find(|accessor| accessor.name == name).unwrap();
            (accessor.get)(&graph, check.index)
        };
        assert_eq!(property("candidate"), Value::Fact(graph.find(Kind::Invocation, "unit@candidate").unwrap()));
        assert_eq!(property("base"), Value::Unit);
        assert_eq!(property("timeout_ms"), Value::Int(1000));
    }

    #[test]
    fn every_property_is_documented_and_named_once() {
        for kind in Kind::ALL {
            let names: std::collections::BTreeSet<_> = kind.accessors().iter().map(|accessor| accessor.name).collect();
            assert_eq!(names.len(), kind.accessors().len(), "{kind:?}");
            assert!(kind.accessors().iter().all(|accessor| accessor.doc.trim().ends_with('.')), "{kind:?}");
        }
    }
}
