//! Loading a pack: every file through the gate, every problem at once, nothing run.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rhai::{Position, is_valid_identifier};
use runmill_model::{Code, Level, Problem, Problems, RuleHead, RuleId, Stage};

use crate::{
    Limits, Pack, PackSource, Registry,
    language::{engine::Folding, file::File, gate, known::Known, metadata::Described, text::suggestion},
    pack::RuleInfo,
    program::Program,
};

/// Checks a pack.
pub(crate) fn load(source: PackSource, registry: &Registry, limits: &Limits) -> Result<Pack, Problems> {
    let (rules, problems) = inspect(&source, registry, limits);
    if let Some(problems) = Problems::from_list(problems) {
        return Err(problems);
    }
    let pack = Pack::checked(source, rules);
    compiles(&pack, limits)?;
    Ok(pack)
}

/// The rules whose metadata says enough, and every problem.
pub(crate) fn inspect(source: &PackSource, registry: &Registry, limits: &Limits) -> (Vec<RuleInfo>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut known = Known::new(registry, source.params.keys().cloned().collect());
    check_lib(source, &mut known, limits, &mut problems);
    let rules = check_rules(source, &known, limits, &mut problems);
    if source.rules.is_empty() {
        let help = "put at least one rule into `discovery/`, `skip/`, `freshness/` or `verdict/`";
        problems.push(Problem::new(Code::Policy005, format!("pack `{}` holds no rule", source.name), help));
    }
    check_levels(source, &rules, &mut problems);
    (rules, problems)
}

fn check_lib(source: &PackSource, known: &mut Known, limits: &Limits, problems: &mut Vec<Problem>) {
    let mut read = Vec::new();
    for lib in &source.lib {
        let mut file = File::new(&lib.path, &lib.text);
        let taken = known.lib.contains_key(&lib.name);
        if taken || !is_valid_identifier(&lib.name) || lib.name == "global" {
            let message = format!("`{}` cannot be the name of a file of `lib/`", lib.name);
            let help = "use letters, digits and `_`, and each name once";
            file.report(Code::Policy005, Position::NONE, message, help);
        }
        let parsed = gate::read(&mut file, limits);
        let functions = parsed.as_ref().map(|read| gate::lib_functions(&mut file, read, known)).unwrap_or_default();
        known.lib.insert(lib.name.clone(), functions.clone());
        read.push((file, parsed, functions));
    }
    for (mut file, parsed, functions) in read {
        if let Some(parsed) = parsed {
            gate::check_lib(&mut file, &parsed, known, &functions);
        }
        problems.extend(file.into_problems());
    }
}

fn check_rules(source: &PackSource, known: &Known, limits: &Limits, problems: &mut Vec<Problem>) -> Vec<RuleInfo> {
    let mut rules: Vec<RuleInfo> = Vec::new();
    let mut seen: BTreeMap<RuleId, String> = BTreeMap::new();
    let mut paths = BTreeSet::new();
    for rule in &source.rules {
        if !paths.insert(rule.path.as_str()) {
            let message = format!("the pack has two files `{}`", rule.path);
            problems.push(Problem::new(Code::Policy005, message, "a path names one file"));
        }
        let mut file = File::new(&rule.path, &rule.text);
        let read = gate::read(&mut file, limits);
        if let Some(described) = read.and_then(|read| gate::check_rule(&mut file, &read, known, rule.stage)) {
            if let Some(other) = seen.insert(described.id.clone(), rule.path.clone()) {
                let message = format!("the rule id `{}` is also that of `{other}`", described.id);
                file.report(Code::Policy005, described.id_position, message, "give each rule an id of its own");
            }
            rules.push(info(source, rule.stage, &rule.path, described));
        }
        problems.extend(file.into_problems());
    }
    rules.sort_by(|a, b| (a.stage, &a.head.rule).cmp(&(b.stage, &b.head.rule)));
    rules
}

fn info(source: &PackSource, stage: Stage, path: &str, described: Described) -> RuleInfo {
    let Described { id, on, code, level, strict_level, why, fix, may_be_empty, source: from, doc, line, .. } =
        described;
    let operator_level = source.levels.get(&id).copied();
    let head = RuleHead {
        pack: source.name.clone(),
        rule: id,
        code,
        level: operator_level.unwrap_or(level),
        fix: fix.into(),
        source: from,
    };
    RuleInfo {
        head: Arc::new(head),
        stage,
        on,
        why,
        may_be_empty,
        strict_level,
        operator_level,
        pack_level: level,
        doc,
        path: path.to_owned(),
        line,
    }
}

/// Levels must name rules of the pack. A discovery rule has no findings, so its level can only be `off`.
fn check_levels(source: &PackSource, rules: &[RuleInfo], problems: &mut Vec<Problem>) {
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule.head.rule.as_str()).collect();
    for (id, level) in &source.levels {
        let rule = rules.iter().find(|rule| rule.head.rule == *id);
        match rule {
            None => {
                let close = suggestion(id.as_str(), ids.iter().copied());
                let message = format!("a level is given for `{id}`, which is no rule of pack `{}`{close}", source.name);
                problems.push(Problem::new(Code::Policy005, message, "`levels` names rules by their ids"));
            }
            Some(rule) if rule.stage == Stage::Discovery && *level != Level::Off => {
                let message = format!("the level of discovery rule `{id}` cannot be `{level}`");
                problems.push(Problem::new(Code::Policy005, message, "a discovery rule has no findings to count"));
            }
            Some(_) => {}
        }
    }
}

/// What the gate accepts, the judging engine must read too.
fn compiles(pack: &Pack, limits: &Limits) -> Result<(), Problems> {
    let refused = |what: String| {
        let help = "simplify the file; the judging engine is stricter than the gate here";
        Problems::from(Problem::new(Code::Policy002, crate::language::text::one_line(&what), help))
    };
    let program = Program::new(pack.source(), None, limits, Folding::Off).map_err(refused)?;
    for at in 0..pack.rules().len() {
        program.compile(pack, at).map_err(refused)?;
    }
    Ok(())
}
