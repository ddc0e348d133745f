//! How long invocations took the last time, for whoever waits for them.

use std::{collections::HashMap, time::Duration};

use runmill_model::{CheckId, Side};
use runmill_store::{Filter, State, Store};
use serde::Deserialize;

/// How many runs are looked at before there is no answer.
const LOOKED_AT: usize = 20;

#[derive(Deserialize)]
struct Verdict {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    check: CheckId,
    side: Side,
    status: String,
    duration_ms: u64,
}

/// What passed in the newest run that has a verdict, with the time it took. It is shown and decides nothing, so what
/// cannot be read is not there.
pub fn usual(store: &Store) -> HashMap<(CheckId, Side), Duration> {
    let runs = store.runs(&Filter { limit: Some(LOOKED_AT), ..Filter::default() }).unwrap_or_default();
    let newest = runs.iter().filter(|run| matches!(run.state, State::Ended(_)));
    let verdict = newest.filter_map(|run| verdict(store, run.run.as_str())).next();
    let passed = verdict.into_iter().flat_map(|verdict| verdict.results).filter(|entry| entry.status == "passed");
    passed.map(|entry| ((entry.check, entry.side), Duration::from_millis(entry.duration_ms))).collect()
}

fn verdict(store: &Store, run: &str) -> Option<Verdict> {
    let record = store.record(run).ok()?;
    serde_json::from_slice(&store.blob(record.documents.get("verdict")?).ok()?).ok()
}
