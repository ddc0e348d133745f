//! Rules of this repository as tests: which crate may use which, and how files are kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files under a folder of the repository with this extension, build output left out.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<PathBuf> {
    ["cli", "engine", "stdlib", "rules", "tests"].into_iter().flat_map(|folder| files(folder, "rs")).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[track_caller]
fn none(what: &str, offenders: Vec<String>) {
    assert!(offenders.is_empty(), "{what}:\n  {}", offenders.join("\n  "));
}

/// The packages of the workspace as cargo sees them.
fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let args = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(cargo).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The levels of the line: a crate may use the crates of earlier levels and no others.
const LINE: &[&[&str]] = &[
    &["model"],
    &["manifest", "report", "evidence", "policy", "host", "store", "forge"],
    &["stdlib", "provision"],
    &["rules"],
    &["pipeline"],
    &["workshop"],
];

#[test]
fn dependencies_point_one_way() {
    let level = |name: &str| {
        let short = name.strip_prefix("runmill-")?;
        LINE.iter().position(|crates| crates.contains(&short))
    };
    let mut offenders = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let own =
            if name == "runmill" { LINE.len() } else { level(name).unwrap_or_else(|| panic!("`{name}` has no level")) };
        // Dev-dependencies count too: a test that needs more lives in `tests/`.
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if used.starts_with("runmill") && level(used).is_none_or(|used| used >= own) {
                offenders.push(format!("{name} uses {used}"));
            }
        }
    }
    none("edges against the line", offenders);
}

#[test]
fn the_policy_engine_and_git_each_have_one_home() {
    let homes = [("rhai", "runmill-policy"), ("git2", "runmill-host"), ("tokio", "runmill"), ("rmcp", "runmill")];
    let mut offenders = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if homes.iter().any(|(engine, home)| used == *engine && name != *home) {
                offenders.push(format!("{name} uses {used}"));
            }
        }
    }
    none("crates away from home", offenders);
}

/// Everything asynchronous is behind one verb.
#[test]
fn the_async_runtime_is_named_by_one_verb_only() {
    let home = ["cli/command/mcp/", "tests/scenarios/mcp/", "tests/tidy.rs"];
    let away = sources().into_iter().filter(|path| !home.iter().any(|home| shown(path).starts_with(home)));
    let words = ["tokio", "rmcp", "async fn", "async move", ".await"];
    let offenders = away.filter(|path| words.iter().any(|word| code(path).contains(word)));
    none("these are asynchronous", offenders.map(|path| shown(&path)).collect());
}

#[test]
fn the_unchecked_engine_is_turned_on_nowhere() {
    let mut offenders = Vec::new();
    for package in packages() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let features = dependency["features"].as_array().unwrap();
            if dependency["name"] == "rhai" && features.iter().any(|feature| feature == "unchecked") {
                offenders.push(package["name"].to_string());
            }
        }
    }
    none("`unchecked` is turned on", offenders);
}

/// The text of a source file without its tests, which stand last, and without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn processes_are_started_by_the_host_only() {
    let processes = ["process::Command", "process::{", "Command::new", "process::Child", "process::Stdio"];
    let home = ["engine/host/", "engine/provision/"];
    let away = sources().into_iter().filter(|path| {
        let shown = shown(path);
        // Tests of whatever crate may drive real programs.
        !shown.split('/').any(|part| part == "tests") && !home.iter().any(|home| shown.starts_with(home))
    });
    let offenders = away.filter(|path| {
        let code = code(path);
        processes.iter().any(|word| code.contains(word)) && code.contains("std")
    });
    none("these name std::process", offenders.map(|path| shown(&path)).collect());
}

#[test]
fn no_test_is_left_out() {
    let marker = concat!("#[", "ignore");
    let offenders = sources().into_iter().filter(|path| fs::read_to_string(path).unwrap().contains(marker));
    none("ignored tests", offenders.map(|path| shown(&path)).collect());
}

#[test]
fn every_dependency_says_what_it_is_for() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let outside =
        section.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && !line.contains("path = "));
    let offenders = outside.filter(|line| line.split_once(" # ").is_none_or(|(_, purpose)| purpose.trim().len() < 8));
    none("no purpose beside", offenders.map(str::to_owned).collect());
}

#[test]
fn every_dependency_of_a_crate_is_the_workspaces() {
    let manifests = ["engine", "stdlib", "rules"].into_iter().flat_map(|folder| files(folder, "toml"));
    let mut offenders = Vec::new();
    for path in manifests.filter(|path| path.ends_with("Cargo.toml")) {
        let text = fs::read_to_string(&path).unwrap();
        let mut in_dependencies = false;
        for line in text.lines() {
            if let Some(section) = line.strip_prefix('[') {
                in_dependencies = section.ends_with("dependencies]");
            } else if in_dependencies && line.contains('=') && !line.contains("workspace = true") {
                offenders.push(format!("{}: {line}", shown(&path)));
            }
        }
    }
    none("versions outside the workspace's list", offenders);
}

const LONGEST: usize = 500;

