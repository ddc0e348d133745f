//! The statement about a recorded run.

use runmill_evidence::run::{About, Body, Pack, Predicate, RunPart, VerdictBody, statement};
use runmill_model::{Code, Digest, Problem, Problems, canonical};
use runmill_store::{RunRecord, Store};
use serde_json::Value as Json;

use crate::replay::Recorded;

/// Where the facts and packs of a statement travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// In the bundle.
    Inline,
    /// As files beside it, by digest.
    Beside,
}

/// A run that is ready to be signed.
#[derive(Debug)]
pub struct Signable {
    /// The run.
    pub run: String,
    /// The verdict, in its word.
    pub verdict: String,
    /// The canonical statement.
    pub payload: Vec<u8>,
    /// The documents that travel beside it; none when everything is inside.
    pub bodies: Vec<Vec<u8>>,
}

/// Makes the statement about a recorded run. One that does not come out again as it was recorded is not signed: nobody could
/// verify it.
///
/// # Errors
/// RM-STATE-001, RM-STATE-003, RM-STATE-004.
pub fn signable(store: &Store, run: &str, about: About, placement: Bodies) -> Result<Signable, Problems> {
    let recorded = Recorded::read(store, run)?;
    let record = &recorded.record;
    if recorded.replay.judge()?.bytes()? != recorded.verdict {
        let help = format!("sign it with runmill {}, which recorded it, or judge the change again", record.engine);
        return Err(unusable(record, "it does not come out again as it was recorded", help).into());
    }
    let candidate = record
        .candidate
        .clone()
        .ok_or_else(|| unusable(record, "it names no candidate", "name a run of `runmill check`".to_owned()))?;
    let mut bodies = Vec::new();
    let mut body = |digest: &Digest| -> Result<Body, Problem> {
        let bytes = store.blob(digest).map_err(|error| error.problem())?;
        let inline = match placement {
            Bodies::Inline => Some(json(record, &bytes)?),
            Bodies::Beside => None,
        };
        if inline.is_none() {
            bodies.push(bytes);
        }
        Ok(Body { digest: *digest, inline })
    };
    let facts = body(&record.facts_digest)?;
    let packs = record.packs.iter().map(|pack| {
        Ok(Pack {
            name: pack.name.clone(),
            version: pack.version.clone(),
            digest: pack.digest,
            source: body(&pack.source)?,
        })
    });
    let packs = packs.collect::<Result<_, Problem>>()?;
    let document = json(record, &recorded.verdict)?;
    let predicate = Predicate {
        schema: "runmill.evidence/v1",
        issued_at: about.issued_at,
        repository: about.repository,
        branch: about.branch,
        pull_request: about.pull_request,
        run: RunPart {
            id: record.run.to_string(),
            started_at: record.started_at.to_string(),
            ended_at: record.ended_at.to_string(),
        },
        engine: record.engine.clone(),
        facts,
        packs,
        verdict: VerdictBody {
            digest: canonical::digest(&document).map_err(|error| crate::check::internal(error.to_string()))?,
            printed: Digest::of(&recorded.verdict),
            document,
        },
    };
    let payload = statement(&candidate, &predicate).map_err(|error| crate::check::internal(error.to_string()))?;
    Ok(Signable { run: record.run.to_string(), verdict: record.outcome.clone(), payload, bodies })
}

fn json(record: &RunRecord, bytes: &[u8]) -> Result<Json, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let help = "`runmill runs verify` says what else does not hold".to_owned();
        unusable(record, &format!("a document of it is no JSON: {error}"), help)
    })
}

fn unusable(record: &RunRecord, why: &str, help: String) -> Problem {
    Problem::new(Code::State004, format!("run `{}` cannot be signed: {why}", record.run), help)
}
