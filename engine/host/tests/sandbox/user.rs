//! One case as an ordinary user, when the tests were started by root.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::PathBuf,
    process::Command,
    sync::OnceLock,
};

use runmill_host::sandbox::Isolation;

use crate::{Case, container};

/// First argument of the copy.
pub const VERB: &str = "__case";

/// Nobody's account, and not the overflow id.
const ID: u32 = 12_345;

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Who runs the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Whoever started the tests.
    Same,
    /// Somebody without privileges.
    Ordinary,
}

/// Runs a copy of this binary with these arguments after [`VERB`], and hands back what it said when it failed.
pub fn run(who: Who, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(copy());
    command
        .arg(VERB)
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent");
    if who == Who::Ordinary {
        command.uid(ID).gid(ID);
    }
    let output = command.current_dir("/").output().expect("starts");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The copy's main.
pub fn main(arguments: &[String], cases: &[Case]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["case", name] => cases.iter().find(|(known, _)| known == name).expect("a case").1(),
        ["attempt", name] => crate::escape::attempt(name, Isolation::Namespaces),
        ["attempt-in-container", name] => {
            container::enter();
            crate::escape::attempt(name, Isolation::Landlock);
        }
        ["case-in-container", name] => {
            container::enter();
            crate::reduced::CASES.iter().find(|(known, _)| known == name).expect("a case").1();
        }
        other => panic!("unknown {other:?}"),
    }
}

static COPY: OnceLock<tempfile::TempDir> = OnceLock::new();

/// Removes the copy, if one was made.
pub fn remove_copy() {
    if let Some(directory) = COPY.get() {
        fs::remove_dir_all(directory.path()).unwrap();
    }
}

/// The set-user-id copy beside a copy that runs as this user: it belongs to another.
pub fn raised_for(user: u32) -> &'static str {
    if user == 0 { "raised-to-somebody" } else { "raised-to-root" }
}

fn copy() -> PathBuf {
    let directory = COPY.get_or_init(|| {
        let everybody = fs::Permissions::from_mode(0o755);
        let directory =
            tempfile::Builder::new().prefix("runmill-copy").permissions(everybody.clone()).tempdir().unwrap();
        let copy = |name: &str, mode: u32, owner: Option<u32>| {
            let path = directory.path().join(name);
            // Another process writes it: a file held open for writing could be busy when another thread has just forked.
            let own = std::env::current_exe().unwrap();
            assert!(Command::new("cp").arg(own).arg(&path).status().unwrap().success());
            chown(&path, owner, owner).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        copy("tests", 0o755, None);
        if is_root() {
            copy(raised_for(ID), 0o4755, Some(0));
            copy(raised_for(0), 0o4755, Some(ID));
        }
        directory
    });
    directory.path().join("tests")
}
