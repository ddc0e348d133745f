//! What a check gets.

use std::{collections::BTreeMap, os::fd::OwnedFd, sync::Arc};

use camino::Utf8PathBuf;
use runmill_host::sandbox::{Mount, Overlay};
use runmill_model::{Digest, RepoPath};

use crate::{Receipt, Whose};

/// Prepared dependencies, verified, and held against removal as long as this value lives.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Whose.
    pub ecosystem: Whose,
    /// The content digest of the prepared tree (see `runmill_host::git::tree_digest`).
    pub fingerprint: Digest,
    /// Laid over the view, read-only.
    pub overlays: Vec<Overlay>,
    /// Shown read-only at absolute paths, whatever is hidden around them.
    pub mounts: Vec<Mount>,
    /// Directories of the machine that must be visible, such as the interpreter an environment stands on. Absolute.
    pub visible: Vec<Utf8PathBuf>,
    /// Directories of the machine that hold unverified copies of the same, and must not be visible. Absolute.
    pub hidden: Vec<Utf8PathBuf>,
    /// Private writable directories within the overlays, for caches that tools keep there.
    pub scratch: Vec<RepoPath>,
    /// Where the checkout must appear too, because what is installed names itself by that path. Absolute.
    pub checkout_at: Option<Utf8PathBuf>,
    /// Directories that come first in PATH. Absolute.
    pub path: Vec<Utf8PathBuf>,
    /// Variables that lead tools to what is prepared.
    pub env: BTreeMap<String, String>,
    /// What was proven.
    pub receipt: Receipt,
    /// Held as long as anybody uses it.
    pub(crate) _lease: Option<Arc<OwnedFd>>,
}

/// Where the parts of a prepared tree appear; paths of the tree are relative to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placement {
    pub(crate) overlays: Vec<(Utf8PathBuf, RepoPath)>,
    pub(crate) mounts: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    pub(crate) visible: Vec<Utf8PathBuf>,
    pub(crate) hidden: Vec<Utf8PathBuf>,
    pub(crate) scratch: Vec<RepoPath>,
    pub(crate) checkout_at: Option<Utf8PathBuf>,
    pub(crate) path: Vec<Utf8PathBuf>,
    pub(crate) env: BTreeMap<String, String>,
}

impl Prepared {
    pub(crate) fn new(receipt: Receipt, tree: &camino::Utf8Path, placement: Placement, lease: OwnedFd) -> Self {
        // A part that this content does not have, such as the modules of a workspace that needs none, appears nowhere.
        let there = |part: &Utf8PathBuf| tree.join(part).exists();
        let overlays = placement.overlays.into_iter().filter(|(part, _)| there(part));
        let mounts = placement.mounts.into_iter().filter(|(part, _)| there(part));
        Self {
            ecosystem: receipt.ecosystem,
            fingerprint: receipt.fingerprint,
            overlays: overlays.map(|(part, at)| Overlay { host: tree.join(part), at }).collect(),
            mounts: mounts.map(|(part, at)| Mount { host: tree.join(part), at }).collect(),
            visible: placement.visible,
            hidden: placement.hidden,
            scratch: placement.scratch,
            checkout_at: placement.checkout_at,
            path: placement.path,
            env: placement.env,
            receipt,
            _lease: Some(Arc::new(lease)),
        }
    }
}
