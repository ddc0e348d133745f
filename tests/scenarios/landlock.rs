//! Isolation without namespaces, where a container refuses them.

use std::os::unix::net::UnixListener;

use crate::harness::{RUNNER, Repo, Runmill, User, Verdict, alive, listed_with, shell, unique_seconds};

const POLICY: &str = "version: 1\nverification: { isolation: landlock }\n";

fn both(judge: impl Fn(User)) {
    judge(User::Same);
    judge(User::Ordinary);
}

fn check(repo: &Repo) -> Runmill {
    repo.check().policy(POLICY).in_container()
}

/// Every result was isolated in this way, and the tree did not move.
#[track_caller]
fn isolated(verdict: &Verdict) {
    for side in ["base", "candidate"] {
        let result = verdict.result("unit", side);
        assert_eq!(
            (&result["isolation"], &result["checkout"]),
            (&"landlock".into(), &"fresh-worktree".into()),
            "{verdict}"
        );
        assert!(result["tree_before"].is_string() && result["tree_before"] == result["tree_after"], "{verdict}");
    }
    let relaxations = verdict.document()["relaxations"].to_string();
    assert!(relaxations.contains("isolation: landlock"), "{verdict}");
}

#[test]
fn says_what_to_do_where_a_container_refuses_namespaces() {
    both(|user| {
        let repo = Repo::of_with_tests(user, ["pass a"]);
        repo.commit("nothing");
        let error = repo.check().in_container().error();
        error
            .is("RM-SANDBOX-001", 1)
            .says("Operation not permitted")
            .says("--security-opt")
            .says("isolation: landlock");
    });
}

#[test]
fn judges_a_change_and_says_how_it_was_isolated() {
    both(|user| {
        let repo = Repo::of_with_tests(user, ["pass a", "pass b"]);
        repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
        let verdict = check(&repo).verdict();
        verdict.is("ready").only_codes([]);
        isolated(&verdict);
        assert_eq!(verdict.result("unit", "candidate")["report"]["total"], 3, "{verdict}");
    });
}

#[test]
fn names_a_vanished_test() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let verdict = check(&repo).verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
    isolated(&verdict);
}

#[test]
fn lets_no_check_change_its_tree() {
    both(|user| {
        let repo = Repo::of_with_tests(user, ["pass a"]);
        let attempts = "{ echo more >> source.txt; } 2> /dev/null && exit 7\nrm -f source.txt 2> /dev/null && exit 7\n\
                        chmod +x source.txt 2> /dev/null && exit 7\ntouch -d @0 source.txt 2> /dev/null && exit 7\n";
        repo.file("source.txt", "kept\n").file("run.sh", format!("{attempts}{RUNNER}")).commit("try to change it");
        let verdict = check(&repo).verdict();
        verdict.is("ready").only_codes([]);
        isolated(&verdict);
    });
}

/// The directory of an atomic report is that of the tree here: whoever changes more than the report is seen.
#[test]
fn blocks_a_check_whose_tree_moved() {
    let repo = Repo::with_tests(["pass a"]);
    let manifest = "checks:\n  - id: unit\n    argv: [sh, run.sh, unit]\n    report: { path: unit.xml, format: junit, atomic: true }\n";
    repo.git(["checkout", "--quiet", "main"]);
    repo.file(".runmill/checks.yaml", manifest).file("source.txt", "kept\n").commit("base");
    repo.branch("moving").file("run.sh", format!("{RUNNER}\necho more >> source.txt\n")).commit("change a neighbour");
    let verdict = check(&repo).verdict();
    verdict.is("blocked").finding("RM-VERIFY-002", "freshness/tree-moved");
    assert_eq!(verdict.result("unit", "candidate")["exit_code"], 0, "{verdict}");
}

#[test]
fn reaches_no_network_at_all() {
    both(|user| {
        let host = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = host.local_addr().unwrap().port();
        let probe = format!(
            "perl -MIO::Socket::INET -e 'for (\"127.0.0.1:{port}\", \"192.0.2.1:53\") {{ IO::Socket::INET->new(PeerAddr => $_) and exit 7 }}' || exit 7\n"
        );
        let repo = Repo::of_with_tests(user, ["pass a"]);
        repo.file("run.sh", format!("{probe}{RUNNER}")).commit("connect");
        check(&repo).verdict().is("ready").only_codes([]);
        host.set_nonblocking(true).unwrap();
        assert!(host.accept().is_err());
    });
}

#[test]
fn ends_what_a_check_leaves_behind() {
    both(|user| {
        let seconds = unique_seconds();
        let repo = Repo::of_with_tests(user, ["pass a"]);
        repo.file(
            "run.sh",
            format!("{RUNNER}\n(setsid sleep {seconds} &)\nsleep {seconds} > /dev/null 2>&1 &\nexit 0\n"),
        );
        repo.commit("leave something behind");
        let verdict = check(&repo).verdict();
        assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
        verdict.is("ready");
        let notes = verdict.result("unit", "candidate")["notes"].to_string();
        assert!(notes.contains("were killed"), "{verdict}");
    });
}

#[test]
fn ends_the_tree_of_processes_when_the_time_is_up() {
    both(|user| {
        let seconds = unique_seconds();
        let repo = Repo::of(user);
        let script = format!("setsid sleep {seconds} & sleep {seconds}");
        repo.manifest([shell("unit", "sh run.sh", "timeout: 2s")]).file("run.sh", "true\n").commit("base");
        repo.branch("change").file("run.sh", format!("{script}\n")).commit("hang");
        let verdict = check(&repo).verdict();
        assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
        verdict.is("blocked");
        assert_eq!(verdict.result("unit", "candidate")["status"], "timeout", "{verdict}");
    });
}

#[test]
fn runs_nothing_while_a_socket_of_the_host_answers() {
    let repo = Repo::with_tests(["pass a"]);
    repo.commit("nothing");
    let path = repo.place("home").join("agent");
    let listener = UnixListener::bind(&path).unwrap();
    check(&repo).error().is("RM-SANDBOX-001", 1).says("agent");
    drop(listener);
    check(&repo).verdict().is("ready");
}

#[test]
fn a_policy_that_cannot_hold_is_refused() {
    let repo = Repo::with_tests(["pass a"]);
    repo.commit("nothing");
    let sealed = "version: 1\nverification: { isolation: landlock, tree_hash: sealed }\n";
    repo.check().policy(sealed).error().is("RM-CONFIG-002", 2).says("tree_hash: content");
    let merging = "version: 1\nautonomy: guarded-merge\nexperimental: { automatic_merge: true }\nverification: { isolation: landlock }\n";
    let error = repo.check().policy(merging).error();
    assert_eq!(error.output().exit, 2);
    error.says("isolation: landlock");
}

/// What the report of a check lies in is its own, also where several follow one another.
#[test]
fn each_invocation_has_a_tree_of_its_own() {
    let repo = Repo::with_tests(["pass a"]);
    let again = listed_with("again", "").replace("again.xml", "unit.xml").replace("\"again\"", "\"unit\"");
    let manifest = crate::harness::manifest([listed_with("unit", ""), again]);
    repo.file(".runmill/checks.yaml", manifest).commit("twice");
    check(&repo).verdict().is("ready").only_codes([]);
}
