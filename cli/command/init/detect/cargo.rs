//! Cargo packages and workspaces.

use toml::Table;

use super::{Findings, Programs};
use crate::command::init::{
    draft::{Companion, Draft, Place, Report},
    tree::{Tree, join, within},
};

/// cargo-nextest writes its report below a directory of its own, which must lie outside `target`: that is scratch.
const NEXTEST: &str = "\
# cargo-nextest as runmill runs it: every test, and a report of each. `store` lies outside `target`, which each run gets
# empty and private.
[store]
dir = \"reports/nextest\"

[profile.runmill]
fail-fast = false

[profile.runmill.junit]
path = \"junit.xml\"
";
const NEXTEST_FILE: &str = ".runmill/nextest.toml";
const NEXTEST_REPORT: &str = "reports/nextest/runmill/junit.xml";

/// Every workspace, and every package that is in none.
pub fn find(tree: &Tree, programs: &Programs, found: &mut Findings) {
    let mut roots: Vec<(&str, Table)> = Vec::new();
    for dir in tree.directories_with("Cargo.toml") {
        let Some(manifest) = tree.text(&join(dir, "Cargo.toml")).and_then(|text| text.parse::<Table>().ok()) else {
            found.note(format!("`{}` cannot be read, so it is left out", join(dir, "Cargo.toml")));
            continue;
        };
        let is_member = roots.iter().any(|(root, above)| owns(root, above, dir));
        if manifest.contains_key("workspace") || !is_member {
            roots.push((dir, manifest));
        }
    }
    for (dir, manifest) in roots {
        root(tree, dir, &manifest, programs, found);
    }
}

/// Whether a workspace has the package of a directory below it.
fn owns(root: &str, manifest: &Table, dir: &str) -> bool {
    let Some(workspace) = manifest.get("workspace") else { return false };
    let excluded = workspace.get("exclude").and_then(toml::Value::as_array).into_iter().flatten();
    let mut excluded = excluded.filter_map(toml::Value::as_str);
    within(dir, root).is_some_and(|path| !excluded.any(|excluded| within(path, excluded).is_some()))
}

fn root(tree: &Tree, dir: &str, manifest: &Table, programs: &Programs, found: &mut Findings) {
    let (tests, examples) = tests_and_examples(tree, dir);
    if !tests && !examples {
        found.note(format!("`{}` has no test in its sources, so no check runs it", join(dir, "Cargo.toml")));
        return;
    }
    let lock = tree.text(&join(dir, "Cargo.lock"));
    let fetched = lock.as_deref().is_some_and(|lock| lock.contains("source = \""));
    let scope: &[&str] = if manifest.contains_key("workspace") { &["--workspace"] } else { &[] };
    let lock_flag: &[&str] = if lock.is_some() { &["--locked"] } else { &[] };
    if lock.is_none() {
        let path = join(dir, "Cargo.lock");
        found.note(format!(
            "`{path}` is not in the repository: commit it, because cargo cannot write it into a read-only tree"
        ));
    }
    let check = |name, words: &[&'static str]| {
        let words = ["cargo"].iter().chain(words).chain(scope).chain(lock_flag).copied();
        Draft::new(name, "cargo", dir, words).writes(["target"]).needs(fetched.then_some("cargo"))
    };
    let by = format!("`{}`", join(dir, "Cargo.toml"));
    if uses_nextest(tree, dir) || programs.nextest {
        let config = "../".repeat(dir.split('/').filter(|part| !part.is_empty()).count()) + NEXTEST_FILE;
        let flags = ["--config-file", config.as_str(), "--profile", "runmill"];
        let mut draft = check("unit", &["nextest", "run"]).with(flags).found(format!("{by}, with cargo-nextest"));
        let place = Place::Given(NEXTEST_REPORT.to_owned());
        draft.report = Some(Report { format: "junit", identity: None, place });
        draft.companion = Some(Companion { path: NEXTEST_FILE, text: NEXTEST });
        if tests {
            found.drafts.push(draft);
        }
        if examples {
            let draft = check("doctests", &["test", "--doc"]);
            found.drafts.push(draft.found(format!("{by}; cargo-nextest does not run the examples in documentation")));
        }
    } else {
        found.drafts.push(check("unit", &["test"]).found(by));
        let home = if dir.is_empty() { String::new() } else { format!(" in `{dir}`") };
        found.note(format!(
            "`cargo test`{home} writes no report, so a test that is deleted goes unnoticed: install cargo-nextest, delete \
             the check and run `runmill init` again"
        ));
    }
}

