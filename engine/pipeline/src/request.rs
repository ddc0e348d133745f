//! What a caller asks for, and what it lends the run.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use runmill_forge::Observation;
use runmill_host::{clock::Clock, interrupt::Interrupt};
use runmill_model::RunId;
use runmill_store::Store;

use crate::{PackFolder, Progress, bundle::Baseline};

/// The operator's policy as a text.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// What a person knows it by: its path.
    pub name: String,
    /// The text.
    pub text: String,
    /// The bytes of `trust.json` beside it, by which signatures of packs are verified; none when there is none.
    pub trust: Option<Vec<u8>>,
}

/// Which commit of a change is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judged {
    /// The candidate as it is.
    #[default]
    Candidate,
    /// The merge of target and candidate.
    Merge,
}

/// A change to judge.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// A directory in the repository.
    pub start: Utf8PathBuf,
    /// The revision the change would merge into; none asks for the default branch.
    pub target: Option<String>,
    /// The revision to judge.
    pub candidate: String,
    /// Which commit is judged.
    pub judged: Judged,
    /// What an agent proposes: texts to look up, never to run.
    pub proposals: Vec<String>,
    /// The operator's policy; none for the built-in defaults.
    pub policy: Option<PolicyFile>,
    /// What a forge reported; none when nobody asked one.
    pub remote: Option<Observation>,
    /// Packs for this run, as an operator's.
    pub packs: Vec<PackFolder>,
    /// How many invocations may run at once; at least 1.
    pub jobs: usize,
    /// Whether the results of earlier runs may stand in for bases.
    pub reuse: Reuse,
    /// Signed runs that may stand in for bases.
    pub baselines: Vec<Baseline>,
}

/// Whether a base may be reused that an earlier run executed, where everything that can be noticed is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// Reused where everything is equal.
    #[default]
    WhereEqual,
    /// Every base runs.
    Never,
}

/// What the machine lends the run.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// Where the run is recorded.
    pub store: &'a Store,
    /// The environment runmill was started with.
    pub environment: &'a BTreeMap<String, String>,
    /// The time of day.
    pub clock: Clock,
    /// The name of this run.
    pub run: &'a RunId,
    /// Whether to stop.
    pub interrupt: &'a Interrupt,
    /// Who watches.
    pub progress: &'a dyn Progress,
}
