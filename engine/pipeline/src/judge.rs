//! The two sealed graphs of a run and what the rules say of them.

use std::sync::Arc;

use runmill_forge::Observation;
use runmill_host::clock::Clock;
use runmill_manifest::{OperatorPolicy, policy::Expiry};
use runmill_model::{
    Code, Finding, Graph, GraphBuilder, Observer, Problem, Stage,
    facts::{Change, Policy, Proposal, Waiver},
    graph::GraphError,
    verdict::{Folded, fold},
};
use runmill_policy::{Evaluated, Host};

use crate::{CheckRequest, configured::Configured, gates, remote};

/// What is known before anything runs.
pub(crate) fn configured_graph(
    configured: &Configured,
    change: Change,
    policy: &OperatorPolicy,
    request: &CheckRequest,
    observation: Option<&Observation>,
    clock: Clock,
) -> GraphBuilder {
    let mut builder = GraphBuilder::new();
    gates::observe(&mut builder, policy, &change);
    builder.add(change);
    builder.add(policy_fact(policy));
    configured.facts.iter().cloned().for_each(|fact| builder.add(fact));
    configured.declarations.iter().cloned().for_each(|fact| builder.add(fact));
    configured.path_rules.iter().cloned().for_each(|fact| builder.add(fact));
    remote::observe(&mut builder, policy, observation);
    let mut proposals = request.proposals.clone();
    proposals.sort();
    proposals.dedup();
    for text in proposals {
        builder.add(Proposal { observed_by: Observer::Agent, text });
    }
    waivers(policy, clock).into_iter().for_each(|waiver| builder.add(waiver));
    builder
}

/// One waiver for each fingerprint: of several, one that still counts.
pub(crate) fn waivers(policy: &OperatorPolicy, clock: Clock) -> Vec<Waiver> {
    let now = clock.now();
    let mut waivers: Vec<Waiver> = policy
        .waivers()
        .iter()
        .map(|waiver| Waiver {
            observed_by: Observer::Operator,
            fingerprint: waiver.fingerprint().to_owned(),
            reason: waiver.reason().to_owned(),
            approver: waiver.approver().to_owned(),
            expires: match waiver.expires() {
                Expiry::At(end) => end.to_string(),
                Expiry::Malformed(what) => format!("malformed: {what}"),
            },
            expired: waiver.is_expired(now),
        })
        .collect();
    waivers.sort_by(|a, b| (&a.fingerprint, a.expired).cmp(&(&b.fingerprint, b.expired)));
    waivers.dedup_by(|later, first| later.fingerprint == first.fingerprint);
    waivers
}

/// What the policy is to rules.
pub(crate) fn policy_fact(policy: &OperatorPolicy) -> Policy {
    let verification = policy.verification();
    Policy {
        observed_by: Observer::Operator,
        digest: policy.source_digest(),
        mode: policy.autonomy(),
        fail_on_missing_check: verification.fails_on_missing_check(),
        fail_on_skipped_check: verification.fails_on_skipped_check(),
        isolation: verification.isolation(),
        checkout: verification.checkout(),
        tree_hash: verification.tree_hash(),
    }
}

/// Seals observations. They come from our own hands, so a contradiction is a fault of ours.
pub(crate) fn seal(builder: GraphBuilder) -> Result<Arc<Graph>, Problem> {
    builder.seal().map(Arc::new).map_err(|error: GraphError| {
        Problem::new(Code::Internal001, format!("the observations contradict one another: {error}"), "report this")
    })
}

/// What the judging stages say, with what discovery could not judge, and the fold of it all.
pub(crate) fn judge(host: &Host, graph: &Arc<Graph>, discovery: Evaluated) -> (Vec<Finding>, Folded) {
    let mut findings = discovery.findings;
    findings.extend(host.evaluate(graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings);
    let folded = fold(graph, &findings);
    (findings, folded)
}
