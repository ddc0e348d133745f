//! Toolchains outside the system's directories, found from PATH.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

/// What PATH needs from hidden directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchains {
    /// Shown read-only at their own paths. Absolute, existing when found.
    pub visible: Vec<Utf8PathBuf>,
    /// Private, empty and writable at their own paths; `visible` paths below them are laid in.
    pub private: Vec<Utf8PathBuf>,
    /// Variables that tell programs where their toolchain is, such as RUSTUP_HOME.
    pub vars: BTreeMap<String, String>,
}

/// Finds what the programs in PATH need.
pub fn find(host: &BTreeMap<String, String>) -> Toolchains {
    let _ = host;
    Toolchains::default()
}
