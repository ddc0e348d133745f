//! The proof, once per process: a real run over a small tree, attacked from inside before its program starts.

use std::{collections::BTreeMap, fs, io, net::TcpListener, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RepoPath;

use super::{
    Config, Ended, Keep, Limits, Replace, ReportFile, ReportSlot, SandboxError, Spec, Tree, View, cgroup::Groups,
    protocol::Attack, run::run, stream::Heard,
};
use crate::{interrupt::Interrupt, redact::Secrets, toolchain::Toolchains};

/// Where `true` is, on every system.
const PATH: &str = "/usr/bin:/bin:/run/current-system/sw/bin";

/// Runs `true` in the exact configuration of a check, with everything a view can have, and attacks.
pub(super) fn prove(config: &Config) -> Result<(), SandboxError> {
    Groups::sweep();
    let tree = tempfile::tempdir().map_err(|error| failed("create a directory for the probe", &error))?;
    let lower = Utf8Path::from_path(tree.path()).ok_or_else(|| SandboxError::Unavailable {
        step: "find a temporary directory whose name is UTF-8".into(),
        errno: 0,
    })?;
    let [lower, git_dir] = ["tree", "git"].map(|name| lower.join(name));
    for directory in [&lower, &git_dir] {
        fs::create_dir(directory).map_err(|error| failed("create a directory for the probe", &error))?;
    }
    fs::write(lower.join("file"), "").map_err(|error| failed("write a file for the probe", &error))?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| failed("listen on the host's loopback", &error))?;
    let port = listener.local_addr().map_err(|error| failed("listen on the host's loopback", &error))?.port();
    let interrupt = Interrupt::new().map_err(|error| failed("create an interrupt", &error))?;
    let exited = run(
        config,
        &spec(lower, git_dir)?,
        Heard { secrets: &Secrets::none(), hear: &|_| {}, keep: Keep::default() },
        &interrupt,
        Some(Attack { port }),
    )?;
    match (exited.ended, exited.report) {
        (Ended::Exit(0), ReportFile::Untouched { .. }) => Ok(()),
        (ended, report) => {
            Err(SandboxError::Unavailable { step: format!("running `true` ({ended:?}, {report:?})"), errno: 0 })
        }
    }
}

fn spec(lower: Utf8PathBuf, git_dir: Utf8PathBuf) -> Result<Spec, SandboxError> {
    let path = |text: &str| {
        RepoPath::new(text).map_err(|error| SandboxError::Unavailable { step: error.to_string(), errno: 0 })
    };
    Ok(Spec {
        view: View { lower, tree: Tree::Sealed, git_dir: Some(git_dir) },
        cwd: RepoPath::root(),
        argv: vec!["true".into()],
        env: BTreeMap::from([("PATH".into(), PATH.into())]),
        report: Some(ReportSlot { path: path("reports/report.xml")?, replace: Replace::InPlace, max_bytes: 1 }),
        scratch: vec![path("scratch")?],
        overlays: Vec::new(),
        mounts: Vec::new(),
        checkout_at: None,
        toolchains: Toolchains::default(),
        limits: Limits { timeout: Duration::from_secs(60), ..Limits::default() },
    })
}

fn failed(step: &str, error: &io::Error) -> SandboxError {
    SandboxError::Unavailable { step: step.to_owned(), errno: error.raw_os_error().unwrap_or_default() }
}
