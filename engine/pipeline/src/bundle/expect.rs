//! What a bundle must be about, from git and the operator's policy. Nothing is executed.

use std::collections::BTreeMap;

use camino::Utf8Path;
use runmill_evidence::run::{ExpectedCheck, ExpectedPack, RunExpectations};
use runmill_host::{clock::Clock, git::Repository};
use runmill_model::{CheckId, Digest, Problem, Problems, Stage, Verdict, canonical};
use runmill_policy::{Host, Limits, Pack};

use crate::{
    CheckRequest, change,
    check::{change_fact, internal},
    configured, discover, document, judge, manifests,
    packs::{self, Packs},
    repository_packs,
};

/// What a bundle must be about, as far as git and policy do not say it.
#[derive(Debug, Clone)]
pub struct Expecting {
    /// Which repository.
    pub repository: String,
    /// The branch it would merge into; none asks git for the branch that the target is written as.
    pub branch: Option<String>,
    /// The pull request; none is any.
    pub pull_request: Option<u64>,
    /// Whether the target may have moved since.
    pub tip: TargetTip,
    /// The verdict.
    pub verdict: Verdict,
}

/// Which tip of the target counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetTip {
    /// The one it has now.
    #[default]
    Now,
    /// Any, as long as the change grew from the same commit.
    Any,
}

/// Derives the expectations of a change: its commits, what the policy loosens and waives, the packs that judge, and
/// everything that its discovery rules require.
///
/// # Errors
/// What keeps `check` from beginning: unusable input (exit 1), or an invalid manifest, policy or pack (exit 2).
pub fn expectations(request: &CheckRequest, expecting: &Expecting, clock: Clock) -> Result<RunExpectations, Problems> {
    let mut repository = Repository::discover(&request.start).map_err(|error| error.problem())?;
    let policy = manifests::operator_policy(request.policy.as_ref())?;
    let nowhere = Utf8Path::new("");
    let change = change::resolve(&mut repository, request, nowhere).map_err(|error| error.problem())?;
    let manifests = manifests::read(&repository, &change, policy.verification().manifest())?;
    let configured = configured::merge(&manifests, &policy, &change)?;
    let repositorys = repository_packs::read(&repository, &change)?;
    let Packs { packs, replaced } = packs::all(&policy, request, &repositorys, &change.target_name, clock)?;
    let expected_packs = packs.iter().map(expected_pack).collect::<Result<_, _>>()?;
    let host = Host::new(runmill_stdlib::registry(), packs, Limits::default());
    let fact = change_fact(&repository, &change, &policy, manifests.read_from)?;
    let graph =
        judge::seal(judge::configured_graph(&configured, fact, &policy, request, request.remote.as_ref(), clock))?;
    let discovered = host.evaluate(&graph, &[Stage::Discovery], &[]);
    if let Some(fault) = discovered.findings.iter().find(|finding| finding.fault) {
        let message =
            format!("the rule `{}` did not say what is required: {}", fault.head.rule, fault.judgement.message);
        return Err(Problem::new(fault.code, message, "repair the rule; nothing can be expected without it").into());
    }
    let definitions: BTreeMap<&CheckId, Digest> =
        configured.facts.iter().map(|check| (&check.id, check.definition_digest)).collect();
    let requirements = discover::unite(&graph, &discovered.discovered).requirements;
    let required = requirements.into_iter().filter_map(|requirement| {
        let definition_digest = requirement.check.as_ref().and_then(|check| definitions.get(check).copied());
        let id = requirement.check.map(|check| check.to_string());
        let id = id.or_else(|| requirement.context.map(|context| context.to_string()))?;
        Some(ExpectedCheck { id, definition_digest })
    });
    let branch = expecting.branch.clone().or_else(|| repository.target_branch(&change.target_name));
    Ok(RunExpectations {
        schema: RunExpectations::SCHEMA,
        verdict: expecting.verdict.to_string(),
        repository: expecting.repository.clone(),
        branch,
        pull_request: expecting.pull_request,
        target: (expecting.tip == TargetTip::Now).then(|| change.target.clone()),
        base: change.base.clone(),
        candidate: change.candidate.clone(),
        policy: document::PolicyEntry(policy.source_digest()).into(),
        relaxations: document::Decided::by(&policy, &replaced).relaxations,
        waivers: policy.waivers().iter().map(|waiver| waiver.fingerprint().to_owned()).collect(),
        packs: Some(expected_packs),
        required: required.collect(),
    })
}

fn expected_pack(pack: &Pack) -> Result<ExpectedPack, Problems> {
    let source = canonical::digest(&**pack.source()).map_err(|error| internal(error.to_string()))?;
    Ok(ExpectedPack { name: pack.name().to_string(), digest: pack.digest(), source })
}
