//! The jobs that `init` writes, run as the CI would run them: in a clone, at the commit that was pushed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    cli::init::{made, with_make},
    harness::{Repo, Runmill},
};

/// The scripts of a job, joined, and what only that CI has around them.
struct Job {
    path: &'static str,
    script: fn(&Value) -> String,
}

const GITHUB: Job = Job { path: ".github/workflows/runmill.yml", script: github };
const GITLAB: Job = Job { path: ".gitlab/runmill.yml", script: gitlab };

fn github(job: &Value) -> String {
    let steps = job["jobs"]["runmill"]["steps"].as_array().unwrap();
    let checkout = &steps[0];
    assert_eq!(checkout["with"]["fetch-depth"], 0, "{checkout:#}");
    assert_eq!(checkout["with"]["ref"], "${{ github.event.pull_request.head.sha }}");
    let judge = steps.last().unwrap();
    assert_eq!(judge["env"]["BASE"], "${{ github.base_ref }}");
    // The step that asks for namespaces is the runner's own business.
    let runs = steps.iter().filter_map(|step| step["run"].as_str()).filter(|run| !run.starts_with("sudo "));
    runs.collect::<Vec<_>>().join("\n")
}

fn gitlab(job: &Value) -> String {
    let job = &job["runmill"];
    assert_eq!(job["variables"]["GIT_DEPTH"], "0");
    assert_eq!(job["variables"]["BASE"], "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
    let lines = ["before_script", "script"].map(|part| job[part].as_array().unwrap().clone()).concat();
    lines.iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

impl Job {
    /// Runs it for the branch `change` of a repository, in a clone of its own.
    fn run(&self, repo: &Repo, clone: &str) -> Runmill {
        let clone = repo.place(clone);
        let quiet = ["clone", "--quiet", "--no-local"];
        let ends = [repo.path(), clone.clone()].map(|path| path.into_os_string().into_string().unwrap());
        repo.git_in(repo.root(), quiet.into_iter().chain(ends.iter().map(String::as_str)));
        let pushed = repo.git(["rev-parse", "change"]);
        repo.git_in(&clone, ["switch", "--quiet", "--detach", &pushed]);
        let text = fs::read_to_string(clone.join(self.path)).unwrap();
        let script = (self.script)(&serde_yaml::from_str(&text).unwrap());
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_runmill"));
        let path = [repo.place("bin"), binary.parent().unwrap().to_owned()].map(|dir| dir.display().to_string());
        repo.runmill([])
            .through(["bash", "-eo", "pipefail", "-c", &script, "job"])
            .env("PATH", format!("{}:{}:{}", path[0], path[1], crate::harness::path()))
            .env("BASE", "main")
            .env("RUNNER_TEMP", repo.place("tmp"))
            .in_dir(&clone)
    }
}

/// A change that is honest, and then one that loses a test.
fn judges(job: &Job, name: &str, prepare: impl FnOnce(&Repo), lose: impl FnOnce(&Repo)) {
    let repo = made();
    prepare(&repo);
    let init = with_make(&repo, &["init", "--defaults", "--ci", name]).output();
    assert_eq!(init.exit, 0, "{}{}", init.stdout, init.stderr);
    repo.commit("init");
    repo.branch("change").file("README.md", "x").commit("no test is touched");
    let ready = job.run(&repo, "honest").output();
    assert_eq!(ready.exit, 0, "{}{}", ready.stdout, ready.stderr);
    assert!(ready.stdout.contains("READY"), "{}", ready.stdout);
    lose(&repo);
    repo.commit("lose it");
    let blocked = job.run(&repo, "dishonest").output();
    assert_eq!(blocked.exit, 3, "{}{}", blocked.stdout, blocked.stderr);
    assert!(blocked.stdout.contains("BLOCKED"), "{}", blocked.stdout);
}

fn lose_a_test(repo: &Repo) {
    repo.file("unit.txt", "a\n");
}

/// A makefile whose tests report nothing, so that the job brings a policy.
fn without_a_report(repo: &Repo) {
    repo.file("Makefile", "test:\n\t./tests\n");
    repo.executable_at(Path::new(&repo.place("bin/make")), "#!/bin/sh\ntest ! -e broken\n");
    repo.commit("no report");
}

fn break_it(repo: &Repo) {
    repo.file("broken", "x");
}

#[test]
fn the_job_for_github_judges() {
    judges(&GITHUB, "github", |_| {}, lose_a_test);
    judges(&GITHUB, "github", without_a_report, break_it);
}

#[test]
fn the_job_for_gitlab_judges() {
    judges(&GITLAB, "gitlab", |_| {}, lose_a_test);
    judges(&GITLAB, "gitlab", without_a_report, break_it);
}
