//! `runmill verify`: the ten controls, each in a repository of its own, and what surrounds them.

mod boundary;
mod controls;
mod rules_off;
mod streams;

use crate::harness::{Repo, Runmill, User};

/// A repository with one commit and a clean tree.
pub fn repo() -> Repo {
    repo_of(User::Same)
}

pub fn repo_of(user: User) -> Repo {
    let repo = Repo::of(user);
    repo.file("source.txt", "one\n").file(".gitignore", "ignored/\n").commit("base");
    repo
}

/// A policy with this registry, one entry a line.
pub fn policy(registry: &str) -> String {
    let entries = registry.lines().map(str::trim).filter(|line| !line.is_empty());
    let entries: String = entries.map(|line| format!("  - {line}\n")).collect();
    format!("version: 1\nregistry:\n{entries}")
}

/// `runmill verify` of these ids.
pub fn verify<'a>(repo: &Repo, ids: impl IntoIterator<Item = &'a str>, registry: &str) -> Runmill {
    repo.runmill(["verify"]).args(ids).policy(&policy(registry))
}

/// Whether a traced run came to a boundary.
pub fn came_to(repo: &Repo, trace: &str, boundary: &str) -> bool {
    let text = std::fs::read_to_string(repo.place(trace)).unwrap_or_default();
    text.lines().any(|line| line == boundary)
}
