//! Input that cannot be judged: each a coded error with help and the right exit code, and nothing half-written.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::harness::{Output, RUNNER, Repo, Runmill, User, listed, manifest, shell};

fn ready_repo() -> Repo {
    ready_repo_of(User::Same)
}

fn ready_repo_of(user: User) -> Repo {
    let repo = Repo::of_with_tests(user, ["pass a"]);
    repo.file("x", "x").commit("change");
    repo
}

/// Both forms of the answer: one document on stdout in JSON mode; code and help for people, on stderr, otherwise.
#[track_caller]
fn refused(run: impl Fn() -> Runmill, code: &str, exit: i32) {
    run().error().is(code, exit);
    let human = run().output();
    assert_eq!(human.exit, exit, "{}", human.stderr);
    assert_eq!(human.stdout, "", "an error for people goes to stderr");
    assert!(human.stderr.contains(code), "{}", human.stderr);
}

#[test]
fn refuses_a_directory_that_is_no_repository() {
    let repo = Repo::bare_directories(User::Same);
    let home = repo.place("home");
    refused(|| repo.runmill(["check"]).in_dir(&home), "RM-REPO-001", 1);
    refused(|| repo.runmill(["check", "--repo", home.to_str().unwrap()]).in_dir(Path::new("/")), "RM-REPO-001", 1);
    let nowhere = repo.place("nowhere");
    refused(|| repo.runmill(["check", "--repo", nowhere.to_str().unwrap()]).in_dir(&home), "RM-REPO-001", 1);
}

#[test]
fn refuses_an_unknown_revision() {
    let repo = ready_repo();
    refused(|| repo.runmill(["check", "--base", "no-such-branch"]), "RM-REPO-002", 1);
    refused(|| repo.check().args(["--candidate", "no-such-tag"]), "RM-REPO-002", 1);
    refused(|| repo.check().args(["--candidate", &"0".repeat(40)]), "RM-REPO-002", 1);
    repo.check().args(["--candidate", "no-such-tag"]).error().says("no-such-tag");
}

#[test]
fn refuses_a_revision_that_is_no_commit() {
    let repo = ready_repo();
    refused(|| repo.check().args(["--candidate", "HEAD:run.sh"]), "RM-REPO-002", 1);
}

#[test]
fn refuses_a_repository_without_a_commit() {
    let repo = Repo::new();
    refused(|| repo.runmill(["check"]), "RM-REPO-002", 1);
}

fn origin(repo: &Repo) -> String {
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    format!("file://{}", repo.path().display())
}

#[test]
fn refuses_a_shallow_clone_without_the_base() {
    let repo = ready_repo();
    repo.file("y", "y").commit("and more");
    let clone = repo.place("clone");
    let args = ["clone", "--quiet", "--depth", "1", "--no-single-branch", "--branch", "change"];
    repo.git_in(repo.root(), args.into_iter().chain([origin(&repo).as_str(), clone.to_str().unwrap()]));
    refused(|| repo.runmill(["check", "--base", "origin/main"]).in_dir(&clone), "RM-REPO-003", 1);
    repo.runmill(["check", "--base", "origin/main"]).in_dir(&clone).error().says("shallow");
}

#[test]
fn refuses_a_partial_clone_without_the_objects() {
    let repo = ready_repo();
    let clone = repo.place("clone");
    let args = ["clone", "--quiet", "--filter=blob:none", "--no-checkout", "--branch", "change"];
    repo.git_in(repo.root(), args.into_iter().chain([origin(&repo).as_str(), clone.to_str().unwrap()]));
    refused(|| repo.runmill(["check", "--base", "origin/main"]).in_dir(&clone), "RM-REPO-003", 1);
}

#[test]
fn refuses_a_bare_repository() {
    let repo = ready_repo();
    let bare = repo.place("bare.git");
    repo.git_in(repo.root(), ["clone", "--quiet", "--bare", origin(&repo).as_str(), bare.to_str().unwrap()]);
    refused(|| repo.check().in_dir(&bare), "RM-REPO-004", 1);
    refused(|| repo.check().args(["--repo", bare.to_str().unwrap()]), "RM-REPO-004", 1);
}

#[test]
fn refuses_a_sha_256_repository() {
    let repo = Repo::bare_directories(User::Same);
    fs::create_dir(repo.path()).unwrap();
    repo.git(["init", "--quiet", "--initial-branch=main", "--object-format=sha256"]);
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    refused(|| repo.check(), "RM-REPO-004", 1);
}

