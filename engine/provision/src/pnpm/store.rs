//! Digests of the files of packages, as pnpm noted them in its store when it unpacked the archives.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use camino::Utf8PathBuf;
use serde::Deserialize;
use sha2::{Digest, Sha512};

/// The store that the modules of a project came from.
pub(super) struct Store {
    root: Utf8PathBuf,
}

/// What the store says of a package.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Index {
    /// Whether the package runs a script when it is installed, which may change its files.
    #[serde(default)]
    requires_build: bool,
    files: BTreeMap<String, Noted>,
}

#[derive(Debug, Deserialize)]
struct Noted {
    integrity: String,
}

impl Store {
    pub(super) fn new(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The index of the package with this integrity, when its files must be those; none when nothing is noted.
    pub(super) fn index(&self, package: &str, integrity: &str) -> Option<Index> {
        let bytes = STANDARD.decode(integrity.strip_prefix("sha512-")?).ok()?;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (first, rest) = hex.split_at_checked(2)?;
        // Since pnpm 10, the name stands in the name of the file and the digest is cut.
        let newer = format!("index/{first}/{}-{}.json", rest.get(..62)?, package.replace('/', "+"));
        let older = format!("files/{first}/{rest}-index.json");
        let text = [newer, older].iter().find_map(|path| std::fs::read(self.root.join(path)).ok())?;
        serde_json::from_slice::<Index>(&text).ok().filter(|index| !index.requires_build)
    }
}

impl Index {
    /// Names of the files.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether these are the bytes of a file.
    pub(super) fn holds(&self, file: &str, bytes: &[u8]) -> bool {
        let is = |bytes: &[u8], noted: &Noted| {
            noted.integrity.strip_prefix("sha512-") == Some(STANDARD.encode(Sha512::digest(bytes)).as_str())
        };
        self.files.get(file).is_some_and(|noted| is(bytes, noted) || is(&with_carriage_return(bytes), noted))
    }
}

/// A program as it was before pnpm took the carriage return out of its first line.
fn with_carriage_return(bytes: &[u8]) -> Vec<u8> {
    match bytes.iter().position(|byte| *byte == b'\n').filter(|_| bytes.starts_with(b"#!")) {
        Some(end) => [bytes.get(..end).unwrap_or_default(), b"\r", bytes.get(end..).unwrap_or_default()].concat(),
        None => Vec::new(),
    }
}
