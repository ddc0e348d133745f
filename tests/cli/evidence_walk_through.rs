//! The walk-through of `docs/evidence.md`, as it stands there.

use std::{fs, path::Path, process::Command};

use crate::harness::{Repo, path};

/// The commands of a section, in their order.
fn commands(text: &str, section: &str) -> String {
    let after = text.split(&format!("\n## {section}\n")).nth(1).unwrap_or_else(|| panic!("no section `{section}`"));
    let section = after.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.collect()
}

#[test]
fn goes_from_a_new_key_to_a_verdict_that_is_reached_again_without_git() {
    let doc = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence.md")).unwrap();
    let script = commands(&doc, "A walk-through");
    assert_eq!(script.matches("runmill ").count(), 6, "{script}");
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    let program = Path::new(env!("CARGO_BIN_EXE_runmill")).parent().unwrap();
    // The last step has neither git nor a store, and says so if it looks for either.
    let (before, last) = script.split_once("mkdir ~/elsewhere").unwrap();
    let last = format!("mkdir ~/elsewhere{last}").replace("runmill ", "env -i \"$RUNMILL\" ");
    let output = Command::new("sh")
        .args(["-e", "-c", &format!("{before}{last}")])
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", format!("{}:{}", program.display(), path()))
        .env("RUNMILL", env!("CARGO_BIN_EXE_runmill"))
        .envs([("HOME", repo.place("home")), ("TMPDIR", repo.place("tmp")), ("RUNMILL_STATE_DIR", repo.place("state"))])
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("was ready\n  judged again with the same result\n  signed by `ci:1`"), "{stdout}");
    let left: Vec<_> = fs::read_dir(repo.place("home/elsewhere")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "verification makes nothing: {left:?}");
}
