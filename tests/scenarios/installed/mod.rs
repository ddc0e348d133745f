//! Real projects, installed with real package managers: ready without an edit, and refused in each way they are altered, until
//! the command that the refusal names has run.

mod cargo;
mod go;
mod node;
mod python;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::harness::{Repo, Runmill, Verdict};

/// Coverage that is not proven only warns.
const LENIENT: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";

/// Where `.ci/run` puts the package managers that are no part of the system.
fn tool(path: &str) -> PathBuf {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-world").join(path);
    assert!(tool.exists(), "{} is not there; `.ci/run` installs it", tool.display());
    tool
}

/// A project, and what is on the PATH of the person who works in it.
struct Project {
    repo: Repo,
    path: String,
    env: Vec<(String, String)>,
}

impl Project {
    fn new() -> Self {
        let path = std::env::var("PATH").expect("a PATH");
        Self { repo: Repo::new(), path, env: Vec::new() }
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Runs a program of the person, in the work tree.
    fn run<S: AsRef<std::ffi::OsStr>>(&self, program: impl AsRef<std::ffi::OsStr>, args: &[S]) {
        let mut command = Command::new(program.as_ref());
        command.args(args).current_dir(self.repo.path()).env("HOME", self.repo.place("home")).env("PATH", &self.path);
        command.envs(self.env.iter().map(|(name, value)| (name, value))).env_remove("CARGO_TARGET_DIR");
        let output = command.output().unwrap_or_else(|error| panic!("install {:?}: {error}", program.as_ref()));
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{:?}: {}\n{out}{err}", program.as_ref(), output.status);
    }

    /// Commits what is there as `main`, and changes nothing of importance on `change`.
    fn committed(self) -> Self {
        self.repo.commit("base");
        self.repo.branch("change").file("notes.txt", "x").commit("change");
        self
    }

    fn of_person(&self, run: Runmill) -> Runmill {
        let run = run.env("PATH", &self.path);
        self.env.iter().fold(run, |run, (name, value)| run.env(name, value))
    }

    fn check(&self) -> Runmill {
        self.of_person(self.repo.check()).policy(LENIENT)
    }

    #[track_caller]
    fn ready(&self) -> Verdict {
        let verdict = self.check().verdict();
        verdict.is("ready");
        verdict
    }

    /// Forgets what was prepared, alters what is installed, and expects to be refused with this repair.
    #[track_caller]
    fn refused(&self, alter: impl Fn(&Path), message: &str, repair: &str) {
        self.forget();
        alter(&self.repo.path());
        self.check().error().is("RM-VERIFY-005", 1).says(message).says(repair);
    }

    fn forget(&self) {
        let prepared = self.repo.place("state/dependencies");
        if prepared.exists() {
            let chmod = Command::new("chmod").args(["-R", "u+w"]).arg(&prepared).status();
            assert!(chmod.unwrap().success());
            fs::remove_dir_all(prepared).unwrap();
        }
    }
}

/// Writes a file in place of what is there, also where a package manager shares it by hard links.
fn edit(path: PathBuf) {
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mode = fs::metadata(&path).unwrap().permissions();
    fs::remove_file(&path).unwrap();
    fs::write(&path, format!("{text}\n")).unwrap();
    fs::set_permissions(&path, mode).unwrap();
}

fn add_package(modules: PathBuf) {
    fs::create_dir_all(modules.join("added")).unwrap();
    fs::write(modules.join("added/package.json"), r#"{ "name": "added", "version": "1.0.0" }"#).unwrap();
}

fn remove(path: PathBuf) {
    fs::remove_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
