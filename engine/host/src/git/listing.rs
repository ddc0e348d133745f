//! Everything in a commit's tree, or the reason why it must not be written to a disk.

use std::collections::HashSet;

use git2::Oid;

use super::{content::FoundKind, error::GitError, objects::Objects, walk::join};

/// Most files and directories of a commit. A tree of a few kilobytes can name a directory a billion times.
pub(super) const MOST_PATHS: usize = 2_000_000;

/// One thing to write.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// Relative, `/`-separated, checked: no segment leads out of the tree or into a `.git`.
    pub(super) path: Vec<u8>,
    pub(super) kind: ItemKind,
    /// The blob; for a submodule its commit; for a directory its tree.
    pub(super) id: Oid,
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Directory,
    Plain,
    Executable,
    Link,
    Submodule,
}

impl Objects {
    /// Lists a tree, every directory before what is in it.
    ///
    /// # Errors
    /// RM-REPO-003: a tree is missing; RM-REPO-006: a name in it is hostile, an entry is of an unknown kind, or there are more
    /// than [`MOST_PATHS`].
    pub(super) fn list(&self, tree: Oid) -> Result<Vec<Item>, GitError> {
        self.list_at_most(tree, MOST_PATHS)
    }

    fn list_at_most(&self, tree: Oid, most: usize) -> Result<Vec<Item>, GitError> {
        let mut items = Vec::new();
        let mut pending = vec![(Vec::new(), tree)];
        while let Some((path, id)) = pending.pop() {
            let what = || format!("the directory `{}`", String::from_utf8_lossy(&path));
            let tree = self.git.find_tree(id).map_err(|error| self.fault(&error, &what()))?;
            let mut names = HashSet::with_capacity(tree.len());
            for entry in tree.iter() {
                let below = join(&path, entry.name_bytes());
                if let Some(why) = hostile(entry.name_bytes()) {
                    return Err(refused(&below, why));
                }
                if !names.insert(entry.name_bytes().to_vec()) {
                    return Err(refused(&below, "the name is there twice"));
                }
                let mode = entry.filemode_raw();
                let kind = item_kind(mode).ok_or_else(|| refused(&below, "git does not write entries of that mode"))?;
                if kind == ItemKind::Directory {
                    pending.push((below.clone(), entry.id()));
                }
                items.push(Item { path: below, kind, id: entry.id() });
            }
            if items.len() > most {
                return Err(too_many_paths("the commit holds", most));
            }
        }
        Ok(items)
    }
}

fn item_kind(mode: i32) -> Option<ItemKind> {
    match FoundKind::of(mode) {
        FoundKind::File if mode & 0o100 != 0 => Some(ItemKind::Executable),
        FoundKind::File => Some(ItemKind::Plain),
        FoundKind::Link => Some(ItemKind::Link),
        FoundKind::Directory => Some(ItemKind::Directory),
        FoundKind::Submodule => Some(ItemKind::Submodule),
        FoundKind::Unknown => None,
    }
}

fn refused(path: &[u8], why: &str) -> GitError {
    GitError::tree(
        format!("refusing to write `{}`: {why}", path.escape_ascii()),
        "no ordinary git makes such a tree; do not check this commit out, and find out who made it",
    )
}

/// The refusal of a tree that only looks small.
pub(super) fn too_many_paths(what: &str, most: usize) -> GitError {
    GitError::tree(format!("{what} more than {most} paths"), "split the repository, or find out who made such a tree")
}

/// Why a name must not be written; none when it may.
fn hostile(name: &[u8]) -> Option<&'static str> {
    if name.is_empty() {
        return Some("a name is empty");
    }
    if name.contains(&b'/') || name.contains(&0) {
        return Some("a name has a slash or a NUL in it");
    }
    if matches!(name, b"." | b"..") {
        return Some("a name leads out of its directory");
    }
    names_dot_git(name).then_some("a name can be taken for `.git`")
}

