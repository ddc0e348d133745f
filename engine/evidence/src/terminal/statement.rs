//! The closed schema of a terminal bundle.

use runmill_model::{CommitId, Digest};

use super::{effects::EffectLedger, events::RunEvent, provider::ProviderBudget, work_order::WorkOrderEnvelope};
use crate::{
    json::Json,
    shape::{
        Kept, choice, closed,
        numbers::{Amount, Count, Int, Positive, True},
        scalars::*,
        sequences::{List, UpTo},
    },
};

choice! {
    enum EnvelopeSchema { V1 = "asf.signed-terminal-evidence/v1", }
    enum Algorithm { EdDsa = "EdDSA", }
    enum StatementType { V1 = "https://in-toto.io/Statement/v1", }
    enum PredicateType { V1 = "https://runmill.dev/attestations/asf-terminal-evidence/v1", }
    enum PredicateSchema { V1 = "asf.terminal-evidence/v1", }
    enum TerminalPhase {
        Completed = "COMPLETED",
        Cancelled = "CANCELLED",
        Failed = "FAILED",
        Refused = "REFUSED",
        Quarantined = "QUARANTINED",
        BudgetExhausted = "BUDGET_EXHAUSTED",
    }
    enum SubjectKind { Base = "base", Candidate = "candidate", }
    enum RetryDisposition {
        Safe = "safe",
        ReconcileFirst = "reconcile-first",
        NewAttemptRequired = "new-attempt-required",
        Prohibited = "prohibited",
    }
    enum RequiredActor {
        Asf = "asf",
        RepositoryOwner = "repository-owner",
        PlatformOperator = "platform-operator",
        Security = "security",
        ProviderAdministrator = "provider-administrator",
    }
    enum CancellationEvent { Requested = "cancellation.requested", Escalated = "cancellation.escalated", }
    enum CancellationMode { Graceful = "graceful", Forced = "forced", }
    enum Released { Released = "released", }
    enum Removed { Removed = "removed", }
}

closed! {
    struct Envelope {
        schema: EnvelopeSchema,
        key_id: TerminalId,
        algorithm: Algorithm,
        issued_at: Timestamp,
        bundle_digest: Digest,
        statement: Kept<Statement>,
        signature: SignatureText,
    }

    struct Statement {
        kind = "_type": StatementType,
        subject: List<Subject, 1, 1>,
        predicate_type = "predicateType": PredicateType,
        predicate: Predicate,
    }

    struct Subject { name: RunSubjectName, digest: SubjectDigest, }
    struct SubjectDigest { sha1: CommitId, }

    struct Predicate {
        schema: PredicateSchema,
        run: Run,
        admission: Admission,
        source: Source,
        stop: Stop,
        cancellation: Option<Cancellation>,
        budget: Budget,
        side_effects: Kept<EffectLedger>,
        timing: Timing,
        cleanup: Cleanup,
        evidence: Evidence,
    }

    struct Run {
        run_id: TerminalId,
        work_order_id: TerminalId,
        attempt_id: TerminalId,
        terminal_phase: TerminalPhase,
        terminal_event_seq: Positive,
    }

    struct Admission {
        work_order_envelope_digest: Digest,
        work_order_payload_digest: Digest,
        effective_policy_digest: Digest,
        work_order_envelope: Kept<WorkOrderEnvelope>,
        signature_verification: SignatureVerification,
        effective_policy: Json,
    }

    struct SignatureVerification { verified: True, key_id: TerminalId, algorithm: Algorithm, }

    struct Source {
        repository: Repository,
        base_sha: CommitId,
        candidate_sha: Option<CommitId>,
        subject_kind: SubjectKind,
        subject_sha: CommitId,
    }

    struct Stop {
        code: StopCode,
        summary: Sentence,
        interrupted_phase: TerminalId,
        retry_disposition: RetryDisposition,
        required_actor: RequiredActor,
        required_action: Sentence,
        evidence_refs: UpTo<TerminalRef, 2048>,
    }

    struct Cancellation {
        request_id: TerminalId,
        requester_subject: TerminalId,
        event_type: CancellationEvent,
        reason_digest: Digest,
        mode: CancellationMode,
        grace_seconds: Int<0, 300>,
        requested_at: Timestamp,
        event_digest: Digest,
    }

    struct Budget {
        wall_seconds_limit: Count,
        max_agent_invocations: Count,
        max_fix_iterations: Count,
        observed_fix_iterations: Count,
        max_cost_usd: Amount,
        evidence_refs: UpTo<TerminalRef, 2048>,
        provider_usage: Kept<ProviderBudget>,
    }

    struct Timing { admitted_at: Timestamp, terminal_evidence_at: Timestamp, elapsed_ms: Count, }

    struct Cleanup {
        intent_id: TerminalId,
        intent_digest: Digest,
        observation_digest: Digest,
        identity_leases: Released,
        repository_lease: Released,
        workspace: Removed,
        unresolved_effects: Int<0, 0>,
    }

    struct Evidence {
        preceding_event_count: Positive,
        preceding_event_chain_digest: Digest,
        observations: UpTo<Observation, 10_000>,
        events: Kept<UpTo<Kept<RunEvent>, 10_000>>,
        delivery_bundle_digest: Option<Digest>,
    }

    struct Observation {
        event_seq: Positive,
        event_type: TerminalId,
        phase: TerminalId,
        candidate_sha: Option<CommitId>,
        event_digest: Digest,
        evidence_refs: UpTo<TerminalRef, 1024>,
    }
}

impl crate::envelope::Signed for Envelope {
    fn key_id(&self) -> &str {
        self.key_id.as_str()
    }

    fn issued_at(&self) -> &Timestamp {
        &self.issued_at
    }

    fn bundle_digest(&self) -> Digest {
        self.bundle_digest
    }

    fn statement(&self) -> &Json {
        &self.statement.json
    }

    fn signature(&self) -> &str {
        self.signature.as_str()
    }
}
