//! Checks that change the tree they judge: it cannot happen, or it blocks.

use std::fs;

use crate::harness::{RUNNER, Repo, User, listed, listed_with};

/// The runner over the tests that the lines before it wrote to `$TMPDIR/all`.
fn over_listed_tests() -> String {
    RUNNER.replace("\"$1.txt\"", "\"$TMPDIR/all\"")
}

/// Runs the candidate's check with `mutation`, a line of shell that succeeds only when the mutation took effect. Either
/// it was refused and the verdict is ready, or it happened and the verdict says that the tree moved.
pub fn never_passes(user: User, mutation: &str) {
    let repo = Repo::of_with_tests(user, ["pass a"]);
    repo.file("source.txt", "bad\n").file(".gitignore", "build/\n");
    let attempt = format!(
        "cp unit.txt \"$TMPDIR/all\"\nif {{ {mutation}; }} 2>/dev/null; then echo 'pass mutated' >> \"$TMPDIR/all\"; fi\n"
    );
    repo.file("run.sh", format!("{attempt}{}", over_listed_tests())).commit("mutate");
    let verdict = repo.check().verdict();
    let result = verdict.result("unit", "candidate");
    assert_eq!(result["exit_code"], 0, "{verdict}");
    match verdict.word() {
        "ready" => {
            assert!(result["tree_before"].is_string(), "{verdict}");
            assert_eq!(result["tree_before"], result["tree_after"], "{verdict}");
            assert_eq!(result["report"]["total"], 1, "it happened and nothing noticed: {verdict}");
        }
        _ => {
            verdict.is("blocked").finding("RM-VERIFY-002", "freshness/tree-moved");
        }
    }
    assert_eq!(repo.git(["-c", "safe.directory=*", "status", "--porcelain"]), "", "the person's own checkout changed");
}

macro_rules! mutations {
    ($($(#[$doc:meta])* $name:ident: $mutation:expr;)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            never_passes(User::Same, $mutation);
        }
    )*};
}

mutations! {
    /// Shape 28.
    never_lets_a_check_append_to_a_file: "echo more >> source.txt";
    /// Shape 28.
    never_lets_a_check_create_an_untracked_file: "echo x > new.txt";
    /// Shape 28.
    never_lets_a_check_create_an_ignored_file_outside_scratch: "mkdir -p build && echo x > build/x";
    /// Shape 28.
    never_lets_a_check_delete_a_file: "rm -f source.txt && [ ! -e source.txt ]";
    /// Shape 28.
    never_lets_a_check_make_a_file_executable: "chmod +x source.txt && [ -x source.txt ]";
    /// Shape 28.
    never_lets_a_check_turn_a_file_into_a_symbolic_link: "ln -sf /etc/passwd source.txt";
    /// Shape 28.
    never_lets_a_check_rename_a_file: "mv source.txt moved.txt";
    /// Shape 28.
    never_lets_a_check_touch_the_index: "touch .git/index";
    /// Shape 28.
    never_lets_a_check_commit: "git -c user.name=x -c user.email=x@x commit --quiet --allow-empty -m x";
}

/// Shape 28.
#[test]
fn never_lets_a_check_write_outside_its_checkout() {
    let unique = format!("runmill-was-here-{}", std::process::id());
    for dir in ["/etc", "/usr", "/opt", env!("CARGO_MANIFEST_DIR")] {
        let file = format!("{dir}/{unique}");
        never_passes(User::Same, &format!("echo x > {file}"));
        assert!(!fs::exists(&file).unwrap(), "{file} was written");
    }
}

/// Shape 28.
#[test]
fn keeps_what_a_check_writes_into_temporary_places_to_itself() {
    let repo = Repo::new();
    let outside = repo.place("outside");
    fs::create_dir(&outside).unwrap();
    let name = format!("runmill-was-here-{}", std::process::id());
    let places = [outside.to_str().unwrap(), "/tmp", "/var/tmp", "/dev/shm"].map(|dir| format!("{dir}/{name}"));
    let script: String = places.iter().map(|place| format!("(echo x > {place}) 2>/dev/null; ")).collect();
    repo.manifest([listed("unit")])
        .file("run.sh", format!("{script}\n{RUNNER}"))
        .tests("unit", ["pass a"])
        .commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    for place in places {
        assert!(!fs::exists(&place).unwrap(), "{place} was written");
    }
}

/// Shape 28.
#[test]
fn lets_a_check_write_into_its_scratch_directory_only_for_itself() {
    let repo = Repo::new();
    let runner = "ls build > \"$TMPDIR/before\"; echo x > build/x && [ ! -s \"$TMPDIR/before\" ] || exit 9\n"
        .to_owned()
        + RUNNER;
    repo.manifest([listed_with("unit", "scratch: [build]"), listed_with("again", "scratch: [build]")]);
    repo.file(".gitignore", "build/\n").file("run.sh", runner);
    repo.tests("unit", ["pass a"]).tests("again", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    let result = verdict.result("unit", "candidate");
    assert_eq!(result["tree_before"], result["tree_after"]);
}

/// Shape 29.
#[test]
fn never_tests_source_that_is_edited_and_restored() {
    let attempt = "cp source.txt \"$TMPDIR/kept\"\necho good > source.txt\n\
                   if grep -q good source.txt; then echo 'pass works'; else echo 'fail works'; fi > \"$TMPDIR/all\"\n\
                   cp \"$TMPDIR/kept\" source.txt\n";
    let runner = format!("{attempt}{}", over_listed_tests());
    let repo = Repo::with_tests(["pass works"]);
    repo.file("source.txt", "bad\n").file("run.sh", runner).commit("edit, test, restore");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-008", "outcome/test-failed").tests(["works"]);
}
