//! Three checks on both sides of a repository of 50,000 files, beside one `git worktree add --detach`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{alternate, ratio};

const FILES: usize = 50_000;
const BYTES: usize = 6_000;
const ROUNDS: usize = 5;

pub fn run(runmill: &str, dir: &str) {
    let room = tempfile::tempdir_in(dir).unwrap();
    let repository = room.path().join("repository");
    fill(&repository);
    let runmill = fs::canonicalize(runmill).unwrap();
    let (mut worktrees, mut runs) = (0, 0);
    let (ours, git) = alternate(
        ROUNDS,
        || {
            runs += 1;
            let state = room.path().join(format!("state{runs}"));
            let mut check = Command::new(&runmill);
            check.args(["check", "--base", "main", "--candidate", "change", "--quiet", "--state-dir"]).arg(state);
            let done = check.current_dir(&repository).stdout(Stdio::null()).stderr(Stdio::inherit()).status().unwrap();
            assert_eq!(done.code(), Some(0), "the change is ready");
        },
        || {
            worktrees += 1;
            let tree = room.path().join(format!("worktree{worktrees}"));
            git_in(&repository, &["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap(), "change"]);
        },
    );
    println!("git worktree add --detach, {FILES} files   {git:>10.1?}   1.00");
    println!("runmill check, three checks, two sides  {ours:>10.1?}   {:.2}", ratio(ours, git));
}

/// 50,000 files in 500 directories, 300 MB, and a change to 200 of them.
fn fill(repository: &Path) {
    fs::create_dir_all(repository.join(".runmill")).unwrap();
    git_in(repository, &["init", "--quiet", "--initial-branch", "main"]);
    let check = |id: &str| {
        let command = format!("mkdir -p out && echo '<testsuite><testcase name=\"a\"/></testsuite>' >out/{id}.xml");
        format!("  - id: {id}\n    argv: [sh, -c, \"{}\"]\n    report: {{ path: out/{id}.xml, format: junit }}\n", command.replace('"', "\\\""))
    };
    fs::write(repository.join(".runmill/checks.yaml"), format!("checks:\n{}{}{}", check("a"), check("b"), check("c"))).unwrap();
    for number in 0..FILES {
        write(repository, number, 0);
    }
    commit(repository, "base");
    git_in(repository, &["switch", "--quiet", "--create", "change"]);
    for number in (0..FILES).step_by(FILES / 200) {
        write(repository, number, 1);
    }
    commit(repository, "change");
    git_in(repository, &["repack", "--quiet", "-ad"]);
}

fn write(repository: &Path, number: usize, round: usize) {
    let dir: PathBuf = repository.join(format!("d{}/e{}", number / 1000, number / 100 % 10));
    fs::create_dir_all(&dir).unwrap();
    // Text that compresses about as well as source does, and is different in every file.
    let mut seed = (number * 4 + round * 2) as u64 | 1;
    let mut text = String::with_capacity(BYTES + 16);
    while text.len() < BYTES {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(&format!("let value_{} = call({});\n", seed >> 54, seed >> 33 & 0xffff));
    }
    fs::write(dir.join(format!("f{number}.rs")), text).unwrap();
}

fn commit(repository: &Path, message: &str) {
    git_in(repository, &["add", "--all"]);
    git_in(repository, &["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "commit", "--quiet", "-m", message]);
}

fn git_in(repository: &Path, args: &[&str]) {
    assert!(Command::new("git").args(args).current_dir(repository).status().unwrap().success(), "git {args:?}");
}
