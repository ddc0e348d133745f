//! `runmill.rules-coverage/v1`: what the cases of packs reach of their rules, and why not the rest.

mod lcov;

use runmill_model::{Digest, PackName, Problems};
use runmill_policy::{
    Coverage, Covering, Place,
    coverage::{OutcomeCount, Point, Reason, Unit, UnitName, What},
};
use serde::Serialize;

use crate::{
    PackFiles,
    cases::{Case, CaseFile, Company, Params, Suite},
    explanation::Spot,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-coverage/v1";

/// What cases reach of packs.
#[derive(Debug, Serialize)]
pub struct CoveredPacks {
    /// `runmill.rules-coverage/v1`.
    pub schema: &'static str,
    /// `covered`, `below` the wanted share, or `nothing-ran` when a pack has no case.
    pub outcome: CoverageOutcome,
    /// The share of branches and of outcomes that each pack has to reach, in percent; absent when nobody asked for one.
    pub min: Option<u8>,
    /// The packs, in the order they were asked for.
    pub packs: Vec<CoveredPack>,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageOutcome {
    /// Every pack has cases, and they reach what was asked for.
    Covered,
    /// A pack reaches less.
    Below,
    /// A pack has no case.
    NothingRan,
}

/// What the cases of a pack reach.
#[derive(Debug, Serialize)]
pub struct CoveredPack {
    /// Its name.
    pub name: PackName,
    /// Its digest.
    pub digest: Digest,
    /// Where it is: a folder, or the name of a built-in pack.
    pub place: String,
    /// How many cases it has.
    pub cases: usize,
    /// Of all rules and functions.
    pub figures: Figures,
    /// Its rules, in the order of stages and ids.
    pub rules: Vec<CoveredUnit>,
    /// Its functions, in the order of files and lines.
    pub functions: Vec<CoveredUnit>,
    #[serde(skip)]
    units: Vec<Unit>,
}

/// What is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Figures {
    /// Sides of `if`s, bodies of loops and closures.
    pub branches: Share,
    /// Values, true and false, of the parts of conditions.
    pub conditions: Share,
    /// Outcomes of rules.
    pub outcomes: Share,
}

/// Some of a number of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Share {
    /// How many were reached.
    pub reached: usize,
    /// How many there are.
    pub all: usize,
}

/// A rule or function.
#[derive(Debug, Serialize)]
pub struct CoveredUnit {
    /// The rule's id, or the function as it is called.
    pub name: String,
    /// Where its body starts.
    pub place: Spot,
    /// How many calls the cases make.
    pub calls: u64,
    /// What is reached of it.
    pub figures: Figures,
    /// What a rule can come to; empty for functions.
    pub outcomes: Vec<CoveredOutcome>,
    /// What is not reached.
    pub missing: Vec<Missing>,
}

/// What a rule can come to.
#[derive(Debug, Serialize)]
pub struct CoveredOutcome {
    /// `proven`, `refuted`, `unproven`, `not_applicable`, `require` or `ignore`.
    pub outcome: String,
    /// In how many calls it came to that.
    pub calls: u64,
    /// The first case in which it did; absent when it never did.
    pub case: Option<String>,
    /// Why it never did; absent when it did.
    pub why: Option<Why>,
}

/// Something that no case reaches.
#[derive(Debug, Serialize)]
pub struct Missing {
    /// `branch`, `body`, `condition` or `result`.
    pub what: &'static str,
    /// The value that a branch's or condition's expression never has; absent for others.
    pub value: Option<bool>,
    /// The expression, on one line.
    pub text: String,
    /// Where it starts.
    pub place: Spot,
    /// Whether something that stands around it is not reached either, which is listed too.
    pub follows: bool,
    /// Why.
    pub why: Why,
}

/// Why something is not reached.
#[derive(Debug, Serialize)]
pub struct Why {
    /// In words.
    pub text: String,
    /// The condition that stands in the way; absent where none does.
    pub place: Option<Spot>,
}

/// Counts what the cases of packs reach.
///
/// # Errors
/// Every problem of every pack: RM-POLICY-001 to 005, RM-POLICY-030.
pub fn coverage(packs: &[PackFiles], min: Option<u8>) -> Result<CoveredPacks, Problems> {
    let covered = PackFiles::each(packs, |pack| covered_pack(pack, &Suite::read(&pack.place, &pack.files)?))?;
    let below = |pack: &CoveredPack| min.is_some_and(|min| !pack.figures.reaches(min));
    let outcome = match () {
        () if covered.iter().any(|pack| pack.cases == 0) => CoverageOutcome::NothingRan,
        () if covered.iter().any(below) => CoverageOutcome::Below,
        () => CoverageOutcome::Covered,
    };
    Ok(CoveredPacks { schema: SCHEMA, outcome, min, packs: covered })
}

