//! From the store to an inspection. Every byte that is read is proven by its digest.

use std::collections::BTreeMap;

use runmill_model::{
    Code, Digest, Graph, Outcome, Problem, Problems, Side,
    facts::{Check, Declaration, Invocation, PriorRun, Report},
};
use runmill_store::{RunRecord, Store, StoredInvocation};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    document::{
        InspectedCheck, InspectedDeclaration, InspectedEarlier, InspectedInvocation, InspectedPack, InspectedReport,
        InspectedStream, Inspection,
    },
    verdict::{StoredAttested, StoredVerdict},
};

/// Everything on record about a run, or about one check of it. A document that a kind of run does not have is left out.
pub fn inspection(store: &Store, run: &str, only: Option<&str>) -> Result<Inspection, Problems> {
    let record = store.record(run).map_err(|error| error.problem())?;
    let graph = match record.documents.get("facts") {
        Some(digest) => Some(graph(store, &record, digest)?),
        None => None,
    };
    let verdict: Option<StoredVerdict> = match record.documents.get("verdict") {
        Some(digest) => Some(document(store, &record, "verdict", digest)?),
        None => None,
    };
    let named = ["receipt", "session"].into_iter().find_map(|name| Some((name, record.documents.get(name)?)));
    let attested: Option<Value> = named.map(|(name, digest)| document(store, &record, name, digest)).transpose()?;
    let coverage = verdict.as_ref().map(StoredVerdict::coverage).unwrap_or_default();
    let stored = record.invocations.iter().map(|stored| ((stored.check.as_str(), stored.side), stored)).collect();
    let checks = match &graph {
        Some(graph) => Joined { store, graph, stored, coverage }.checks(only)?,
        None => Vec::new(),
    };
    if let (Some(check), true) = (only, checks.is_empty()) {
        return Err(no_such_check(&record, graph.as_ref(), check).into());
    }
    let (policy, relaxations, waivers, findings) = match verdict {
        Some(verdict) => (Some(verdict.policy), verdict.relaxations, verdict.waivers, verdict.findings),
        None => {
            let told = attested.clone().map(serde_json::from_value::<StoredAttested>);
            let told = told.transpose().map_err(|error| unreadable(&record, "document", &error.to_string()))?;
            let StoredAttested { relaxations, findings } = told.unwrap_or_default();
            (None, relaxations, Vec::new(), findings)
        }
    };
    let took = record.ended_at.as_millisecond().saturating_sub(record.started_at.as_millisecond());
    Ok(Inspection {
        schema: "runmill.inspection/v1",
        run: record.run,
        kind: record.kind,
        outcome: record.outcome,
        engine: record.engine,
        started_at: record.started_at.to_string(),
        ended_at: record.ended_at.to_string(),
        duration_ms: u64::try_from(took).unwrap_or_default(),
        target: record.target,
        base: record.base,
        candidate: record.candidate,
        names: record.names,
        facts_digest: record.facts_digest,
        policy,
        packs: record
            .packs
            .into_iter()
            .map(|pack| InspectedPack {
                name: pack.name,
                version: pack.version,
                digest: pack.digest,
                source: pack.source,
            })
            .collect(),
        relaxations,
        waivers,
        documents: record.documents,
        attested,
        checks,
        findings: findings.into_iter().filter(|finding| only.is_none_or(|check| finding.concerns(check))).collect(),
    })
}

fn no_such_check(record: &RunRecord, graph: Option<&Graph>, check: &str) -> Problem {
    const NAMED: usize = 10;
    let checks = graph.map(|graph| graph.facts().checks.as_slice()).unwrap_or_default();
    let named: Vec<_> = checks.iter().take(NAMED).map(|known| format!("`{}`", known.id)).collect();
    let help = match checks.len().saturating_sub(named.len()) {
        _ if named.is_empty() => "no check was configured in it".to_owned(),
        0 => format!("it has {}", named.join(", ")),
        more => format!("it has {} and {more} more", named.join(", ")),
    };
    Problem::new(Code::State003, format!("run `{}` has no check `{check}`", record.run), help)
}

/// The sealed graph of a run. It must be the one that the record says was judged.
pub fn graph(store: &Store, record: &RunRecord, digest: &Digest) -> Result<Graph, Problem> {
    let bytes = store.blob(digest).map_err(|error| error.problem())?;
    let graph = Graph::from_json(&bytes).map_err(|error| unreadable(record, "facts", &error.to_string()))?;
    if graph.digest() == record.facts_digest {
        Ok(graph)
    } else {
        Err(unreadable(record, "facts", "they are not the ones that were judged"))
    }
}

fn document<T: DeserializeOwned>(store: &Store, record: &RunRecord, name: &str, digest: &Digest) -> Result<T, Problem> {
    let bytes = store.blob(digest).map_err(|error| error.problem())?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(record, name, &error.to_string()))
}

fn unreadable(record: &RunRecord, name: &str, why: &str) -> Problem {
    let message = format!("cannot use the {name} on record of run `{}`: {why}", record.run);
    let help = "`runmill runs verify` says what else does not hold; use the version of runmill that wrote the record, or judge \
                the change again";
    Problem::new(Code::State004, message, help)
}

