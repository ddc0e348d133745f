//! The side-effect ledger, `asf.terminal-effect-ledger/v1`: every effect of the run outside its workspace, settled.

mod observed;
mod reconciled;

use std::collections::BTreeSet;

use runmill_model::{CommitId, Digest, canonical::compare_names};

use crate::{
    json::Json,
    shape::{
        Issues, Place, Shape, choice, closed,
        numbers::{Int, Null, Positive},
        scalars::*,
        sequences::{List, UpTo},
    },
};

/// The most bytes the canonical form of a ledger may have: 16 MiB.
const LEDGER_LIMIT: usize = 16 * 1024 * 1024;

choice! {
    enum LedgerSchema { V1 = "asf.terminal-effect-ledger/v1", }
    enum LedgerScope { BeforeTerminalCleanup = "before-terminal-cleanup", }
    enum EffectClass { DeliveryIntent = "delivery-intent", GithubEffect = "github-effect", }
    enum Stage {
        RepositoryLease = "repository-lease",
        IdentityLeases = "identity-leases",
        Workspace = "workspace",
        TaskPacket = "task-packet",
        ImplementerSession = "implementer-session",
        Candidate = "candidate",
        LocalVerification = "local-verification",
        LocalReview = "local-review",
        CandidateInvalidation = "candidate-invalidation",
        BranchPush = "branch-push",
        PullRequest = "pull-request",
        Ci = "ci",
        PullRequestReview = "pull-request-review",
        Evidence = "evidence",
    }
    enum Operation {
        BranchPush = "branch.push",
        PullRequestCreate = "pull_request.create",
        PullRequestUpdate = "pull_request.update",
        StatusCreate = "status.create",
        CheckCreate = "check.create",
        CommentCreate = "comment.create",
    }
    enum FinalOutcome { Confirmed = "confirmed", NotApplied = "not_applied", }
    enum Outcome { Confirmed = "confirmed", NotApplied = "not_applied", Ambiguous = "ambiguous", }
    enum ObservationSource { Confirmation = "confirmation", Reconciliation = "reconciliation", Legacy = "legacy", }
    enum ReconciliationStatus { Completed = "completed", Blocked = "blocked", }
}

closed! {
    struct RawLedger {
        schema: LedgerSchema,
        run_id: TerminalId,
        work_order_id: TerminalId,
        attempt_id: TerminalId,
        policy_digest: Digest,
        scope: LedgerScope,
        effect_count: Int<0, 100_000>,
        observation_count: Int<0, 100_000>,
        reconciliation_count: Int<0, 10_000>,
        reconciliation_effect_ref_count: Int<0, 100_000>,
        effects: UpTo<Effect, 100_000>,
        reconciliations: UpTo<Reconciliation, 10_000>,
        ledger_digest: Digest,
    }

    struct DeliveryIntent {
        effect_class: EffectClass,
        effect_key: TerminalId,
        stage: Stage,
        candidate_sha: Option<CommitId>,
        event_seq: Positive,
        intent_id: TerminalId,
        intent_digest: Digest,
        operation_digest: Digest,
        fencing_generation: Positive,
        created_at: Timestamp,
        final_outcome: FinalOutcome,
        final_observation_seq: Positive,
        observations: List<IntentObservation, 1, 10_000>,
        replay: Null,
    }

    struct IntentObservation {
        seq: Positive,
        outcome: Outcome,
        observation_digest: Digest,
        generation: Positive,
        source: ObservationSource,
        observed_at: Timestamp,
    }

    struct GithubEffect {
        effect_class: EffectClass,
        effect_key: TerminalId,
        operation: Operation,
        candidate_sha: CommitId,
        intent_digest: Digest,
        generation: Positive,
        intended_at: Timestamp,
        final_outcome: FinalOutcome,
        final_observation_seq: Positive,
        observations: List<GithubObservation, 1, 10_000>,
    }

    struct GithubObservation { seq: Positive, outcome: Outcome, observation_digest: Digest, observed_at: Timestamp, }

    struct Reconciliation {
        operation_id: TerminalId,
        request_digest: Digest,
        pending_set_digest: Digest,
        result_digest: Digest,
        status: ReconciliationStatus,
        requested_at: Timestamp,
        started_at: Option<Timestamp>,
        completed_at: Timestamp,
        effects: UpTo<EffectRef, 100_000>,
    }

    struct EffectRef { effect_class: EffectClass, effect_key: TerminalId, outcome: Outcome, }
}

