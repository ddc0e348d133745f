//! One commit, written once, byte for byte, and proven.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use git2::Oid;
use runmill_model::{CommitId, Digest, RepoPath};
use rustix::fs::{Mode, fstat};

use super::{
    Repository,
    blobs::Blobs,
    error::GitError,
    lfs::Stored,
    listing::Item,
    private_dir::remove,
    proof::{Proof, prove},
    sharing::{Beside, Files, SharedProof, Source},
    store::Store,
    submodule::Submodules,
    synthetic,
    tree_digest::{stat_hash, tree_hash},
    walk::open_directory,
    write::{Writer, Written, make_directory},
};

/// A commit on disk. It lives as long as the private directory it was written into.
#[derive(Debug, Clone)]
pub struct SealedView {
    /// The commit.
    pub commit: CommitId,
    /// The files: exactly the commit's bytes, without filters; modes 0644 and 0755, whatever the umask, so that what a
    /// check copies out of it can be written to; one modification time, that of the commit or of the view it shares with.
    /// It holds an empty directory `.git`, the mount point for `git_dir`.
    pub tree: Utf8PathBuf,
    /// A git directory made for this view: detached `HEAD`, an index that matches `tree`, tags that the commit contains,
    /// and nothing else. To be mounted read-only on `.git` in the tree.
    pub git_dir: Utf8PathBuf,
    /// Absolute paths of object directories of this host that `git_dir` refers to. They must be visible read-only at the
    /// same paths.
    pub object_dirs: Vec<Utf8PathBuf>,
    /// The content digest of `tree` without `.git`, of the bytes that were read back from the disk after writing and found
    /// to be the commit's. Serves as the hash before a first invocation.
    pub tree_hash: Digest,
    /// What of the commit could not be had; sorted, empty as a rule.
    pub notes: Vec<ViewNote>,
    /// What another view can share.
    pub(super) files: Files,
    /// The modification time of every file, in seconds since 1970.
    pub(super) modified: i64,
}

impl SealedView {
    /// The content digest of `tree`, without `.git`, now.
    ///
    /// # Errors
    /// RM-REPO-006: something in it cannot be read.
    pub fn hash_content(&self) -> Result<Digest, GitError> {
        tree_hash(&self.tree, &[dot_git()?])
    }

    /// The stat digest of `tree`, without `.git`, now.
    ///
    /// # Errors
    /// RM-REPO-006: something in it cannot be looked at.
    pub fn hash_stat(&self) -> Result<Digest, GitError> {
        stat_hash(&self.tree, &[dot_git()?])
    }
}

/// Something of a commit that its view does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ViewNote {
    /// The file is still a Git LFS pointer: the local store does not have its content.
    LfsAbsent {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The content that should be there.
        content: Digest,
    },
    /// The file is still a Git LFS pointer: what the local store has is not the content the pointer names.
    LfsDamaged {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The content that should be there.
        content: Digest,
    },
    /// The directory is empty: the pinned commit of this submodule is not in the local module store.
    SubmoduleAbsent {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The pinned commit, 40 hex digits.
        commit: String,
    },
}

impl ViewNote {
    pub(super) fn lfs(path: &[u8], content: Digest, stored: Stored) -> Self {
        let path = String::from_utf8_lossy(path).into_owned();
        if stored == Stored::Damaged { Self::LfsDamaged { path, content } } else { Self::LfsAbsent { path, content } }
    }

    pub(super) fn submodule(path: &[u8], commit: Oid) -> Self {
        Self::SubmoduleAbsent { path: String::from_utf8_lossy(path).into_owned(), commit: commit.to_string() }
    }
}

impl fmt::Display for ViewNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LfsAbsent { path, content } => {
                write!(f, "`{path}` is a git lfs pointer: the local store does not have {content}; run `git lfs fetch`")
            }
            Self::LfsDamaged { path, content } => {
                write!(f, "`{path}` is a git lfs pointer: the local copy of {content} is damaged; run `git lfs fsck`")
            }
            Self::SubmoduleAbsent { path, commit } => write!(
                f,
                "the submodule `{path}` is empty: its commit {commit} is not here; run `git submodule update --init`"
            ),
        }
    }
}

