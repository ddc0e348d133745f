//! The provider budget summary, `asf.provider-budget-evidence-summary/v1`: what every agent invocation cost.

use runmill_model::{CommitId, Digest};

use crate::{
    json::Json,
    shape::{
        Issues, Place, Shape, choice, closed,
        numbers::{Count, Positive},
        scalars::*,
        sequences::{UpTo, first_unsorted},
    },
};

choice! {
    enum SummarySchema { V1 = "asf.provider-budget-evidence-summary/v1", }
    enum InvocationRole {
        Implementer = "implementer",
        Fixer = "fixer",
        LocalReviewer = "local-reviewer",
        PrReviewer = "pr-reviewer",
    }
    enum InvocationStatus { Completed = "completed", SettledUnknown = "settled_unknown", }
    enum Attribution { Reported = "reported", ProviderUnknown = "provider_unknown", }
    enum SettlementOutcome { Confirmed = "confirmed", NotApplied = "not_applied", }
}

closed! {
    struct RawProviderBudget {
        schema: SummarySchema,
        run_id: TerminalId,
        work_order_id: TerminalId,
        attempt_id: TerminalId,
        policy_digest: Digest,
        candidate_sha: Option<CommitId>,
        usage: Usage,
        invocations: UpTo<Invocation, 10_000>,
        settlement_digests: UpTo<Digest, 10_000>,
        ledger_digest: Digest,
    }

    struct Usage {
        max_cost_micros: Count,
        reported_actual_cost_micros: Count,
        settled_unknown_cost_micros: Count,
        outstanding_reserved_cost_micros: Count,
        conservative_cost_micros: Count,
        invocation_count: Count,
        completed_invocation_count: Count,
        settled_unknown_invocation_count: Count,
        outstanding_invocation_count: Count,
        denied_count: Count,
    }

    struct Invocation {
        reservation_id: TerminalId,
        reservation_digest: Digest,
        effect_key: TerminalId,
        intent_id: TerminalId,
        intent_digest: Digest,
        invocation_id: TerminalId,
        role: InvocationRole,
        lifecycle_candidate_sha: Option<CommitId>,
        provider_candidate_sha: CommitId,
        initial_generation: Positive,
        completed_generation: Positive,
        status: InvocationStatus,
        reserved_cost_micros: Count,
        charged_cost_micros: Count,
        attribution_status: Attribution,
        provider_result_digest: Option<Digest>,
        provider: Option<TerminalId>,
        model: Option<TerminalId>,
        principal: Option<TerminalId>,
        profile: Option<TerminalId>,
        settlement_outcome: Option<SettlementOutcome>,
        settlement_observation_digest: Option<Digest>,
        settlement_digest: Option<Digest>,
        completed_at: Timestamp,
    }
}

/// A provider budget summary whose numbers agree with one another.
#[derive(Debug, Clone)]
pub(crate) struct ProviderBudget(RawProviderBudget);

impl std::ops::Deref for ProviderBudget {
    type Target = RawProviderBudget;

    fn deref(&self) -> &RawProviderBudget {
        &self.0
    }
}

impl Shape for ProviderBudget {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let raw = RawProviderBudget::read(json, place, issues)?;
        let list = place.member("invocations");
        for (index, invocation) in raw.invocations.iter().enumerate() {
            attributed(invocation, &list.item(index), issues);
        }
        let unsorted = first_unsorted(raw.invocations.iter().map(|invocation| invocation.reservation_id.as_str()));
        issues.require(&list, unsorted.is_none(), "are not strictly increasing by `reservation_id`");
        adds_up(&raw, &place.member("usage"), issues);
        settlements(&raw, &place.member("settlement_digests"), issues);
        Some(Self(raw))
    }
}

/// An invocation is either completed, reported and attributed in full, or settled without any of that.
fn attributed(invocation: &Invocation, place: &Place<'_>, issues: &mut Issues) {
    let attribution = [
        invocation.provider_result_digest.is_some(),
        invocation.provider.is_some(),
        invocation.model.is_some(),
        invocation.principal.is_some(),
        invocation.profile.is_some(),
    ];
    let settlement = [
        invocation.settlement_outcome.is_some(),
        invocation.settlement_observation_digest.is_some(),
        invocation.settlement_digest.is_some(),
    ];
    let completed = invocation.status == InvocationStatus::Completed;
    let holds = (invocation.attribution_status == Attribution::Reported) == completed
        && attribution.iter().all(|present| *present == completed)
        && settlement.iter().all(|present| *present != completed);
    issues.require(place, holds, "mixes a completed invocation with one that was settled unknown");
    let charged_in_full = completed || invocation.charged_cost_micros == invocation.reserved_cost_micros;
    issues.require(place, charged_in_full, "was settled unknown and is not charged what was reserved");
}

fn adds_up(raw: &RawProviderBudget, place: &Place<'_>, issues: &mut Issues) {
    let usage = &raw.usage;
    let sum = |counts: [Count; 3]| counts.iter().map(|count| i128::from(count.get())).sum::<i128>();
    let parts =
        [usage.reported_actual_cost_micros, usage.settled_unknown_cost_micros, usage.outstanding_reserved_cost_micros];
    let conservative = i128::from(usage.conservative_cost_micros.get()) == sum(parts);
    issues.require(place, conservative, "has a conservative cost that is not the sum of its parts");
    let parts =
        [usage.completed_invocation_count, usage.settled_unknown_invocation_count, usage.outstanding_invocation_count];
    let counted = i128::from(usage.invocation_count.get()) == sum(parts);
    issues.require(place, counted, "has an invocation count that is not the sum of its parts");
    let none_outstanding =
        usage.outstanding_invocation_count.get() == 0 && usage.outstanding_reserved_cost_micros.get() == 0;
    issues.require(place, none_outstanding, "has outstanding invocations");
    for (status, count, cost) in [
        (InvocationStatus::Completed, usage.completed_invocation_count, usage.reported_actual_cost_micros),
        (InvocationStatus::SettledUnknown, usage.settled_unknown_invocation_count, usage.settled_unknown_cost_micros),
    ] {
        let of_status = || raw.invocations.iter().filter(|invocation| invocation.status == status);
        let holds = i128::try_from(of_status().count()) == Ok(i128::from(count.get()))
            && of_status().map(|invocation| i128::from(invocation.charged_cost_micros.get())).sum::<i128>()
                == i128::from(cost.get());
        issues.require(place, holds, format_args!("does not agree with the `{}` invocations", status.as_str()));
    }
}

fn settlements(raw: &RawProviderBudget, place: &Place<'_>, issues: &mut Issues) {
    let mut settled: Vec<Digest> =
        raw.invocations.iter().filter_map(|invocation| invocation.settlement_digest).collect();
    settled.sort_unstable();
    let strict = settled.iter().zip(settled.iter().skip(1)).all(|(a, b)| a < b);
    let same = settled.as_slice() == &*raw.settlement_digests;
    issues.require(place, strict && same, "are not the sorted settlement digests of the invocations");
}
