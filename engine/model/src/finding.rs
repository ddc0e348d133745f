//! What rules return, and the findings the host makes of it.

use std::sync::Arc;

pub use crate::words::{Level, Outcome};
use crate::{Code, Digest, FactRef, Graph, PackName, RuleId, TestSet, canonical, words::RequirementSource};

/// What one call of a rule returns.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleResult {
    /// A judgement; every stage but discovery, where only `not_applicable` is allowed.
    Judged(Judgement),
    /// Discovery: this change must pass the check or context.
    Require {
        /// A `check` or `remote_requirement` fact.
        subject: FactRef,
        /// Why.
        reason: Arc<str>,
    },
    /// Discovery: a proposal that names nothing.
    Ignore {
        /// A `proposal` fact.
        proposal: FactRef,
        /// Why.
        reason: Arc<str>,
    },
}

/// A rule's judgement on its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// How it came out.
    pub outcome: Outcome,
    /// What was found, one line, without a full stop. Empty for a bare `proven`.
    pub message: Arc<str>,
    /// The facts it stands on.
    pub evidence: Vec<FactRef>,
    /// The tests concerned; empty when none is.
    pub tests: TestSet,
    /// What to do next, when the rule knows better than its metadata.
    pub fix: Option<Arc<str>>,
    /// What an unproven judgement waits for; absent when waiting would change nothing.
    pub waiting: Option<Waiting>,
}

impl Judgement {
    /// The word that rules make it with: its outcome, or `waiting` where it waits.
    pub fn word(&self) -> &'static str {
        if self.waiting.is_some() { "waiting" } else { self.outcome.as_str() }
    }
}

/// What has not happened yet and may still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// Something that must begin by this time, RFC 3339.
    Until(Arc<str>),
    /// Something that is under way, for as long as it takes.
    Completion,
}

/// What a rule says of itself, as far as a finding repeats it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleHead {
    /// The pack it is from.
    pub pack: PackName,
    /// Its id.
    pub rule: RuleId,
    /// The code of its findings.
    pub code: Code,
    /// How its findings count.
    pub level: Level,
    /// What to do about a finding.
    pub fix: Arc<str>,
    /// For discovery rules: as what a requirement is recorded.
    pub source: Option<RequirementSource>,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// One fact.
    Fact(FactRef),
    /// The whole run.
    Run,
}

/// One judgement on one subject, by a rule or by the floor.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule, shared by all its findings.
    pub head: Arc<RuleHead>,
    /// The code: the rule's, or that of the fault.
    pub code: Code,
    /// What it is about.
    pub subject: Subject,
    /// The judgement.
    pub judgement: Judgement,
    /// Whether the rule failed to judge. A fault is never success.
    pub fault: bool,
    /// The facts and properties that were read, sorted.
    pub read: Vec<(FactRef, &'static str)>,
}

impl Finding {
    /// What stands in documents for the subject: its kind and key.
    pub fn subject_key(&self, graph: &Graph) -> (&'static str, String) {
        match self.subject {
            Subject::Fact(fact) => (fact.kind.as_str(), graph.key(fact)),
            Subject::Run => ("run", "run".to_owned()),
        }
    }

    /// The shown ids of the tests concerned, sorted.
    pub fn test_ids<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = &'a str> {
        self.judgement.tests.iter().map(|test| graph.tests().shown(test))
    }

    /// What to do next: the judgement's own advice, or the rule's.
    pub fn fix(&self) -> &str {
        self.judgement.fix.as_deref().unwrap_or(&self.head.fix)
    }

    /// Whether it stands in the way: it counts as `block` and is neither proven nor not applicable.
    pub fn blocks(&self) -> bool {
        self.head.level == Level::Block
            && !self.fault
            && self.judgement.waiting.is_none()
            && matches!(self.judgement.outcome, Outcome::Refuted | Outcome::Unproven)
    }

    /// Whether it leaves the verdict open until something happens: it would block, and waits.
    pub fn waits(&self) -> bool {
        self.head.level == Level::Block && !self.fault && self.judgement.waiting.is_some()
    }

    /// SHA-256 over the canonical JSON of `[pack, rule, code, [kind, key], [test ids, sorted]]`.
    pub fn fingerprint(&self, graph: &Graph) -> Digest {
        let tests: Vec<_> = self.test_ids(graph).collect();
        let parts = (self.head.pack.as_str(), self.head.rule.as_str(), self.code, self.subject_key(graph), tests);
        // INVARIANT: texts and lists only.
        canonical::digest(&parts).unwrap_or_else(|_| Digest::of(b""))
    }
}
