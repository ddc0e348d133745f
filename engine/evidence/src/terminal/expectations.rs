//! Expectations of a terminal bundle, `runmill.asf-terminal-evidence-expectations/v1`.

use runmill_model::{CommitId, Digest};

use super::{effects::EffectLedger, provider::ProviderBudget, statement::TerminalPhase};
use crate::{
    EvidenceError,
    json::Parsed,
    shape::{
        Kept, choice, closed,
        numbers::{Count, Positive},
        scalars::*,
    },
};

choice! {
    enum ExpectationsSchema { V1 = "runmill.asf-terminal-evidence-expectations/v1", }
}

closed! {
    struct Expectations {
        schema: ExpectationsSchema,
        run_id: LongIdentifier,
        work_order_id: LongIdentifier,
        attempt_id: LongIdentifier,
        work_order_envelope_digest: Digest,
        work_order_payload_digest: Digest,
        effective_policy_digest: Digest,
        repository: Repository,
        base_sha: CommitId,
        candidate_sha: Option<CommitId>,
        terminal_phase: TerminalPhase,
        terminal_event_seq: Positive,
        cleanup_observation_digest: Digest,
        delivery_bundle_digest: Option<Digest>,
        preceding_event_chain_digest: Digest,
        provider_budget: Kept<ProviderBudget>,
        side_effects: Kept<EffectLedger>,
        admitted_at: Timestamp,
        terminal_evidence_at: Timestamp,
        elapsed_ms: Count,
    }
}

impl Expectations {
    pub(crate) fn from_json(parsed: &Parsed) -> Result<Self, EvidenceError> {
        crate::expected::read(parsed)
    }
}
