//! `runmill.rules-diff/v1`: what flips when runs are judged by two versions of a pack, and the line of the rule that did it.

use runmill_model::{Code, Digest, Graph, PackName, Problem, Problems, RunId, Verdict, verdict::CONTRACT};
use runmill_pipeline::{
    PackFolder,
    replay::{Replay, flips},
};
use runmill_rules::Settings;
use serde::Serialize;

use crate::replayed::{FlipEntry, flipped};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-diff/v1";

/// What flips.
#[derive(Debug, Clone, Serialize)]
pub struct RulesDiff {
    /// `runmill.rules-diff/v1`.
    pub schema: &'static str,
    /// The pack.
    pub pack: PackName,
    /// The version that judged before.
    pub old: VersionEntry,
    /// The version that judges after.
    pub new: VersionEntry,
    /// The runs that both judged, in the order they were given.
    pub runs: Vec<DiffedRun>,
    /// Runs that could not be judged again.
    pub left_out: Vec<LeftOut>,
}

/// A version of a pack.
#[derive(Debug, Clone, Serialize)]
pub struct VersionEntry {
    /// Where it was read from.
    pub from: String,
    /// As its manifest says.
    pub version: String,
    /// The digest of its rules.
    pub digest: Digest,
}

/// A run that both versions judged.
#[derive(Debug, Clone, Serialize)]
pub struct DiffedRun {
    /// The run, or the file of its facts.
    pub run: String,
    /// The verdict under the old version.
    pub before: Verdict,
    /// The verdict under the new one.
    pub after: Verdict,
    /// The findings that come out otherwise.
    pub flips: Vec<FlipEntry>,
}

/// A run that could not be judged again.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// The run.
    pub run: String,
    /// Why.
    pub why: String,
}

impl DiffedRun {
    /// Whether something comes out otherwise.
    pub fn is_flipped(&self) -> bool {
        self.before != self.after || !self.flips.is_empty()
    }
}

impl RulesDiff {
    /// Two versions that have judged nothing yet.
    ///
    /// # Errors
    /// Every problem of either; RM-CONFIG-004: they are not two versions of one pack.
    pub fn of(old: &PackFolder, new: &PackFolder) -> Result<Self, Problems> {
        let source = |folder: &PackFolder| {
            let source = runmill_rules::assemble(folder.name(), folder.files(), &Settings::default())?;
            runmill_policy::Pack::load(source, &runmill_stdlib::registry())
        };
        let (before, after) = (source(old)?, source(new)?);
        if before.name() != after.name() {
            let message = format!("`{}` and `{}` are two packs", before.name(), after.name());
            return Err(Problem::new(Code::Config004, message, "name two versions of one pack").into());
        }
        let entry = |folder: &PackFolder, pack: &runmill_policy::Pack| VersionEntry {
            from: folder.name().to_owned(),
            version: pack.version().to_owned(),
            digest: pack.digest(),
        };
        let (old, new) = (entry(old, &before), entry(new, &after));
        Ok(Self { schema: SCHEMA, pack: before.name().clone(), old, new, runs: Vec::new(), left_out: Vec::new() })
    }

    /// Judges a run by both versions.
    ///
    /// # Errors
    /// The recorded facts contradict one another, or the operator's settings do not fit one of the versions.
    pub fn judge(&mut self, run: &str, replay: &Replay, old: &PackFolder, new: &PackFolder) -> Result<(), Problems> {
        let before = replay.clone().with_pack(old)?.judge()?;
        let after = replay.clone().with_pack(new)?.judge()?;
        let flips = flips(&before, &after).findings;
        let flips = flips.iter().filter_map(|flip| flipped(&before, &after, flip)).collect();
        self.runs.push(DiffedRun { run: run.to_owned(), before: before.verdict, after: after.verdict, flips });
        Ok(())
    }

    /// Notes that a run could not be judged again.
    pub fn leave_out(&mut self, run: &str, problems: &Problems) {
        let why = problems.iter().next().map_or_else(String::new, |problem| problem.message.clone());
        self.left_out.push(LeftOut { run: run.to_owned(), why });
    }

    /// How many runs come out otherwise.
    pub fn flipped(&self) -> usize {
        self.runs.iter().filter(|run| run.is_flipped()).count()
    }
}

/// A run that is known by its facts alone, under the contract as it comes.
///
/// # Errors
/// RM-STATE-004: the bytes are no fact graph.
pub fn of_facts(name: &str, bytes: &[u8]) -> Result<Replay, Problems> {
    let unreadable = |what: String| {
        let message = format!("`{name}` is no fact graph: {what}");
        Problems::from(Problem::new(Code::State004, message, "write it with `runmill facts RUN --json`"))
    };
    let graph = Graph::from_json(bytes).map_err(|error| unreadable(error.to_string()))?;
    let contract = runmill_rules::builtin(CONTRACT, &Settings::default())?;
    // INVARIANT: the word is a run's id.
    let run = RunId::new("facts").map_err(|error| unreadable(error.to_string()))?;
    Replay::new(run, &graph, vec![contract], Vec::new())
}
