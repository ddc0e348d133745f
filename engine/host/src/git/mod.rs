//! Everything runmill needs of git: commits, changes, files at a commit, sealed trees and their digests.
//!
//! Repositories are only read, never written, and never over a network. Nothing configured in a repository is run: no
//! filter, hook or file-system monitor. What cannot be had exactly is a [`GitError`], never a guess.
//!
//! - [`Repository`] finds the repository around a directory and answers questions about commits;
//! - [`Repository::materialise`] writes one commit, byte for byte, into a [`PrivateDir`], with a `.git` made for it
//!   beside it: a [`SealedView`]; [`Repository::materialise_beside`] shares the files of another;
//! - [`tree_hash`] and [`stat_hash`] say whether a directory moved. [`tree_digest`] defines both formats.

mod ancestry;
mod attributes;
mod below;
mod blobs;
mod changes;
mod content;
mod discover;
mod draft;
mod error;
mod files;
#[cfg(test)]
mod fixture;
mod identity;
mod ignored;
mod inside;
mod lfs;
mod listing;
mod merge;
mod moment;
mod objects;
mod parents;
mod private_dir;
mod proof;
mod reading;
mod revision;
mod seal;
mod sharing;
mod store;
mod submodule;
mod synthetic;
pub mod tree_digest;
mod unified;
mod walk;
mod worktree;
mod write;

pub use below::Below;
pub use discover::{Handle, Repository};
pub use error::{Fault, GitError};
pub use merge::Merge;
pub use private_dir::PrivateDir;
pub use revision::Target;
pub use seal::{SealedView, ViewNote};
pub use sharing::{Beside, SharedProof};
pub use tree_digest::{stat_hash, tree_hash};
pub use worktree::{LiveView, WorktreeState};
