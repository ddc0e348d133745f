//! What to run, over which view, with which limits.

use std::{collections::BTreeMap, time::Duration};

use camino::Utf8PathBuf;
use runmill_model::RepoPath;
use serde::{Deserialize, Serialize};

use crate::toolchain::Toolchains;

/// Gets what an invocation prints, secrets replaced, piece by piece.
pub type Hear<'a> = &'a dyn Fn(&[u8]);

/// What every invocation of one process shares.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Config {
    /// The binary whose `main` calls [`super::helper_main`]. Default: this binary.
    pub helper: Utf8PathBuf,
    /// Directories that must not be seen inside, besides homes, temporary and run-time directories: the user's repository,
    /// the state directory. Absolute; those that do not exist are passed over. Toolchains below them are hidden too.
    pub hide: Vec<Utf8PathBuf>,
    /// The user's home directory; it is hidden. Empty: none.
    pub home: Utf8PathBuf,
    /// How every invocation is isolated.
    pub isolation: Isolation,
}

impl Config {
    /// This binary as helper, for a user with this home directory. XDG_RUNTIME_DIR, where sockets are, is hidden too.
    pub fn new(home: impl Into<Utf8PathBuf>, mut hide: Vec<Utf8PathBuf>) -> Self {
        let run_time = std::env::var("XDG_RUNTIME_DIR").map(Utf8PathBuf::from);
        hide.extend(run_time.ok().filter(|path| path.is_absolute()));
        Self { helper: "/proc/self/exe".into(), hide, home: home.into(), isolation: Isolation::Namespaces }
    }

    /// The same, isolated in this way.
    #[must_use]
    pub fn isolated_by(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }
}

/// One invocation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Spec {
    /// The tree it sees.
    pub view: View,
    /// Working directory inside the checkout.
    pub cwd: RepoPath,
    /// Program and arguments. A program without `/` is looked up in the PATH of `env`; another is relative to `cwd`.
    pub argv: Vec<String>,
    /// The whole environment, as [`crate::environment::build`] makes it.
    pub env: BTreeMap<String, String>,
    /// The report it may write.
    pub report: Option<ReportSlot>,
    /// Private writable directories, empty at the start, discarded at the end. One that lies in an overlay must exist there.
    pub scratch: Vec<RepoPath>,
    /// Prepared directories laid over the view, read-only.
    pub overlays: Vec<Overlay>,
    /// Directories of the host shown read-only at absolute paths.
    pub mounts: Vec<Mount>,
    /// Where the finished checkout appears too, because something prepared names itself by that path. Absolute.
    pub checkout_at: Option<Utf8PathBuf>,
    /// Directories shown read-only at their own paths although their surroundings are hidden.
    pub toolchains: Toolchains,
    /// The limits.
    pub limits: Limits,
}

/// Whose tree an invocation sees, and whether it may write to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tree {
    /// One that runmill laid out. Nothing of it can be written.
    #[default]
    Sealed,
    /// Somebody's working tree. Nothing of it can be written.
    Live,
    /// Somebody's working tree, to be written; not its `.git`.
    LiveWritable,
}

/// The tree an invocation sees. With [`Isolation::Landlock`] `.git`, the report and the scratch directories are laid
/// into it for the time of the run, and taken out again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct View {
    /// The sealed base, a directory with the bytes of one commit, or a working tree. Absolute.
    pub lower: Utf8PathBuf,
    /// What it is. A working tree needs [`Isolation::Namespaces`].
    pub tree: Tree,
    /// A directory that appears as `.git`. Absolute. None: there is no `.git`. The object directories that its
    /// `objects/info/alternates` names are shown read-only at their own paths, also in a hidden repository.
    pub git_dir: Option<Utf8PathBuf>,
}

/// A directory or file of the host laid over the view, read-only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Overlay {
    /// On the host, absolute.
    pub host: Utf8PathBuf,
    /// In the checkout; may lie below `.git`, where it must exist.
    pub at: RepoPath,
}

/// A directory of the host shown read-only at an absolute path: below the run-time directory of the sandbox, in a hidden
/// directory, or where there is a directory already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// On the host, absolute.
    pub host: Utf8PathBuf,
    /// Inside, absolute.
    pub at: Utf8PathBuf,
}

/// The one file of the tree an invocation may write.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReportSlot {
    /// In the checkout.
    pub path: RepoPath,
    /// Whether the check may replace the file.
    pub replace: Replace,
    /// Largest size that is read, in bytes.
    pub max_bytes: u64,
}

/// How a report may come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replace {
    /// A pre-created file is written in place. Renaming another file over it fails.
    InPlace,
    /// The report's directory is writable in private, so a temporary file and a rename work. Nothing but the
    /// report may be changed there.
    Atomic,
}

/// Limits of one invocation. Those that cannot be enforced here are named in [`super::Exited::notes`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From start to end.
    pub timeout: Duration,
    /// Memory of the whole tree, in bytes.
    pub memory: u64,
    /// Processes and threads alive at once.
    pub processes: u64,
    /// Both output streams together, in bytes. More ends the run.
    pub output: u64,
    /// Largest file the tree may write, in bytes.
    pub file_size: u64,
}

impl Default for Limits {
    /// 10 min, 4 GiB, 512 processes, 64 MiB of output, 1 GiB a file.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(600),
            memory: 4 << 30,
            processes: 512,
            output: 64 << 20,
            file_size: 1 << 30,
        }
    }
}

/// How much is kept of each stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Most bytes of the beginning.
    pub head: usize,
    /// Most bytes of the end.
    pub tail: usize,
}

impl Default for Keep {
    /// [`super::Stream::HEAD`] and [`super::Stream::TAIL`].
    fn default() -> Self {
        Self { head: super::Stream::HEAD, tail: super::Stream::TAIL }
    }
}

/// How an invocation is isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Namespaces, Landlock and a system call filter.
    #[default]
    Namespaces,
    /// Landlock and a system call filter alone, for machines that refuse namespaces. Reduced: the tree must be this invocation's
    /// own, there is no network at all, and other processes stay listed.
    Landlock,
}

impl From<runmill_model::Isolation> for Isolation {
    /// What was asked for by its word; nothing is isolated by nothing.
    fn from(word: runmill_model::Isolation) -> Self {
        match word {
            runmill_model::Isolation::Landlock => Self::Landlock,
            runmill_model::Isolation::Namespaces | runmill_model::Isolation::None => Self::Namespaces,
        }
    }
}
