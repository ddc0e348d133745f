//! A signed run that may stand in for a base.

use std::sync::Arc;

use runmill_evidence::{Thoroughness, run::RunVerifier, timestamp::Instant};
use runmill_model::{Graph, RunId};

/// A bundle that was offered, and what became of it.
#[derive(Debug, Clone)]
pub struct Baseline {
    name: String,
    attested: Result<Attested, String>,
}

/// A run that trusted keys vouch for.
#[derive(Debug, Clone)]
pub(crate) struct Attested {
    pub(crate) run: RunId,
    pub(crate) graph: Arc<Graph>,
    /// The keys, sorted by name; never empty.
    pub(crate) signers: Vec<String>,
}

impl Baseline {
    /// Verifies a bundle: its form, its digests, who signed it. What it is about is held against the base later.
    pub fn verify(name: &str, bundle: &[u8], trust: &[u8], now: Instant) -> Self {
        Self { name: name.to_owned(), attested: attested(bundle, trust, now) }
    }

    /// A bundle that could not be had.
    pub fn unusable(name: &str, why: String) -> Self {
        Self { name: name.to_owned(), attested: Err(why) }
    }

    /// What a person knows it by.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The run, or why there is none, in words.
    pub(crate) fn attested(&self) -> Result<&Attested, &str> {
        self.attested.as_ref().map_err(String::as_str)
    }
}

fn attested(bundle: &[u8], trust: &[u8], now: Instant) -> Result<Attested, String> {
    let verifier = RunVerifier { now, thoroughness: Thoroughness::FirstFailure, artifacts: None, rejudge: None };
    let authentic = verifier.authenticate(bundle, trust).map_err(|error| error.to_string())?;
    let (signers, material) =
        authentic.map_err(|refusal| format!("it is refused ({}): {}", refusal.class, refusal.reason))?;
    let facts = material.facts.ok_or("its facts are not in it")?;
    let graph = Graph::from_json(&facts).map_err(|error| format!("its facts cannot be used: {error}"))?;
    let run = RunId::new(material.run).map_err(|error| error.to_string())?;
    Ok(Attested { run, graph: Arc::new(graph), signers })
}
