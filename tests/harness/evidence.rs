//! A key, a trust document, and what is signed and verified with them, beside a repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Output, Repo, Runmill};

/// How the repositories of tests are called.
const NAME: &str = "example.com/acme/shop";

/// The files of somebody who signs and somebody who verifies.
pub struct Evidence<'a> {
    repo: &'a Repo,
}

impl<'a> Evidence<'a> {
    /// A key `ci:1` and a trust document that has it.
    pub fn new(repo: &'a Repo) -> Self {
        let evidence = Self::of(repo);
        evidence.key("ci");
        evidence.trust(&["ci"]);
        evidence
    }

    /// What [`Evidence::new`] made already.
    pub fn of(repo: &'a Repo) -> Self {
        Self { repo }
    }

    /// Makes the key `NAME.pem` with the id `NAME:1`.
    pub fn key(&self, name: &str) {
        let id = format!("{name}:1");
        self.done(&["evidence", "keygen", "--out", &self.at(&format!("{name}.pem")), "--key-id", &id]);
    }

    /// Trusts keys.
    pub fn trust(&self, names: &[&str]) {
        let trust = self.at("trust.json");
        let keys: Vec<_> = names.iter().map(|name| self.at(&format!("{name}.pub.json"))).collect();
        let mut args = vec!["evidence", "trust", "add", &trust];
        args.extend(keys.iter().map(String::as_str));
        self.done(&args);
    }

    /// `evidence sign RUN` with the key `ci`, into the bundle.
    pub fn sign(&self, run: &str) -> Runmill {
        let (key, out) = (self.at("ci.pem"), self.at("bundle.json"));
        self.repo.runmill(["evidence", "sign", run, "--key", &key, "--out", &out, "--repository", NAME])
    }

    /// `evidence export RUN` with the key `ci`.
    pub fn export(&self, run: &str, format: &str, out: &str) -> Runmill {
        let key = self.at("ci.pem");
        let args = ["evidence", "export", run, "--as", format, "--key", &key, "--out", out, "--repository", NAME];
        self.repo.runmill(args)
    }

    /// `evidence expect` of what `check` would judge.
    pub fn expect(&self) -> Runmill {
        let out = self.at("expectations.json");
        self.repo.runmill(["evidence", "expect", "--base", "main", "--out", &out, "--repository", NAME])
    }

    /// `evidence verify` of the bundle.
    pub fn verify(&self) -> Runmill {
        let (bundle, trust, expectations) =
            (self.at("bundle.json"), self.at("trust.json"), self.at("expectations.json"));
        let args = ["evidence", "verify", &bundle, "--trust", &trust, "--expectations", &expectations];
        // Nothing of the person who signed is there.
        self.repo.runmill(args).in_dir(&self.repo.place("home")).state_dir(&self.repo.place("nowhere"))
    }

    /// The exit code and the report of a verification that judges again.
    pub fn replayed(&self) -> (i32, Value) {
        reported(self.verify().args(["--replay", "--json"]).output())
    }

    /// Signs the newest run and derives what is expected of it.
    #[track_caller]
    pub fn signed(&self) -> &Self {
        let (signed, expected) = (self.sign("latest").output(), self.expect().output());
        assert_eq!((signed.exit, expected.exit), (0, 0), "{}{}", signed.stderr, expected.stderr);
        self
    }

    /// A file beside the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.repo.place(name)
    }

    /// A document beside the repository.
    pub fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The same path as a text.
    pub fn at(&self, name: &str) -> String {
        text(&self.path(name))
    }

    #[track_caller]
    fn done(&self, args: &[&str]) {
        let output = self.repo.runmill(args.iter().copied()).output();
        assert_eq!(output.exit, 0, "{args:?}: {}", output.stderr);
    }
}

/// The exit code and the report of a verification.
#[track_caller]
pub fn reported(output: Output) -> (i32, Value) {
    let report = serde_json::from_str(&output.stdout);
    (output.exit, report.unwrap_or_else(|error| panic!("{error}: {}{}", output.stdout, output.stderr)))
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