#[test]
fn no_source_file_wants_a_table_of_contents() {
    let long = sources().into_iter().filter_map(|path| {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        (lines > LONGEST).then(|| format!("{} has {lines} lines", shown(&path)))
    });
    none("files longer than 500 lines", long.collect());
}

#[test]
fn no_drawer_is_opened() {
    let drawers = ["utils", "util", "helpers", "helper", "common", "misc"];
    let offenders = sources().into_iter().filter(|path| {
        let parts = path.strip_prefix(root()).unwrap().iter().filter_map(|part| part.to_str());
        parts.map(|part| part.trim_end_matches(".rs")).any(|part| drawers.contains(&part))
    });
    none("name the missing concept instead", offenders.map(|path| shown(&path)).collect());
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let kinds = ["rs", "rhai", "kdl", "toml", "snap", "md", "sh"];
    let folders = ["cli", "engine", "stdlib", "rules", "tests", "snapshots", "docs"];
    let all = folders.into_iter().flat_map(|folder| kinds.into_iter().flat_map(move |kind| files(folder, kind)));
    let words = [concat!("/wo", "rk/"), concat!("/tmp/", "team")];
    let offenders = all.filter(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        words.iter().any(|word| text.contains(word))
    });
    none("machine paths", offenders.map(|path| shown(&path)).collect());
}

/// The metadata of a rule, as its file states it: the id, and the text fields of the map.
struct RuleText {
    path: String,
    folder: String,
    stem: String,
    ids: Vec<String>,
    fields: BTreeMap<String, String>,
    text: String,
}

fn rules() -> Vec<RuleText> {
    let stages = ["discovery", "skip", "freshness", "verdict"];
    let files = files("rules/packs", "rhai").into_iter().filter(|path| {
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        stages.contains(&folder)
    });
    files.map(|path| rule_text(&path)).collect()
}

fn rule_text(path: &Path) -> RuleText {
    let text = fs::read_to_string(path).unwrap();
    let ids = text.lines().filter_map(|line| line.strip_prefix("rule \"")).filter_map(|rest| rest.split('"').next());
    let metadata = text.split("#{").nth(1).and_then(|rest| rest.split("} when").next()).unwrap_or_default();
    let mut fields = BTreeMap::new();
    let mut rest = metadata;
    while let Some((before, after)) = rest.split_once(": \"") {
        let name = before.rsplit([' ', ',', '\n']).next().unwrap_or_default();
        let (value, remaining) = after.split_once('"').unwrap_or((after, ""));
        fields.insert(name.to_owned(), value.to_owned());
        rest = remaining;
    }
    let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    RuleText {
        path: shown(path),
        folder,
        stem: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        ids: ids.map(str::to_owned).collect(),
        fields,
        text: text.clone(),
    }
}

#[test]
fn every_rule_file_holds_one_rule_of_its_name_and_folder() {
    let mut offenders = Vec::new();
    for rule in rules() {
        let [id] = rule.ids.as_slice() else {
            offenders.push(format!("{}: {} rules", rule.path, rule.ids.len()));
            continue;
        };
        let (area, name) = id.split_once('/').unwrap();
        if rule.stem != name && rule.stem != format!("{area}-{name}") {
            offenders.push(format!("{}: its rule is `{id}`", rule.path));
        }
        if rule.fields.get("stage") != Some(&rule.folder) {
            offenders.push(format!("{}: its stage is {:?}", rule.path, rule.fields.get("stage")));
        }
    }
    none("rule files", offenders);
}

#[test]
fn every_rule_says_why_and_what_to_do() {
    let mut offenders = Vec::new();
    for rule in rules() {
        let discovers = rule.folder == "discovery";
        let wanted: &[&str] = if discovers { &["on", "source", "why"] } else { &["on", "code", "level", "why", "fix"] };
        for field in wanted {
            if rule.fields.get(*field).is_none_or(String::is_empty) {
                offenders.push(format!("{} has no `{field}`", rule.path));
            }
        }
        if !rule.text.starts_with("//! ") {
            offenders.push(format!("{} does not say what it is about", rule.path));
        }
        let code = rule.fields.get("code");
        if code.is_some_and(|code| runmill_model::Code::from_text(code).is_none()) {
            offenders.push(format!("{}: {code:?} is no code", rule.path));
        }
    }
    none("rule metadata", offenders);
}

#[test]
fn every_rule_id_is_used_once() {
    let mut seen = BTreeSet::new();
    let again = rules().into_iter().flat_map(|rule| rule.ids).filter(|id| !seen.insert(id.clone()));
    none("ids used twice", again.collect());
    assert!(seen.len() >= 25, "only {} rules were found", seen.len());
}

#[test]
fn every_code_is_listed_once_with_a_title() {
    let mut titles = BTreeSet::new();
    for code in runmill_model::Code::ALL {
        let title = code.title();
        assert!(!title.is_empty() && !title.ends_with('.'), "{code}: `{title}`");
        assert!(titles.insert(title), "{code}: `{title}` is the title of another code too");
    }
}