/// A manifest of the target that must be refused, with the line at which it must be said.
#[track_caller]
fn refused_manifest(text: &str, line: u64) {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", text).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    refused(|| repo.check(), "RM-VERIFY-004", 2);
    if line > 0 {
        repo.check().error().points_at("checks.yaml", line);
    }
}

#[test]
fn refuses_an_empty_manifest() {
    refused_manifest("", 0);
    refused_manifest("# nothing but a comment\n", 0);
}

#[test]
fn refuses_a_manifest_that_does_not_parse() {
    refused_manifest("checks:\n  - id: unit\n    run: [unclosed\n", 0);
    refused_manifest("checks:\n\t- id: unit\n", 0);
}

#[test]
fn refuses_unknown_keys() {
    refused_manifest("checks:\n  - id: unit\n    run: make test\n    retries: 3\n", 4);
    refused_manifest("check:\n  - id: unit\n    run: make test\n", 1);
}

#[test]
fn refuses_an_id_twice() {
    refused_manifest(&manifest([shell("unit", "true", ""), shell("unit", "false", "")]), 4);
}

#[test]
fn refuses_a_report_path_that_leaves_the_checkout() {
    let check = "checks:\n  - id: unit\n    run: make test\n    report: { path: ../unit.xml, format: junit }\n";
    refused_manifest(check, 4);
}

#[test]
fn refuses_shell_syntax_without_quotes() {
    refused_manifest("checks:\n  - id: unit\n    run: make test | tee log\n", 3);
}

#[test]
fn names_every_problem_of_a_manifest_at_once() {
    let text = "checks:\n  - id: bad id\n    run: make a && make b\n    retries: 3\n  - id: unit\n    timeout: soon\n    run: make test\n";
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", text).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let error = repo.check().error();
    error.is("RM-VERIFY-004", 2);
    for line in [2, 3, 4, 6] {
        error.points_at("checks.yaml", line);
    }
}

