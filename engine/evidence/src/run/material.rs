//! What a bundle is judged again from.

use runmill_model::Digest;

use crate::json::Json;

/// Everything a verdict stands on, in canonical bytes.
#[derive(Debug, Clone)]
pub struct Material {
    /// The run.
    pub run: String,
    /// The sealed facts; none when their bytes were not to be had.
    pub facts: Option<Vec<u8>>,
    /// The packs, in their order.
    pub packs: Vec<PackMaterial>,
    /// The document of the verdict.
    pub document: Json,
    /// SHA-256 over the document as it was printed.
    pub printed: Digest,
}

/// A pack.
#[derive(Debug, Clone)]
pub struct PackMaterial {
    /// Its name.
    pub name: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// The digest of all of it that judges.
    pub source_digest: Digest,
    /// All of it that judges; none when its bytes were not to be had.
    pub source: Option<Vec<u8>>,
}

/// Judges again. The rules live elsewhere.
pub trait Rejudge {
    /// Judges the facts by the packs.
    ///
    /// # Errors
    /// It cannot be done, or something else comes out.
    fn rejudge(&self, material: &Material) -> Result<(), ReplayFault>;
}

/// Why a verdict was not reached again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayFault {
    /// Something is missing, or cannot be used; in words.
    Missing(String),
    /// Something else comes out; each difference in one line, never empty.
    Differs(Vec<String>),
}
