//! Git LFS: what a pointer file stands for, and the local store. See the pointer specification of git-lfs, version 1.

use std::{fs::File, io::Read as _};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Digest, Hasher};

use super::objects::Objects;

/// A pointer file is smaller than this, in bytes.
const LARGEST_POINTER: usize = 1024;

/// How much of a stored file is read at once, in bytes.
const PIECE: usize = 128 * 1024;

/// What a pointer file stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) content: Digest,
    /// In bytes.
    pub(super) size: u64,
}

impl Pointer {
    /// Reads a pointer file; none when the bytes are not one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() >= LARGEST_POINTER || !bytes.starts_with(b"version https://git-lfs.github.com/spec/v1\n") {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        Some(Self { content: value("oid")?.parse().ok()?, size: value("size")?.parse().ok()? })
    }
}

/// The local store of one clone.
pub(super) struct LfsStore {
    objects_dir: Utf8PathBuf,
}

impl LfsStore {
    pub(super) fn of(objects: &Objects) -> Self {
        let configured = objects.git.config().and_then(|config| config.get_string("lfs.storage")).unwrap_or_default();
        let storage = if configured.is_empty() { "lfs" } else { &configured };
        Self { objects_dir: objects.common_dir.join(storage).join("objects") }
    }

    /// Copies what a pointer stands for, piece by piece, into `write`. Says whether the store has it and it is what the
    /// pointer promises; when not, what `write` got is of no use.
    pub(super) fn copy(
        &self,
        pointer: &Pointer,
        mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> std::io::Result<Stored> {
        let hex = pointer.content.hex();
        let (first, second) = (hex.get(..2).unwrap_or_default(), hex.get(2..4).unwrap_or_default());
        let path = self.objects_dir.join(first).join(second).join(&hex);
        let Ok(mut file) = open_regular(&path) else { return Ok(Stored::Absent) };
        let (mut hasher, mut size, mut buffer) = (Hasher::new(), 0_u64, vec![0; PIECE]);
        loop {
            let length = file.read(&mut buffer)?;
            let Some(piece) = buffer.get(..length).filter(|piece| !piece.is_empty()) else { break };
            size = size.saturating_add(piece.len() as u64);
            if size > pointer.size {
                return Ok(Stored::Damaged);
            }
            hasher.update(piece);
            write(piece)?;
        }
        let whole = size == pointer.size && hasher.finish() == pointer.content;
        Ok(if whole { Stored::Whole } else { Stored::Damaged })
    }
}

/// What the store has for a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    Whole,
    Damaged,
    Absent,
}

fn open_regular(path: &Utf8Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_recognised_and_nothing_else_is() {
        let content = Digest::of(b"content");
        let text = format!("version https://git-lfs.github.com/spec/v1\noid {content}\nsize 7\n");
        assert_eq!(Pointer::parse(text.as_bytes()), Some(Pointer { content, size: 7 }));
        for wrong in [
            text.replace("v1", "v2"),
            text.replace("size 7", "size x"),
            text.replace("sha256:", "sha1:"),
            text.replace("oid ", "oid"),
            format!("{text}{}", " ".repeat(LARGEST_POINTER)),
            String::new(),
        ] {
            assert_eq!(Pointer::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
