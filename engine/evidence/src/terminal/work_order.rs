//! The work order envelope that a terminal bundle embeds, `asf.work-order-envelope/v1`. Its own signature is not checked:
//! the bundle does not carry the key, and says itself who checked it.

use runmill_model::Digest;

use crate::shape::{
    Kept, choice, closed,
    numbers::{Amount, Count, Positive},
    scalars::*,
    sequences::{Any, Some1},
};

choice! {
    enum WorkOrderEnvelopeSchema { V1 = "asf.work-order-envelope/v1", }
    enum WorkOrderSchema { V1 = "asf.work-order/v1", }
    enum WorkOrderAlgorithm { EdDsa = "EdDSA", }
    enum RiskClass { Low = "low", Medium = "medium", High = "high", Critical = "critical", }
    enum ClosureTarget { Pr = "pr", Merge = "merge", Deploy = "deploy", Observe = "observe", }
}

closed! {
    struct WorkOrderEnvelope {
        schema: WorkOrderEnvelopeSchema,
        key_id: WorkOrderId,
        algorithm: WorkOrderAlgorithm,
        issued_at: Timestamp,
        not_before: Timestamp,
        expires_at: Timestamp,
        payload: Kept<WorkOrder>,
        signature: SignatureText,
    }

    struct WorkOrder {
        schema: WorkOrderSchema,
        work_order_id: WorkOrderId,
        tenant_id: WorkOrderId,
        work_item_id: WorkOrderId,
        attempt_id: WorkOrderId,
        idempotency_key: IdempotencyKey,
        source: OrderSource,
        repository: OrderRepository,
        objective: Objective,
        scope: Scope,
        verification: OrderVerification,
        identities: Identities,
        runtime: OrderRuntime,
        budgets: OrderBudgets,
        delivery: OrderDelivery,
        policy_digest: Digest,
        harness_digest: Digest,
    }

    struct OrderSource { system: WorkOrderId, external_id: WorkOrderId, snapshot_digest: Digest, }

    struct OrderRepository {
        forge: WorkOrderId,
        repository: ForgeRepository,
        base_ref: GitBranch,
        base_sha: AnyCaseCommit,
    }

    struct Objective {
        title: Title,
        description: NonEmpty,
        acceptance_criteria: Some1<NonEmpty>,
        non_goals: Any<NonEmpty>,
    }

    struct Scope { allowed_paths: Some1<Title>, forbidden_paths: Any<Title>, risk_class: RiskClass, }

    struct OrderVerification {
        required_local_check_ids: Any<WorkOrderId>,
        required_remote_checks: Any<RemoteCheck>,
        policy_snapshot_digest: Digest,
    }

    struct Identities { implementer: Identifier, local_reviewer: Identifier, pr_reviewer: Identifier, }
    struct OrderRuntime { sandbox_profile: WorkOrderId, tool_policy: WorkOrderId, network_policy: WorkOrderId, }

    struct OrderBudgets {
        wall_seconds: Positive,
        max_cost_usd: Amount,
        max_agent_invocations: Positive,
        max_fix_iterations: Count,
    }

    struct OrderDelivery { closure_target: ClosureTarget, draft_pr: bool, merge_policy_ref: Option<MergePolicy>, }
}
