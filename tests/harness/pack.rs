//! Packs written to a folder, as an operator or a repository would have them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::Repo;

/// A pack's folder beside a repository.
pub struct PackDir {
    dir: PathBuf,
}

impl PackDir {
    /// A pack with a manifest and no rule yet.
    pub fn new(repo: &Repo, name: &str) -> Self {
        Self::at(&repo.place("packs").join(name), name)
    }

    /// A pack in a given folder.
    pub fn at(dir: &Path, name: &str) -> Self {
        fs::create_dir_all(dir).unwrap();
        let manifest = format!(
            "pack \"{name}\" version=\"1.0.0\" {{\n    engine \"0.1\"\n    facts 1\n    description \"A pack of a test\"\n}}\n"
        );
        fs::write(dir.join("pack.kdl"), manifest).unwrap();
        Self { dir: dir.to_owned() }
    }

    /// Writes a file of the pack.
    pub fn file(self, path: &str, text: &str) -> Self {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes the rule `team/NAME` of stage `verdict` on `on`, with this body.
    pub fn rule(self, name: &str, on: &str, body: &str) -> Self {
        let text = format!(
            "//! A rule of a test.\nrule \"team/{name}\" #{{\n    stage: \"verdict\", on: \"{on}\", code: \"RM-VERIFY-001\", \
             level: \"block\",\n    why: \"A test asks for it.\", fix: \"Change the test.\",\n}} when |{on}, cx| {{\n    \
             {body}\n}}\n"
        );
        self.file(&format!("verdict/{name}.rhai"), &text)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }
}
