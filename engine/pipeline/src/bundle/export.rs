//! A recorded run in formats that others read. None of them holds all of it, and each statement says what it leaves out.

use runmill_model::{CheckId, CommitId, Graph, Problem, Problems, Side, TestSet, canonical};
use runmill_store::{RunRecord, Store};
use serde_json::{Value as Json, json};

use crate::{check::internal, replay::Recorded};

/// A format of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// in-toto test result v0.1.
    TestResult,
    /// in-toto simple verification result v0.2.
    VerificationResult,
    /// SLSA verification summary v1.
    VerificationSummary,
}

/// A statement in such a format.
#[derive(Debug)]
pub struct Exported {
    /// The run.
    pub run: String,
    /// The canonical statement.
    pub payload: Vec<u8>,
    /// What the format cannot hold, in words.
    pub not_held: Vec<String>,
}

/// A run that a format has no honest words for, in words.
#[derive(Debug)]
pub struct Unsayable(pub String);

/// The member that says what a statement leaves out; in-toto asks for a type URI as its name.
const NOT_HELD: &str = "https://runmill.dev/attestations/not-held/v1";

/// Exports a recorded run of the repository called `repository`.
///
/// # Errors
/// RM-STATE-001, RM-STATE-003, RM-STATE-004. The inner error is a run that the format cannot tell of without lying.
pub fn export(
    store: &Store,
    run: &str,
    repository: &str,
    format: Format,
) -> Result<Result<Exported, Unsayable>, Problems> {
    let recorded = Recorded::read(store, run)?;
    let document: Json = serde_json::from_slice(&recorded.verdict).map_err(|error| internal(error.to_string()))?;
    let candidate =
        recorded.record.candidate.clone().ok_or_else(|| internal("a run without a candidate".to_owned()))?;
    let facts = store.blob(&recorded.record.facts_digest).map_err(|error| error.problem())?;
    let graph = Graph::from_json(&facts).map_err(|error| internal(error.to_string()))?;
    let told = Told { document: &document, graph: &graph, record: &recorded.record, repository, candidate: &candidate };
    let (kind, predicate, not_held) = match told.predicate(format) {
        Ok(said) => said,
        Err(unsayable) => return Ok(Err(unsayable)),
    };
    let payload = told.statement(kind, predicate, &not_held)?;
    Ok(Ok(Exported { run: recorded.record.run.to_string(), payload, not_held }))
}

/// A run as it is told of.
struct Told<'a> {
    document: &'a Json,
    graph: &'a Graph,
    record: &'a RunRecord,
    repository: &'a str,
    candidate: &'a CommitId,
}

/// How a required check came out, as formats of others can tell it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Proven,
    Unproven,
    Failed,
}

