//! npm, pnpm and yarn: scripts of `package.json` that exist.

mod runner;

use serde_json::{Map, Value};

use super::Findings;
use crate::command::init::{
    draft::Draft,
    tree::{Tree, join, within},
};
use runner::{Runner, Script};

/// A package and what its scripts are run with.
struct Package<'t> {
    tree: &'t Tree,
    dir: &'t str,
    json: Map<String, Value>,
    manager: Manager,
    /// Whether the package above it, whose manager it shares, installs something: node finds that from here too.
    shares: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Npm,
    Pnpm,
    Yarn,
}

/// The scripts that are checks: the tests, and what compilers and linters say. If there is none of them, what else may be.
const SCRIPTS: &[(&str, &str)] =
    &[("test", "unit"), ("typecheck", "typecheck"), ("type-check", "typecheck"), ("lint", "lint")];
const OTHERS: &[(&str, &str)] = &[("check", "check"), ("build", "build")];

/// Every package with scripts; in a workspace, the root's where it does not only hand on.
pub fn find(tree: &Tree, found: &mut Findings) {
    let dirs = tree.directories_with("package.json");
    let mut roots: Vec<(&str, Manager, bool)> = Vec::new();
    let mut covered: Vec<(&str, &str)> = Vec::new();
    for dir in dirs {
        let path = join(dir, "package.json");
        let json = tree.text(&path).and_then(|text| serde_json::from_str(&text).ok());
        let Some(json) = json else {
            found.note(format!("`{path}` cannot be read, so its scripts are left out"));
            continue;
        };
        let above = roots.iter().rev().find(|(root, ..)| within(dir, root).is_some());
        let own = manager(tree, dir, &json);
        let manager = own.or(above.map(|(_, manager, _)| *manager)).unwrap_or(Manager::Npm);
        let shares = own.is_none() && above.is_some_and(|(.., installs)| *installs);
        let package = Package { tree, dir, json, manager, shares };
        if own.is_some() || above.is_none() {
            roots.push((dir, manager, package.has_dependencies()));
        }
        let scripts = package.scripts();
        let hands_on = |script: &str| package.script(script).is_some_and(hands_on);
        let mut took = false;
        for (script, name) in scripts {
            let is_covered = covered.iter().any(|(root, by)| *by == name && within(dir, root).is_some());
            if is_covered || hands_on(script) {
                continue;
            }
            if package.is_workspace() {
                covered.push((dir, name));
            }
            package.check(script, name, found);
            took = true;
        }
        if took {
            package.say_what_is_missing(found);
        }
    }
}

/// Whether a script only runs the scripts of other packages; each of them has a report of its own.
fn hands_on(script: &str) -> bool {
    let words: Vec<_> = script.split_whitespace().collect();
    let tools = ["turbo", "lerna", "nx", "wsrun", "ultra"];
    let flags = ["--workspaces", "-ws", "--recursive", "-r", "foreach"];
    let manages = words.first().is_some_and(|first| ["npm", "pnpm", "yarn"].contains(first));
    let starts =
        |tool: &&str| words.first() == Some(tool) || (words.first() == Some(&"npx") && words.get(1) == Some(tool));
    tools.iter().any(starts) || (manages && words.iter().any(|word| flags.contains(word)))
}

/// The manager that the package or its lock file names.
fn manager(tree: &Tree, dir: &str, json: &Map<String, Value>) -> Option<Manager> {
    let named = json.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let named = named.split('@').next().unwrap_or_default();
    let has = |file: &str| tree.has(&join(dir, file));
    match named {
        "pnpm" => Some(Manager::Pnpm),
        "yarn" => Some(Manager::Yarn),
        "npm" => Some(Manager::Npm),
        _ if has("pnpm-lock.yaml") => Some(Manager::Pnpm),
        _ if has("yarn.lock") => Some(Manager::Yarn),
        _ if has("package-lock.json") || has("npm-shrinkwrap.json") => Some(Manager::Npm),
        _ => None,
    }
}