impl Repository {
    /// Writes a commit into a new directory below `parent`, which should be a [`super::PrivateDir`], and proves it from the
    /// disk: every path, mode and file against the commit's tree, files by the ids of their blobs.
    ///
    /// The directory has the commit's id for a name, so one parent takes each commit once.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone or damaged; RM-REPO-006: the commit holds a hostile name, the
    /// directory is there already, or it cannot be written or read back exactly.
    pub fn materialise(&self, commit: &CommitId, parent: &Utf8Path) -> Result<SealedView, GitError> {
        self.materialise_beside(commit, parent, None)
    }

    /// The same, with the files that are the same in both commits linked from another view, where the file system can.
    /// They have one inode then, so what moves one view moves the other, and the status change time of such a file is
    /// that of this call: no stat digest of the other view holds across it. All files of the new view have the
    /// modification time of that view's.
    ///
    /// # Errors
    /// As [`Repository::materialise`]. A view that no longer holds what was proven is no error: nothing of it is used then.
    pub fn materialise_beside(
        &self,
        commit: &CommitId,
        parent: &Utf8Path,
        beside: Option<Beside<'_>>,
    ) -> Result<SealedView, GitError> {
        let home = parent.join(commit.as_str());
        let (items, committed) = {
            let objects = self.objects();
            let found = objects.commit(commit)?;
            (objects.list(found.tree_id())?, found.time().seconds())
        };
        let laying = Laying { store: &self.store, commit, committed, items: &items, home: &home };
        if let Some(source) = beside.and_then(Source::of) {
            if let Ok(view) = laying.seal(Some(&source))? {
                return Ok(view);
            }
            remove(&home);
        }
        laying.seal(None)?
    }
}

/// A commit and where it goes.
struct Laying<'a> {
    store: &'a Store,
    commit: &'a CommitId,
    /// In seconds since 1970.
    committed: i64,
    items: &'a [Item],
    home: &'a Utf8Path,
}

impl Laying<'_> {
    /// Writes and proves it. The inner error: all was written, and it is not the commit.
    fn seal(&self, source: Option<&Source<'_>>) -> Result<Result<SealedView, GitError>, GitError> {
        let Self { store, commit, committed, items, home } = *self;
        let (tree, git_dir) = (home.join("tree"), home.join("git"));
        let making = |error| GitError::system("make the directory", home, error);
        rustix::fs::mkdir(home.as_str(), Mode::RWXU).map_err(making)?;
        let home_fd = open_directory(rustix::fs::CWD, home.as_str().as_bytes()).map_err(making)?;
        // A commit from the future must not make files that are newer than anything a check makes.
        let now = fstat(&home_fd).map_err(making)?.st_mtime;
        make_directory(&home_fd, b"tree").map_err(making)?;
        let root = open_directory(&home_fd, b"tree").map_err(making)?;
        make_directory(&root, b".git").map_err(making)?;

        let modified = source.map_or_else(|| committed.clamp(0, now), |source| source.modified);
        let writer = Writer { root: &root, below: b"", modified, source };
        let mut written = writer.write(&Blobs::of(store, items)?, items)?;
        let mut submodules = Submodules::default();
        submodules.write(store, items, &writer)?;

        // The index lists the files of the commit, not those of its submodules.
        written.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let mut all: Vec<&Written> = written.iter().chain(&submodules.written).collect();
        all.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let shared = source.map_or(SharedProof::Now, |source| source.proof);
        let (proof, object_dirs) = std::thread::scope(|scope| {
            let proving = scope.spawn(|| prove(&tree, &[dot_git()?], &all, shared));
            let object_dirs = synthetic::write(&store.verified(), commit, &written, &git_dir);
            (proving.join(), object_dirs)
        });
        let object_dirs = object_dirs?;
        let Some(Proof { digest, files }) = proof.map_err(|_| not_proven(commit, home))?? else {
            // Either the store has other bytes under the id of a blob, or the disk has other bytes than were written.
            let fault = Blobs::fault(store, items).or_else(|| submodules.fault());
            return Ok(Err(fault.unwrap_or_else(|| not_proven(commit, home))));
        };
        let mut notes = submodules.notes;
        let of_files = written.into_iter().chain(submodules.written).filter_map(|item| item.note);
        notes.extend(of_files);
        notes.sort_unstable();
        let commit = commit.clone();
        Ok(Ok(SealedView { commit, tree, git_dir, object_dirs, tree_hash: digest, notes, files, modified }))
    }
}

