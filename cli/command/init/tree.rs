//! The files of a work tree, as far as they say how the project is tested.

use std::{collections::BTreeSet, fs};

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{
    Match, WalkBuilder,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// Directories that hold copies, examples or data, not projects of this repository.
const NOT_OURS: &[&str] = &[
    ".git",
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "testdata",
    "fixtures",
    "__fixtures__",
    "examples",
    "example",
    "target",
    "dist",
];
/// Deeper projects are for a person to name.
const DEEPEST: usize = 8;
/// Enough to know a project by.
const MOST_FILES: usize = 200_000;
/// No file that describes a project is longer.
const LONGEST: u64 = 1 << 20;

/// The files of a work tree that git does not ignore.
pub struct Tree {
    root: Utf8PathBuf,
    /// From the root, with `/`.
    files: BTreeSet<String>,
    rules: Vec<(String, Gitignore)>,
}

impl Tree {
    /// Lists a work tree. What cannot be read is not there.
    pub fn read(root: &Utf8Path) -> Self {
        let ours = |name: &str| !NOT_OURS.contains(&name);
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .ignore(false)
            .git_global(false)
            .git_exclude(false)
            .parents(false)
            .require_git(false)
            .max_depth(Some(DEEPEST))
            .filter_entry(move |entry| {
                let name = entry.file_name().to_str().unwrap_or_default();
                // A repository inside this one is another project.
                entry.depth() == 0 || (ours(name) && !entry.path().join(".git").exists())
            })
            .build();
        let files = walk
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.path().strip_prefix(root).ok()?.to_str().map(str::to_owned))
            .take(MOST_FILES)
            .collect();
        let mut tree = Self { root: root.to_owned(), files, rules: Vec::new() };
        tree.rules = tree.ignore_rules();
        tree
    }

    /// Whether there is a file of this path.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether there is a directory of this path, ignored by git or not.
    pub fn has_directory(&self, path: &str) -> bool {
        self.root.join(path).is_dir()
    }

    /// The text of a file; none when it is not there, too long or no UTF-8.
    pub fn text(&self, path: &str) -> Option<String> {
        let path = self.root.join(path);
        let length = fs::metadata(&path).ok()?.len();
        if length > LONGEST { None } else { fs::read_to_string(path).ok() }
    }

    /// The files below a directory, by their path from it.
    pub fn below<'a>(&'a self, dir: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        self.files.iter().filter_map(move |file| file.strip_prefix(&prefix))
    }

    /// The directories that have a file of this name, the outer ones first.
    pub fn directories_with(&self, name: &str) -> Vec<&str> {
        let mut found: Vec<_> = self
            .files
            .iter()
            .filter_map(|file| match file.rsplit_once('/') {
                Some((dir, last)) if last == name => Some(dir),
                None if file == name => Some(""),
                _ => None,
            })
            .collect();
        found.sort_by_key(|dir| (depth(dir), *dir));
        found
    }

    /// Whether git ignores a directory of this path, by the `.gitignore` files of the tree.
    pub fn is_ignored(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| path.get(..end)).any(|directory| self.is_named(directory))
    }

    /// Whether the closest rule that names a directory ignores it.
    fn is_named(&self, directory: &str) -> bool {
        let above = self.rules.iter().rev().filter(|(home, _)| within(directory, home).is_some());
        let mut said = above.map(|(home, rules)| rules.matched(within(directory, home).unwrap_or_default(), true));
        matches!(said.find(|found| !found.is_none()), Some(Match::Ignore(_)))
    }

    fn ignore_rules(&self) -> Vec<(String, Gitignore)> {
        let homes = self.directories_with(".gitignore");
        let rules = homes.into_iter().filter_map(|home| {
            let mut builder = GitignoreBuilder::new("");
            for line in self.text(&join(home, ".gitignore"))?.lines() {
                // A line that is no pattern ignores nothing, as in git.
                let _not_a_pattern = builder.add_line(None, line);
            }
            Some((home.to_owned(), builder.build().ok()?))
        });
        rules.collect()
    }
}

/// A path below a directory; the root is the empty text.
pub fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() { path.to_owned() } else { format!("{dir}/{path}") }
}

/// The path from a directory, when it is that directory or below it.
pub fn within<'a>(path: &'a str, dir: &str) -> Option<&'a str> {
    if dir.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(dir)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn depth(dir: &str) -> usize {
    if dir.is_empty() { 0 } else { dir.split('/').count() }
}

#[cfg(test)]
pub mod fixture {
    use super::*;

    /// A tree of these files, in a directory that goes with the guard.
    pub fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::read(Utf8Path::from_path(dir.path()).unwrap());
        (dir, tree)
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::tree;

    #[test]
    fn sees_what_belongs_to_the_project() {
        let (_dir, tree) = tree(&[
            ("package.json", ""),
            ("packages/a/package.json", ""),
            ("packages/a/node_modules/b/package.json", ""),
            ("tests/fixtures/c/package.json", ""),
            ("module/.git", "gitdir: elsewhere"),
            ("module/package.json", ""),
            ("ignored/package.json", ""),
            (".gitignore", "/ignored\nbuild/\n"),
            (".github/workflows/ci.yml", ""),
            ("packages/.gitignore", "!build/\nout\n"),
        ]);
        assert_eq!(tree.directories_with("package.json"), ["", "packages/a"]);
        assert!(tree.has(".github/workflows/ci.yml") && tree.has_directory("ignored"));
        assert_eq!(tree.below("packages/a").collect::<Vec<_>>(), ["package.json"]);
        for (path, ignored) in [
            ("build", true),
            ("a/build", true),
            ("packages/build", false),
            ("packages/a/out/x", true),
            ("ignored/x", true),
            ("packages/ignored", false),
        ] {
            assert_eq!(tree.is_ignored(path), ignored, "{path}");
        }
    }
}
