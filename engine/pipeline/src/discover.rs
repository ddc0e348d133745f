//! The manifest: what the discovery rules require, as a union that nothing removes from.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{
    CheckId, FactRef, Graph, Observer, RequirementSource, RuleResult,
    facts::{Check, Proposal, RemoteRequirement, Requirement},
};
use runmill_policy::Discovered;

/// What a change must pass.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    pub(crate) requirements: Vec<Requirement>,
    /// Proposals that name nothing, with the reason.
    pub(crate) ignored: Vec<(String, String)>,
}

#[derive(Default)]
struct Asked {
    sources: BTreeSet<RequirementSource>,
    reasons: BTreeSet<String>,
}

/// The union of everything that some rule requires.
pub(crate) fn unite(graph: &Graph, discovered: &[Discovered]) -> Discovery {
    let mut asked: BTreeMap<FactRef, Asked> = BTreeMap::new();
    let mut ignored = BTreeSet::new();
    for said in discovered {
        match &said.result {
            RuleResult::Require { subject, reason } => {
                let asked = asked.entry(*subject).or_default();
                asked.sources.extend(said.head.source);
                asked.reasons.insert(reason.to_string());
            }
            RuleResult::Ignore { proposal, reason } => {
                let text = graph.get::<Proposal>(*proposal).map(|proposal| proposal.text.clone());
                ignored.extend(text.map(|text| (text, reason.to_string())));
            }
            RuleResult::Judged(_) => {}
        }
    }
    let requirements = asked.into_iter().filter_map(|(subject, asked)| requirement(graph, subject, asked)).collect();
    Discovery { requirements, ignored: ignored.into_iter().collect() }
}

fn requirement(graph: &Graph, subject: FactRef, asked: Asked) -> Option<Requirement> {
    let check = graph.get::<Check>(subject).map(|check| check.id.clone());
    let context = graph.get::<RemoteRequirement>(subject).map(|remote| remote.context.clone());
    (check.is_some() || context.is_some()).then(|| Requirement {
        observed_by: Observer::Orchestrator,
        check,
        context,
        sources: asked.sources.into_iter().collect(),
        reasons: asked.reasons.into_iter().collect(),
    })
}

/// The checks among the requirements, sorted.
pub(crate) fn required_checks(discovery: &Discovery) -> BTreeSet<CheckId> {
    discovery.requirements.iter().filter_map(|requirement| requirement.check.clone()).collect()
}