/// What the cases of one pack reach.
pub(crate) fn covered_pack(pack: &PackFiles, suite: &Suite<'_>) -> Result<CoveredPack, Problems> {
    let cases: Vec<(&CaseFile, &Case)> = suite.cases().collect();
    let units = counted(suite, &cases)?.units;
    let named = |case: usize| cases.get(case).map(|(_, case)| case.name.clone());
    let (rules, functions) = units.iter().partition::<Vec<&Unit>, _>(|unit| is_rule(unit));
    let told = |units: Vec<&Unit>| units.into_iter().map(|unit| told(unit, &named)).collect();
    let rules_of = suite.judge.pack();
    Ok(CoveredPack {
        name: rules_of.name().clone(),
        digest: rules_of.digest(),
        place: pack.place.clone(),
        cases: cases.len(),
        figures: units.iter().map(Figures::of).fold(Figures::default(), Figures::and),
        rules: told(rules),
        functions: told(functions),
        units,
    })
}

/// What all cases reach, whatever parameters they set.
fn counted(suite: &Suite<'_>, cases: &[(&CaseFile, &Case)]) -> Result<Coverage, Problems> {
    // A pack without cases has rules all the same.
    let mut groups: Vec<(Params, Vec<Covering>)> = vec![(Params::default(), Vec::new())];
    for (number, (_, case)) in cases.iter().enumerate() {
        let judged = suite.judge.judge(&case.graph, &case.params, Company::Alone)?;
        let covering = Covering { case: number, graph: case.graph.clone(), findings: judged.findings().to_vec() };
        match groups.iter_mut().find(|(params, _)| *params == case.params) {
            Some((_, group)) => group.push(covering),
            None => groups.push((case.params.clone(), vec![covering])),
        }
    }
    let mut coverage = Coverage::default();
    for (params, group) in groups {
        let host = suite.judge.host(&params, Company::Alone)?;
        coverage.add(host.cover(group).unwrap_or_default());
    }
    Ok(coverage)
}

impl CoveredPacks {
    /// The same as a tracefile of lcov, with the paths of the packs' files as a person would open them.
    pub fn lcov(&self) -> String {
        self.packs.iter().map(|pack| lcov::records(&pack.place, &pack.units)).collect()
    }
}

impl Figures {
    /// Whether branches and outcomes are reached to this share, in percent.
    pub fn reaches(&self, percent: u8) -> bool {
        [self.branches, self.outcomes].iter().all(|share| share.reaches(percent))
    }

    fn of(unit: &Unit) -> Self {
        let share = |counts: fn(What) -> bool| {
            let points = unit.points.iter().filter(|point| counts(point.what));
            Share::of(points.map(|point| point.hits > 0))
        };
        Self {
            branches: share(What::is_branch),
            conditions: share(What::is_condition),
            outcomes: Share::of(unit.outcomes.iter().map(|outcome| outcome.calls > 0)),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            branches: self.branches.and(other.branches),
            conditions: self.conditions.and(other.conditions),
            outcomes: self.outcomes.and(other.outcomes),
        }
    }
}

impl Share {
    /// In percent, rounded down, so that only all of it is 100; 100 of nothing.
    pub fn percent(self) -> usize {
        (self.reached * 100).checked_div(self.all).unwrap_or(100)
    }

    /// Whether it is as much as this, in percent.
    pub fn reaches(self, percent: u8) -> bool {
        self.reached * 100 >= self.all * usize::from(percent)
    }

    fn of(reached: impl Iterator<Item = bool>) -> Self {
        reached.fold(Self::default(), |share, reached| share.and(Self { reached: usize::from(reached), all: 1 }))
    }

    fn and(self, other: Self) -> Self {
        Self { reached: self.reached + other.reached, all: self.all + other.all }
    }
}

fn is_rule(unit: &Unit) -> bool {
    matches!(unit.name, UnitName::Rule { .. })
}

fn told(unit: &Unit, named: &impl Fn(usize) -> Option<String>) -> CoveredUnit {
    let name = match &unit.name {
        UnitName::Rule { id, .. } => id.to_string(),
        UnitName::Function(name) => name.clone(),
    };
    let outcome = |count: &OutcomeCount| CoveredOutcome {
        outcome: count.outcome.clone(),
        calls: count.calls,
        case: count.first.and_then(named),
        why: unit.why_not(count).map(why),
    };
    let missing = unit.points.iter().filter_map(|point| missing(unit, point)).collect();
    let outcomes = unit.outcomes.iter().map(outcome).collect();
    CoveredUnit { name, place: spot(&unit.place), calls: unit.calls, figures: Figures::of(unit), outcomes, missing }
}

fn missing(unit: &Unit, point: &Point) -> Option<Missing> {
    let (what, value) = match point.what {
        What::Statement => return None,
        What::Branch(value) => ("branch", Some(value)),
        What::Body => ("body", None),
        What::Condition(value) => ("condition", Some(value)),
        What::Result => ("result", None),
    };
    let why = why(unit.why(point)?);
    Some(Missing {
        what,
        value,
        text: point.text.clone(),
        place: spot(&point.place),
        follows: unit.follows(point),
        why,
    })
}

fn why(reason: Reason) -> Why {
    Why { text: reason.text, place: reason.place.as_ref().map(spot) }
}

fn spot(place: &Place) -> Spot {
    Spot { file: place.file.to_string(), line: place.line, column: place.column }
}
