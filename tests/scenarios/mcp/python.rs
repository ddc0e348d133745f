//! The same server, by the client of the protocol's Python package.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::POLICY;
use crate::{
    harness::{Repo, path},
    scenarios::sessions::repo,
};

/// A python that has the package.
fn python() -> PathBuf {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-world/mcp/bin/python");
    assert!(python.exists(), "{} is not there; `.ci/run` installs it", python.display());
    python
}

#[track_caller]
fn speaks(repo: &Repo, script: &str) {
    let policy = repo.place("policy.yaml");
    std::fs::write(&policy, POLICY).unwrap();
    let script = format!("{}/tests/scenarios/mcp/{script}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(python());
    command.arg(script).arg(env!("CARGO_BIN_EXE_runmill")).arg(repo.path()).arg(policy).arg(repo.place("state"));
    let output = command.env("PATH", path()).env("HOME", repo.place("home")).output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said == "done\n", "{said}{told}");
}

#[test]
fn the_python_client_gets_along_with_it() {
    speaks(&repo(), "client.py");
}