fn uses_nextest(tree: &Tree, dir: &str) -> bool {
    tree.has(&join(dir, ".config/nextest.toml")) || tree.has(&join(dir, NEXTEST_FILE))
}

/// Whether the sources hold tests, and whether their documentation holds examples that are tests.
fn tests_and_examples(tree: &Tree, dir: &str) -> (bool, bool) {
    let is_test = |line: &str| ["#[test", "test]", "::test(", "#[cfg(test)]"].iter().any(|mark| line.contains(mark));
    let is_example = |line: &str| {
        let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim);
        text.is_some_and(|text| text == "```" || text.starts_with("```rust"))
    };
    let (mut tests, mut examples) = (false, false);
    for file in tree.below(dir).filter(|file| file.ends_with(".rs")) {
        if tests && examples {
            break;
        }
        let text = tree.text(&join(dir, file)).unwrap_or_default();
        tests |= file.starts_with("tests/") || text.lines().any(is_test);
        examples |= text.lines().any(|line| is_example(line.trim_start()));
    }
    (tests, examples)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, check_with};
    use super::*;

    const NEXTEST: Programs = Programs { nextest: true };

    #[test]
    fn finds_workspaces_and_packages_of_their_own() {
        check(
            &[
                ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\"]\n"),
                ("Cargo.lock", "version = 4\n"),
                ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
                ("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests {}\n"),
                ("untested/Cargo.toml", "[workspace]\n"),
                ("untested/src/main.rs", "fn main() {}\n"),
                ("fuzz/tests/a.rs", ""),
                ("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
                ("fuzz/Cargo.lock", "source = \"registry+x\"\n"),
            ],
            &[
                "unit: cargo test --workspace --locked | scratch target",
                "fuzz:unit: cargo test --locked | in fuzz | scratch fuzz/target | needs cargo",
            ],
        );
    }

    #[test]
    fn takes_nextest_where_it_is_and_keeps_doctests() {
        let files = [
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("Cargo.lock", ""),
            ("src/lib.rs", "/// Doubles.\n///\n/// ```\n/// assert!(true);\n/// ```\npub fn double() {}\n"),
            ("tests/a.rs", "#[test]\nfn a() {}\n"),
            ("tools/x/Cargo.toml", "[workspace]\n"),
            ("tools/x/Cargo.lock", ""),
            ("tools/x/src/main.rs", "#[tokio::test]\nasync fn a() {}\n"),
        ];
        check_with(
            &files,
            &NEXTEST,
            &[
                "unit: cargo nextest run --locked --config-file .runmill/nextest.toml --profile runmill \
                 | junit reports/nextest/runmill/junit.xml | scratch target",
                "doctests: cargo test --doc --locked | scratch target",
                "x:unit: cargo nextest run --workspace --locked --config-file ../../.runmill/nextest.toml --profile runmill \
                 | in tools/x | junit tools/x/reports/nextest/runmill/junit.xml | scratch tools/x/target",
            ],
        );
    }

    #[test]
    fn says_what_a_missing_lock_file_costs() {
        let found = check(
            &[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "#[test]\nfn a() {}\n")],
            &["unit: cargo test | scratch target"],
        );
        assert!(found.notes[0].contains("`Cargo.lock` is not in the repository"), "{:?}", found.notes);
    }
}
