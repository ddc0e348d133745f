//! `runmill doctor`: every finding, and what it says to do.

use std::fs;

use serde_json::Value;

use super::init::{made, with_make};
use crate::harness::{RUNNER, Repo, Runmill, User, listed, listed_with, shell, snapshot};

/// A `runmill.doctor/v1` document.
struct Examined(Value, i32);

impl Examined {
    fn of(run: Runmill) -> Self {
        let output = run.arg("--json").output();
        let document = serde_json::from_str(&output.stdout);
        Self(document.unwrap_or_else(|error| panic!("{error}: {}{}", output.stdout, output.stderr)), output.exit)
    }

    fn findings(&self) -> impl Iterator<Item = &Value> {
        self.0["findings"].as_array().unwrap_or_else(|| panic!("{:#}", self.0)).iter()
    }

    /// The finding of this id that stands so and says this, and whose fix says that.
    #[track_caller]
    fn has(&self, id: &str, status: &str, what: &str, fix: &str) -> &Self {
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let fits = |finding: &&Value| {
            finding["id"] == id
                && finding["status"] == status
                && text(finding, "what").contains(what)
                && text(finding, "fix").contains(fix)
        };
        assert!(
            self.findings().any(|finding| fits(&finding)),
            "no {status} of {id} with `{what}`, `{fix}` in {:#}",
            self.0
        );
        self
    }

    #[track_caller]
    fn exits(&self, exit: i32) -> &Self {
        assert_eq!(self.1, exit, "{:#}", self.0);
        self
    }
}

fn doctor(repo: &Repo, prefix: &str) -> Examined {
    Examined::of(repo.runmill(["doctor", "--check", prefix]))
}

fn ready() -> Repo {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a", "pass b"]).commit("base");
    repo
}

#[test]
fn finds_a_healthy_project_healthy() {
    let examined = Examined::of(ready().runmill(["doctor"]));
    examined.exits(0).has("verification:reports", "ok", "2 tests, unique ids, the same in two runs", "");
    let families: Vec<_> = examined.findings().map(|finding| finding["id"].as_str().unwrap()).collect();
    for id in [
        "repository",
        "repository:target",
        "configuration:manifest",
        "configuration:policy",
        "state",
        "clock",
        "sandbox:probe",
        "verification:commands",
    ] {
        assert!(families.contains(&id), "{id} in {families:?}");
    }
    assert_eq!(examined.0["outcome"], "ok", "{:#}", examined.0);
}

#[test]
fn everything_but_ok_says_what_to_do() {
    let repo = ready();
    repo.manifest([listed("unit"), shell("other", "true", "")]).file(".runmill/checks.yaml.bak", "");
    for finding in Examined::of(repo.runmill(["doctor"])).findings() {
        let fix = finding["fix"].as_str().unwrap_or_default();
        assert_eq!(finding["status"] == "ok", fix.is_empty(), "{finding:#}");
    }
}

#[test]
fn looks_only_at_what_a_prefix_names() {
    let examined = doctor(&ready(), "configuration");
    let ids: Vec<_> = examined.findings().map(|finding| finding["id"].clone()).collect();
    assert_eq!(ids, ["configuration:manifest", "configuration:policy"]);
    let error = ready().runmill(["doctor", "--check", "sandobx"]).error();
    error.is("RM-CONFIG-004", 2).says("no finding has an id that starts with `sandobx`");
}

/// `init` is followed by `doctor` before anybody has committed anything.
#[test]
fn what_is_written_beside_the_manifest_counts_before_it_is_committed() {
    let repo = Repo::new();
    repo.file("x", "x").commit("base");
    let line = "sh .runmill/run.sh";
    repo.manifest([format!("  - {{ id: unit, run: {line}, report: {{ path: unit.xml, format: junit }} }}\n")]);
    repo.file(".runmill/run.sh", "echo '<testsuite><testcase name=\"a\"/></testsuite>' > unit.xml\n");
    let before = repo.git(["count-objects", "-v"]);
    doctor(&repo, "verification:reports").exits(0).has("verification:reports", "ok", "1 test,", "");
    assert_eq!(repo.git(["count-objects", "-v"]), before);
    let left = fs::read_dir(repo.place("state/work")).unwrap().count();
    assert_eq!(left, 0, "something is left of the commit that nobody made");
    repo.remove(".runmill/run.sh");
    doctor(&repo, "verification:reports").exits(3).has("verification:reports", "fail", "was not written", "");
}