fn not_proven(commit: &CommitId, home: &Utf8Path) -> GitError {
    GitError::tree(
        format!("`{home}` does not hold what was written for commit {}", commit.short()),
        "check that file system for errors, and that nothing else writes there",
    )
}

/// The path that no digest of a view covers.
fn dot_git() -> Result<RepoPath, GitError> {
    // INVARIANT: `.git` is a normal path, so this never fails.
    RepoPath::new(".git").map_err(|error| GitError::tree(error.to_string(), "report this"))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use runmill_model::Code;

    use super::super::{
        PrivateDir,
        fixture::{Sample, code, git_in},
    };
    use super::*;

    /// Everything a view must answer, as a check in the sandbox would ask it.
    fn git_in_view(view: &SealedView, arguments: &[&str]) -> String {
        let (git_dir, tree) = (format!("--git-dir={}", view.git_dir), format!("--work-tree={}", view.tree));
        let mut all = vec![git_dir.as_str(), tree.as_str()];
        all.extend(arguments);
        git_in(&view.tree, &all, b"")
    }

    fn materialise(sample: &Sample, commit: &CommitId) -> (PrivateDir, SealedView) {
        let home = PrivateDir::create_in(&sample.dir).unwrap();
        let view = sample.open().materialise(commit, home.path()).unwrap();
        (home, view)
    }

    #[test]
    fn a_view_has_exactly_the_bytes_modes_and_links_of_the_commit() {
        let sample = Sample::new();
        sample.write(".gitattributes", "*.txt text eol=crlf\n*.id ident\n*.sh filter=evil\n");
        sample.write("a/b/lines.txt", "one\ntwo\n");
        sample.write("a/x.id", "$Id$\n");
        sample.write("run.sh", "#!/bin/sh\n");
        sample.write("caf\u{e9} \"quoted\"\n", "odd name");
        fs::set_permissions(sample.dir.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("../outside", sample.dir.join("a/link")).unwrap();
        let commit = sample.commit("one");
        sample.git(&["config", "filter.evil.smudge", "touch ../smudged; cat"]);
        sample.git(&["config", "core.autocrlf", "true"]);
        let (home, view) = materialise(&sample, &commit);

        let read = |path: &str| fs::read_to_string(view.tree.join(path)).unwrap();
        assert_eq!(read("a/b/lines.txt"), "one\ntwo\n");
        assert_eq!(read("a/x.id"), "$Id$\n");
        assert_eq!(read("caf\u{e9} \"quoted\"\n"), "odd name");
        assert_eq!(fs::read_link(view.tree.join("a/link")).unwrap().to_str().unwrap(), "../outside");
        let mode = |path: &str| fs::metadata(view.tree.join(path)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(["run.sh", "a/x.id", "a", ""].map(mode), [0o755, 0o644, 0o755, 0o755]);
        assert_eq!(fs::metadata(view.tree.parent().unwrap()).unwrap().permissions().mode() & 0o7777, 0o700);
        assert_eq!(fs::metadata(view.tree.join("run.sh")).unwrap().modified().unwrap(), committed());
        assert!(!sample.beside("smudged").exists());
        assert_eq!(view.hash_content().unwrap(), view.tree_hash);
        assert!(view.notes.is_empty());
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");
        assert_eq!(code(sample.open().materialise(&commit, home.path())), Code::Repo006);
    }

    fn committed() -> std::time::SystemTime {
        std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000)
    }

    #[test]
    fn the_same_commit_has_the_same_digest_and_another_tree_another() {
        let sample = Sample::new();
        sample.write("a", "1");
        let first = sample.commit("one");
        let same_tree = sample.commit("two");
        sample.write("a", "2");
        let other = sample.commit("three");
        let digests = [&first, &first, &same_tree, &other].map(|commit| materialise(&sample, commit).1.tree_hash);
        assert_eq!(digests[0], digests[1]);
        assert_eq!(digests[0], digests[2]);
        assert_ne!(digests[0], digests[3]);
    }

    #[test]
    fn git_inside_a_view_sees_its_commit_and_no_other_branch() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.commit("one");
        sample.git(&["tag", "-a", "v1", "-m", "v1"]);
        sample.git(&["tag", "light"]);
        sample.write("b", "2");
        let commit = sample.commit("two");
        sample.git(&["checkout", "-q", "-b", "secret-branch"]);
        sample.commit("three");
        sample.git(&["tag", "later"]);
        sample.git(&["remote", "add", "origin", "https://token@example.org/x"]);
        sample.git(&["pack-refs", "--all"]);
        let (_home, view) = materialise(&sample, &commit);
        assert_eq!(git_in_view(&view, &["rev-parse", "HEAD"]), commit.as_str());
        assert_eq!(git_in_view(&view, &["describe"]), format!("v1-1-g{}", &commit.as_str()[..7]));
        assert_eq!(git_in_view(&view, &["tag"]), "light\nv1");
        assert_eq!(git_in_view(&view, &["for-each-ref", "refs/heads", "refs/remotes"]), "");
        assert_eq!(git_in_view(&view, &["log", "--all", "--topo-order", "--format=%s"]), "two\none");
        assert_eq!(git_in_view(&view, &["remote"]), "");
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");
        assert_eq!(git_in_view(&view, &["fsck", "--no-dangling", "--no-reflogs"]), "");
        assert_eq!(view.object_dirs, [sample.dir.join(".git/objects")]);
        fs::write(view.tree.join("a"), "9").unwrap();
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), " M a");
        assert_ne!(view.hash_content().unwrap(), view.tree_hash);
    }

    #[test]
    fn borrowed_and_shallow_histories_work_inside_a_view() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.commit("one");
        let commit = sample.commit("two");
        let (borrowing, shallow) = (sample.beside("borrowing"), sample.beside("shallow"));
        sample.git(&["clone", "-q", "--shared", ".", borrowing.as_str()]);
        sample.git(&["clone", "-q", "--depth", "1", &format!("file://{}", sample.dir), shallow.as_str()]);
        for (clone, stores, log) in [(borrowing, 2, "two\none"), (shallow, 1, "two")] {
            let home = PrivateDir::create_in(&clone).unwrap();
            let view = Repository::discover(&clone).unwrap().materialise(&commit, home.path()).unwrap();
            assert_eq!(view.object_dirs.len(), stores);
            assert_eq!(git_in_view(&view, &["log", "--topo-order", "--format=%s"]), log);
            assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");
        }
    }

    #[test]
    fn missing_and_damaged_objects_are_errors() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.write("b", "2");
        let commit = sample.commit("one");
        let loose = |id: &str| sample.dir.join(".git/objects").join(&id[..2]).join(&id[2..]);
        let (first, second) = (loose(&sample.blob(b"1")), loose(&sample.blob(b"2")));
        let intact = fs::read(&second).unwrap();
        fs::remove_file(&second).unwrap();
        // A well-formed object under the wrong id: only recomputing the id shows it.
        fs::copy(&first, &second).unwrap();
        let try_again = || {
            let home = PrivateDir::create_in(&sample.dir).unwrap();
            sample.open().materialise(&commit, home.path())
        };
        assert_eq!(code(try_again()), Code::Repo003);
        fs::remove_file(&second).unwrap();
        assert_eq!(code(try_again()), Code::Repo003);
        fs::write(&second, intact).unwrap();
        assert!(try_again().is_ok());
    }

    #[test]
    fn a_partial_clone_without_the_files_says_how_to_get_them() {
        let sample = Sample::new();
        sample.write("a", "1");
        let commit = sample.commit("one");
        sample.git(&["config", "uploadpack.allowFilter", "true"]);
        let clone = sample.beside("partial");
        let url = format!("file://{}", sample.dir);
        sample.git(&["clone", "-q", "--filter=blob:none", "--no-checkout", &url, clone.as_str()]);
        let home = PrivateDir::create_in(&sample.dir).unwrap();
        let error = Repository::discover(&clone).unwrap().materialise(&commit, home.path()).unwrap_err();
        assert_eq!(error.code(), Code::Repo003);
        assert!(error.help().contains("partial clone"), "{}", error.help());
    }

    #[test]
    fn lfs_content_comes_from_the_local_store_or_is_noted() {
        let sample = Sample::new();
        let content = b"large file".as_slice();
        let digest = Digest::of(content);
        let pointer = |digest: Digest| format!("version https://git-lfs.github.com/spec/v1\noid {digest}\nsize 10\n");
        let damaged = Digest::of(b"damaged!!!");
        sample.write("good.bin", pointer(digest));
        sample.write("absent.bin", pointer(Digest::of(b"absent")));
        sample.write("damaged.bin", pointer(damaged));
        sample.write("fixture.txt", pointer(digest));
        sample.write(".gitattributes", "*.bin filter=lfs\n");
        let commit = sample.commit("one");
        for stored in [digest, damaged] {
            let hex = stored.hex();
            sample.write(&format!(".git/lfs/objects/{}/{}/{hex}", &hex[..2], &hex[2..4]), content);
        }
        let (_home, view) = materialise(&sample, &commit);
        let read = |path: &str| fs::read_to_string(view.tree.join(path)).unwrap();
        assert_eq!(read("good.bin"), "large file");
        assert_eq!(read("damaged.bin"), pointer(damaged));
        assert_eq!(read("fixture.txt"), pointer(digest));
        let expected = [
            ViewNote::LfsAbsent { path: "absent.bin".into(), content: Digest::of(b"absent") },
            ViewNote::LfsDamaged { path: "damaged.bin".into(), content: damaged },
        ];
        assert_eq!(view.notes, expected);
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");
    }

    #[test]
    fn submodules_come_from_the_local_store_or_are_noted() {
        let (inner, sample) = (Sample::new(), Sample::new());
        inner.write("deep/file", "inner");
        inner.commit("inner");
        sample.write("a", "1");
        sample.git(&["submodule", "--quiet", "add", inner.dir.as_str(), "libs/inner"]);
        let commit = sample.commit("with a submodule");
        let (_home, view) = materialise(&sample, &commit);
        assert_eq!(fs::read_to_string(view.tree.join("libs/inner/deep/file")).unwrap(), "inner");
        assert_eq!((view.notes.len(), view.hash_content().unwrap()), (0, view.tree_hash));
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");

        fs::remove_dir_all(sample.dir.join(".git/modules")).unwrap();
        let (_home, view) = materialise(&sample, &commit);
        assert_eq!(fs::read_dir(view.tree.join("libs/inner")).unwrap().count(), 0);
        assert!(matches!(&view.notes[..], [ViewNote::SubmoduleAbsent { path, .. }] if path == "libs/inner"));
        assert_eq!(git_in_view(&view, &["status", "--porcelain"]), "");
    }

    #[test]
    fn a_submodule_name_cannot_leave_the_module_store() {
        let (inner, sample) = (Sample::new(), Sample::new());
        inner.write("file", "secret");
        let pinned = inner.commit("inner");
        let name = format!("../../..{}/.git", inner.dir);
        sample.write(".gitmodules", format!("[submodule \"{name}\"]\n\tpath = m\n\turl = x\n"));
        sample.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{pinned},m")]);
        sample.git(&["add", ".gitmodules"]);
        sample.git(&["commit", "-q", "-m", "one"]);
        let (_home, view) = materialise(&sample, &sample.head());
        assert!(!view.tree.join("m/file").exists());
        assert_eq!(view.notes.len(), 1);
    }
}
