//! A git repository in a temporary directory, with a home and a state directory of its own.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{RUNNER, Runmill, User, listed, manifest};

/// A repository on branch `main`, and the directories of the person who works in it.
pub struct Repo {
    root: TempDir,
    user: User,
}

impl Repo {
    /// An empty repository without a commit.
    pub fn new() -> Self {
        Self::of(User::Same)
    }

    /// An empty repository in which commands run as `user`.
    pub fn of(user: User) -> Self {
        let repo = Self::bare_directories(user);
        fs::create_dir(repo.path()).unwrap();
        repo.git(["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    /// The directories of a person, without a repository in them.
    pub fn bare_directories(user: User) -> Self {
        let repo = Self { root: tempfile::Builder::new().prefix("runmill-test-").tempdir().unwrap(), user };
        for name in ["home", "config", "tmp"] {
            fs::create_dir(repo.place(name)).unwrap();
        }
        repo
    }

    /// A repository whose `main` has the check `unit` over the given tests (see [`RUNNER`]), on a branch `change`.
    pub fn with_tests<'a>(tests: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of_with_tests(User::Same, tests)
    }

    /// The same, in which commands run as `user`.
    pub fn of_with_tests<'a>(user: User, tests: impl IntoIterator<Item = &'a str>) -> Self {
        let repo = Self::of(user);
        repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", tests).commit("base");
        repo.branch("change");
        repo
    }

    /// The work tree.
    pub fn path(&self) -> PathBuf {
        self.place("repo")
    }

    /// A path beside the work tree.
    pub fn place(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Everything of this repository and its person.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Who works here.
    pub fn user(&self) -> User {
        self.user
    }

    /// Writes a file, whatever was in its place.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_symlink() {
            fs::remove_file(&path).unwrap();
        }
        fs::write(path, text).unwrap();
        self
    }

    /// Makes a file executable.
    pub fn executable(&self, path: &str) -> &Self {
        fs::set_permissions(self.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Writes an executable file outside the work tree, and nothing is left of what was there.
    pub fn executable_at(&self, path: &Path, text: &str) {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, path).unwrap();
    }

    /// Writes a symbolic link.
    pub fn symlink(&self, path: &str, to: &str) -> &Self {
        symlink(to, self.path().join(path)).unwrap();
        self
    }

    /// Deletes a file.
    pub fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.path().join(path)).unwrap();
        self
    }

    /// Writes `.runmill/checks.yaml` with these checks.
    pub fn manifest(&self, checks: impl IntoIterator<Item = String>) -> &Self {
        self.file(".runmill/checks.yaml", manifest(checks))
    }

    /// Writes the tests that the check `id` runs, as `pass|fail|skip NAME`.
    pub fn tests<'a>(&self, id: &str, tests: impl IntoIterator<Item = &'a str>) -> &Self {
        let lines: String = tests.into_iter().map(|line| format!("{line}\n")).collect();
        self.file(&format!("{id}.txt"), lines)
    }

    /// Commits everything in the work tree and gives the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// Makes a branch here and switches to it.
    pub fn branch(&self, name: &str) -> &Self {
        self.git(["switch", "--quiet", "--create", name]);
        self
    }

    /// Switches to a branch.
    pub fn switch(&self, name: &str) -> &Self {
        self.git(["switch", "--quiet", name]);
        self
    }

    /// Runs git in the work tree and gives what it prints.
    pub fn git<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> String {
        self.git_in(&self.path(), args)
    }

    /// Runs git in a directory and gives what it prints.
    pub fn git_in<'a>(&self, dir: &Path, args: impl IntoIterator<Item = &'a str>) -> String {
        let args: Vec<_> = args.into_iter().collect();
        let mut git = Command::new("git");
        git.args(&args)
            .current_dir(dir)
            .env_clear()
            .env("PATH", super::command::path())
            .env("HOME", self.place("home"));
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "A Person").env(format!("GIT_{who}_EMAIL"), "person@example.com");
            git.env(format!("GIT_{who}_DATE"), "2024-01-02T03:04:05Z");
        }
        let output = git.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} in {}: {stderr}", dir.display());
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// `runmill check --base main`, in the work tree.
    pub fn check(&self) -> Runmill {
        self.runmill(["check", "--base", "main"])
    }

    /// `runmill` with these arguments, in the work tree.
    pub fn runmill<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Runmill {
        Runmill::new(self, &self.path(), args)
    }
}