#[test]
fn what_cannot_be_looked_at_is_not_well() {
    let repo = Repo::new();
    repo.file("x", "x").commit("base");
    for prefix in ["verification", "verification:reports", "verification:commands"] {
        let examined = doctor(&repo, prefix);
        examined.exits(3).has("configuration:manifest", "fail", "there is no `.runmill/checks.yaml`", "runmill init");
    }
    let nothing = doctor(&ready(), "verification:dependencies");
    nothing.exits(0).has("verification:dependencies", "ok", "nothing here asks for it", "");
}

#[test]
fn a_repository_without_a_commit_or_none_at_all() {
    doctor(&Repo::new(), "repository").exits(3).has("repository:target", "fail", "no default branch", "");
    let nowhere = Repo::bare_directories(User::Same);
    fs::create_dir(nowhere.path()).unwrap();
    Examined::of(nowhere.runmill(["doctor"])).exits(3).has("repository", "fail", "", "");
}

#[test]
fn says_how_old_what_is_known_of_the_remote_is() {
    let repo = ready();
    let clone = repo.place("clone");
    repo.git_in(repo.root(), ["clone", "--quiet", repo.path().to_str().unwrap(), clone.to_str().unwrap()]);
    let target = || Examined::of(repo.runmill(["doctor", "--check", "repository:target"]).in_dir(&clone));
    let id = "repository:target";
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 24 * 3600);
    let age = |file: &str| fs::File::options().append(true).open(clone.join(file)).unwrap().set_modified(old).unwrap();
    target().has(id, "ok", "`origin/main` is at", "").has(id, "ok", "cloned a moment ago", "");
    age(".git/refs/remotes/origin/HEAD");
    target().exits(0).has(id, "warn", "cloned 30 days ago", "git fetch origin");
    repo.git_in(&clone, ["fetch", "--quiet"]);
    target().has(id, "ok", "fetched a moment ago", "");
    age(".git/FETCH_HEAD");
    target().exits(0).has(id, "warn", "fetched 30 days ago", "git fetch origin");
}

#[test]
fn says_that_a_branch_of_the_clone_is_behind_its_remote() {
    let repo = ready();
    let clone = repo.place("clone");
    repo.git_in(repo.root(), ["clone", "--quiet", repo.path().to_str().unwrap(), clone.to_str().unwrap()]);
    let local = ["doctor", "--check", "repository:target", "--base", "main"];
    let target = || Examined::of(repo.runmill(local).in_dir(&clone));
    target().has("repository:target", "ok", "a branch of this clone", "");
    repo.file("more", "x").commit("main moves");
    repo.git_in(&clone, ["fetch", "--quiet"]);
    target().exits(0).has("repository:target", "warn", "`origin/main` has more", "--base origin/main");
}

#[test]
fn a_manifest_that_is_missing_empty_wrong_or_not_committed() {
    let id = "configuration:manifest";
    let repo = Repo::new();
    repo.file("x", "x").commit("base");
    doctor(&repo, "configuration").exits(3).has(id, "fail", "there is no `.runmill/checks.yaml`", "runmill init");
    repo.file(".runmill/checks.yaml", "checks: []\n");
    doctor(&repo, "configuration").exits(3).has(id, "fail", "lists no check", "");
    repo.file(".runmill/checks.yaml", "checks:\n  - id: unit\n    runs: make\n");
    doctor(&repo, "configuration").exits(3).has(
        id,
        "fail",
        ".runmill/checks.yaml:3:5: a check has no key `runs`",
        "did you mean",
    );
    repo.manifest([listed("unit")]);
    doctor(&repo, "configuration").exits(0).has(id, "warn", "not committed", "commit `.runmill/checks.yaml`");
    repo.branch("change").commit("manifest");
    doctor(&repo, "configuration").exits(0).has(id, "ok", "1 check in `.runmill/checks.yaml`, new to the target", "");
}

