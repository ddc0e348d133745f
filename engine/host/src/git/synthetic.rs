//! The git directory of a view: enough for `git status`, `git log` and `git describe`, and nothing about anything else.
//!
//! Objects are found through `objects/info/alternates`, which costs nothing however long the history is. (A pack made for
//! the commit would cost a repack of its whole history for each view, and then also hold only what is reachable.) Other
//! branches therefore have no name in the view, though an object that is known by its id can still be read.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Index, IndexEntry, IndexTime, Oid};
use runmill_model::{CommitId, Digest, canonical};
use rustix::fs::Stat;

use super::{
    Repository,
    error::GitError,
    listing::ItemKind,
    objects::{Objects, oid},
    write::Written,
};

/// How many object stores may borrow from one another in a row; git's own limit.
const DEEPEST_ALTERNATE: usize = 5;

/// Times and inode numbers of a view may change on the way into a sandbox; size and modification time do not.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n\
                      \tautocrlf = false\n\tfsmonitor = false\n\tcheckstat = minimal\n\ttrustctime = false\n";

/// Writes the directory and returns the object directories it refers to. `written` is sorted by path.
pub(super) fn write(
    objects: &Objects,
    commit: &CommitId,
    written: &[Written],
    git_dir: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, GitError> {
    let object_dirs = write_texts(objects, commit, git_dir)?;
    write_index(written, &git_dir.join("index"))?;
    Ok(object_dirs)
}

/// Writes the directory for a working tree that has an index already, which is copied.
pub(super) fn write_beside(
    objects: &Objects,
    commit: &CommitId,
    index: &Utf8Path,
    git_dir: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, GitError> {
    let object_dirs = write_texts(objects, commit, git_dir)?;
    match copied(index, &git_dir.join("index")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::system("copy", index, error)),
        _ => Ok(object_dirs),
    }
}

/// Copies an index with its age: git looks into files that are not older than it, and takes the others for unchanged.
fn copied(index: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    let written = fs::metadata(index)?.modified()?;
    fs::copy(index, to)?;
    fs::File::options().write(true).open(to)?.set_modified(written)
}

fn write_texts(objects: &Objects, commit: &CommitId, git_dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, GitError> {
    let object_dirs = objects.object_dirs()?;
    for directory in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        let path = git_dir.join(directory);
        fs::create_dir_all(&path).map_err(|error| GitError::system("make the directory", &path, error))?;
    }
    for (name, text) in texts(objects, commit, &object_dirs)? {
        let path = git_dir.join(name);
        fs::write(&path, text).map_err(|error| GitError::system("write", &path, error))?;
    }
    Ok(object_dirs)
}

impl Repository {
    /// SHA-256 over what the `.git` of a view of this commit says beyond the commit itself: its tags, the end of a shallow
    /// history, and where its objects are. It may change while the commit does not.
    ///
    /// # Errors
    /// RM-REPO-003: the history cannot be read.
    pub fn surroundings_digest(&self, commit: &CommitId) -> Result<Digest, GitError> {
        let objects = self.objects();
        // Not those that were added for this run only: their names are new each time.
        let object_dirs = object_dirs(&objects.common_dir.join("objects"))?;
        let texts: BTreeMap<_, _> = texts(&objects, commit, &object_dirs)?.into_iter().collect();
        // INVARIANT: texts only, so there is a canonical form.
        Ok(canonical::digest(&texts).unwrap_or_else(|_| Digest::of(b"")))
    }
}

/// The files of the directory that are texts, by their names. The index is made of what was written.
fn texts(
    objects: &Objects,
    commit: &CommitId,
    object_dirs: &[Utf8PathBuf],
) -> Result<Vec<(&'static str, String)>, GitError> {
    let mut texts = vec![
        ("HEAD", format!("{commit}\n")),
        ("config", CONFIG.to_owned()),
        ("packed-refs", packed_tags(objects, commit)?),
        ("objects/info/alternates", alternates(object_dirs)),
    ];
    if !objects.shallow.is_empty() {
        let mut boundary: Vec<String> = objects.shallow.iter().map(|id| format!("{id}\n")).collect();
        boundary.sort_unstable();
        texts.push(("shallow", boundary.concat()));
    }
    Ok(texts)
}

fn write_index(written: &[Written], path: &Utf8Path) -> Result<(), GitError> {
    let cannot = |error: git2::Error| {
        GitError::tree(format!("cannot write the index `{path}`: {}", error.message()), "check that file system")
    };
    let mut index = Index::open(path.as_std_path()).map_err(cannot)?;
    for item in written.iter().filter(|item| item.kind != ItemKind::Directory) {
        index.add(&index_entry(item)).map_err(cannot)?;
    }
    index.write().map_err(cannot)
}

fn index_entry(item: &Written) -> IndexEntry {
    let mode = match item.kind {
        ItemKind::Executable => 0o100_755,
        ItemKind::Link => 0o120_000,
        ItemKind::Submodule => 0o160_000,
        ItemKind::Plain | ItemKind::Directory => 0o100_644,
    };
    let stat = |field: fn(&Stat) -> u64| item.stat.as_ref().map_or(0, |stat| low_bits(field(stat)));
    let seconds = |field: fn(&Stat) -> u64| i32::from_ne_bytes(stat(field).to_ne_bytes());
    IndexEntry {
        ctime: IndexTime::new(seconds(|stat| stat.st_ctime.cast_unsigned()), stat(|stat| stat.st_ctime_nsec)),
        mtime: IndexTime::new(seconds(|stat| stat.st_mtime.cast_unsigned()), stat(|stat| stat.st_mtime_nsec)),
        dev: stat(|stat| stat.st_dev),
        ino: stat(|stat| stat.st_ino),
        mode,
        uid: stat(|stat| u64::from(stat.st_uid)),
        gid: stat(|stat| u64::from(stat.st_gid)),
        file_size: stat(|stat| stat.st_size.cast_unsigned()),
        id: item.id,
        flags: 0,
        flags_extended: 0,
        path: item.path.clone(),
    }
}

/// The index format keeps the low 32 bits of every number.
fn low_bits(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}

/// The tags of the commit and its ancestors, in the form of git-pack-refs(1).
fn packed_tags(objects: &Objects, commit: &CommitId) -> Result<String, GitError> {
    let mut tags = Vec::new();
    let references = objects.git.references_glob("refs/tags/*").map_err(|error| objects.fault(&error, "the tags"))?;
    for reference in references.flatten() {
        // A tag whose object is not here, or that is of no commit, is not one that the commit contains.
        let (Ok(name), Some(id), Ok(tagged)) = (reference.name(), reference.target(), reference.peel_to_commit())
        else {
            continue;
        };
        tags.push((name.to_owned(), id, tagged.id()));
    }
    let contained = contained(objects, oid(commit)?, tags.iter().map(|(_, _, tagged)| *tagged).collect())?;
    tags.retain(|(_, _, tagged)| contained.contains(tagged));
    tags.sort_unstable();
    let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
    for (name, id, tagged) in tags {
        text.push_str(&format!("{id} {name}\n"));
        if id != tagged {
            text.push_str(&format!("^{tagged}\n"));
        }
    }
    Ok(text)
}

/// Those of `wanted` that are the commit or its ancestors. Stops as soon as all are found.
fn contained(objects: &Objects, commit: Oid, wanted: HashSet<Oid>) -> Result<HashSet<Oid>, GitError> {
    if wanted.is_empty() {
        return Ok(wanted);
    }
    if !objects.shallow.is_empty() {
        let ancestors = objects.ancestors(commit)?;
        return Ok(wanted.into_iter().filter(|id| ancestors.contains(id)).collect());
    }
    let cannot = |error: git2::Error| objects.fault(&error, "the history of the commit");
    let mut walk = objects.git.revwalk().map_err(cannot)?;
    walk.push(commit).map_err(cannot)?;
    let mut found = HashSet::new();
    for id in walk {
        let id = id.map_err(cannot)?;
        if wanted.contains(&id) && found.insert(id) && found.len() == wanted.len() {
            break;
        }
    }
    Ok(found)
}

/// An object directory and those it borrows from, absolute, each once.
pub(super) fn object_dirs(first: &Utf8Path) -> Result<Vec<Utf8PathBuf>, GitError> {
    let mut found = Vec::new();
    let mut pending = vec![(first.to_owned(), 0)];
    while let Some((path, depth)) = pending.pop() {
        // As in git, a store that is gone is left out; what is missing then shows when it is read.
        let Ok(real) = path.canonicalize_utf8() else { continue };
        if found.contains(&real) || depth > DEEPEST_ALTERNATE {
            continue;
        }
        let borrowed = fs::read_to_string(real.join("info/alternates")).unwrap_or_default();
        let named = borrowed.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        pending.extend(named.map(|line| (real.join(line.trim_matches('"')), depth + 1)));
        found.push(real);
    }
    if found.is_empty() {
        return Err(GitError::missing(format!("there are no objects at `{first}`"), "run `git fsck`"));
    }
    Ok(found)
}

/// The text of an alternates file; a path with a line break in it is quoted as git does.
fn alternates(object_dirs: &[Utf8PathBuf]) -> String {
    let line = |path: &Utf8PathBuf| {
        if path.as_str().contains('\n') { format!("{:?}\n", path.as_str()) } else { format!("{path}\n") }
    };
    object_dirs.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Sample;

    #[test]
    fn the_surroundings_of_a_commit_are_its_tags_and_where_its_history_is() {
        let sample = Sample::new();
        sample.write("a", "1");
        let first = sample.commit("one");
        let second = sample.commit("two");
        let digest = |commit| sample.open().surroundings_digest(commit).unwrap();
        let before = digest(&first);
        assert_eq!(before, digest(&first));
        sample.git(&["tag", "later", second.as_str()]);
        assert_eq!(before, digest(&first), "no view of the commit shows the tag");
        sample.git(&["tag", "v1", first.as_str()]);
        assert_ne!(before, digest(&first));
    }
}
