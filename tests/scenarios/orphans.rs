//! Test files that no runner picks up.

use crate::harness::{RUNNER, Repo, listed};

const RULE: &str = "coverage/orphan-test-file";

/// A suite whose ids name the file that each test is in.
fn by_file() -> Repo {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass src/login.test.js logs in", "pass src/price.test.js counts"]);
    repo.file("src/login.test.js", "it('logs in')\n").file("src/price.test.js", "it('counts')\n").commit("base");
    repo.branch("change");
    repo
}

/// Shape 6.
#[test]
fn warns_of_a_new_test_file_that_no_reported_id_names() {
    let repo = by_file();
    repo.file("src/cart.test.js", "it('adds')\n").commit("a test that nothing runs");
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    verdict.finding("RM-VERIFY-003", RULE).level("warn").says("`src/cart.test.js`");
    let screen = repo.check().output();
    assert!(screen.exit == 0 && screen.stdout.contains("src/cart.test.js"), "{}", screen.stdout);
}

/// Shape 6: an operator may want more than a warning.
#[test]
fn blocks_an_orphan_where_the_operator_says_so() {
    let repo = by_file();
    repo.file("src/cart.test.js", "it('adds')\n").commit("a test that nothing runs");
    let levels = "levels: { \"coverage/orphan-test-file\": block }";
    let policy = format!("version: 1\nverification: {{ packs: [{{ builtin: coverage-contract, {levels} }}] }}\n");
    repo.check().policy(&policy).verdict().is("blocked").only_codes(["RM-VERIFY-003"]);
}

#[test]
fn says_nothing_of_a_new_test_file_that_is_run() {
    let repo = by_file();
    let tests = ["pass src/login.test.js logs in", "pass src/price.test.js counts", "pass src/cart.test.js adds"];
    repo.file("src/cart.test.js", "it('adds')\n").tests("unit", tests).commit("a test");
    assert_eq!(repo.check().verdict().is("ready").findings().count(), 0);
}

#[test]
fn says_nothing_where_ids_name_no_files() {
    let repo = Repo::with_tests(["pass logs in", "pass counts"]);
    repo.switch("main").file("src/login.test.js", "it('logs in')\n").file("src/price.test.js", "it('counts')\n");
    repo.commit("tests");
    repo.branch("later").file("src/cart.test.js", "it('adds')\n").commit("a test");
    assert_eq!(repo.check().verdict().is("ready").findings().count(), 0);
}

#[test]
fn says_nothing_of_a_test_file_that_was_there_or_is_a_link() {
    let repo = by_file();
    repo.switch("main").file("src/old.test.js", "it('is old')\n").commit("an orphan of before");
    repo.branch("later").file("src/old.test.js", "it('is older')\n").symlink("src/link.test.js", "login.test.js");
    repo.commit("change");
    assert_eq!(repo.check().verdict().is("ready").findings().count(), 0);
}

/// More files than anyone reads about: the first hundred new ones are looked at, and no limit is hit.
#[test]
fn judges_many_test_files_at_once() {
    let name = |number: u32| format!("src/thing{number}.test.js");
    let repo = Repo::new();
    let tests: Vec<String> = (0..600).map(|number| format!("pass {} works", name(number))).collect();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", tests.iter().map(String::as_str));
    (0..600).for_each(|number| {
        repo.file(&name(number), "it('works')\n");
    });
    repo.commit("base");
    repo.branch("change");
    (5_000..5_120).for_each(|number| {
        repo.file(&name(number), "it('works too')\n");
    });
    repo.commit("tests that nothing runs");
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    verdict.finding("RM-VERIFY-003", RULE).says("`src/thing5000.test.js`").says("and 97 more");
}
