//! What must succeed on a forge, and what a forge reported.

use std::collections::BTreeMap;

use runmill_forge::Observation;
use runmill_manifest::OperatorPolicy;
use runmill_model::{ContextName, GraphBuilder, Observer, facts::RemoteRequirement};

/// Adds the contexts that policy or protection require, and everything that was observed.
pub(crate) fn observe(builder: &mut GraphBuilder, policy: &OperatorPolicy, observation: Option<&Observation>) {
    required(policy, observation).into_values().for_each(|requirement| builder.add(requirement));
    let Some(observation) = observation else { return };
    builder.add(observation.forge(policy.remote().deadline().as_millis()));
    observation.checks().iter().cloned().for_each(|check| builder.add(check));
}

/// Each context once, from the source that any of its entries names. Where policy and protection both name the source that must report it, the operator's word counts.
fn required(policy: &OperatorPolicy, observation: Option<&Observation>) -> BTreeMap<ContextName, RemoteRequirement> {
    let blank = |context: &ContextName, observed_by| RemoteRequirement {
        observed_by,
        context: context.clone(),
        app: None,
        workflow: None,
        in_policy: false,
        in_protection: false,
    };
    let mut all: BTreeMap<ContextName, RemoteRequirement> = BTreeMap::new();
    for required in policy.remote().required() {
        let context = required.context();
        let requirement = all.entry(context.clone()).or_insert_with(|| blank(context, Observer::Operator));
        requirement.in_policy = true;
        requirement.app = requirement.app.take().or_else(|| required.app().map(str::to_owned));
        requirement.workflow = requirement.workflow.take().or_else(|| required.workflow().map(str::to_owned));
    }
    for protected in observation.into_iter().flat_map(Observation::protected) {
        let requirement =
            all.entry(protected.context.clone()).or_insert_with(|| blank(&protected.context, Observer::Forge));
        requirement.in_protection = true;
        requirement.app = requirement.app.take().or_else(|| protected.app.clone());
        requirement.workflow = requirement.workflow.take().or_else(|| protected.workflow.clone());
    }
    all
}
