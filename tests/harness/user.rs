//! Who runs the binary. A suite that runs as root runs a handful of scenarios as an ordinary user too.

use std::{
    fs,
    os::unix::fs::{MetadataExt, lchown},
    path::Path,
};

/// The person who runs the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// Whoever runs the suite.
    Same,
    /// Somebody without privileges: `nobody` where the suite runs as root, otherwise whoever runs the suite.
    Ordinary,
}

const NOBODY: u32 = 65534;

impl User {
    /// Whether the suite itself runs as root.
    pub fn suite_is_root() -> bool {
        fs::metadata("/proc/self").unwrap().uid() == 0
    }

    /// Whether commands have to give up the suite's privileges.
    pub fn drops_privileges(self) -> bool {
        self == Self::Ordinary && Self::suite_is_root()
    }

    /// The command that runs the words after it as this user; empty when none is needed.
    pub fn prefix(self) -> Vec<String> {
        if !self.drops_privileges() {
            return Vec::new();
        }
        let words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"];
        words.into_iter().map(str::to_owned).collect()
    }

    /// Gives everything under `root` to this user.
    pub fn own(self, root: &Path) {
        if !self.drops_privileges() {
            return;
        }
        lchown(root, Some(NOBODY), Some(NOBODY)).unwrap();
        if root.is_dir() && !root.is_symlink() {
            for entry in fs::read_dir(root).unwrap() {
                self.own(&entry.unwrap().path());
            }
        }
    }
}