/// An effect of either class.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    Delivery(DeliveryIntent),
    Github(GithubEffect),
}

impl Shape for Effect {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let class = json.get("effect_class").cloned().unwrap_or(Json::Null);
        match EffectClass::read(&class, &place.member("effect_class"), issues)? {
            EffectClass::DeliveryIntent => DeliveryIntent::read(json, place, issues).map(Self::Delivery),
            EffectClass::GithubEffect => GithubEffect::read(json, place, issues).map(Self::Github),
        }
    }
}

impl Effect {
    fn class(&self) -> EffectClass {
        match self {
            Self::Delivery(_) => EffectClass::DeliveryIntent,
            Self::Github(_) => EffectClass::GithubEffect,
        }
    }

    fn key(&self) -> &str {
        match self {
            Self::Delivery(effect) => effect.effect_key.as_str(),
            Self::Github(effect) => effect.effect_key.as_str(),
        }
    }
}

/// Class and key joined by U+0000, the order of effects and references. Keys hold no control characters.
fn order_key(class: EffectClass, key: &str) -> String {
    format!("{}\0{key}", class.as_str())
}

/// Whether texts are strictly increasing by UTF-16 code units.
fn increasing(texts: &[String]) -> bool {
    texts.iter().zip(texts.iter().skip(1)).all(|(a, b)| compare_names(a, b).is_lt())
}

/// A ledger whose parts agree with one another and with its digest.
#[derive(Debug, Clone)]
pub(crate) struct EffectLedger(RawLedger);

impl std::ops::Deref for EffectLedger {
    type Target = RawLedger;

    fn deref(&self) -> &RawLedger {
        &self.0
    }
}

impl Shape for EffectLedger {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let raw = RawLedger::read(json, place, issues)?;
        let list = place.member("effects");
        for (index, effect) in raw.effects.iter().enumerate() {
            observed::check(effect, &list.item(index), issues);
        }
        let keys: Vec<String> = raw.effects.iter().map(|effect| order_key(effect.class(), effect.key())).collect();
        issues.require(&list, increasing(&keys), "are not strictly increasing by class and key");
        let distinct: BTreeSet<&str> = raw.effects.iter().map(Effect::key).collect();
        issues.require(&list, distinct.len() == raw.effects.len(), "name a key twice");
        reconciled::check(&raw, &place.member("reconciliations"), issues);
        counts(&raw, place, issues);
        digest(&raw, json, place, issues);
        Some(Self(raw))
    }
}

fn counts(raw: &RawLedger, place: &Place<'_>, issues: &mut Issues) {
    let observations = raw.effects.iter().map(|effect| match effect {
        Effect::Delivery(effect) => effect.observations.len(),
        Effect::Github(effect) => effect.observations.len(),
    });
    let references = raw.reconciliations.iter().map(|reconciliation| reconciliation.effects.len());
    for (name, declared, actual) in [
        ("effect_count", raw.effect_count.get(), raw.effects.len()),
        ("observation_count", raw.observation_count.get(), observations.sum()),
        ("reconciliation_count", raw.reconciliation_count.get(), raw.reconciliations.len()),
        ("reconciliation_effect_ref_count", raw.reconciliation_effect_ref_count.get(), references.sum()),
    ] {
        let holds = i64::try_from(actual) == Ok(declared);
        issues.require(&place.member(name), holds, format_args!("is {declared}, and there are {actual}"));
    }
}

fn digest(raw: &RawLedger, json: &Json, place: &Place<'_>, issues: &mut Issues) {
    let Json::Object(members) = json else { return };
    let whole = json.canonical().map_or(0, |bytes| bytes.len());
    issues.require(place, whole <= LEDGER_LIMIT, format_args!("is longer than {LEDGER_LIMIT} bytes (16 MiB)"));
    let actual = Json::Object(members.without("ledger_digest")).digest();
    let holds = actual == Some(raw.ledger_digest);
    issues.require(&place.member("ledger_digest"), holds, "is not the digest of the ledger");
}
