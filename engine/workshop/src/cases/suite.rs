//! A pack's folder with its fixtures and cases.

use std::collections::{BTreeMap, BTreeSet};

use runmill_manifest::{
    PackManifest,
    pack::{self, Param, ParamType, ParamValue},
};
use runmill_model::{Problem, Problems};

use super::{
    case::{Case, CaseFile, Reading},
    fixture::{self, Budget, Fixture},
    judge::Judge,
    outcome::{self, Outcome},
    params::Params,
};

/// A pack with its fixtures and cases, all of them usable.
pub struct Suite<'a> {
    /// The pack's rules, which judge.
    pub judge: Judge<'a>,
    /// The fixtures by name.
    pub fixtures: BTreeMap<String, Fixture>,
    /// The files of cases, by path.
    pub files: Vec<CaseFile>,
}

impl<'a> Suite<'a> {
    /// Reads a pack from its files, by their path inside the folder `dir`.
    ///
    /// # Errors
    /// Every problem of the pack, its fixtures and its cases: RM-POLICY-001 to 005, RM-POLICY-030.
    pub fn read(dir: &'a str, files: &'a BTreeMap<String, String>) -> Result<Self, Problems> {
        let judge = Judge::new(dir, files)?;
        let rules = judge.rules().iter().map(|rule| rule.head.rule.to_string()).collect();
        let manifest = manifest(dir, files);
        let (fixtures, read, problems) = cases(files, manifest.as_ref(), Some(&rules));
        match Problems::from_list(problems) {
            Some(problems) => Err(problems.map(|problem| located(dir, problem))),
            None => Ok(Self { judge, fixtures, files: read }),
        }
    }

    /// The pack's manifest; absent only where it would not have been read.
    pub(crate) fn manifest(&self) -> Option<PackManifest> {
        let (dir, files) = self.judge.text();
        manifest(dir, files)
    }

    /// Every case, with the file it is in.
    pub fn cases(&self) -> impl Iterator<Item = (&CaseFile, &Case)> {
        self.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)))
    }

    /// Judges a case, and says what is not as it expects.
    ///
    /// # Errors
    /// RM-CONFIG-002: its parameters are not the pack's.
    pub fn run(&self, case: &Case) -> Result<Outcome, Problems> {
        outcome::of(&self.judge, case)
    }
}

/// Everything that is wrong with the fixtures and cases of a pack, whatever its rules are like: `rules` are their ids where
/// they are known.
pub(crate) fn problems(dir: &str, files: &BTreeMap<String, String>, rules: Option<&BTreeSet<String>>) -> Vec<Problem> {
    let (.., problems) = cases(files, manifest(dir, files).as_ref(), rules);
    problems.into_iter().map(|problem| located(dir, problem)).collect()
}

fn cases(
    files: &BTreeMap<String, String>,
    manifest: Option<&PackManifest>,
    rules: Option<&BTreeSet<String>>,
) -> (BTreeMap<String, Fixture>, Vec<CaseFile>, Vec<Problem>) {
    let kdl =
        |folder: &'static str| files.iter().filter(move |(path, _)| path.starts_with(folder) && path.ends_with(".kdl"));
    let (mut problems, mut budget) = (Vec::new(), Budget::new());
    let fixtures = fixture::read(kdl("fixtures/"), &mut budget, &mut problems);
    let mut reading = Reading { fixtures: &fixtures, manifest, rules, budget: &mut budget, problems: &mut problems };
    let read = kdl("tests/").filter_map(|(path, text)| reading.file(path, text)).collect();
    (fixtures, read, problems)
}

/// The manifest, where it is valid.
pub(super) fn manifest(dir: &str, files: &BTreeMap<String, String>) -> Option<PackManifest> {
    pack::parse(&format!("{dir}/pack.kdl"), files.get("pack.kdl")?).ok()
}

/// Values for the parameters that an operator has to give, so that a pack can be looked at without one.
pub(crate) fn stand_ins(dir: &str, files: &BTreeMap<String, String>) -> Params {
    let manifest = manifest(dir, files);
    let wanting = manifest.iter().flat_map(PackManifest::params).filter(|param| param.default().is_none());
    wanting.map(|param| (param.name().clone(), stand_in(param))).collect()
}

fn stand_in(param: &Param) -> ParamValue {
    match param.ty() {
        ParamType::Bool => ParamValue::Bool(false),
        ParamType::Int => ParamValue::Int(0),
        ParamType::Text => ParamValue::Text(String::new()),
        ParamType::Choice => ParamValue::Text(param.choices().first().cloned().unwrap_or_default()),
        ParamType::Globs | ParamType::List => ParamValue::List(Vec::new()),
    }
}

/// A problem of a file inside a pack, with the path a person can open.
pub(crate) fn located(dir: &str, problem: Problem) -> Problem {
    let Some(source) = &problem.source else { return problem };
    let (name, text) = (format!("{dir}/{}", source.name), source.text.clone());
    Problem { source: None, ..problem }.in_source(name, text)
}
