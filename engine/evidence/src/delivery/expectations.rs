//! Expectations of a delivery bundle, `runmill.asf-evidence-expectations/v1`.

use runmill_model::{CommitId, Digest};

use crate::{
    EvidenceError,
    json::Parsed,
    shape::{choice, closed, numbers::Positive, scalars::*, sequences::UpTo},
};

choice! {
    enum ExpectationsSchema { V1 = "runmill.asf-evidence-expectations/v1", }
}

closed! {
    struct Expectations {
        schema: ExpectationsSchema,
        run_id: LongIdentifier,
        attempt_id: LongIdentifier,
        work_order_id: LongIdentifier,
        work_order_envelope_digest: Digest,
        work_order_payload_digest: Digest,
        effective_policy_digest: Digest,
        forge: LongIdentifier,
        repository: Repository,
        base_ref: PlainText,
        base_sha: CommitId,
        candidate_sha: CommitId,
        tree_digest: Digest,
        normalized_diff_digest: Digest,
        changed_paths: UpTo<ChangedPath, 2048>,
        required_local_check_ids: UpTo<PlainText, 2048>,
        required_ci_contexts: UpTo<PlainText, 2048>,
        require_local_review: bool,
        require_pull_request_review: bool,
        pull_request: ExpectedPullRequest,
    }

    struct ExpectedPullRequest { number: Positive, url: TrimmedUrl, head_ref: PlainText, base_ref: PlainText, }
}

impl Expectations {
    pub(crate) fn from_json(parsed: &Parsed) -> Result<Self, EvidenceError> {
        crate::expected::read(parsed)
    }
}
