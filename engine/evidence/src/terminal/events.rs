//! Run events, `asf.run-event/v1`, and the vocabulary their producer uses.

use runmill_model::{CommitId, Digest};

use crate::{
    json::Json,
    shape::{choice, closed, numbers::Positive, scalars::*, sequences::Open},
};

choice! {
    enum EventSchema { V1 = "asf.run-event/v1", }
    enum Phase {
        Received = "RECEIVED",
        Admitted = "ADMITTED",
        RepositoryLeased = "REPOSITORY_LEASED",
        IdentityReady = "IDENTITY_READY",
        WorkspaceReady = "WORKSPACE_READY",
        TaskPacketReady = "TASK_PACKET_READY",
        Implementing = "IMPLEMENTING",
        CandidateReady = "CANDIDATE_READY",
        LocalVerify = "LOCAL_VERIFY",
        LocalReview = "LOCAL_REVIEW",
        Fixing = "FIXING",
        DeliveryReady = "DELIVERY_READY",
        Pushed = "PUSHED",
        PrOpen = "PR_OPEN",
        CiWait = "CI_WAIT",
        PrReview = "PR_REVIEW",
        PrDelivered = "PR_DELIVERED",
        MergeQueueWait = "MERGE_QUEUE_WAIT",
        MergeReady = "MERGE_READY",
        Merged = "MERGED",
        EvidenceFinalized = "EVIDENCE_FINALIZED",
        Completed = "COMPLETED",
        CancelRequested = "CANCEL_REQUESTED",
        Cancelling = "CANCELLING",
        WaitingApproval = "WAITING_APPROVAL",
        NeedsSpec = "NEEDS_SPEC",
        BlockedExternal = "BLOCKED_EXTERNAL",
        BudgetExhausted = "BUDGET_EXHAUSTED",
        Refused = "REFUSED",
        Quarantined = "QUARANTINED",
        Cancelled = "CANCELLED",
        Failed = "FAILED",
    }
}

closed! {
    struct RunEvent {
        schema: EventSchema,
        event_id: NonEmpty,
        run_id: NonEmpty,
        work_order_id: NonEmpty,
        attempt_id: NonEmpty,
        seq: Positive,
        occurred_at: Timestamp,
        kind = "type": EventType,
        phase: Phase,
        payload: Open,
        policy_digest: Digest,
    }
}

impl RunEvent {
    /// The commit its payload names; none when it names none, or something that is no commit.
    pub(super) fn candidate(&self) -> Option<&str> {
        let named = self.payload.0.get("candidate_sha").and_then(Json::as_text);
        named.filter(|text| CommitId::new(*text).is_ok())
    }
}

/// The phase that goes with an event type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fits {
    /// This one only.
    Phase(Phase),
    /// Whichever the payload says.
    AnyPhase,
}

/// The phase of an event type of the producer; none for a type it does not know.
pub(super) fn phase_of(kind: &str) -> Option<Fits> {
    let phase = match kind {
        "run.resumed" => return Some(Fits::AnyPhase),
        "work_order.admitted" => Phase::Admitted,
        "repository.lease_acquired" => Phase::RepositoryLeased,
        "identity.leases_acquired" => Phase::IdentityReady,
        "workspace.prepared" => Phase::WorkspaceReady,
        "task_packet.created" => Phase::TaskPacketReady,
        "implementation.started" => Phase::Implementing,
        "candidate.created" => Phase::CandidateReady,
        "verification.started" | "verification.completed" => Phase::LocalVerify,
        "review.started" | "review.completed" => Phase::LocalReview,
        "fixing.started" => Phase::Fixing,
        "delivery.ready" => Phase::DeliveryReady,
        "branch.pushed" => Phase::Pushed,
        "pull_request.opened" => Phase::PrOpen,
        "ci.waiting" | "ci.completed" | "ci.recheck_completed" => Phase::CiWait,
        "pr_review.started" | "pr_review.completed" | "ci.revalidated" => Phase::PrReview,
        "pull_request.delivered" => Phase::PrDelivered,
        "merge_queue.entered" => Phase::MergeQueueWait,
        "merge.ready" => Phase::MergeReady,
        "merge.completed" => Phase::Merged,
        "evidence.finalized" => Phase::EvidenceFinalized,
        "run.completed" => Phase::Completed,
        "cancellation.requested" | "cancellation.escalated" => Phase::CancelRequested,
        "cancellation.started" => Phase::Cancelling,
        "run.waiting_approval" => Phase::WaitingApproval,
        "run.needs_spec" => Phase::NeedsSpec,
        "run.blocked_external" => Phase::BlockedExternal,
        "budget.exhausted" => Phase::BudgetExhausted,
        "run.refused" => Phase::Refused,
        "run.quarantined" => Phase::Quarantined,
        "run.cancelled" => Phase::Cancelled,
        "run.failed" => Phase::Failed,
        _ => return None,
    };
    Some(Fits::Phase(phase))
}
