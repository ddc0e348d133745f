//! What holds when nobody says otherwise: the target, the repository, the policy and the state directory.

use std::{fs, path::Path};

use runmill_model::Digest;

use crate::harness::{Repo, Runmill};

fn ready_repo() -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("src/x", "x").commit("change");
    repo
}

/// The folder's name, `-`, and 10 hex digits of the digest of its real path.
fn project(dir: &Path) -> String {
    let real = dir.canonicalize().unwrap();
    let digest = Digest::of(real.to_str().unwrap().as_bytes()).hex();
    format!("{}-{}", real.file_name().unwrap().to_str().unwrap(), &digest[..10])
}

#[test]
fn takes_main_and_then_master_as_the_target() {
    let repo = ready_repo();
    let main = repo.git(["rev-parse", "main"]);
    assert_eq!(repo.runmill(["check"]).verdict().is("ready").document()["target"], main.as_str());
    repo.git(["branch", "--move", "main", "master"]);
    assert_eq!(repo.runmill(["check"]).verdict().is("ready").document()["target"], main.as_str());
    repo.git(["branch", "--move", "master", "trunk"]);
    repo.runmill(["check"]).error().is("RM-REPO-002", 1);
}

#[test]
fn takes_the_remotes_default_branch_before_a_local_one() {
    let repo = ready_repo();
    repo.switch("main").file("y", "y");
    let tip = repo.commit("what the remote has");
    repo.branch("trunk");
    let clone = repo.place("clone");
    repo.git_in(repo.root(), ["clone", "--quiet", repo.path().to_str().unwrap(), clone.to_str().unwrap()]);
    repo.git_in(&clone, ["switch", "--quiet", "--create", "work"]);
    fs::write(clone.join("z"), "z").unwrap();
    repo.git_in(&clone, ["add", "--all"]);
    repo.git_in(&clone, ["commit", "--quiet", "-m", "work"]);
    repo.git_in(&clone, ["branch", "--quiet", "main", "work~2"]);
    let verdict = repo.runmill(["check"]).in_dir(&clone).verdict();
    assert_eq!(verdict.is("ready").document()["target"], tip.as_str());
}

#[test]
fn finds_the_repository_around_the_working_directory() {
    let repo = ready_repo();
    repo.check().in_dir(&repo.path().join("src")).verdict().is("ready");
    let elsewhere = repo.place("home");
    repo.check().args(["--repo", repo.path().to_str().unwrap()]).in_dir(&elsewhere).verdict().is("ready");
}

#[test]
fn judges_a_linked_work_tree() {
    let repo = ready_repo();
    let linked = repo.place("linked");
    repo.git(["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap(), "change"]);
    repo.check().in_dir(&linked).verdict().is("ready");
}

#[test]
fn reads_the_operators_policy_of_this_project() {
    let repo = ready_repo();
    let policy = repo.place("config").join("runmill/projects").join(project(&repo.path())).join("policy.yaml");
    fs::create_dir_all(policy.parent().unwrap()).unwrap();
    let command = "{ id: house, argv: [sh, -c, exit 1] }";
    fs::write(&policy, format!("version: 1\nverification: {{ commands: [{command}] }}\n")).unwrap();
    repo.check().verdict().is("blocked").requires(["unit", "house"]);
}

#[test]
fn records_runs_under_the_state_home_of_this_project() {
    let repo = ready_repo();
    let home = repo.place("state-home");
    let state = home.join("runmill/projects").join(project(&repo.path()));
    let run = |run: Runmill| run.env("XDG_STATE_HOME", home.as_os_str()).without_state_dir(&state).verdict();
    let verdict = run(repo.check());
    assert_eq!(verdict.is("ready").output().records(), [verdict.document()["run"].as_str().unwrap()]);
    assert_eq!(String::from_utf8(verdict.recorded().document("verdict")).unwrap(), verdict.output().stdout);
}

#[test]
fn gives_the_same_facts_and_findings_for_the_same_change() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let one = repo.check().args(["--jobs", "1"]).verdict();
    let two = repo.check().args(["--jobs", "4"]).verdict();
    assert_eq!(one.document()["findings"], two.document()["findings"]);
    assert_eq!(one.document()["manifest"], two.document()["manifest"]);
    for side in ["base", "candidate"] {
        for field in ["tree_before", "tree_after", "commit", "status", "report", "stdout"] {
            assert_eq!(one.result("unit", side)[field], two.result("unit", side)[field], "{field} at {side}");
        }
    }
}

#[test]
fn says_the_verdict_alone_when_it_should_be_quiet() {
    let repo = ready_repo();
    let output = repo.check().arg("--quiet").output();
    assert_eq!((output.exit, output.stdout.lines().count()), (0, 1), "{}", output.stdout);
    assert!(output.stdout.starts_with("READY"), "{}", output.stdout);
}
