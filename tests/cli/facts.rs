//! The sealed graph of a run, for people and byte for byte.

use std::fs;

use serde_json::Value;

use crate::harness::{Repo, files, screen};

fn judged() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c"]);
    repo.tests("unit", ["pass a", "skip b", "fail c"]).commit("change");
    repo.check().verdict().is("blocked");
    repo
}

#[test]
fn prints_the_stored_graph_byte_for_byte() {
    let repo = judged();
    let printed = repo.runmill(["facts", "latest", "--json"]).output();
    assert_eq!(printed.exit, 0, "{}", printed.stderr);
    let document: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(document["schema"], "runmill.facts/v1");
    let kept: Vec<_> = files(&printed.state.join("blobs")).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(kept.iter().any(|bytes| bytes == printed.stdout.as_bytes()), "no blob is what was printed");
    // The graph is read back as the one that the verdict names.
    let graph = runmill_model::Graph::from_json(printed.stdout.as_bytes()).unwrap();
    let inspection = repo.runmill(["inspect", "latest", "--json"]).output();
    let inspection: Value = serde_json::from_str(&inspection.stdout).unwrap();
    assert_eq!(inspection["facts_digest"], graph.digest().to_string());
    assert_eq!(runmill_model::Digest::of(printed.stdout.as_bytes()), graph.digest());
}

fn steady(text: &str) -> String {
    let duration = |line: &str| line.trim_start().starts_with("duration_ms");
    let lines = text.lines().map(|line| if duration(line) { "    duration_ms [N]" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn shows_every_kind_with_counts_first() {
    let repo = judged();
    screen(&repo, ("facts", "all"), 0, steady, || repo.runmill(["facts", "latest"]));
    screen(&repo, ("facts", "kind"), 0, steady, || repo.runmill(["facts", "latest", "--kind", "report"]));
    let tests = repo.runmill(["facts", "latest", "--kind", "test"]).output();
    assert!(tests.stdout.ends_with("\ntest\n  a\n  b\n  c\n"), "{}", tests.stdout);
}

#[test]
fn refuses_a_kind_that_is_none_and_a_document_in_part() {
    let repo = judged();
    let output = repo.runmill(["facts", "latest", "--kind", "invocations"]).output();
    assert!(output.exit == 2 && output.stderr.contains("invocation, report"), "{}", output.stderr);
    repo.runmill(["facts", "latest", "--kind", "report"]).error().is("RM-CONFIG-004", 2).says("--kind");
}

#[test]
fn shows_what_a_test_was_called_and_nothing_more() {
    let repo = Repo::new();
    let check = "  - { id: unit, argv: [cp, tests.tap, out.tap], report: { path: out.tap, format: tap } }\n";
    repo.file(".gitignore", "out.tap\n").file(".runmill/checks.yaml", format!("checks:\n{check}"));
    repo.file("tests.tap", "1..1\nok 1 - a\n").commit("base");
    repo.branch("change").file("tests.tap", "1..2\nok 1 - a\nok 2 - \u{1b}[2Jb\u{202e}\n").commit("change");
    repo.check().output();
    for args in [["facts", "latest"].as_slice(), &["facts", "latest", "--kind", "test"], &["inspect", "latest"]] {
        let shown = repo.runmill(args.iter().copied()).output().stdout;
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{args:?}: {shown:?}");
    }
}
