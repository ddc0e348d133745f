//! Real repositories for tests, made by git itself in a cleared environment with fixed dates.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, CommitId, RepoPath};

use super::{GitError, PrivateDir, Repository};

/// A clone in a directory of its own, with a place beside it for views.
pub(super) struct Sample {
    home: PrivateDir,
    pub(super) dir: Utf8PathBuf,
}

impl Sample {
    /// An empty repository with the branch `main`.
    pub(super) fn new() -> Self {
        let sample = Self::without_repository();
        sample.git(&["init", "-q", "-b", "main"]);
        sample
    }

    pub(super) fn without_repository() -> Self {
        let temporary = Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap().canonicalize_utf8().unwrap();
        let home = PrivateDir::create_in(&temporary).unwrap();
        let dir = home.path().join("work");
        std::fs::create_dir(&dir).unwrap();
        Self { home, dir }
    }

    /// A directory beside the repository.
    pub(super) fn beside(&self, name: &str) -> Utf8PathBuf {
        self.home.path().join(name)
    }

    /// Runs git in the repository; it must succeed. Returns its output without the last line break.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.dir, arguments, b"")
    }

    /// Runs git with an input.
    pub(super) fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        git_in(&self.dir, arguments, input)
    }

    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Commits everything there is.
    pub(super) fn commit(&self, message: &str) -> CommitId {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    pub(super) fn head(&self) -> CommitId {
        CommitId::new(self.git(&["rev-parse", "HEAD"])).unwrap()
    }

    pub(super) fn open(&self) -> Repository {
        Repository::discover(&self.dir).unwrap()
    }

    /// A commit of a tree with exactly these entries, in the order given, however wrong: (mode, name, object id).
    pub(super) fn commit_of_entries(&self, entries: &[(&str, &[u8], &str)]) -> CommitId {
        let tree = self.tree_of_entries(entries);
        CommitId::new(self.git(&["commit-tree", "-m", "made by hand", &tree])).unwrap()
    }

    pub(super) fn tree_of_entries(&self, entries: &[(&str, &[u8], &str)]) -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(git2::Oid::from_str(id).unwrap().as_bytes());
        }
        self.git_with(&["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], &bytes)
    }

    pub(super) fn blob(&self, bytes: &[u8]) -> String {
        self.git_with(&["hash-object", "-w", "--stdin"], bytes)
    }
}

/// Runs git in a directory; it must succeed.
pub(super) fn git_in(dir: &Utf8Path, arguments: &[&str], input: &[u8]) -> String {
    let mut child = git_command(dir).args(arguments).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
}

/// Runs a line of shell in a directory, where git is as it is in [`git_in`]; it must succeed.
pub(super) fn shell_in(dir: &Utf8Path, line: &str) -> String {
    let output = cleared("sh", dir).args(["-ec", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn git_command(dir: &Utf8Path) -> Command {
    let mut command = cleared("git", dir);
    command.args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]);
    command
}

fn cleared(program: &str, dir: &Utf8Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The code of an error that must be there, with a message of one line and some help.
pub(super) fn code<T: std::fmt::Debug>(result: Result<T, GitError>) -> Code {
    let error = result.unwrap_err();
    let problem = error.problem();
    assert!(!problem.help.is_empty() && !problem.message.contains('\n'), "{problem:?}");
    problem.code
}

pub(super) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}
