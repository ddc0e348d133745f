//! Which files a commit's own `.gitattributes` hand to Git LFS. See gitattributes(5).

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{
    error::GitError,
    listing::{Item, ItemKind},
    objects::Objects,
};

/// The `filter` attributes of one commit.
#[derive(Default)]
pub(super) struct LfsAttributes {
    files: Vec<AttributeFile>,
}

struct AttributeFile {
    directory: Vec<u8>,
    /// In the order of the file; the last that matches counts.
    rules: Vec<(Gitignore, IsLfs)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IsLfs {
    Yes,
    No,
}

impl LfsAttributes {
    /// Reads every `.gitattributes` of a listing.
    pub(super) fn read(objects: &Objects, items: &[Item]) -> Result<Self, GitError> {
        let mut files = Vec::new();
        for item in items.iter().filter(|item| matches!(item.kind, ItemKind::Plain | ItemKind::Executable)) {
            let Some(directory) = directory_of_attributes(&item.path) else { continue };
            let blob = objects.git.find_blob(item.id).map_err(|error| objects.fault(&error, "a `.gitattributes`"))?;
            let text = String::from_utf8_lossy(blob.content()).into_owned();
            let rules: Vec<_> = text.lines().filter_map(filter_rule).collect();
            if !rules.is_empty() {
                files.push(AttributeFile { directory: directory.to_vec(), rules });
            }
        }
        // The closest file decides.
        files.sort_by_key(|file| std::cmp::Reverse(file.directory.len()));
        Ok(Self { files })
    }

    /// Whether `filter=lfs` holds for a path.
    pub(super) fn apply_to(&self, path: &[u8]) -> bool {
        let decided = self.files.iter().find_map(|file| {
            let below = path.strip_prefix(file.directory.as_slice())?;
            let below = String::from_utf8_lossy(below);
            let matching = |rule: &&(Gitignore, IsLfs)| rule.0.matched(Path::new(&*below), false).is_ignore();
            file.rules.iter().rev().find(matching).map(|rule| rule.1)
        });
        decided == Some(IsLfs::Yes)
    }
}

/// The directory with its closing slash, empty for the top, when a path is that of an attributes file.
fn directory_of_attributes(path: &[u8]) -> Option<&[u8]> {
    let directory = path.strip_suffix(b".gitattributes".as_slice())?;
    (directory.is_empty() || directory.ends_with(b"/")).then_some(directory)
}

/// A line that says something about `filter`.
fn filter_rule(line: &str) -> Option<(Gitignore, IsLfs)> {
    let line = line.trim();
    let (pattern, attributes) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => line.split_once([' ', '\t'])?,
    };
    if pattern.is_empty() || pattern.starts_with(['#', '!', '[']) && !pattern.contains(']') {
        return None;
    }
    let is_lfs = attributes.split_ascii_whitespace().rev().find_map(|attribute| match attribute {
        "filter=lfs" => Some(IsLfs::Yes),
        "filter" | "-filter" | "!filter" => Some(IsLfs::No),
        other => other.starts_with("filter=").then_some(IsLfs::No),
    })?;
    let mut builder = GitignoreBuilder::new("");
    builder.add_line(None, pattern).ok()?;
    Some((builder.build().ok()?, is_lfs))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Sample;
    use super::*;

    #[test]
    fn the_closest_file_and_its_last_matching_line_decide() {
        let sample = Sample::new();
        let top = "# comment\n*.bin filter=lfs diff=lfs merge=lfs -text\n/only-top.dat filter=lfs\nplain.bin -filter\n\"a b.dat\" filter=lfs\n*.txt text\n";
        sample.write(".gitattributes", top);
        sample.write("sub/.gitattributes", "*.bin !filter\nassets/*.bin filter=lfs\n");
        let commit = sample.commit("one");
        let repository = sample.open();
        let objects = repository.objects();
        let items = objects.list(objects.commit(&commit).unwrap().tree_id()).unwrap();
        let attributes = LfsAttributes::read(&objects, &items).unwrap();
        for yes in ["x.bin", "deep/x.bin", "only-top.dat", "a b.dat", "sub/assets/x.bin"] {
            assert!(attributes.apply_to(yes.as_bytes()), "{yes}");
        }
        for no in ["x.txt", "deep/only-top.dat", "plain.bin", "sub/x.bin", "subx.dat"] {
            assert!(!attributes.apply_to(no.as_bytes()), "{no}");
        }
    }
}