#[test]
fn refuses_a_scratch_directory_that_is_not_ignored() {
    let repo = Repo::new();
    let check = crate::harness::listed_with("unit", "scratch: [build]");
    repo.manifest([check]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    refused(|| repo.check(), "RM-VERIFY-004", 2);
}

#[test]
fn blocks_a_program_that_is_missing() {
    let repo = Repo::new();
    repo.manifest(["  - id: unit\n    argv: [no-such-program-anywhere, --all]\n".to_owned()]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-001", "coverage/not-invoked").says("no-such-program-anywhere");
    assert_eq!(verdict.result("unit", "candidate")["status"], "not-run");
}

#[test]
fn refuses_a_state_directory_that_cannot_be_used() {
    let repo = ready_repo();
    let file = repo.place("file");
    fs::write(&file, "not a directory").unwrap();
    let state = file.join("state");
    refused(|| repo.check().state_dir(&file), "RM-STATE-001", 1);
    refused(|| repo.check().state_dir(&state), "RM-STATE-001", 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a directory");
}

#[test]
fn refuses_a_state_directory_without_permission() {
    let repo = ready_repo_of(User::Ordinary);
    let locked = repo.place("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    refused(|| repo.check().state_dir(&locked), "RM-STATE-001", 1);
    refused(|| repo.check().state_dir(&locked.join("below")), "RM-STATE-001", 1);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
}

/// Starts the binary in a mount namespace where the state directory is a file system of `kibibytes`, which `fill` may
/// fill first. Afterwards what is left there is printed to stderr.
fn on_a_small_disk(repo: &Repo, kibibytes: u32, fill: &str) -> Output {
    let state = repo.place("state");
    fs::create_dir_all(&state).unwrap();
    let script = format!(
        "mount -t tmpfs -o size={kibibytes}k,mode=700 none {state} && {{ {fill} }}\n\"$@\"; code=$?\n\
         echo \"LEFT: $({{ find {state}/work -type f ! -name 'run-*'; find {state}/blobs -name '.new-*'; }} | wc -l)\" >&2\n\
         exit $code\n",
        state = state.display(),
    );
    let unshare = if User::suite_is_root() { "-m" } else { "-rm" };
    let run = repo.check().arg("--json").through(["unshare", unshare, "sh", "-c", &script, "sh"]);
    run.output()
}

#[test]
fn refuses_a_full_disk() {
    let repo = ready_repo();
    let fill = format!("head -c 1M /dev/zero > {}/filler 2>/dev/null || true;", repo.place("state").display());
    let error = on_a_small_disk(&repo, 64, &fill).error();
    error.is("RM-STATE-002", 1).says("free some disk space");
    assert!(error.output().stderr.contains("LEFT: 0"), "{error}");
}

#[test]
fn refuses_a_disk_that_is_too_small_for_the_commit() {
    let repo = ready_repo();
    repo.file("large.bin", vec![7; 3 << 20]).commit("a large file");
    let error = on_a_small_disk(&repo, 1024, ":;").error();
    error.is("RM-REPO-006", 1).says("free some space");
    assert!(error.output().stderr.contains("LEFT: 0"), "{error}");
}

#[test]
fn refuses_a_disk_that_is_too_small_for_the_record() {
    let repo = ready_repo();
    // More output is kept than the disk has room for.
    repo.file("run.sh", format!("{RUNNER}\nyes runmill | head -c 4000000\n")).commit("talk a lot");
    let error = on_a_small_disk(&repo, 448, ":;").error();
    error.is("RM-STATE-002", 1).says("free some disk space");
    assert!(error.output().stderr.contains("LEFT: 0"), "{error}");
}

fn without_namespaces(repo: &Repo) -> Runmill {
    // Inside a user namespace of its own, where not one mount namespace more may be made, whoever asks.
    let script = "echo 0 > /proc/sys/user/max_mnt_namespaces && exec \"$@\"";
    repo.check().through(["unshare", "-r", "sh", "-c", script, "sh"])
}

#[test]
fn refuses_to_run_anything_without_a_sandbox() {
    let repo = ready_repo();
    let planted = repo.place("planted");
    repo.manifest([shell("unit", &format!("touch {}", planted.display()), "")])
        .commit("a command that shows that it ran");
    refused(|| without_namespaces(&repo), "RM-SANDBOX-001", 1);
    assert!(!planted.exists(), "a check ran outside the sandbox");
}

#[test]
fn refuses_to_run_anything_without_a_sandbox_for_an_ordinary_user() {
    let repo = ready_repo_of(User::Ordinary);
    refused(|| without_namespaces(&repo), "RM-SANDBOX-001", 1);
}

#[test]
fn refuses_a_candidate_that_is_its_base() {
    let repo = ready_repo();
    refused(|| repo.check().args(["--candidate", "main"]), "RM-REPO-005", 1);
    // A candidate that the target contains already is its own merge base.
    repo.switch("main").git(["merge", "--quiet", "--ff-only", "change"]);
    repo.file("y", "y").commit("main moves on");
    refused(|| repo.check().args(["--candidate", "change"]), "RM-REPO-005", 1);
}

#[test]
fn warns_about_a_candidate_without_the_target_and_blocks_it_where_a_machine_merges() {
    let repo = ready_repo();
    repo.switch("main").file("y", "y").commit("main moves on");
    repo.switch("change");
    let verdict = repo.check().verdict();
    verdict.is("ready").finding("RM-VERIFY-010", "freshness/target-not-contained").level("warn");
    for mode in ["guarded-merge", "continuous"] {
        let policy = format!("version: 1\nautonomy: {mode}\nexperimental: {{ automatic_merge: true }}\n");
        let verdict = repo.check().policy(&policy).verdict();
        verdict.is("blocked").only_codes(["RM-VERIFY-010"]);
        verdict.finding("RM-VERIFY-010", "freshness/target-not-contained").level("block");
    }
    let human = repo.check().output();
    assert!(human.stdout.contains("RM-VERIFY-010"), "{}", human.stdout);
}

#[test]
fn refuses_histories_that_never_met() {
    let repo = ready_repo();
    repo.git(["switch", "--quiet", "--orphan", "island"]);
    repo.file("z", "z").commit("another root");
    refused(|| repo.check().args(["--candidate", "island"]), "RM-REPO-003", 1);
}

#[test]
fn refuses_a_policy_that_is_not_there_or_not_valid() {
    let repo = ready_repo();
    let nowhere = repo.place("nowhere.yaml");
    refused(|| repo.check().arg("--policy").arg(&nowhere), "RM-CONFIG-001", 2);
    refused(|| repo.check().policy("version: 1\nautonmy: observe\n"), "RM-CONFIG-002", 2);
    refused(|| repo.check().policy(""), "RM-CONFIG-001", 2);
    repo.check().policy("version: 1\nautonmy: observe\n").error().points_at("policy.yaml", 2);
}

#[test]
fn answers_wrong_usage_with_a_document_too() {
    let repo = ready_repo();
    for args in [["--no-such-flag"].as_slice(), &["--jobs", "many"], &["--color", "sometimes"]] {
        let error = repo.check().args(args.iter().copied()).error();
        error.is("RM-CONFIG-004", 2);
    }
    let human = repo.check().args(["--no-such-flag"]).output();
    assert_eq!((human.exit, human.stdout.as_str()), (2, ""), "{}", human.stderr);
}
