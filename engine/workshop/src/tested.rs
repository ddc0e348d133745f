//! `runmill.rules-test/v1`: which cases of some packs come out as they expect.

use std::collections::BTreeSet;

use runmill_model::{Digest, PackName, Problems};
use serde::Serialize;

use crate::{
    Home, PackFiles,
    cases::{Case, CaseFile, Difference, Suite},
    explanation::Spot,
    snapshots::{self, Cause, FileChange, Mode, Snapshot},
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-test/v1";

/// What is asked of the cases of some packs.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Only cases whose name, rule or file holds this; absent when all are judged.
    pub case: Option<&'a str>,
    /// What to do about snapshots that come out otherwise.
    pub mode: Mode,
}

/// Packs whose cases were judged, and their snapshots.
#[derive(Debug)]
pub struct Tested {
    /// What is told.
    pub document: TestedPacks,
    /// The snapshots of each pack, in the order of the packs.
    pub kept: Vec<Kept>,
}

/// The snapshots of a pack.
#[derive(Debug)]
pub struct Kept {
    /// Those of the cases that were judged.
    pub snapshots: Vec<Snapshot>,
    /// Files that no case refers to.
    pub unreferenced: Vec<String>,
}

/// Packs whose cases were judged.
#[derive(Debug, Clone, Serialize)]
pub struct TestedPacks {
    /// `runmill.rules-test/v1`.
    pub schema: &'static str,
    /// How it went: `passed`, `failed`, or `nothing-ran` when a pack has no case to judge.
    pub outcome: TestsOutcome,
    /// How many cases passed.
    pub passed: usize,
    /// How many did not.
    pub failed: usize,
    /// The packs, in the order they were asked for.
    pub packs: Vec<TestedPack>,
}

/// How cases came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestsOutcome {
    /// Every pack has cases, and all of them came out as they expect.
    Passed,
    /// Something did not, or a snapshot is refused.
    Failed,
    /// Nothing failed, and a pack had no case to judge.
    NothingRan,
}

/// A pack whose cases were judged.
#[derive(Debug, Clone, Serialize)]
pub struct TestedPack {
    /// Its name.
    pub name: PackName,
    /// Its digest.
    pub digest: Digest,
    /// Where it is: a folder, or the name of a built-in pack.
    pub place: String,
    /// The cases that were judged, in the order of their files.
    pub cases: Vec<TestedCase>,
    /// How many cases the choice left out.
    pub left_out: usize,
    /// Snapshots that came out otherwise, by their cause, what means something else first.
    pub changes: Vec<ChangeEntry>,
    /// Snapshot files that were pending before.
    pub pending: Vec<String>,
    /// Snapshot files that no case refers to; with `--accept` they were removed.
    pub unreferenced: Vec<String>,
    /// Whether pending or unreferenced files are refused.
    pub refuses_files: bool,
}

/// Snapshots that came out otherwise for one cause.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeEntry {
    /// The cause.
    pub cause: Cause,
    /// The files of the snapshots.
    pub snapshots: Vec<String>,
    /// What changed in the first of them: lines that went, marked `-`, and lines that came, marked `+`.
    pub lines: Vec<String>,
}

/// A case that was judged.
#[derive(Debug, Clone, Serialize)]
pub struct TestedCase {
    /// What it is called.
    pub name: String,
    /// Where it stands.
    pub place: Spot,
    /// The rule whose case it is; absent in a file about several.
    pub rule: Option<String>,
    /// The fixture it starts from.
    pub fixture: String,
    /// Whether everything is as it expects.
    pub passed: bool,
    /// What is not.
    pub differences: Vec<Difference>,
    /// How its snapshot came out; absent when it has none.
    pub snapshot: Option<State>,
}

/// How a snapshot came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it was accepted.
    Matches,
    /// There was none.
    New,
    /// Otherwise.
    Changed,
    /// There was none or it came out otherwise, and it is accepted now.
    Accepted,
}

/// Judges the cases of some packs.
///
/// # Errors
/// Every problem of every pack: RM-POLICY-001 to 005, RM-POLICY-030. Nothing is judged then.
pub fn test(packs: &[PackFiles], asked: Asked<'_>) -> Result<Tested, Problems> {
    let suites = PackFiles::each(packs, |pack| Ok((pack, Suite::read(&pack.place, &pack.files)?)))?;
    let tested = suites.iter().map(|(pack, suite)| tested(pack, suite, asked)).collect::<Result<Vec<_>, _>>()?;
    let (packs, kept) = tested.into_iter().unzip();
    Ok(Tested { document: TestedPacks::new(packs), kept })
}