/// Whether some file system would take a name for `.git`: in another case (HFS+, NTFS), with characters HFS+ leaves out,
/// as the short name `git~1`, with dots or spaces after it, or as one of its streams (NTFS). As git's own verify_path.
fn names_dot_git(name: &[u8]) -> bool {
    let text = String::from_utf8_lossy(name);
    let kept: String = text.chars().filter(|letter| !ignored_by_hfs(*letter)).collect();
    let before_stream = kept.split(':').next().unwrap_or_default();
    let folded = before_stream.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    matches!(folded.as_str(), ".git" | "git~1")
}

fn ignored_by_hfs(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code};
    use super::hostile;

    #[test]
    fn names_that_some_file_system_takes_for_dot_git_are_hostile() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~1",
            ".git.",
            ".git ",
            ".git . .",
            ".git:stream",
            ".g\u{200c}it",
            "\u{feff}.git",
            "..",
            ".",
            "",
            "a/b",
            "a\0b",
        ] {
            assert!(hostile(name.as_bytes()).is_some(), "{name:?}");
        }
        for name in [".gitignore", ".gitmodules", "git", "x.git", "...", "git~2", "caf\u{e9}", "a b", "a\\b"] {
            assert!(hostile(name.as_bytes()).is_none(), "{name:?}");
        }
    }

    #[test]
    fn a_tree_that_only_looks_small_is_refused() {
        let sample = Sample::new();
        let blob = sample.blob(b"1");
        let names: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        let tree_of = |mode: &str, id: &str| {
            let entries: Vec<_> = names.iter().map(|name| (mode, name.as_bytes(), id)).collect();
            sample.tree_of_entries(&entries)
        };
        let inner = (0..12).fold(tree_of("100644", &blob), |below, _| tree_of("40000", &below));
        let candidate = sample.commit_of_entries(&[("40000", b"bomb", &inner)]);
        let base = sample.commit_of_entries(&[("100644", b"a", &blob)]);
        let repository = sample.open();
        let tree = repository.objects().commit(&candidate).unwrap().tree_id();
        assert_eq!(code(repository.objects().list_at_most(tree, 1000).map(|items| items.len())), Code::Repo006);
        assert_eq!(code(repository.changed_at_most(&base, &candidate, 1000)), Code::Repo006);
    }

    #[test]
    fn hostile_trees_are_refused_before_anything_is_written() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.commit("one");
        let blob = sample.blob(b"#!/bin/sh\n");
        let inner = sample.tree_of_entries(&[("100755", b"post-checkout", &blob)]);
        let link = sample.blob(b"/etc");
        let below = |name: &[u8]| sample.tree_of_entries(&[("40000", name, &inner)]);
        let trees: Vec<Vec<(&str, &[u8], String)>> = vec![
            vec![("100644", b"..", blob.clone())],
            vec![("40000", b"..", inner.clone())],
            vec![("40000", b".git", inner.clone())],
            vec![("40000", b".GiT", inner.clone())],
            vec![("100644", b"a/b", blob.clone())],
            vec![("100644", b"/etc/x", blob.clone())],
            vec![("40000", b"sub", below(b".git"))],
            vec![("120000", b"x", link.clone()), ("40000", b"x", inner.clone())],
            vec![("100644", b"x", blob.clone()), ("100644", b"y", blob.clone()), ("100644", b"x", blob.clone())],
            vec![("060644", b"device", blob.clone())],
        ];
        for entries in trees {
            let entries: Vec<(&str, &[u8], &str)> =
                entries.iter().map(|(mode, name, id)| (*mode, *name, id.as_str())).collect();
            let commit = sample.commit_of_entries(&entries);
            let views = sample.beside("views");
            std::fs::create_dir_all(&views).unwrap();
            assert_eq!(code(sample.open().materialise(&commit, &views)), Code::Repo006, "{entries:?}");
            assert_eq!(std::fs::read_dir(&views).unwrap().count(), 0, "{entries:?}");
        }
    }
}
