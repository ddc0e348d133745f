//! The closed schema of a delivery bundle.

use runmill_model::{CommitId, Digest};

use crate::shape::{
    Kept, choice, closed,
    numbers::{Amount, Count, Int, Positive, True},
    scalars::*,
    sequences::{List, Sorted, UpTo},
};

choice! {
    enum EnvelopeSchema { V1 = "asf.signed-evidence/v1", }
    enum Algorithm { EdDsa = "EdDSA", }
    enum StatementType { V1 = "https://in-toto.io/Statement/v1", }
    enum PredicateType { V1 = "https://runmill.dev/attestations/asf-evidence/v1", }
    enum PredicateSchema { V1 = "asf.evidence-bundle/v1", }
    enum Role { Implementer = "implementer", LocalReviewer = "local-reviewer", PullRequestReviewer = "pull-request-reviewer", }
    enum RoleResult { Completed = "completed", Passed = "passed", Stopped = "stopped", }
    enum CheckConclusion { Success = "success", Failure = "failure", Error = "error", }
    enum Coverage { Complete = "complete", Partial = "partial", Unknown = "unknown", }
    enum CiConclusion {
        Success = "success",
        Failure = "failure",
        Pending = "pending",
        Cancelled = "cancelled",
        Skipped = "skipped",
        Neutral = "neutral",
        Unknown = "unknown",
    }
    enum ReviewStage { Local = "local", PullRequest = "pull-request", }
    enum Verdict { Pass = "pass", Fail = "fail", Unknown = "unknown", }
    enum EffectKind {
        BranchPush = "branch.push",
        PullRequestCreate = "pull-request.create",
        PullRequestUpdate = "pull-request.update",
        PullRequestObserve = "pull-request.observe",
        CiObserve = "ci.observe",
        ReviewObserve = "review.observe",
    }
    enum EffectStatus { Confirmed = "confirmed", }
    enum StopReason { PrDelivered = "pr-delivered", }
    enum ClosureTarget { Pr = "pr", }
    enum ArtifactKind {
        WorkOrderEnvelope = "work-order-envelope",
        EffectivePolicy = "effective-policy",
        NormalizedDiff = "normalized-diff",
        AgentOutcome = "agent-outcome",
        Verification = "verification",
        CiObservation = "ci-observation",
        Review = "review",
        SideEffect = "side-effect",
        Approval = "approval",
        RuntimeManifest = "runtime-manifest",
    }
    enum Retention { Portable = "portable", Protected = "protected", Restricted = "restricted", }
}

