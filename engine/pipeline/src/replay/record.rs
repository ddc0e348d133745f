//! A run from the store.

use runmill_model::{Code, Digest, Graph, Problem, Problems};
use runmill_policy::PackSource;
use runmill_store::{RunRecord, Store};
use serde_json::Value as Json;

use super::Replay;

/// A run as it was recorded.
#[derive(Debug)]
pub struct Recorded {
    /// The run, ready to be judged again.
    pub replay: Replay,
    /// The record.
    pub record: RunRecord,
    /// The document of its verdict, as it was printed.
    pub verdict: Vec<u8>,
}

impl Recorded {
    /// Reads a run from the store by its id, the beginning of its id, or `latest`. Every byte is proven by its digest.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-003 (no such run, or none that judged a change), RM-STATE-004.
    pub fn read(store: &Store, run: &str) -> Result<Self, Problems> {
        let record = store.record(run).map_err(|error| error.problem())?;
        let read = |digest: &Digest| store.blob(digest).map_err(|error| error.problem());
        let facts = read(document(&record, "facts")?)?;
        let verdict = read(document(&record, "verdict")?)?;
        let graph = Graph::from_json(&facts).map_err(|error| unreadable(&record, "facts", &error.to_string()))?;
        if graph.digest() != record.facts_digest {
            return Err(unreadable(&record, "facts", "they are not the ones that were judged").into());
        }
        let mut packs: Vec<PackSource> = Vec::new();
        for pack in &record.packs {
            let source = serde_json::from_slice(&read(&pack.source)?);
            let source = source.map_err(|error| unreadable(&record, "packs", &error.to_string()))?;
            packs.push(source);
        }
        let relaxations = relaxations(&verdict).ok_or_else(|| unreadable(&record, "verdict", "it is no verdict"))?;
        let replay = Replay::new(record.run.clone(), &graph, packs, relaxations)?;
        Ok(Self { replay, record, verdict })
    }
}

fn document<'a>(record: &'a RunRecord, name: &str) -> Result<&'a Digest, Problem> {
    record.documents.get(name).ok_or_else(|| {
        let message = format!("run `{}` has no {name} on record", record.run);
        Problem::new(Code::State003, message, "name a run of `runmill check`")
    })
}

/// What the operator loosened, as the verdict tells it: no rule reads it, so it is no fact.
fn relaxations(verdict: &[u8]) -> Option<Vec<String>> {
    let document: Json = serde_json::from_slice(verdict).ok()?;
    let told = document.get("relaxations")?.as_array()?;
    told.iter().map(|told| told.as_str().map(str::to_owned)).collect()
}

fn unreadable(record: &RunRecord, name: &str, why: &str) -> Problem {
    let message = format!("cannot use the {name} on record of run `{}`: {why}", record.run);
    let help = format!(
        "it was recorded by runmill {}; use that version, or judge the change again. `runmill runs verify` says what \
         else does not hold",
        record.engine
    );
    Problem::new(Code::State004, message, help)
}