fn tested(pack: &PackFiles, suite: &Suite<'_>, asked: Asked<'_>) -> Result<(TestedPack, Kept), Problems> {
    let is_chosen = |(file, case): &(&CaseFile, &Case)| {
        let texts = [case.name.as_str(), file.path.as_str(), file.rule.as_deref().unwrap_or_default()];
        asked.case.is_none_or(|chosen| texts.iter().any(|text| text.contains(chosen)))
    };
    let (mut cases, mut snapshots) = (Vec::new(), Vec::new());
    for (file, case) in suite.cases().filter(is_chosen) {
        let outcome = suite.run(case)?;
        let snapshot = outcome.snapshot(case, &pack.files);
        let state = snapshot.as_ref().map(|snapshot| state(snapshot, asked.mode));
        cases.push(TestedCase {
            name: case.name.clone(),
            place: case.place.clone(),
            rule: file.rule.clone(),
            fixture: case.fixture.clone(),
            passed: outcome.differences.is_empty() && !matches!(state, Some(State::New | State::Changed)),
            differences: outcome.differences,
            snapshot: state,
        });
        snapshots.extend(snapshot);
    }
    let referenced: BTreeSet<&str> =
        suite.cases().filter_map(|(_, case)| case.snapshot.as_ref()).map(|kept| kept.path.as_str()).collect();
    let unreferenced = snapshots::unreferenced(&pack.files, &referenced);
    let changes = snapshots::groups(snapshots.iter()).into_iter().map(|group| ChangeEntry {
        cause: group.cause,
        snapshots: group.snapshots.iter().map(|snapshot| snapshot.path.clone()).collect(),
        lines: group.lines,
    });
    let rules = suite.judge.pack();
    let tested = TestedPack {
        name: rules.name().clone(),
        digest: rules.digest(),
        place: pack.place.clone(),
        left_out: suite.cases().count() - cases.len(),
        cases,
        changes: changes.collect(),
        pending: snapshots::pending(&pack.files),
        unreferenced: unreferenced.clone(),
        refuses_files: asked.mode == Mode::Ci,
    };
    Ok((tested, Kept { snapshots, unreferenced }))
}

fn state(snapshot: &Snapshot, mode: Mode) -> State {
    match (snapshot.matches(), mode, &snapshot.accepted) {
        (true, ..) => State::Matches,
        (false, Mode::Accept, _) => State::Accepted,
        (false, _, None) => State::New,
        (false, _, Some(_)) => State::Changed,
    }
}

impl Tested {
    /// What has to be done to the files of each pack, in the order of the packs; a built-in pack stays as it is.
    pub fn file_changes(&self, packs: &[PackFiles], asked: Asked<'_>) -> Vec<Vec<FileChange>> {
        packs.iter().zip(&self.kept).map(|(pack, kept)| kept.file_changes(pack, asked)).collect()
    }
}

impl Kept {
    fn file_changes(&self, pack: &PackFiles, asked: Asked<'_>) -> Vec<FileChange> {
        if pack.home == Home::Builtin {
            return Vec::new();
        }
        match asked.mode {
            Mode::Ci => Vec::new(),
            Mode::Pend => self.snapshots.iter().flat_map(|snapshot| snapshot.pend(pack)).collect(),
            Mode::Accept => {
                let mut changes: Vec<_> = self.snapshots.iter().flat_map(|snapshot| snapshot.accept(pack)).collect();
                let gone = self.unreferenced.iter().map(|path| FileChange { path: path.clone(), text: None });
                changes.extend(gone);
                changes
            }
        }
    }
}

impl TestedPacks {
    fn new(packs: Vec<TestedPack>) -> Self {
        let cases = || packs.iter().flat_map(|pack| &pack.cases);
        let passed = cases().filter(|case| case.passed).count();
        let failed = cases().count() - passed;
        // A pack that a choice leaves nothing of is not asked; one that has no case at all is told.
        let chosen = packs.iter().any(|pack| pack.left_out > 0);
        let silent = |pack: &TestedPack| pack.cases.is_empty() && pack.left_out == 0;
        let nothing = cases().next().is_none() || (!chosen && packs.iter().any(silent));
        let refused = packs.iter().any(TestedPack::is_refused);
        let outcome = match (failed, nothing) {
            (0, _) if refused => TestsOutcome::Failed,
            (0, true) => TestsOutcome::NothingRan,
            (0, false) => TestsOutcome::Passed,
            _ => TestsOutcome::Failed,
        };
        Self { schema: SCHEMA, outcome, passed, failed, packs }
    }
}

impl TestedPack {
    /// Whether snapshot files of it are refused, whatever its cases say.
    pub fn is_refused(&self) -> bool {
        self.refuses_files && !(self.pending.is_empty() && self.unreferenced.is_empty())
    }
}
