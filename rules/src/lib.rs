//! The built-in rule packs, and how a folder of files becomes a pack.
//!
//! Purpose: hold the judgement of runmill as text, embedded, one rule a file; put packs together from files, whoever wrote
//! them. Non-goals: evaluating (the policy host does), reading files (the caller does). Place in the line: between the
//! manifests and the policy host.
//!
//! A pack's digest is SHA-256 over the canonical JSON of an object: the path of `pack.kdl`, of `runners.kdl` and of every
//! `.rhai` file, each with the digest of its text. Cases, fixtures and snapshots are not part of it: they judge nothing.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use runmill_manifest::{
    PackManifest, Version, pack,
    pack::{ParamName, ParamValue},
};
use runmill_model::{Code, Digest, Level, Problem, Problems, RuleId, Stage, Value, canonical};
use runmill_policy::{LibFile, PackSource, RuleFile};

static PACKS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/packs");

/// The fact-schema version that this engine speaks.
pub const FACT_SCHEMA: u32 = 1;

/// The file of a pack that says how runners speak.
const RUNNERS: &str = "runners.kdl";

/// What an operator decides about a pack.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Parameters that replace the pack's defaults.
    pub params: BTreeMap<ParamName, ParamValue>,
    /// Levels that replace those of rules.
    pub levels: BTreeMap<RuleId, Level>,
}

/// The names of the built-in packs.
pub fn builtin_names() -> Vec<&'static str> {
    let mut names: Vec<_> = PACKS.dirs().filter_map(|dir| dir.path().to_str()).collect();
    names.sort_unstable();
    names
}

/// The files of a built-in pack by their path inside it; none when there is no pack of that name.
pub fn builtin_files(name: &str) -> Option<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    collect(PACKS.get_dir(name)?, name, &mut files);
    Some(files)
}

/// The default of a built-in pack's parameter; none when there is no such pack, parameter or default.
pub fn builtin_default(pack: &str, param: &ParamName) -> Option<ParamValue> {
    let files = builtin_files(pack)?;
    let manifest = pack::parse(pack, files.get("pack.kdl")?).ok()?;
    manifest.param(param)?.default().cloned()
}

fn collect(dir: &Dir<'_>, pack: &str, files: &mut BTreeMap<String, String>) {
    for file in dir.files() {
        let path = file.path().strip_prefix(pack).ok().and_then(std::path::Path::to_str);
        if let (Some(path), Some(text)) = (path, file.contents_utf8()) {
            files.insert(path.to_owned(), text.to_owned());
        }
    }
    dir.dirs().for_each(|dir| collect(dir, pack, files));
}

/// A built-in pack.
///
/// # Errors
/// RM-POLICY-006: there is none of that name; or what [`assemble`] refuses.
pub fn builtin(name: &str, settings: &Settings) -> Result<PackSource, Problems> {
    let Some(files) = builtin_files(name) else {
        let help = format!("the built-in packs are {}", builtin_names().join(", "));
        return Err(Problem::new(Code::Policy006, format!("there is no built-in pack `{name}`"), help).into());
    };
    assemble(name, &files, settings)
}

/// A pack from its files, by their path inside the folder `name`.
///
/// # Errors
/// RM-POLICY-001 (`pack.kdl`), RM-POLICY-005 (a rule outside the folders, a level for no rule, nothing in it),
/// RM-CONFIG-002 (the operator's parameters); all at once.
pub fn assemble(name: &str, files: &BTreeMap<String, String>, settings: &Settings) -> Result<PackSource, Problems> {
    let (source, problems) = read(name, files, settings);
    match (Problems::from_list(problems), source) {
        (Some(problems), _) => Err(problems),
        (None, Some(source)) => Ok(source),
        // INVARIANT: a pack that is not there was reported.
        (None, None) => {
            Err(Problem::new(Code::Policy001, format!("`{name}` is no pack"), "name a pack's folder").into())
        }
    }
}

/// A pack from its files as [`assemble`] makes it, together with its problems; none without a valid `pack.kdl`.
pub fn read(name: &str, files: &BTreeMap<String, String>, settings: &Settings) -> (Option<PackSource>, Vec<Problem>) {
    let Some(text) = files.get("pack.kdl") else {
        let message = format!("`{name}` holds no `pack.kdl`");
        return (None, vec![Problem::new(Code::Policy001, message, "name a pack's folder")]);
    };
    let manifest = match pack::parse(&format!("{name}/pack.kdl"), text) {
        Ok(manifest) => manifest,
        Err(problems) => return (None, problems.into_iter().collect()),
    };
    let mut problems = unusable_here(name, &manifest, text);
    let params = params(&manifest, settings, &mut problems);
    let (mut rules, mut lib) = (Vec::new(), Vec::new());
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rhai")) {
        match home_of(path) {
            Some(Home::Stage(stage)) => rules.push(RuleFile { path: path.clone(), stage, text: text.clone() }),
            Some(Home::Lib(name)) => lib.push(LibFile { name, path: path.clone(), text: text.clone() }),
            None => {
                let help = "move it into `discovery/`, `skip/`, `freshness/`, `verdict/` or `lib/`";
                let message = format!("`{path}` stands outside the folders of a pack");
                let problem = Problem::new(Code::Policy005, message, help);
                problems.push(problem.in_source(format!("{name}/{path}"), text.as_str()).at(0, 0, "this file"));
            }
        }
    }
    if rules.is_empty() && problems.is_empty() {
        let message = format!("pack `{}` holds no rule", manifest.name());
        let problem = Problem::new(Code::Policy005, message, "add a rule, such as `verdict/my-rule.rhai`");
        problems.push(in_manifest(problem, name, text, "pack"));
    }
    let source = PackSource {
        runners: files.get(RUNNERS).cloned(),
        name: manifest.name().clone(),
        version: manifest.version().to_string(),
        digest: digest(files),
        params,
        levels: settings.levels.clone(),
        rules,
        lib,
    };
    (Some(source), problems)
}

