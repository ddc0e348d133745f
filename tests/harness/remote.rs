//! What a forge reported of a commit.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::Repo;

/// A `runmill.remote/v1` beside a repository's work tree, as `remote.json`.
pub struct Remote {
    file: PathBuf,
    document: Value,
}

impl Remote {
    /// A look at what is checked out, five minutes after the first one: readable protection that requires nothing, and no
    /// report yet.
    pub fn of(repo: &Repo) -> Self {
        let document = json!({
            "schema": "runmill.remote/v1", "repository": "owner/name", "sha": repo.git(["rev-parse", "HEAD"]),
            "base_branch": "main", "first_observed_at": "2030-01-01T00:00:00Z", "observed_at": "2030-01-01T00:05:00Z",
            "protection": { "readable": true, "required": [] }, "runs": [], "statuses": [],
        });
        Self { file: repo.place("remote.json"), document }
    }

    /// The document.
    pub fn document(&mut self) -> &mut Value {
        &mut self.document
    }

    /// The time of the look.
    pub fn at(&mut self, time: &str) -> &mut Self {
        self.document["observed_at"] = format!("2030-01-01T{time}Z").into();
        self
    }

    /// Protection requires a context.
    pub fn protects(&mut self, context: &str) -> &mut Self {
        self.push("/protection/required", json!({ "context": context }));
        self
    }

    /// Protection could not be read.
    pub fn unreadable(&mut self) -> &mut Self {
        self.document["protection"]["readable"] = false.into();
        self
    }

    /// A run that is over; each is later than those before. The last one reported can be changed.
    pub fn run(&mut self, name: &str, app: &str, conclusion: &str) -> &mut Value {
        let second = self.document["runs"].as_array().unwrap().len();
        let run = json!({
            "name": name, "app": app, "workflow": ".github/workflows/ci.yml", "suite": format!("of {app}"),
            "head_sha": self.document["sha"], "status": "completed", "conclusion": conclusion,
            "started_at": format!("2030-01-01T00:01:{second:02}Z"), "completed_at": "2030-01-01T00:04:00Z",
        });
        self.push("/runs", run)
    }

    /// A run that is not over.
    pub fn running(&mut self, name: &str, app: &str, status: &str) -> &mut Value {
        let run = self.run(name, app, "success");
        run["status"] = status.into();
        run["conclusion"] = Value::Null;
        run["completed_at"] = Value::Null;
        run
    }

    /// A commit status.
    pub fn status(&mut self, context: &str, state: &str) -> &mut Value {
        let sha = self.document["sha"].clone();
        let status = json!({ "context": context, "state": state, "sha": sha, "created_at": "2030-01-01T00:01:00Z" });
        self.push("/statuses", status)
    }

    /// Writes it.
    pub fn write(&self) {
        fs::write(&self.file, self.document.to_string()).unwrap();
    }

    fn push(&mut self, list: &str, item: Value) -> &mut Value {
        let list = self.document.pointer_mut(list).unwrap().as_array_mut().unwrap();
        list.push(item);
        list.last_mut().unwrap()
    }
}