#[test]
fn a_manifest_that_is_wrong_at_the_target() {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", "checks: {}\n").commit("base");
    repo.branch("change").manifest([listed("unit")]).commit("mend");
    doctor(&repo, "configuration").exits(3).has("configuration:manifest", "fail", "at `main`", "");
}

#[test]
fn a_policy_that_is_wrong_or_loosens() {
    let examine =
        |policy: &str| Examined::of(ready().runmill(["doctor", "--check", "configuration:policy"]).policy(policy));
    examine("version: 1\nautonomy: all\n").exits(3).has(
        "configuration:policy",
        "fail",
        "policy.yaml:2:11: `all`",
        "pr-only",
    );
    examine("version: 1\nverification: { fail_on_skipped_check: false }\n").exits(0).has(
        "configuration:policy",
        "ok",
        "relaxed: fail_on_skipped_check: false",
        "",
    );
}

#[test]
fn a_command_that_is_not_inside_the_sandbox() {
    let repo = Repo::new();
    let missing = "  - { id: unit, run: no-such-program --x }\n".to_owned();
    let script = "  - { id: script, run: ./tools/test.sh, cwd: sub }\n".to_owned();
    let folder = "  - { id: folder, run: sh -c true, cwd: nowhere }\n".to_owned();
    repo.manifest([missing, script, folder, shell("fine", "true", "")]).file("sub/x", "").commit("base");
    let examined = doctor(&repo, "verification:commands");
    let id = "verification:commands";
    examined.exits(3).has(id, "fail", "`no-such-program` of `unit` is not inside the sandbox", "PATH");
    examined.has(id, "fail", "`./tools/test.sh` of `script` is not in `sub`", "executable");
    examined.has(id, "fail", "nothing can be started for `folder`", "cwd");
    repo.file("sub/tools/test.sh", "#!/bin/sh\n").executable("sub/tools/test.sh");
    repo.manifest([shell("fine", "true", ""), "  - { id: script, run: ./tools/test.sh, cwd: sub }\n".to_owned()])
        .commit("mend");
    doctor(&repo, "verification:commands").exits(0).has(id, "ok", "`./tools/test.sh`, `sh` are there", "");
}

/// A check `unit` that runs a line of shell, with a report at `unit.xml`.
fn reports(script: &str) -> Examined {
    let repo = Repo::new();
    repo.manifest([shell("unit", script, "report: { path: unit.xml, format: junit }")]).commit("base");
    doctor(&repo, "verification:reports")
}

fn xml(names: &str) -> String {
    let cases: String = names.split(' ').map(|name| format!("<testcase name=\\\"{name}\\\"/>")).collect();
    format!("echo \"<testsuite>{cases}</testsuite>\"")
}

#[test]
fn a_report_that_does_not_come_out() {
    let id = "verification:reports";
    reports("true").exits(3).has(id, "fail", "`unit.xml` was not written", "");
    reports("echo oops; exit 3").has(id, "fail", "last words were `oops`", "");
    reports(&format!("{} > unit.xml", xml("a a"))).has(id, "fail", "`a`", "duplicates: group");
    let replaced = format!("{} > $TMPDIR/x; mv $TMPDIR/x unit.xml", xml("a"));
    reports(&replaced).exits(3).has(id, "fail", "replaces the file", "atomic: true");
    let repo = Repo::new();
    repo.manifest([listed("unit")])
        .file("run.sh", RUNNER)
        .tests("unit", ["pass a"])
        .file("unit.xml", "")
        .commit("base");
    doctor(&repo, id).exits(3).has(id, "fail", "is a file in the commit already", "version control");
}

