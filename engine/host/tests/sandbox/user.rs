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

fn copy() -> &'static PathBuf {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        // One place for all runs of the tests: nothing is left behind but the newest copy.
        let directory = std::env::temp_dir().join("runmill-sandbox-tests");
        fs::create_dir_all(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let made = tempfile::Builder::new()
            .prefix("copy")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempfile_in(&directory)
            .unwrap();
        fs::copy(std::env::current_exe().unwrap(), made.path()).unwrap();
        let path = directory.join("tests");
        made.into_temp_path().persist(&path).unwrap();
        path
    })
}
