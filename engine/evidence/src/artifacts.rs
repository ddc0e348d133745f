//! Bodies of artifacts: read by somebody else, counted and hashed here.

use runmill_model::Digest;

/// The largest artifact body that is read, in bytes: 16 MiB.
pub const BODY_LIMIT: u64 = 16 * 1024 * 1024;

/// The most that all artifact bodies of one bundle may have together, in bytes: 256 MiB.
pub const BODIES_LIMIT: u64 = 256 * 1024 * 1024;

/// Why a body could not be had. All of these are missing evidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyFault {
    /// There is none.
    #[error("there is no such body")]
    Missing,
    /// The name is taken by something else than a regular file, a symbolic link for instance.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file has not exactly one name; somebody could change it under another one.
    #[error("it has not exactly one hard link")]
    Linked,
    /// It is longer than [`BODY_LIMIT`].
    #[error("it is longer than {BODY_LIMIT} bytes (16 MiB)")]
    TooLarge,
    /// It changed while it was read.
    #[error("it changed while it was read")]
    Changed,
    /// Reading failed.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// A place that has artifact bodies by digest. Bodies are read from several threads at once.
pub trait Artifacts: Sync {
    /// Hands the body named by `digest` to `piece`, in order and in pieces of any length.
    ///
    /// # Errors
    /// The body is not there as an unchanging regular file with one name and at most [`BODY_LIMIT`] bytes. What was
    /// handed over until then counts for nothing.
    fn read(&self, digest: &Digest, piece: &mut dyn FnMut(&[u8])) -> Result<(), BodyFault>;
}