#[test]
fn ids_that_change_from_run_to_run() {
    let id = "verification:reports";
    let draw = "id=$(cat /proc/sys/kernel/random/uuid); id=${id%%-*}";
    let random = reports(&format!("{draw}; {} > unit.xml", xml("steady at-x$id")));
    random.exits(3).has(id, "fail", "lists other tests in a second run", "test names");
    let volatile = reports(&format!("{} > unit.xml", xml("loads(/home/ci/x/y)")));
    volatile.exits(0).has(id, "warn", "a path of one machine", "");
}

#[test]
fn a_check_without_a_report_is_as_bad_as_the_policy_says() {
    let repo = Repo::new();
    repo.manifest([shell("lint", "true", ""), shell("extra", "true", "required: false")]).commit("base");
    let id = "verification:reports";
    let examined = doctor(&repo, id);
    examined.exits(3).has(id, "fail", "`lint` declares no report", "fail_on_skipped_check: false");
    assert_eq!(examined.findings().count(), 1, "{:#}", examined.0);
    let loose = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    Examined::of(repo.runmill(["doctor", "--check", id]).policy(loose)).exits(0).has(
        id,
        "warn",
        "`lint` declares no report",
        "",
    );
}

#[test]
fn a_failing_test_is_no_fault_of_the_report() {
    let repo = ready();
    repo.tests("unit", ["pass a", "fail b"]).commit("red");
    let examined = doctor(&repo, "verification:reports");
    examined.exits(0).has("verification:reports", "warn", "does not pass on the commit", "runmill check");
}

#[test]
fn a_state_directory_that_cannot_be_used() {
    let repo = ready();
    fs::write(repo.place("file"), "").unwrap();
    Examined::of(repo.runmill(["doctor", "--check", "state"]).state_dir(&repo.place("file"))).exits(3).has(
        "state",
        "fail",
        "cannot use the state directory",
        "--state-dir",
    );
}

#[test]
fn a_commit_of_the_future() {
    let repo = ready();
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    let who = "A Person <person@example.com> 4102444800 +0000";
    repo.file("commit", format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nlater\n"));
    let commit = repo.git(["hash-object", "-t", "commit", "-w", "commit"]);
    repo.git(["switch", "--quiet", "--detach", &commit]);
    doctor(&repo, "clock").exits(0).has("clock", "warn", "later than the clock says", "set the clock");
}

#[test]
fn no_sandbox_is_told_with_what_helps() {
    let repo = ready();
    // Where the kernel refuses more namespaces, the helper cannot have its own.
    let limit = "for kind in user mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; exec \"$@\"";
    let run = repo.runmill(["doctor", "--check", "sandbox"]);
    let run = run.through(["unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh"]);
    Examined::of(run).exits(3).has("sandbox:probe", "fail", "the sandbox cannot be set up", "sysctl");
}

#[test]
fn declared_dependencies_of_the_report_check_are_looked_at_where_they_run() {
    let repo = Repo::new();
    let nested = listed_with("unit", "cwd: sub").replace("unit.xml", "sub/unit.xml");
    repo.manifest([nested]).file("sub/run.sh", RUNNER).file("sub/unit.txt", "pass a\n").commit("base");
    doctor(&repo, "verification").exits(0).has("verification:reports", "ok", "1 test,", "");
}

#[test]
fn shows_what_was_found() {
    let repo = made();
    let _ = with_make(&repo, &["init"]).output();
    repo.commit("init");
    let screens = |name: &str, exit: i32, run: &dyn Fn() -> Runmill| {
        for (color, suffix) in [("never", ""), ("always", "-colour")] {
            let output = run().args(["--color", color]).output();
            assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
            let text = output.stdout.replace('\u{1b}', "␛");
            snapshot(&repo, "doctor", &format!("{name}{suffix}"), &text);
        }
    };
    screens("healthy", 0, &|| with_make(&repo, &["doctor", "--check", "verification"]));
    repo.file(".runmill/checks.yaml", "checks:\n  - { id: unit, run: nothing-here, report: { path: a.xml, format: junit } }\n  - { id: lint, run: sh -c true }\n");
    screens("ill", 3, &|| with_make(&repo, &["doctor", "--check", "verification"]));
}