impl Package<'_> {
    fn script(&self, name: &str) -> Option<&str> {
        self.json.get("scripts")?.get(name)?.as_str().filter(|script| !script.trim().is_empty())
    }

    /// The scripts to take, with the name of the check; each name once.
    fn scripts(&self) -> Vec<(&'static str, &'static str)> {
        let real = |script: &&(&'static str, &'static str)| {
            // What `npm init` writes.
            self.script(script.0).is_some_and(|text| !text.contains("no test specified"))
        };
        let mut taken: Vec<_> = SCRIPTS.iter().filter(real).copied().collect();
        taken.dedup_by_key(|(_, name)| *name);
        if taken.is_empty() { OTHERS.iter().filter(real).take(1).copied().collect() } else { taken }
    }

    fn is_workspace(&self) -> bool {
        self.json.contains_key("workspaces") || self.tree.has(&join(self.dir, "pnpm-workspace.yaml"))
    }

    /// The packages that are installed for this one.
    fn installs(&self, package: &str) -> bool {
        ["dependencies", "devDependencies", "optionalDependencies"]
            .iter()
            .any(|key| self.json.get(*key).and_then(|list| list.get(package)).is_some())
    }

    fn has_dependencies(&self) -> bool {
        ["dependencies", "devDependencies"]
            .iter()
            .any(|key| self.json.get(*key).and_then(Value::as_object).is_some_and(|list| !list.is_empty()))
    }

    fn check(&self, script: &'static str, name: &'static str, found: &mut Findings) {
        let text = self.script(script).unwrap_or_default();
        let parsed = Script::of(text);
        let runner = if name == "unit" { parsed.runner } else { None };
        let mut draft = match runner {
            Some(runner) if runner == Runner::JestWithoutReporter && !self.installs("jest-junit") => {
                self.plain(script, name)
            }
            Some(runner) => self.reporting(script, name, &parsed, runner),
            None => self.plain(script, name),
        };
        if name == "unit" && draft.report.is_none() {
            found.note(missing_report(&self.place(), script, text, runner));
        }
        draft = draft.found(format!("the script `{script}` of `{}`", self.place())).needs(self.ecosystem());
        found.drafts.push(draft.writes(self.scratch(script)));
    }

    fn place(&self) -> String {
        join(self.dir, "package.json")
    }

    /// The script as the manager runs it.
    fn plain(&self, script: &'static str, name: &'static str) -> Draft {
        let words: &[&str] = match (self.manager, script) {
            (Manager::Npm, "test") => &["npm", "test"],
            (Manager::Npm, _) => &["npm", "run", script],
            (Manager::Pnpm, _) => &["pnpm", "run", script],
            (Manager::Yarn, _) => &["yarn", "run", script],
        };
        Draft::new(name, "node", self.dir, words.iter().copied())
    }

    /// The script with the flags of its runner.
    fn reporting(&self, script: &'static str, name: &'static str, parsed: &Script<'_>, runner: Runner) -> Draft {
        let mut draft = match parsed.whole(runner) {
            Some(words) => Draft::new(name, "node", self.dir, words.iter().map(String::as_str)),
            None => {
                let separator: &[&str] = if self.manager == Manager::Npm { &["--"] } else { &[] };
                let flags = separator.iter().chain(runner.flags());
                self.plain(script, name).with(flags.copied())
            }
        };
        draft = draft.reports("junit");
        if let Some(report) = &mut draft.report {
            report.identity = (runner == Runner::NodeTest && self.has_suites()).then_some("suite");
        }
        draft.env = runner.env();
        draft
    }

    /// Whether every test is in a suite. The reporter of node gives every test the same class.
    fn has_suites(&self) -> bool {
        let is_test = |path: &&str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let code = [".js", ".mjs", ".cjs", ".ts", ".mts"].iter().any(|end| name.ends_with(end));
            code && (name.contains(".test.") || name.contains("-test.") || path.split('/').any(|part| part == "test"))
        };
        let mut tests = self.tree.below(self.dir).filter(is_test).peekable();
        let alone = |line: &str| {
            let line = line.strip_prefix("await ").unwrap_or(line);
            ["test(", "test.", "it(", "it."].iter().any(|call| line.starts_with(call))
        };
        tests.peek().is_some()
            && tests.all(|path| {
                let text = self.tree.text(&join(self.dir, path)).unwrap_or_default();
                text.contains("describe(") && !text.lines().any(alone)
            })
    }

    /// Directories of build output that git ignores, where the script or what runs before it builds.
    fn scratch(&self, script: &str) -> Vec<&'static str> {
        const OUTPUT: &[&str] = &["dist", "build", "lib", "out", "coverage", ".nyc_output"];
        let before = format!("pre{script}");
        let text = [script, &before].map(|script| self.script(script).unwrap_or_default()).join(" ");
        let builders = ["build", "tsc", "rollup", "webpack", "esbuild", "vite build", "--coverage", "nyc", "c8"];
        if !builders.iter().any(|builder| text.contains(builder)) || text.contains("--noEmit") {
            return Vec::new();
        }
        let ignored = OUTPUT.iter().copied().filter(|dir| self.tree.is_ignored(&join(self.dir, dir)));
        ignored.collect()
    }

    fn ecosystem(&self) -> Option<&'static str> {
        let name = match self.manager {
            Manager::Npm => "npm",
            Manager::Pnpm => "pnpm",
            Manager::Yarn => "yarn",
        };
        (self.has_dependencies() || self.shares).then_some(name)
    }

    fn say_what_is_missing(&self, found: &mut Findings) {
        let locks = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"];
        let mut above = ancestors(self.dir);
        let locked = above.any(|dir| locks.iter().any(|lock| self.tree.has(&join(dir, lock))));
        if self.has_dependencies() && !locked {
            let place = self.place();
            found
                .note(format!("`{place}` has dependencies and no lock file: commit one, so that they can be verified"));
        }
    }
}

/// A directory and those it is in, to the root.
fn ancestors(dir: &str) -> impl Iterator<Item = &str> {
    let ends = dir.match_indices('/').map(|(at, _)| at).rev();
    [dir].into_iter().chain(ends.filter_map(move |end| dir.get(..end))).chain((!dir.is_empty()).then_some(""))
}

fn missing_report(place: &str, script: &str, text: &str, runner: Option<Runner>) -> String {
    let what = format!("the script `{script}` of `{place}` writes no report that runmill could name");
    match runner {
        Some(Runner::JestWithoutReporter) => {
            format!("{what}: add jest-junit to its devDependencies, delete the check and run `runmill init` again")
        }
        _ => format!(
            "{what} (it is `{text}`), so a test that is deleted goes unnoticed: give its runner a JUnit or TAP reporter, and the check a `report`"
        ),
    }
}

#[cfg(test)]
mod tests;