/// What belongs together: facts, the record's own lines, and the coverage that the verdict derived.
struct Joined<'a> {
    store: &'a Store,
    graph: &'a Graph,
    stored: BTreeMap<(&'a str, Side), &'a StoredInvocation>,
    coverage: BTreeMap<(&'a str, Side), Outcome>,
}

impl Joined<'_> {
    fn checks(&self, only: Option<&str>) -> Result<Vec<InspectedCheck>, Problems> {
        let facts = self.graph.facts();
        let requirements: BTreeMap<_, _> =
            facts.requirements.iter().filter_map(|it| Some((it.check.as_ref()?, it))).collect();
        let mut invocations: BTreeMap<_, Vec<&Invocation>> = BTreeMap::new();
        facts.invocations.iter().for_each(|it| invocations.entry(&it.check).or_default().push(it));
        facts
            .checks
            .iter()
            .filter(|check| only.is_none_or(|only| check.id.as_str() == only))
            .map(|check| {
                let requirement = requirements.get(&check.id);
                let mut runs: Vec<&Invocation> = invocations.remove(&check.id).unwrap_or_default();
                runs.sort_by_key(|run| run.side);
                Ok(InspectedCheck {
                    id: check.id.clone(),
                    required: requirement.is_some(),
                    sources: requirement.map(|it| it.sources.clone()).unwrap_or_default(),
                    reasons: requirement.map(|it| it.reasons.clone()).unwrap_or_default(),
                    declarations: self.graph.declarations_of(&check.id).map(|(_, it)| declared(it)).collect(),
                    earlier: facts.prior_runs.iter().filter(|it| it.check == check.id).map(earlier).collect(),
                    invocations: runs.into_iter().map(|run| self.invocation(run)).collect::<Result<_, Problem>>()?,
                    ..configured(check)
                })
            })
            .collect()
    }

    fn invocation(&self, run: &Invocation) -> Result<InspectedInvocation, Problem> {
        let key = (run.check.as_str(), run.side);
        let stored = self.stored.get(&key).copied();
        let report = self.graph.report_of(&run.check, run.side);
        let stdout = (run.stdout_digest, run.stdout_bytes, run.stdout_truncated);
        let stderr = (run.stderr_digest, run.stderr_bytes, run.stderr_truncated);
        Ok(InspectedInvocation {
            side: run.side,
            executor: run.executor,
            commit: run.commit.clone(),
            tree_before: run.tree_before,
            tree_after: run.tree_after,
            status: run.status,
            exit_code: run.exit_code,
            signal: run.signal,
            started_ms: stored.and_then(|stored| stored.started_ms),
            duration_ms: run.duration_ms,
            coverage: self.coverage.get(&key).copied(),
            isolation: run.isolation,
            checkout: run.checkout,
            reused_from: run.reused_from.clone(),
            attested_by: run.attested_by.clone(),
            sandbox_digest: run.sandbox_digest,
            platform_digest: run.platform_digest,
            dependencies_digest: run.dependencies_digest,
            stdout: self.stream(stdout, stored.and_then(|stored| stored.stdout))?,
            stderr: self.stream(stderr, stored.and_then(|stored| stored.stderr))?,
            report: report.map(|report| counted(report, stored)),
            notes: run.notes.clone(),
        })
    }

    fn stream(
        &self,
        (sha256, bytes, truncated): (Option<Digest>, u64, bool),
        kept: Option<Digest>,
    ) -> Result<InspectedStream, Problem> {
        let preview = kept.map(|blob| self.store.blob(&blob)).transpose().map_err(|error| error.problem())?;
        let preview = preview.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(InspectedStream { sha256, bytes, truncated, kept, preview })
    }
}

fn configured(check: &Check) -> InspectedCheck {
    InspectedCheck {
        id: check.id.clone(),
        required: false,
        sources: Vec::new(),
        reasons: Vec::new(),
        origin: check.origin,
        argv: check.argv.clone(),
        cwd: check.cwd.to_string(),
        timeout_ms: check.timeout_ms,
        report_path: check.report_path.as_ref().map(ToString::to_string),
        definition_digest: check.definition_digest,
        declarations: Vec::new(),
        earlier: Vec::new(),
        invocations: Vec::new(),
    }
}

fn declared(declaration: &Declaration) -> InspectedDeclaration {
    let Declaration { test_id, cause, origin, in_target, in_candidate, counts, .. } = declaration;
    InspectedDeclaration {
        test_id: test_id.clone(),
        cause: cause.clone(),
        origin: *origin,
        in_target: *in_target,
        in_candidate: *in_candidate,
        counts: *counts,
    }
}

fn earlier(prior: &PriorRun) -> InspectedEarlier {
    InspectedEarlier { run: prior.run.clone(), status: prior.status, ended_at: prior.ended_at.clone() }
}

fn counted(report: &Report, stored: Option<&StoredInvocation>) -> InspectedReport {
    let kept = stored.and_then(|stored| stored.report.as_ref());
    InspectedReport {
        format: report.format.clone(),
        state: report.state,
        digest: report.digest,
        kept: kept.map(|kept| kept.blob),
        redacted: kept.is_some_and(|kept| kept.redacted),
        total: report.passed.len() + report.failed.len() + report.skipped.len(),
        passed: report.passed.len(),
        failed: report.failed.len(),
        skipped: report.skipped.len(),
        flaky: report.flaky.len(),
        message: report.message.clone(),
        fix: report.fix.clone(),
    }
}
