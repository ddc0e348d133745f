//! Which files are written, and writing them.

use std::{fs, io, io::Write};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_manifest::ChecksManifest;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;

use super::{
    CiChoice,
    ask::Asker,
    ci::{Ci, Needs},
    detect::Findings,
    ignored,
    manifest::{self, Entry},
    policy,
    tree::Tree,
};
use crate::command::schema;

/// Where the manifest is, from the root.
const MANIFEST: &str = ".runmill/checks.yaml";

/// What goes into a plan.
pub struct Wish {
    /// The CI that was asked for.
    pub ci: Option<CiChoice>,
    /// Where the operator's policy of the project would be; none when another one was named.
    pub policy: Option<Utf8PathBuf>,
    /// What was found.
    pub findings: Findings,
}

/// Files to write, and what a person must do.
#[derive(Default)]
pub struct Plan {
    root: Utf8PathBuf,
    files: Vec<File>,
    entries: Vec<Entry>,
    decisions: Vec<String>,
}

/// A file and what becomes of it.
struct File {
    path: Utf8PathBuf,
    what: String,
    change: Change,
}

enum Change {
    /// It is there already.
    Keep,
    /// It is not there yet.
    Create(String),
    /// These bytes are added to its end.
    Append(String),
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is new.
    Written,
    /// Lines were added to it.
    Appended,
    /// It was there, and is as it was.
    Kept,
}

/// A file and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct FileEntry {
    /// From the root of the repository; absolute outside of it.
    pub path: String,
    /// What became of it.
    pub action: Action,
    /// What it is.
    pub what: String,
}

impl Plan {
    /// Decides what to write; asks what only a person can say.
    pub fn make(root: &Utf8Path, tree: &Tree, wish: Wish, asker: &mut Asker) -> Self {
        let mut plan = Self { root: root.to_owned(), ..Self::default() };
        let manifest = plan.manifest(tree, wish.findings, asker);
        if let Some(manifest) = &manifest {
            plan.ignore_rules(tree, manifest);
        }
        if let Some(path) = wish.policy {
            let schema = path.with_file_name(policy::SCHEMA);
            plan.create(path, "the operator's policy: pr-only", || policy::TEXT.to_owned());
            plan.create(schema, "the schema of the policy, for editors", || schema::text(schema::Name::Policy));
        }
        for ci in Ci::wanted(wish.ci, tree) {
            let named = wish.ci.is_some() || tree.has(ci.path());
            if named || asker.is_wanted(&format!("Write the CI job `{}`?", ci.path()), true) {
                plan.job(ci, manifest.as_ref());
            }
        }
        plan
    }

    /// The manifest, its schema, and what it needs beside it. Gives what governs afterwards, where that can be read.
    fn manifest(&mut self, tree: &Tree, findings: Findings, asker: &mut Asker) -> Option<ChecksManifest> {
        let path = self.root.join(MANIFEST);
        let there = fs::read_to_string(&path).ok();
        let is_there = path.symlink_metadata().is_ok();
        if !is_there {
            self.propose(tree, findings, asker);
        }
        let text = there.unwrap_or_else(|| manifest::text(&self.entries));
        let what = match self.entries.as_slice() {
            [] => "no check: nothing says how this project is tested".to_owned(),
            [one] => format!("1 check: {}", one.id),
            many => format!(
                "{} checks: {}",
                many.len(),
                many.iter().map(|it| it.id.as_str()).collect::<Vec<_>>().join(", ")
            ),
        };
        self.create(path, if is_there { "the checks" } else { &what }, || text.clone());
        let schema = self.root.join(MANIFEST).with_file_name(manifest::SCHEMA);
        self.create(schema, "the schema of the checks, for editors", || schema::text(schema::Name::Checks));
        let mut companions: Vec<_> = self.entries.iter().filter_map(|entry| entry.draft.companion).collect();
        companions.dedup();
        for file in companions {
            self.create(self.root.join(file.path), "how cargo-nextest is run", || file.text.to_owned());
        }
        manifest::parsed(&text).ok()
    }

