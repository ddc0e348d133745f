//! What earlier runs of the same candidate say: a check that did not pass before is not simply green.

use crate::harness::{RUNNER, Repo, Runmill, listed_with};

/// A suite that passes in fine weather. Nothing of a run but its environment says how the weather is.
fn flaky() -> Repo {
    let repo = Repo::new();
    let check = listed_with("unit", "env: { allow: [WEATHER] }");
    let runner = format!("{RUNNER}\n[ \"$WEATHER\" != bad ]\n");
    repo.manifest([check]).file("run.sh", runner).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo
}

fn in_bad_weather(run: Runmill) -> Runmill {
    run.env("WEATHER", "bad")
}

const RULE: &str = "verdict/green-on-second-try";

#[test]
fn warns_of_a_check_that_is_green_on_the_second_try_and_names_the_first() {
    let repo = flaky();
    let first = in_bad_weather(repo.check()).verdict();
    first.is("blocked").finding("RM-VERIFY-008", "outcome/check-failed");
    let second = repo.check().verdict();
    let finding = second.is("ready").finding("RM-VERIFY-008", RULE).level("warn");
    finding.says("1 earlier run of it on the same commit did not").says(first.run());
    let facts = second.recorded().facts();
    assert_eq!(facts["facts"]["prior_run"].as_array().unwrap().len(), 1, "{facts:#}");
    // A third run knows of the first failure still, and of no failure in the second.
    repo.check().verdict().is("ready").finding("RM-VERIFY-008", RULE).says("1 earlier run").says(first.run());
}

#[test]
fn names_every_earlier_run_that_failed() {
    let repo = flaky();
    let failed = [in_bad_weather(repo.check()).verdict(), in_bad_weather(repo.check()).verdict()];
    let verdict = repo.check().verdict();
    let finding = verdict.finding("RM-VERIFY-008", RULE).says("2 earlier runs");
    for first in &failed {
        finding.says(first.run());
    }
}

#[test]
fn blocks_it_where_the_operator_says_so() {
    let repo = flaky();
    in_bad_weather(repo.check()).verdict().is("blocked");
    let levels = format!("levels: {{ {RULE}: block }}");
    let policy = format!("version: 1\nverification:\n  packs: [{{ builtin: coverage-contract, {levels} }}]\n");
    let verdict = repo.check().policy(&policy).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]).finding("RM-VERIFY-008", RULE).level("block");
}

#[test]
fn says_nothing_of_a_failure_of_another_commit_or_another_definition() {
    let repo = flaky();
    in_bad_weather(repo.check()).verdict().is("blocked");
    repo.file("y", "y").commit("another commit");
    assert_eq!(repo.check().verdict().is("ready").findings().count(), 0);

    let repo = flaky();
    let policy = |timeout: &str| {
        let check = "id: unit, argv: [sh, run.sh, unit], env: { allow: [WEATHER] }";
        let report = "report: { path: unit.xml, format: junit }";
        format!("version: 1\nverification: {{ commands: [{{ {check}, {report}, timeout: {timeout} }}] }}\n")
    };
    in_bad_weather(repo.check().policy(&policy("1m"))).verdict().is("blocked");
    assert_eq!(repo.check().policy(&policy("2m")).verdict().is("ready").findings().count(), 0);
    repo.check().policy(&policy("1m")).verdict().is("ready").finding("RM-VERIFY-008", RULE);
}

#[test]
fn says_nothing_where_nothing_failed_before() {
    let repo = flaky();
    repo.check().verdict().is("ready");
    assert_eq!(repo.check().verdict().is("ready").findings().count(), 0);
}