closed! {
    struct Envelope {
        schema: EnvelopeSchema,
        key_id: Identifier,
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

    struct Subject { name: SubjectName, digest: SubjectDigest, }
    struct SubjectDigest { sha1: CommitId, }

    struct Predicate {
        schema: PredicateSchema,
        run: Run,
        work_order: WorkOrder,
        policy: Policy,
        source: Source,
        runtime: Runtime,
        role_outcomes: UpTo<RoleOutcome, 3>,
        verification: Verification,
        reviews: UpTo<Review, 16>,
        side_effects: UpTo<SideEffect, 1024>,
        approvals: UpTo<Approval, 256>,
        cancellation: Option<Cancellation>,
        budget: Budget,
        delivery: Delivery,
        artifacts: Kept<UpTo<Artifact, 2048>>,
    }

    struct Run {
        run_id: Identifier,
        attempt_id: Identifier,
        work_order_id: Identifier,
        completed_at: Timestamp,
    }

    struct WorkOrder {
        envelope_digest: Digest,
        payload_digest: Digest,
        envelope_artifact_digest: Digest,
        signature: WorkOrderSignature,
    }

    struct WorkOrderSignature { key_id: Identifier, algorithm: Algorithm, verified: True, }

    struct Policy {
        effective_policy_digest: Digest,
        effective_policy_artifact_digest: Digest,
        inputs: PolicyInputs,
        required_local_checks: Sorted<Reference>,
        required_ci_contexts: Sorted<Reference>,
        require_local_review: bool,
        require_pull_request_review: bool,
    }

    struct PolicyInputs {
        operator_policy_digest: Digest,
        work_order_policy_digest: Digest,
        repository_policy_digest: Digest,
        forge_policy_digest: Digest,
    }

    struct Source {
        forge: Identifier,
        repository: Repository,
        base_ref: BranchRef,
        base_sha: CommitId,
        candidate_sha: CommitId,
        remote_head_sha: CommitId,
        merge_sha: Option<CommitId>,
        tree_digest: Digest,
        normalized_diff_digest: Digest,
        normalized_diff_artifact_digest: Digest,
        changed_paths: Sorted<ChangedPath>,
    }

    struct Runtime {
        harness_digest: Digest,
        tool_policy_digest: Digest,
        sandbox_profile_digest: Digest,
        dependency_digest: Digest,
        runtime_digest: Digest,
        runtime_manifest_digest: Digest,
        providers: UpTo<Provider, 3>,
    }

    struct Provider {
        role: Role,
        provider: Identifier,
        model: Reference,
        principal_id: Identifier,
        lease_attribution_digest: Digest,
    }

    struct RoleOutcome { role: Role, outcome: RoleResult, candidate_sha: CommitId, evidence_digest: Digest, }

    struct Verification { local_checks: UpTo<LocalCheck, 256>, ci_contexts: UpTo<CiContext, 256>, }

    struct LocalCheck {
        check_id: Reference,
        candidate_sha: CommitId,
        tree_digest: Digest,
        command_digest: Digest,
        executor_id: Identifier,
        toolchain_digest: Digest,
        sandbox_profile_digest: Digest,
        started_at: Timestamp,
        completed_at: Timestamp,
        conclusion: CheckConclusion,
        coverage: Coverage,
        evidence_digest: Digest,
    }

    struct CiContext {
        context: Reference,
        candidate_sha: CommitId,
        conclusion: CiConclusion,
        observed_at: Timestamp,
        evidence_digest: Digest,
    }

    struct Review {
        review_id: Identifier,
        stage: ReviewStage,
        reviewer_principal: Identifier,
        reviewer_profile: Identifier,
        independent: True,
        candidate_sha: CommitId,
        policy_digest: Digest,
        verdict: Verdict,
        findings_digest: Digest,
        evidence_digest: Digest,
    }

    struct SideEffect {
        effect_key: Digest,
        kind: EffectKind,
        candidate_sha: CommitId,
        intent_digest: Digest,
        observation_digest: Digest,
        reconciliation_digest: Option<Digest>,
        confirmation_digest: Digest,
        status: EffectStatus,
        evidence_digest: Digest,
    }

    struct Approval {
        approval_id: Identifier,
        decision_type: Identifier,
        requested_effect: Identifier,
        approver_subject: Identifier,
        authority_digest: Digest,
        work_order_digest: Digest,
        candidate_sha: CommitId,
        policy_digest: Digest,
        issued_at: Timestamp,
        expires_at: Timestamp,
        applied_at: Timestamp,
        signature_digest: Digest,
        evidence_digest: Digest,
    }

    struct Cancellation {
        requester_subject: Identifier,
        reason_code: Identifier,
        requested_at: Timestamp,
        evidence_digest: Digest,
    }

    struct Budget {
        cost_usd: Amount,
        agent_invocations: Count,
        fix_iterations: Count,
        elapsed_ms: Count,
        stop_reason: StopReason,
    }

    struct Delivery { closure_target: ClosureTarget, satisfied: True, pull_request: PullRequest, }

    struct PullRequest {
        forge: Identifier,
        repository: Repository,
        number: Positive,
        url: HttpsUrl,
        head_ref: BranchRef,
        base_ref: BranchRef,
        head_sha: CommitId,
        observed_at: Timestamp,
        evidence_digest: Digest,
    }

    struct Artifact {
        artifact_id: Identifier,
        kind: ArtifactKind,
        size_bytes: Int<0, 1_073_741_824>,
        media_type: MediaType,
        digest: Digest,
        retention_class: Retention,
        location_ref: CasRef,
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

    fn statement(&self) -> &crate::json::Json {
        &self.statement.json
    }

    fn signature(&self) -> &str {
        self.signature.as_str()
    }
}
