//! What a bundle of ours is about, held against what is expected, and whether it proves it.

use std::collections::BTreeSet;

use runmill_model::Digest;

use super::{
    expectations::Expected,
    statement::{Finding, Predicate, Side, Statement, Word},
};
use crate::{
    FailureClass,
    audit::{Audit, Step},
};

pub(super) fn verify(statement: &Statement, expected: &Expected, audit: &mut Audit) -> Step {
    let predicate = &statement.predicate;
    about(predicate, expected, audit)?;
    loosened(predicate, expected, audit)?;
    packs(predicate, expected, audit)?;
    required(predicate, expected, audit)?;
    verdict(predicate, expected, audit)
}

fn about(predicate: &Predicate, expected: &Expected, audit: &mut Audit) -> Step {
    let document = &predicate.verdict.document.value;
    audit.bind("repository", "", predicate.repository.as_str(), expected.repository.as_str())?;
    let or_none = |text: Option<&str>| text.unwrap_or("none").to_owned();
    if let Some(branch) = &expected.branch {
        let actual = or_none(predicate.branch.as_ref().map(AsRef::as_ref));
        audit.bind("branch", "", &actual, branch.as_str())?;
    }
    if let Some(number) = expected.pull_request {
        let actual = or_none(predicate.pull_request.map(|it| it.get().to_string()).as_deref());
        audit.bind("pull request", "", &actual, &number.get().to_string())?;
    }
    audit.bind("candidate", "", document.candidate.as_str(), expected.candidate.as_str())?;
    audit.bind("base", "", document.base.as_str(), expected.base.as_str())?;
    if let Some(target) = &expected.target {
        let same = document.target == *target;
        audit.require(FailureClass::Binding, "target", "", same, || {
            format!("the target is `{}`, expected `{target}`: it has moved since, or it is another", document.target)
        })?;
    }
    audit.bind("policy", "", &document.policy.shown(), &expected.policy.shown())
}

/// What the operator loosened is known to whoever has the policy; a bundle may neither hide nor add any of it.
fn loosened(predicate: &Predicate, expected: &Expected, audit: &mut Audit) -> Step {
    let document = &predicate.verdict.document.value;
    let told: BTreeSet<&str> = document.relaxations.iter().map(AsRef::as_ref).collect();
    let known: BTreeSet<&str> = expected.relaxations.iter().map(AsRef::as_ref).collect();
    let hidden = known.difference(&told).next();
    audit.require(FailureClass::Binding, "relaxations", "", hidden.is_none(), || {
        format!("the relaxation `{}` of the policy is not in the bundle", hidden.copied().unwrap_or_default())
    })?;
    let invented = told.difference(&known).next();
    audit.require(FailureClass::Binding, "relaxations", "", invented.is_none(), || {
        format!("the relaxation `{}` is not one of the policy", invented.copied().unwrap_or_default())
    })?;
    for waiver in document.waivers.iter() {
        let fingerprint = waiver.fingerprint.as_str();
        let known = expected.waivers.iter().any(|known| known.as_str() == fingerprint);
        audit.require(FailureClass::Binding, "waiver", fingerprint, known, || {
            format!("the waiver of `{fingerprint}` is not one of the policy")
        })?;
    }
    Ok(())
}

fn packs(predicate: &Predicate, expected: &Expected, audit: &mut Audit) -> Step {
    let Some(wanted) = &expected.packs else { return Ok(()) };
    for pack in wanted.iter() {
        let name = pack.name.as_str();
        let found = predicate.packs.iter().find(|found| found.name == pack.name);
        let shown = |digest: Option<Digest>| digest.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        audit.bind("pack", name, &shown(found.map(|found| found.digest)), &pack.digest.to_string())?;
        audit.bind("pack source", name, &shown(found.map(|found| found.source.digest)), &pack.source.to_string())?;
    }
    let strange = predicate.packs.iter().find(|found| wanted.iter().all(|pack| pack.name != found.name));
    audit.require(FailureClass::Binding, "packs", "", strange.is_none(), || {
        let name = strange.map_or("", |pack| pack.name.as_str());
        format!("the pack `{name}` judged, and is not expected")
    })
}

fn required(predicate: &Predicate, expected: &Expected, audit: &mut Audit) -> Step {
    let checks = &predicate.verdict.document.value.manifest.checks;
    for wanted in expected.required.iter() {
        let id = wanted.id.as_str();
        let found = checks.iter().find(|check| check.id == wanted.id && check.required);
        audit.require(FailureClass::MissingEvidence, "required check", id, found.is_some(), || {
            format!("the check `{id}` is required, and was not in this run")
        })?;
        let same = found.is_none_or(|found| found.definition_digest == wanted.definition_digest);
        audit.require(FailureClass::Binding, "definition", id, same, || {
            format!("the check `{id}` ran under another definition")
        })?;
    }
    Ok(())
}

/// Nothing but ready may read as ready.
fn verdict(predicate: &Predicate, expected: &Expected, audit: &mut Audit) -> Step {
    let document = &predicate.verdict.document.value;
    let class = FailureClass::MissingEvidence;
    let (told, wanted) = (document.verdict, expected.verdict);
    audit.require(class, "verdict", "", told == wanted, || {
        format!("the run is `{}`, expected `{}`", told.as_str(), wanted.as_str())
    })?;
    if told != Word::Ready {
        return Ok(());
    }
    let open = document.findings.iter().find(|finding| finding.stands_in_the_way());
    audit.require(class, "findings", "", open.is_none(), || {
        format!("the run says `ready`, and the finding {} does not", open.map(Finding::shown).unwrap_or_default())
    })?;
    let mut required = document.manifest.checks.iter().filter(|check| check.required).peekable();
    audit.require(class, "requirements", "", required.peek().is_some(), || {
        "the run says `ready`, and nothing was required".to_owned()
    })?;
    for check in required.filter(|check| check.definition_digest.is_some()) {
        let ran = document.results.iter().any(|it| it.check == check.id && it.side == Side::Candidate);
        let id = check.id.as_str();
        audit.require(class, "result", id, ran, || {
            format!("the run says `ready`, and the check `{id}` has no result at the candidate")
        })?;
    }
    Ok(())
}
