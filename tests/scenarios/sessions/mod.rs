//! `runmill session ..`: contracts that an agent cannot argue with.

mod contract;
mod evidence;
#[cfg(debug_assertions)]
mod interleaved;
mod orders;
mod rules_off;

use serde_json::Value;

use crate::harness::{Output, Repo, Runmill, User, open_rules};

/// Two profiles that read and one that writes, over files that say how each comes out.
pub const POLICY: &str = "version: 1
profiles:
  - { id: a, description: the first, command: sh, args: [-c, '! test -e a-fails'], timeoutMs: 60000 }
  - { id: b, command: sh, args: [-c, '! test -e b-fails'], timeoutMs: 60000 }
  - { id: write, command: sh, args: [-c, 'mkdir -p ignored; date > ignored/stamp'], sandboxMode: workspace-write, required: false }
";

/// A repository for sessions; what they do is ignored by git, so that only events tell of it.
pub fn repo() -> Repo {
    repo_of(User::Same)
}

pub fn repo_of(user: User) -> Repo {
    let repo = Repo::of(user);
    repo.file("source.txt", "one\n").file(".gitignore", "ignored/\n*-fails\n").commit("base");
    repo
}

/// `runmill session ..` under [`POLICY`].
pub fn session<'a>(repo: &Repo, words: impl IntoIterator<Item = &'a str>) -> Runmill {
    session_under(repo, words, POLICY)
}

pub fn session_under<'a>(repo: &Repo, words: impl IntoIterator<Item = &'a str>, policy: &str) -> Runmill {
    repo.runmill(["session"]).args(words).policy(policy)
}

/// A `runmill.session/v1` document and the exit it came with.
pub struct Session {
    pub document: Value,
    pub output: Output,
}

impl Session {
    #[track_caller]
    pub fn of(run: Runmill) -> Self {
        let output = run.arg("--json").output();
        let document = output.only_document();
        assert_eq!(document["schema"], "runmill.session/v1", "{document:#}\n{}", output.stderr);
        output.assert_nothing_in_progress();
        Self { document, output }
    }

    #[track_caller]
    pub fn exits(&self, exit: i32) -> &Self {
        assert_eq!(self.output.exit, exit, "{:#}", self.document);
        self
    }

    #[track_caller]
    pub fn is(&self, state: &str, allowed: bool) -> &Self {
        assert_eq!((&self.document["state"], &self.document["allowed"]), (&state.into(), &allowed.into()), "{self}");
        self
    }

    #[track_caller]
    pub fn profile(&self, id: &str) -> &Value {
        let profiles = self.document["profiles"].as_array().unwrap();
        profiles.iter().find(|profile| profile["id"] == id).unwrap_or_else(|| panic!("no `{id}` in {self}"))
    }

    /// The rules that stand in the way, sorted.
    pub fn open(&self) -> Vec<&str> {
        open_rules(&self.document)
    }

    /// What to run next.
    pub fn next(&self) -> Vec<&str> {
        self.document["next"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect()
    }
}

impl std::fmt::Display for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}\n{}", self.document, self.output.stderr)
    }
}

/// Runs a verb and reads the session.
#[track_caller]
pub fn at<'a>(repo: &Repo, words: impl IntoIterator<Item = &'a str>) -> Session {
    Session::of(session(repo, words))
}
