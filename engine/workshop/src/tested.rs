//! `runmill.rules-test/v1`: which cases of some packs come out as they expect.

use runmill_model::{Digest, PackName, Problems};
use serde::Serialize;

use crate::{
    PackFiles,
    cases::{Case, CaseFile, Difference, Suite},
    explanation::Spot,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-test/v1";

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
    /// Something did not.
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
}

/// Judges the cases of some packs, those whose name, rule or file holds the given text.
///
/// # Errors
/// Every problem of every pack: RM-POLICY-001 to 005, RM-POLICY-030. Nothing is judged then.
pub fn test(packs: &[PackFiles], chosen: Option<&str>) -> Result<TestedPacks, Problems> {
    let (mut suites, mut problems) = (Vec::new(), Vec::new());
    for pack in packs {
        match Suite::read(&pack.place, &pack.files) {
            Ok(suite) => suites.push((pack, suite)),
            Err(found) => problems.extend(found),
        }
    }
    if let Some(problems) = Problems::from_list(problems) {
        return Err(problems);
    }
    let packs = suites.iter().map(|(pack, suite)| tested(pack, suite, chosen)).collect::<Result<_, _>>()?;
    Ok(TestedPacks::new(packs))
}

fn tested(pack: &PackFiles, suite: &Suite<'_>, chosen: Option<&str>) -> Result<TestedPack, Problems> {
    let is_chosen = |(file, case): &(&CaseFile, &Case)| {
        let texts = [case.name.as_str(), file.path.as_str(), file.rule.as_deref().unwrap_or_default()];
        chosen.is_none_or(|chosen| texts.iter().any(|text| text.contains(chosen)))
    };
    let mut cases = Vec::new();
    for (file, case) in suite.cases().filter(is_chosen) {
        let differences = suite.run(case)?.differences;
        cases.push(TestedCase {
            name: case.name.clone(),
            place: case.place.clone(),
            rule: file.rule.clone(),
            fixture: case.fixture.clone(),
            passed: differences.is_empty(),
            differences,
        });
    }
    let left_out = suite.cases().count() - cases.len();
    let rules = suite.judge.pack();
    Ok(TestedPack { name: rules.name().clone(), digest: rules.digest(), place: pack.place.clone(), cases, left_out })
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
        let outcome = match (failed, nothing) {
            (0, true) => TestsOutcome::NothingRan,
            (0, false) => TestsOutcome::Passed,
            _ => TestsOutcome::Failed,
        };
        Self { schema: SCHEMA, outcome, passed, failed, packs }
    }
}
