//! One case as an ordinary user, when the tests were started by root.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
    process::Command,
    sync::OnceLock,
};

use crate::Case;

/// First argument of the copy.
pub const VERB: &str = "__case";

/// Nobody's account, and not the overflow id.
const ID: u32 = 12_345;

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs the case in a copy of this binary, and hands back what it said when it failed.
pub fn run_case(name: &str) -> Result<(), String> {
    let output = Command::new(copy())
        .args([VERB, name])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .current_dir("/")
        .uid(ID)
        .gid(ID)
        .output()
        .expect("starts");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The copy's main.
pub fn main(arguments: &[String], cases: &[Case]) {
    let (_, case) =
        cases.iter().find(|(name, _)| Some(*name) == arguments.first().map(String::as_str)).expect("a case");
    case();
}

static COPY: OnceLock<tempfile::TempDir> = OnceLock::new();

/// Removes the copy, if one was made.
pub fn remove_copy() {
    if let Some(directory) = COPY.get() {
        fs::remove_dir_all(directory.path()).unwrap();
    }
}

fn copy() -> PathBuf {
    let directory = COPY.get_or_init(|| {
        let everybody = fs::Permissions::from_mode(0o755);
        let directory =
            tempfile::Builder::new().prefix("runmill-copy").permissions(everybody.clone()).tempdir().unwrap();
        fs::copy(std::env::current_exe().unwrap(), directory.path().join("tests")).unwrap();
        fs::set_permissions(directory.path().join("tests"), everybody).unwrap();
        directory
    });
    directory.path().join("tests")
}