type Said = (&'static str, Json, Vec<String>);

impl Told<'_> {
    fn statement(&self, kind: &str, mut predicate: Json, not_held: &[String]) -> Result<Vec<u8>, Problem> {
        if let Some(members) = predicate.as_object_mut() {
            members.insert(NOT_HELD.to_owned(), json!(not_held));
        }
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{ "name": self.repository, "digest": { "gitCommit": self.candidate } }],
            "predicateType": kind,
            "predicate": predicate,
        });
        canonical::to_bytes(&statement).map_err(|error| internal(error.to_string()))
    }

    fn predicate(&self, format: Format) -> Result<Said, Unsayable> {
        match format {
            Format::TestResult => Ok(self.test_result()),
            Format::VerificationResult => self.verification_result(),
            Format::VerificationSummary => self.verification_summary(),
        }
    }

    fn test_result(&self) -> Said {
        let (mut passed, mut warned, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for (id, standing) in self.required() {
            let report = CheckId::new(&*id).ok().and_then(|id| self.graph.report_of(&id, Side::Candidate));
            let names = |set: &TestSet| -> Vec<String> {
                set.iter().map(|test| format!("{id}: {}", self.graph.tests().shown(test))).collect()
            };
            match standing {
                Standing::Proven => {}
                Standing::Unproven => warned.push(id.clone()),
                Standing::Failed => failed.push(id.clone()),
            }
            let Some(report) = report else { continue };
            let sound = if standing == Standing::Proven { &mut passed } else { &mut warned };
            sound.extend(names(&report.passed.difference(&report.flaky)));
            warned.extend(names(&report.skipped.union(&report.flaky)));
            failed.extend(names(&report.failed));
        }
        let ready = self.is_ready();
        let result = match (ready, warned.is_empty() && failed.is_empty() && !self.is_loosened()) {
            (true, true) => "PASSED",
            (true, false) => "WARNED",
            (false, _) => "FAILED",
        };
        let predicate = json!({
            "result": result, "configuration": self.policies(),
            "passedTests": passed, "warnedTests": warned, "failedTests": failed,
        });
        let mut not_held = vec![
            "what ran at the base, and which of its tests had to be kept".to_owned(),
            "the difference between blocked and indeterminate: both are FAILED".to_owned(),
            "why a test or check is WARNED: skipped, flaky, or nothing proves what it ran".to_owned(),
        ];
        not_held.extend(self.never_held());
        ("https://in-toto.io/attestation/test-result/v0.1", predicate, not_held)
    }

    fn verification_result(&self) -> Result<Said, Unsayable> {
        if !self.is_ready() {
            let what = format!("the run is {}, and this format tells of properties that hold", self.word());
            return Err(Unsayable(what));
        }
        let proven = self.required().into_iter().filter(|(_, standing)| *standing == Standing::Proven);
        let mut properties = vec!["RUNMILL_READY".to_owned()];
        properties.extend(proven.map(|(id, _)| format!("RUNMILL_CHECK_PROVEN:{id}")));
        if self.is_loosened() {
            properties.push("RUNMILL_LOOSENED_BY_OPERATOR".to_owned());
        }
        let predicate = json!({
            "verifier": { "id": self.verifier(), "policies": self.policies() },
            "timeCreated": self.record.ended_at.to_string(), "properties": properties,
        });
        let mut not_held = vec!["checks that passed unproven: they have no property".to_owned()];
        not_held.extend(self.never_held());
        Ok(("https://in-toto.io/attestation/svr/v0.2", predicate, not_held))
    }

    fn verification_summary(&self) -> Result<Said, Unsayable> {
        let unproven = self.required().into_iter().find(|(_, standing)| *standing != Standing::Proven);
        if let (true, Some((id, _))) = (self.is_ready(), unproven) {
            let what = format!(
                "the run is ready although nothing proves what `{id}` ran, and this format has PASSED and FAILED only"
            );
            return Err(Unsayable(what));
        }
        let ready = self.is_ready();
        let digest = self.document.get("policy").and_then(|policy| policy.get("digest")).and_then(Json::as_str);
        let policy = match digest.and_then(|digest| digest.strip_prefix("sha256:")) {
            Some(hex) => json!({ "uri": "https://runmill.dev/policy/operator", "digest": { "sha256": hex } }),
            None => json!({ "uri": "https://runmill.dev/policy/none" }),
        };
        let predicate = json!({
            "verifier": { "id": self.verifier(), "version": { "runmill": self.record.engine } },
            "timeVerified": self.record.ended_at.to_string(),
            "resourceUri": format!("git+https://{}@{}", self.repository, self.candidate),
            "policy": policy, "inputAttestations": [],
            "verificationResult": if ready { "PASSED" } else { "FAILED" },
            "verifiedLevels": if ready { vec!["RUNMILL_READY"] } else { Vec::new() },
        });
        let mut not_held = vec![
            "checks and tests".to_owned(),
            "the packs that judged: there is room for one policy".to_owned(),
            "the difference between blocked and indeterminate: both are FAILED".to_owned(),
            "any SLSA level: how the candidate was made is not verified here".to_owned(),
        ];
        not_held.extend(self.never_held());
        Ok(("https://slsa.dev/verification_summary/v1", predicate, not_held))
    }

    fn word(&self) -> &str {
        self.document.get("verdict").and_then(Json::as_str).unwrap_or_default()
    }

    fn is_ready(&self) -> bool {
        self.word() == "ready"
    }

    fn list(&self, member: &str) -> impl Iterator<Item = &Json> {
        self.document.get(member).and_then(Json::as_array).into_iter().flatten()
    }

    fn is_loosened(&self) -> bool {
        self.list("relaxations").next().is_some() || self.list("waivers").next().is_some()
    }

    /// Every required check and context, and how it came out.
    fn required(&self) -> Vec<(String, Standing)> {
        let checks = self.document.get("manifest").and_then(|manifest| manifest.get("checks")).and_then(Json::as_array);
        let required = checks.into_iter().flatten().filter(|check| check.get("required") == Some(&Json::Bool(true)));
        let all = required.filter_map(|check| {
            let id = check.get("id")?.as_str()?;
            // A context has no definition and no result: that it was observed is part of being ready.
            let is_context = check.get("definition_digest").is_none_or(Json::is_null);
            let context = if self.is_ready() { Standing::Proven } else { Standing::Unproven };
            Some((id.to_owned(), if is_context { context } else { self.standing(id) }))
        });
        all.collect()
    }

    fn standing(&self, id: &str) -> Standing {
        let is = |result: &Json, member: &str, value: &str| result.get(member).and_then(Json::as_str) == Some(value);
        let result = self.list("results").find(|result| is(result, "check", id) && is(result, "side", "candidate"));
        match result {
            Some(result) if !is(result, "status", "passed") => Standing::Failed,
            Some(result) if is(result, "coverage", "proven") => Standing::Proven,
            Some(_) => Standing::Unproven,
            None => Standing::Failed,
        }
    }

    /// What judged, as resource descriptors.
    fn policies(&self) -> Vec<Json> {
        let named = |name: &str, digest: &str| json!({ "name": name, "digest": { "sha256": digest.strip_prefix("sha256:").unwrap_or(digest) } });
        let packs = self.record.packs.iter();
        let mut all: Vec<_> = packs.map(|pack| named(&pack.name, &pack.digest.to_string())).collect();
        let policy = self.document.get("policy").and_then(|policy| policy.get("digest")).and_then(Json::as_str);
        all.extend(policy.map(|digest| named("operator policy", digest)));
        all
    }

    fn verifier(&self) -> String {
        format!("https://runmill.dev/verifier/{}", self.record.engine)
    }

    /// What only a bundle of our own holds.
    fn never_held(&self) -> [String; 2] {
        [
            "the facts and rules from which the verdict can be reached again".to_owned(),
            "relaxations and waivers, in their words".to_owned(),
        ]
    }
}
