//! Throw-away repositories, for demonstrations on a machine where nothing may be touched.

use std::{fs, io, os::unix::fs::PermissionsExt};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Repository, RepositoryInitOptions, Signature, build::CheckoutBuilder};

/// A file to write; removed when it has no text.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// Inside the repository.
    pub path: &'a str,
    /// The whole text.
    pub text: Option<&'a str>,
}

/// Why a throw-away repository could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThrowAwayError {
    /// Git's reason.
    #[error("cannot make a repository: {0}")]
    Git(#[from] git2::Error),
    /// The system's reason.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// What.
        path: Utf8PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// A repository of our own making.
pub struct ThrowAway {
    git: Repository,
    root: Utf8PathBuf,
}

impl ThrowAway {
    /// An empty repository in a directory, with `main` as its branch.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn create(root: &Utf8Path) -> Result<Self, ThrowAwayError> {
        let mut options = RepositoryInitOptions::new();
        let git = Repository::init_opts(root, options.initial_head("main").no_reinit(true).external_template(false))?;
        Ok(Self { git, root: root.to_owned() })
    }

    /// Where it is.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Commits edits on top of the branch that is checked out.
    ///
    /// # Errors
    /// A file cannot be written, or git refuses.
    pub fn commit(&self, message: &str, edits: &[Edit<'_>]) -> Result<(), ThrowAwayError> {
        let mut index = self.git.index()?;
        for edit in edits {
            let path = self.root.join(edit.path);
            let wrote = match edit.text {
                Some(text) => write(&path, text),
                None => fs::remove_file(&path),
            };
            wrote.map_err(|source| ThrowAwayError::Write { path, source })?;
            match edit.text {
                Some(_) => index.add_path(edit.path.as_ref())?,
                None => index.remove_path(edit.path.as_ref())?,
            }
        }
        index.write()?;
        let tree = self.git.find_tree(index.write_tree()?)?;
        let author = Signature::now("runmill demo", "demo@example.invalid")?;
        let parent = self.git.head().ok().and_then(|head| head.peel_to_commit().ok());
        self.git.commit(Some("HEAD"), &author, &author, message, &tree, &parent.iter().collect::<Vec<_>>())?;
        Ok(())
    }

    /// Starts a branch at `main` and checks it out.
    ///
    /// # Errors
    /// Git refuses.
    pub fn branch(&self, name: &str) -> Result<(), ThrowAwayError> {
        let main = self.git.find_branch("main", git2::BranchType::Local)?.get().peel_to_commit()?;
        self.git.branch(name, &main, true)?;
        self.check_out(name)
    }

    /// Checks out a branch.
    ///
    /// # Errors
    /// Git refuses.
    pub fn check_out(&self, name: &str) -> Result<(), ThrowAwayError> {
        self.git.set_head(&format!("refs/heads/{name}"))?;
        Ok(self.git.checkout_head(Some(CheckoutBuilder::new().force()))?)
    }
}

fn write(path: &Utf8Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)?;
    let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_start_at_main_and_keep_their_own_files() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let repo = ThrowAway::create(root).unwrap();
        repo.commit("base", &[Edit { path: "a/b.sh", text: Some("#!/bin/sh\n") }]).unwrap();
        repo.branch("one").unwrap();
        repo.commit("gone", &[Edit { path: "a/b.sh", text: None }]).unwrap();
        assert!(!root.join("a/b.sh").exists());
        repo.check_out("main").unwrap();
        assert_eq!(fs::metadata(root.join("a/b.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    }
}
