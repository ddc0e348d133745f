//! Steps of the set-up: each has a name, and its failure says which it was.

use std::io;

use crate::sandbox::SandboxError;

/// Names a result that may fail.
pub(super) trait Step<T> {
    /// The value, or RM-SANDBOX-001 with this name.
    fn step(self, name: impl Into<String>) -> Result<T, SandboxError>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, name: impl Into<String>) -> Result<T, SandboxError> {
        self.map_err(|error| SandboxError::Unavailable {
            step: name.into(),
            errno: error.into().raw_os_error().unwrap_or_default(),
        })
    }
}
