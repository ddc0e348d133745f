//! Everything that is wrong with a pack: manifest, gate, checker, fixtures and cases, in one list.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{Code, Digest, PackName, Problem};
use runmill_policy::{Pack, PackSource};
use runmill_rules::{Settings, in_manifest, read};

use crate::{
    PackFiles,
    cases::suite::{self, located, stand_ins},
};

/// The file that says what a pack is.
const MANIFEST: &str = "pack.kdl";

/// A pack that was checked. Nothing of it was run.
#[derive(Debug, Clone)]
pub struct CheckedPack {
    /// Where it is: a folder, or the name of a built-in pack.
    pub place: String,
    /// Its name; absent when its manifest is not valid.
    pub name: Option<PackName>,
    /// Its digest; absent when its manifest is not valid.
    pub digest: Option<Digest>,
    /// How many rules it has; 0 when they cannot be told.
    pub rules: usize,
    /// Every problem: those of the manifest first, then by file and place; empty when it is sound.
    pub problems: Vec<Problem>,
}

/// Checks a pack: RM-POLICY-001 to 005 (manifest and gate), 020 to 026 (checker), 030 (fixtures and cases).
pub fn check(pack: &PackFiles) -> CheckedPack {
    let PackFiles { place, files, .. } = pack;
    let settings = |files| Settings { params: stand_ins(place, files), ..Settings::default() };
    let (source, mut problems) = read(place, files, &settings(files));
    let registry = runmill_stdlib::registry();
    let rules = source.as_ref().and_then(|source| Pack::load(source.clone(), &registry).ok());
    let rules: Option<BTreeSet<String>> =
        rules.map(|pack| pack.rules().iter().map(|rule| rule.head.rule.to_string()).collect());
    let stand_in = if source.is_none() { with_stand_in(files) } else { None };
    let looked_at: Option<PackSource> = match (&source, &stand_in) {
        (Some(source), _) => Some(source.clone()),
        (None, Some(files)) => read(place, files, &settings(files)).0,
        (None, None) => None,
    };
    let mut found: Vec<Problem> = looked_at.iter().flat_map(|source| Pack::check(source, &registry)).collect();
    found.retain(|problem| !problems.iter().any(|other| other.message == problem.message));
    let mut found: Vec<Problem> = found.into_iter().map(|problem| self::place(problem, pack)).collect();
    found.extend(suite::problems(place, files, rules.as_ref()));
    if problems.len() + found.iter().filter(|problem| !is_about_use(problem)).count() > 0 {
        // What seems to be of no use may be used where something is wrong.
        found.retain(|problem| !is_about_use(problem));
    }
    problems.extend(found);
    CheckedPack {
        place: place.clone(),
        name: source.as_ref().map(|source| source.name.clone()),
        digest: source.as_ref().map(|source| source.digest),
        rules: rules.map_or(0, |rules| rules.len()),
        problems,
    }
}

/// A problem with the path that a person can open. An unread parameter stands in the manifest, which the checker does not
/// see.
fn place(problem: Problem, pack: &PackFiles) -> Problem {
    let param = problem.message.split('`').nth(1).map(|name| format!("param \"{name}\""));
    match (&problem.source, param, pack.files.get(MANIFEST)) {
        (None, Some(param), Some(text)) if is_about_use(&problem) => in_manifest(problem, &pack.place, text, &param),
        _ => located(&pack.place, problem),
    }
}

fn is_about_use(problem: &Problem) -> bool {
    problem.code == Code::Policy026
}

/// The files with a manifest in the place of one that is not valid, so that the rules are looked at too; it declares the
/// parameters that can be made out. None when there is no manifest at all: this is hardly a pack.
fn with_stand_in(files: &BTreeMap<String, String>) -> Option<BTreeMap<String, String>> {
    let params: String = files.get(MANIFEST)?.lines().filter_map(param).collect();
    let manifest = format!("pack \"pack\" version=\"0.0.0\" {{\n    engine \"0.1\"\n    facts 1\n{params}}}\n");
    let mut files = files.clone();
    files.insert(MANIFEST.to_owned(), manifest);
    Some(files)
}

fn param(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("param \"")?;
    let (name, rest) = rest.split_once('"')?;
    runmill_manifest::pack::ParamName::new(name).ok()?;
    let ty = rest.split_once("type=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("text", |(ty, _)| ty);
    let ty = if ["bool", "int", "globs", "list"].contains(&ty) { ty } else { "text" };
    Some(format!("    param \"{name}\" type=\"{ty}\"\n"))
}
