//! The receipt of a prepared tree.

use std::collections::BTreeMap;

use runmill_model::{Digest, RepoPath};
use serde::{Deserialize, Serialize};

use crate::Whose;

/// `runmill.dependencies/v1`: what was prepared, from which lockfile, and the digest of every byte of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// `runmill.dependencies/v1`.
    pub schema: String,
    /// Whose dependencies.
    pub ecosystem: Whose,
    /// The directory of the lockfile in the checkout.
    pub dir: RepoPath,
    /// Names the entry: a digest over what is locked, platform and interpreter.
    pub key: Digest,
    /// The content digest of the prepared tree.
    pub fingerprint: Digest,
    /// Operating system, processor and C library.
    pub platform: String,
    /// Digests of the files of the commit it was prepared from, by path.
    pub inputs: BTreeMap<String, Digest>,
    /// What is in it, as `name@version`, sorted.
    pub packages: Vec<String>,
    /// What is locked and not in it, because it is optional or for another platform; sorted.
    pub omitted: Vec<String>,
    /// How the content was proven, in one sentence.
    pub proof: String,
}

/// The schema of a receipt.
pub(crate) const SCHEMA: &str = "runmill.dependencies/v1";
