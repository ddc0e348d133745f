//! The tour of the README, typed as it stands there, in a project with node's own test runner.

use std::{fs, path::PathBuf, sync::LazyLock};

use regex::Regex;

use super::SCRIPT;
use crate::harness::{Output, Repo, path};

const TESTS: &str = "const { test } = require('node:test');\ntest('adds prices', () => {});\ntest('rounds down', () => {});\ntest('subtracts', () => {});\n";

/// The blocks of one language in the README, in order.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let parts = text.split("\n```").collect::<Vec<_>>();
    let inside = parts.iter().skip(1).step_by(2);
    inside.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).map(str::to_owned).collect()
}

/// The block that begins so.
#[track_caller]
fn block(language: &str, start: &str) -> String {
    let found: Vec<_> = blocks(language).into_iter().filter(|block| block.starts_with(start)).collect();
    assert_eq!(found.len(), 1, "blocks of {language} that begin with `{start}`");
    found[0].clone()
}

/// A text without what is different each time, and without columns.
fn plain(text: &str) -> String {
    static CHANGING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let all =
            [(r"\d{8}t\d{6}-[0-9a-f]{8}", "RUN"), (r"\b[0-9a-f]{10}\b", "COMMIT"), (r"\d+\.\d s", "TIME"), (" +", " ")];
        all.map(|(pattern, name)| (Regex::new(pattern).unwrap(), name)).to_vec()
    });
    CHANGING.iter().fold(text.to_owned(), |text, (pattern, name)| pattern.replace_all(&text, *name).into_owned())
}

#[track_caller]
fn shows(output: &Output, block: &str) {
    assert!(
        plain(&output.stdout).contains(plain(block).trim_end()),
        "the README has\n{block}\nand here it is\n{}",
        output.stdout
    );
}

/// Types a block of commands.
fn types(repo: &Repo, block: &str) -> Output {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_runmill"));
    let who = ["AUTHOR", "COMMITTER"].map(|who| [format!("GIT_{who}_NAME"), format!("GIT_{who}_EMAIL")]).concat();
    let run = repo.runmill([]).through(["bash", "-ec", block, "tour"]);
    let run = who.iter().fold(run, |run, name| run.env(name, "person@example.com"));
    run.env("PATH", format!("{}:{}", binary.parent().unwrap().display(), path())).output()
}

#[test]
fn the_tour_is_as_it_is_told() {
    let repo = Repo::new();
    repo.file("package.json", SCRIPT).file("test/prices.test.js", TESTS).commit("base");
    let init = types(&repo, &block("sh", "runmill init"));
    assert_eq!(init.exit, 0, "{}{}", init.stdout, init.stderr);
    let manifest = fs::read_to_string(repo.path().join(".runmill/checks.yaml")).unwrap();
    assert!(manifest.contains(block("yaml", "checks:").trim_end()), "{manifest}");
    let ready = types(&repo, &block("sh", "git switch"));
    assert_eq!(ready.exit, 0, "{}{}", ready.stdout, ready.stderr);
    shows(&ready, &block("text", "READY"));
    repo.file("test/prices.test.js", TESTS.replace("test('adds prices', () => {});\n", "")).commit("lose a test");
    let blocked = types(&repo, "runmill check");
    assert_eq!(blocked.exit, 3, "{}{}", blocked.stdout, blocked.stderr);
    shows(&blocked, &block("text", "BLOCKED"));
    let reasons = types(&repo, "runmill explain latest");
    assert_eq!(reasons.exit, 0, "{}{}", reasons.stdout, reasons.stderr);
    shows(&reasons, &block("text", "blocks"));
    let report = types(
        &repo,
        "mkdir -p reports; npm test -- --test-reporter=junit --test-reporter-destination=reports/unit.xml >&2; runmill report read reports/unit.xml",
    );
    assert_eq!(report.exit, 0, "{}{}", report.stdout, report.stderr);
}