enum Home {
    Stage(Stage),
    Lib(String),
}

fn home_of(path: &str) -> Option<Home> {
    let (folder, file) = path.split_once('/')?;
    let name = file.strip_suffix(".rhai").filter(|name| !name.contains('/'))?;
    match folder {
        "lib" => Some(Home::Lib(name.to_owned())),
        _ => Stage::from_text(folder).map(Home::Stage),
    }
}

/// A problem at the first node of a manifest that begins with these words.
pub fn in_manifest(problem: Problem, name: &str, text: &str, words: &str) -> Problem {
    let mut starts = text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end + line.len() - line.trim_start().len();
        *end += line.len();
        Some((start, line))
    });
    let found = starts.find(|(_, line)| line.trim_start().starts_with(words));
    let (offset, length) = found.map_or((0, 0), |(start, _)| (start, words.len()));
    problem.in_source(format!("{name}/pack.kdl"), text).at(offset, length, "here")
}

fn unusable_here(name: &str, manifest: &PackManifest, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let engine = Version::from_short(env!("CARGO_PKG_VERSION"));
    if engine.is_ok_and(|engine| manifest.engine() > engine) {
        let message = format!("pack `{}` needs engine {}", manifest.name(), manifest.engine());
        let problem = Problem::new(Code::Policy005, message, "use a newer runmill, or an older version of the pack");
        problems.push(in_manifest(problem, name, text, "engine"));
    }
    if manifest.facts() != FACT_SCHEMA {
        let message = format!("pack `{}` reads fact schema {}", manifest.name(), manifest.facts());
        let help = format!("this engine speaks fact schema {FACT_SCHEMA}; use a pack for it");
        problems.push(in_manifest(Problem::new(Code::Policy005, message, help), name, text, "facts"));
    }
    problems
}

fn params(manifest: &PackManifest, settings: &Settings, problems: &mut Vec<Problem>) -> BTreeMap<String, Value> {
    match manifest.resolve(&settings.params) {
        Ok(values) => values.iter().map(|(name, value)| (name.to_string(), as_value(value))).collect(),
        Err(faults) => {
            problems
                .extend(faults.iter().map(|(_, fault)| Problem::new(Code::Config002, fault.message(), fault.help())));
            BTreeMap::new()
        }
    }
}

fn as_value(value: &ParamValue) -> Value {
    match value {
        ParamValue::Bool(value) => Value::Bool(*value),
        ParamValue::Int(value) => Value::Int(*value),
        ParamValue::Text(text) => Value::Text(text.as_str().into()),
        ParamValue::List(texts) => Value::List(texts.iter().map(|text| Value::Text(text.as_str().into())).collect()),
    }
}

fn is_judging(path: &str) -> bool {
    path == "pack.kdl" || path == RUNNERS || path.ends_with(".rhai")
}

/// The digest of each file of a pack that judges, by its path.
pub fn judging_digests(files: &BTreeMap<String, String>) -> BTreeMap<String, Digest> {
    let judging = files.iter().filter(|(path, _)| is_judging(path));
    judging.map(|(path, text)| (path.clone(), Digest::of(text.as_bytes()))).collect()
}

fn digest(files: &BTreeMap<String, String>) -> Digest {
    // INVARIANT: texts only, so there is a canonical form.
    canonical::digest(&judging_digests(files)).unwrap_or_else(|_| Digest::of(b""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
        entries.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn problems(entries: &[(&str, &str)]) -> String {
        assemble("team", &files(entries), &Settings::default()).unwrap_err().to_string()
    }

    const PACK: (&str, &str) = ("pack.kdl", "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n}\n");

    #[test]
    fn every_builtin_pack_assembles_under_its_folder_name() {
        for name in builtin_names() {
            assert_eq!(builtin(name, &Settings::default()).unwrap().name.as_str(), name);
        }
        assert!(builtin("nothing", &Settings::default()).is_err());
    }

    #[test]
    fn refuses_a_rule_outside_the_folders_and_an_empty_pack() {
        assert!(problems(&[PACK]).contains("RM-POLICY-005: pack `team` holds no rule"));
        assert!(problems(&[PACK, ("rules/a.rhai", "")]).contains("outside the folders"));
        assert!(problems(&[PACK, ("verdict/deep/a.rhai", "")]).contains("outside the folders"));
        assert!(problems(&[("verdict/a.rhai", "")]).contains("RM-POLICY-001"));
    }

    #[test]
    fn refuses_a_pack_for_another_engine_or_fact_schema() {
        let newer = PACK.1.replace("0.1", "99.0").replace("facts 1", "facts 2");
        let said = problems(&[("pack.kdl", &newer), ("verdict/a.rhai", "")]);
        assert!(said.contains("needs engine 99") && said.contains("fact schema 2"), "{said}");
    }

    #[test]
    fn the_digest_covers_what_judges_and_nothing_else() {
        let with =
            |path, text| assemble("team", &files(&[PACK, ("verdict/a.rhai", "a"), (path, text)]), &Settings::default());
        let plain = with("verdict/a.rhai", "a").unwrap().digest;
        assert_eq!(with("tests/a.kdl", "case").unwrap().digest, plain);
        assert_ne!(with("verdict/a.rhai", "b").unwrap().digest, plain);
        assert_ne!(with("runners.kdl", "").unwrap().digest, plain);
        assert_ne!(with("lib/b.rhai", "b").unwrap().digest, plain);
    }
}
