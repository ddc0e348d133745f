//! Submodules: their pinned commits, from the local module store.

use git2::Oid;
use runmill_model::RepoPath;

use super::{
    blobs::Blobs,
    error::GitError,
    listing::{Item, ItemKind},
    objects::{Objects, commit_id},
    seal::ViewNote,
    store::Store,
    walk::join,
    write::{Writer, Written},
};

/// What writing the submodules of a listing gave.
#[derive(Default)]
pub(super) struct Submodules {
    pub(super) written: Vec<Written>,
    pub(super) notes: Vec<ViewNote>,
    /// The store and listing of each that was written.
    modules: Vec<(Store, Vec<Item>)>,
}

impl Submodules {
    /// Writes every submodule of a listing, and theirs, into the empty directories made for them. One whose pinned commit
    /// is not in the local store stays empty and is noted.
    pub(super) fn write(&mut self, store: &Store, items: &[Item], writer: &Writer<'_>) -> Result<(), GitError> {
        let pinned: Vec<&Item> = items.iter().filter(|item| item.kind == ItemKind::Submodule).collect();
        if pinned.is_empty() {
            return Ok(());
        }
        let names = module_names(&store.verified(), items)?;
        for item in pinned {
            let path = join(writer.below, &item.path);
            let name = names.iter().find(|(at, _)| at.as_bytes() == item.path).map(|(_, name)| name);
            match name.and_then(|name| open_module(store, name, item.id)) {
                None => self.notes.push(ViewNote::submodule(&path, item.id)),
                Some(module) => self.write_one(module, item.id, &Writer { below: &path, ..*writer })?,
            }
        }
        Ok(())
    }

    /// The first blob of them that is missing or damaged.
    pub(super) fn fault(&self) -> Option<GitError> {
        self.modules.iter().find_map(|(store, items)| Blobs::fault(store, items))
    }

    fn write_one(&mut self, module: Store, commit: Oid, writer: &Writer<'_>) -> Result<(), GitError> {
        let items = {
            let objects = module.verified();
            let tree = objects.commit(&commit_id(commit)?)?.tree_id();
            objects.list(tree)?
        };
        let blobs = Blobs::of(&module, &items)?;
        self.written.extend(writer.write(&blobs, &items)?);
        self.write(&module, &items, writer)?;
        self.modules.push((module, items));
        Ok(())
    }
}

/// The store of a module, when it is there and has the commit.
fn open_module(store: &Store, name: &RepoPath, commit: Oid) -> Option<Store> {
    let git_dir = store.common_dir().join("modules").join(name.as_str());
    let module = Store::open(&git_dir.canonicalize_utf8().ok()?).ok()?;
    let is_there = module.verified().git.find_commit(commit).is_ok();
    is_there.then_some(module)
}

/// The path and name of each module in the listing's `.gitmodules`. A name that would lead out of the module store is left
/// out, and the module with it.
fn module_names(objects: &Objects, items: &[Item]) -> Result<Vec<(String, RepoPath)>, GitError> {
    let is_file = |item: &&Item| matches!(item.kind, ItemKind::Plain | ItemKind::Executable);
    let Some(item) = items.iter().filter(is_file).find(|item| item.path == b".gitmodules") else {
        return Ok(Vec::new());
    };
    let blob = objects.git.find_blob(item.id).map_err(|error| objects.fault(&error, "`.gitmodules`"))?;
    let text = String::from_utf8_lossy(blob.content());
    let mut names = Vec::new();
    let mut name = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            let quoted = line.strip_prefix("[submodule \"").and_then(|rest| rest.strip_suffix("\"]"));
            name = quoted.and_then(|quoted| RepoPath::new(quoted).ok()).filter(|name| !name.is_root());
        } else if let (Some(name), Some((key, path))) = (&name, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("path")
        {
            names.push((path.trim().trim_matches('"').to_owned(), name.clone()));
        }
    }
    Ok(names)
}
