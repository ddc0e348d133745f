//! The merge of target and candidate, where that is what is judged.

use crate::harness::{RUNNER, Repo, listed, shell, snapshot};

const POLICY: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";

/// `main` and `change`, which has not seen the last commit of `main`.
fn forked(main: impl FnOnce(&Repo) -> &Repo, change: impl FnOnce(&Repo) -> &Repo) -> Repo {
    let repo = Repo::new();
    repo.manifest([listed("unit")])
        .file("run.sh", RUNNER)
        .tests("unit", ["pass a"])
        .file("x.txt", "x\n")
        .commit("base");
    repo.branch("change");
    change(&repo).commit("change");
    repo.switch("main");
    main(&repo).commit("main moves");
    repo.switch("change");
    repo
}

/// Two changes that are each green and red together.
#[test]
fn blocks_what_is_green_alone_and_red_together() {
    let repo = Repo::new();
    let script = "test ! -e one.txt || test ! -e two.txt";
    repo.manifest([shell("both", script, "")]).commit("base");
    repo.branch("change").file("two.txt", "2").commit("two");
    repo.switch("main").file("one.txt", "1").commit("one");
    repo.switch("change");
    let alone = repo.check().policy(POLICY).verdict();
    alone.is("ready");
    alone.finding("RM-VERIFY-010", "freshness/target-not-contained").level("warn");
    let merged = repo.check().policy(POLICY).arg("--merge").verdict();
    merged.is("blocked").only_codes(["RM-VERIFY-008"]);
}

#[test]
fn judges_a_commit_that_nobody_made_and_leaves_the_repository_as_it_was() {
    let repo = forked(|repo| repo.file("y.txt", "y"), |repo| repo.tests("unit", ["pass a", "pass b"]));
    let before = repo.git(["count-objects", "-v"]);
    let (target, change) = (repo.git(["rev-parse", "main"]), repo.git(["rev-parse", "change"]));
    let verdict = repo.check().arg("--merge").verdict();
    verdict.is("ready").only_codes([]);
    let document = verdict.document();
    assert_eq!(
        (document["base"].as_str(), document["merged"].as_str()),
        (Some(target.as_str()), Some(change.as_str()))
    );
    assert_ne!(document["candidate"], change.as_str());
    assert_eq!(verdict.result("unit", "base")["commit"], target.as_str());
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);
    assert_eq!(repo.git(["count-objects", "-v"]), before);
    let again = repo.check().arg("--merge").verdict();
    assert_eq!(again.document()["candidate"], document["candidate"]);
}

#[test]
fn a_check_sees_the_merge_in_git_too() {
    let repo = Repo::new();
    let script =
        "test \"$(git log -1 --format=%P HEAD | wc -w)\" = 2 && git cat-file -e HEAD:one.txt && git diff --quiet HEAD";
    repo.manifest([shell("log", script, "")]).commit("base");
    repo.branch("change").file("two.txt", "2").commit("two");
    repo.switch("main").file("one.txt", "1").commit("one");
    repo.switch("change").check().policy(POLICY).arg("--merge").verdict().is("ready");
}

#[test]
fn a_conflict_blocks_and_nothing_runs() {
    let repo = forked(|repo| repo.file("x.txt", "main\n"), |repo| repo.file("x.txt", "change\n"));
    let verdict = repo.check().arg("--merge").verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-010", "freshness/merge-conflict").says("`x.txt`");
    assert_eq!(verdict.document()["conflicts"], serde_json::json!(["x.txt"]));
    assert!(verdict.ran("candidate").is_empty() && verdict.ran("base").is_empty());
}

/// The target's rules hold for the merge as for every candidate.
#[test]
fn a_check_that_main_gained_meanwhile_is_required() {
    let checks = || [listed("unit"), shell("lint", "test ! -e bad.txt", "")];
    let repo = forked(|repo| repo.manifest(checks()), |repo| repo.file("bad.txt", "bad"));
    let verdict = repo.check().policy(POLICY).arg("--merge").verdict();
    verdict.is("blocked").requires(["unit", "lint"]).only_codes(["RM-VERIFY-008"]);
}

#[test]
fn a_candidate_that_contains_the_target_is_its_own_merge() {
    let repo = Repo::with_tests(["pass a"]);
    let change = repo.tests("unit", ["pass a", "pass b"]).commit("more");
    let verdict = repo.check().arg("--merge").verdict();
    verdict.is("ready");
    assert_eq!(verdict.document()["candidate"], change.as_str());
    assert_eq!(verdict.document()["merged"], serde_json::Value::Null);
    repo.switch("main").git(["merge", "--quiet", "change"]);
    repo.check().args(["--merge", "--candidate", "change"]).error().is("RM-REPO-005", 1);
}

/// What a forge checks out for a pull request.
#[test]
fn a_merge_ref_of_a_forge_is_recognised() {
    let repo = forked(|repo| repo.file("y.txt", "y"), |repo| repo.tests("unit", ["pass a", "pass b"]));
    let change = repo.git(["rev-parse", "change"]);
    repo.git(["switch", "--quiet", "--detach", "main"]);
    repo.git(["merge", "--quiet", "--no-edit", "change"]);
    repo.git(["update-ref", "refs/pull/1/merge", "HEAD"]);
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.document()["merged"], change.as_str());

    // Its target has moved on since: evidence on a stale target.
    repo.switch("main").file("z.txt", "z").commit("main moves again");
    let verdict = repo.check().args(["--candidate", "refs/pull/1/merge"]).verdict();
    verdict.finding("RM-VERIFY-010", "freshness/target-not-contained");
    assert_eq!(verdict.document()["merged"], serde_json::Value::Null);
}

/// An operator's exception for the commit of a pull request holds for its merge.
#[test]
fn an_exception_for_a_commit_holds_for_its_merge() {
    let repo = forked(|repo| repo.file("y.txt", "y"), |repo| repo.tests("unit", ["skip a", "pass b"]));
    let change = repo.git(["rev-parse", "change"]);
    let policy = format!(
        "version: 1\nverification:\n  declared_skips:\n    - {{ check: unit, test_id: a, cause: agreed, commit: {change} }}\n"
    );
    repo.check().policy(&policy).arg("--merge").verdict().is("ready");
    repo.check().arg("--merge").verdict().is("blocked").only_codes(["RM-VERIFY-003"]);
}

/// A person sees which merge was judged, and what was not.
#[test]
fn a_person_sees_which_merge_was_judged() {
    let screens = |repo: &Repo, name: &str, exit: i32, args: &[&str]| {
        for (color, suffix) in [("never", ""), ("always", "-colour")] {
            let state = repo.place(&format!("state-{name}{suffix}"));
            let output = repo.check().state_dir(&state).args(args.iter().copied()).args(["--color", color]).output();
            assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
            let wide = output.stdout.lines().find(|line| color == "never" && line.chars().count() > 80);
            assert_eq!(wide, None, "{}", output.stdout);
            snapshot(repo, "check", &format!("{name}{suffix}"), &output.stdout.replace('\u{1b}', "␛"));
        }
    };
    let repo = forked(|repo| repo.file("y.txt", "y"), |repo| repo.tests("unit", ["pass a", "pass b"]));
    screens(&repo, "merge", 0, &["--merge"]);
    repo.git(["switch", "--quiet", "--detach", "main"]);
    repo.git(["merge", "--quiet", "--no-edit", "change"]);
    screens(&repo, "merge-of-a-forge", 0, &[]);
    let repo = forked(|repo| repo.file("x.txt", "main\n"), |repo| repo.file("x.txt", "change\n"));
    screens(&repo, "merge-conflict", 3, &["--merge"]);
}
