//! A tree, a specification, and a run of it.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Mutex, OnceLock},
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::{
    interrupt::Interrupt,
    redact::Secrets,
    sandbox::{
        Config, Ended, Exited, Isolation, Limits, Replace, ReportFile, ReportSlot, Sandbox, SandboxError, Spec, TMPDIR,
        Tree, View,
    },
    toolchain::Toolchains,
};
use runmill_model::RepoPath;

use crate::inside;

/// A case that hangs fails by this; no case depends on being faster.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A sealed base in the making, and what to run over it.
pub struct Fixture {
    directory: tempfile::TempDir,
    pub spec: Spec,
    pub secrets: Secrets,
    pub interrupt: Interrupt,
    isolation: Isolation,
}

impl Fixture {
    /// A tree with `kept.txt` and `sub/kept.txt`, both holding `kept`, and this binary visible inside.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("runmill-tree").tempdir().unwrap();
        let lower = utf8(directory.path()).join("tree");
        let spec = Spec {
            view: View { lower, tree: Tree::Sealed, git_dir: None },
            cwd: RepoPath::root(),
            argv: Vec::new(),
            env: BTreeMap::from([
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("TMPDIR".into(), TMPDIR.into()),
            ]),
            report: None,
            scratch: Vec::new(),
            overlays: Vec::new(),
            mounts: Vec::new(),
            checkout_at: None,
            toolchains: Toolchains { visible: vec![own_binary()], ..Toolchains::default() },
            limits: Limits { timeout: PATIENCE, ..Limits::default() },
        };
        let fixture = Self {
            directory,
            spec,
            secrets: Secrets::none(),
            interrupt: Interrupt::new().unwrap(),
            isolation: Isolation::Namespaces,
        };
        fixture.file("kept.txt", "kept").file("sub/kept.txt", "kept")
    }

    pub fn isolated_by(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// The sealed base.
    pub fn tree(&self) -> Utf8PathBuf {
        self.spec.view.lower.clone()
    }

    /// A directory of the host beside the sealed base.
    pub fn beside(&self, name: &str) -> Utf8PathBuf {
        let path = utf8(self.directory.path()).join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        self
    }

    pub fn symlink(self, path: &str, target: &str) -> Self {
        std::os::unix::fs::symlink(target, self.tree().join(path)).unwrap();
        self
    }

    /// A `.git` beside the tree.
    pub fn git_dir(mut self) -> Self {
        let git_dir = self.beside("git");
        fs::write(git_dir.join("index"), "index").unwrap();
        fs::create_dir_all(git_dir.join("objects")).unwrap();
        self.spec.view.git_dir = Some(git_dir);
        self
    }

    pub fn report(mut self, path: &str, replace: Replace) -> Self {
        self.spec.report = Some(ReportSlot { path: repo(path), replace, max_bytes: 1 << 20 });
        self
    }

    pub fn scratch(mut self, path: &str) -> Self {
        self.spec.scratch.push(repo(path));
        self
    }

    /// Runs a shell script.
    pub fn sh(&mut self, script: &str) -> Exited {
        self.argv(&["sh", "-c", script])
    }

    /// Runs this binary inside, as attacker.
    pub fn inside(&mut self, arguments: &[&str]) -> Exited {
        let own = own_binary();
        self.argv(&[&[own.as_str(), inside::VERB], arguments].concat())
    }

    pub fn argv(&mut self, argv: &[&str]) -> Exited {
        self.try_argv(argv).unwrap()
    }

    pub fn try_argv(&mut self, argv: &[&str]) -> Result<Exited, SandboxError> {
        self.spec.argv = argv.iter().map(|word| (*word).to_owned()).collect();
        sandbox(self.isolation).run(&self.spec, &self.secrets, &self.interrupt)
    }
}

/// The sandbox of this process, proven once.
pub fn sandbox(isolation: Isolation) -> &'static Sandbox {
    static SANDBOXES: [OnceLock<Sandbox>; 2] = [OnceLock::new(), OnceLock::new()];
    let config = Config::new(home(), Vec::new()).isolated_by(isolation);
    SANDBOXES[usize::from(isolation == Isolation::Landlock)].get_or_init(|| Sandbox::probe(config).unwrap())
}

fn home() -> Utf8PathBuf {
    std::env::var("HOME").unwrap_or_default().into()
}

pub fn own_binary() -> Utf8PathBuf {
    utf8(&std::env::current_exe().unwrap())
}

pub fn repo(path: &str) -> RepoPath {
    RepoPath::new(path).unwrap()
}

pub fn utf8(path: &Path) -> Utf8PathBuf {
    Utf8Path::from_path(path).unwrap().to_owned()
}

/// Standard output as text.
pub fn out(exited: &Exited) -> String {
    exited.stdout.text()
}

/// Asserts success, showing everything where it is none.
#[track_caller]
pub fn passed(exited: &Exited) {
    assert_eq!(
        exited.ended,
        Ended::Exit(0),
        "stdout: {}\nstderr: {}\nnotes: {:?}",
        out(exited),
        exited.stderr.text(),
        exited.notes
    );
}

/// Asserts that the script's every line was refused: it prints `through` after one that was not.
#[track_caller]
pub fn refused(exited: &Exited) {
    assert!(!out(exited).contains("through"), "stdout: {}\nstderr: {}", out(exited), exited.stderr.text());
    passed(exited);
}

#[track_caller]
pub fn report_bytes(exited: &Exited) -> String {
    match &exited.report {
        ReportFile::Bytes(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("{other:?}\nstdout: {}\nstderr: {}", out(exited), exited.stderr.text()),
    }
}

/// Processes of the host whose command line holds `marker`.
pub fn processes_with(marker: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(marker.len()).any(|window| window == marker.as_bytes())).count()
}

/// Waits until `true`, for as long as a case may take.
#[track_caller]
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A text that no other case of this process uses, as a number of seconds for `sleep`.
pub fn marker() -> String {
    static SERIAL: Mutex<u32> = Mutex::new(0);
    let mut serial = SERIAL.lock().unwrap();
    *serial += 1;
    format!("600.{}{:04}", std::process::id(), *serial)
}