    fn propose(&mut self, tree: &Tree, findings: Findings, asker: &mut Asker) {
        let Findings { mut drafts, also, notes } = findings;
        self.decisions = notes;
        for draft in also {
            let question = format!("{} is there too. Require it as well?", draft.found);
            if asker.is_wanted(&upper_first(&question), false) {
                drafts.push(draft);
            } else {
                self.decisions.push(format!("{} is not required: add it if it checks something else", draft.found));
            }
        }
        self.entries = manifest::entries(tree, drafts);
        if self.entries.is_empty() {
            let path = MANIFEST;
            self.decisions.push(format!("nothing says how this project is tested: write its checks into `{path}`; until then every change is blocked"));
        }
    }

    fn ignore_rules(&mut self, tree: &Tree, manifest: &ChecksManifest) {
        let lines = ignored::missing_lines(tree, manifest);
        if lines.is_empty() {
            return;
        }
        let path = self.root.join(".gitignore");
        let old = fs::read_to_string(&path).unwrap_or_default();
        let new = ignored::appended(&old, &lines);
        let added = new.get(old.len()..).unwrap_or_default().to_owned();
        let what = format!("what checks write: {}", lines.join(" "));
        let change = if path.symlink_metadata().is_ok() { Change::Append(added) } else { Change::Create(new) };
        self.files.push(File { path, what, change });
    }

    fn job(&mut self, ci: Ci, manifest: Option<&ChecksManifest>) {
        let checks = manifest.map(ChecksManifest::checks).unwrap_or_default();
        let needs = Needs {
            policy: checks.iter().any(|check| check.report().is_none()),
            dependencies: checks.iter().any(|check| !check.dependencies().is_empty()),
        };
        let path = self.root.join(ci.path());
        if path.symlink_metadata().is_err() {
            self.decisions.push(ci.decision().to_owned());
        }
        self.create(path, "the CI job", || ci.text(needs));
    }

    fn create(&mut self, path: Utf8PathBuf, what: &str, text: impl FnOnce() -> String) {
        let is_there = path.symlink_metadata().is_ok();
        let change = if is_there { Change::Keep } else { Change::Create(text()) };
        self.files.push(File { path, what: what.to_owned(), change });
    }

    /// The checks that are proposed.
    pub fn checks(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// What a person must decide or do.
    pub fn decisions(&self) -> &[String] {
        &self.decisions
    }

    /// What would become of each file.
    pub fn preview(&self) -> Vec<FileEntry> {
        self.files.iter().map(|file| self.entry(file)).collect()
    }

    /// Every text that would be written, with its place; schemas are left to `runmill schema`.
    pub fn texts(&self) -> Vec<(String, &str)> {
        let new = self.files.iter().filter(|file| !file.path.as_str().ends_with(".schema.json"));
        new.filter_map(|file| match &file.change {
            Change::Create(text) | Change::Append(text) => Some((self.shown(&file.path), text.as_str())),
            Change::Keep => None,
        })
        .collect()
    }

    /// Writes the files that are not there, and nothing else.
    ///
    /// # Errors
    /// RM-CONFIG-004: a file cannot be written; those before it are.
    pub fn write(&self) -> Result<Vec<FileEntry>, Problems> {
        for file in &self.files {
            write(file).map_err(|error| {
                let message = format!("cannot write `{}`: {error}", self.shown(&file.path));
                Problem::new(Code::Config004, message, "make its directory writable, and run `runmill init` again")
            })?;
        }
        Ok(self.preview())
    }

    fn entry(&self, file: &File) -> FileEntry {
        let action = match file.change {
            Change::Keep => Action::Kept,
            Change::Create(_) => Action::Written,
            Change::Append(_) => Action::Appended,
        };
        FileEntry { path: self.shown(&file.path), action, what: file.what.clone() }
    }

    fn shown(&self, path: &Utf8Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string()
    }
}

fn write(file: &File) -> io::Result<()> {
    match &file.change {
        Change::Keep => Ok(()),
        Change::Create(text) => {
            if let Some(parent) = file.path.parent() {
                fs::create_dir_all(parent)?;
            }
            // Whatever came to be there meanwhile stays.
            fs::File::create_new(&file.path)?.write_all(text.as_bytes())
        }
        Change::Append(text) => fs::OpenOptions::new().append(true).open(&file.path)?.write_all(text.as_bytes()),
    }
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
