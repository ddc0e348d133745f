//! What an invocation did, as the parent saw it.

use std::time::Duration;

use runmill_model::Digest;
use serde::{Deserialize, Serialize};

/// A finished invocation.
#[derive(Debug, Clone)]
pub struct Exited {
    /// How the main process ended.
    pub ended: Ended,
    /// Wall clock time from start to end, set-up included.
    pub duration: Duration,
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
    /// Processes still alive when the main one had ended. They were killed.
    pub leftovers: u32,
    /// What became of the report.
    pub report: ReportFile,
    /// What a reader of the record should know, such as a limit that could not be enforced. One line each.
    pub notes: Vec<String>,
}

/// How the main process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this status.
    Exit(i32),
    /// A signal that was not ours ended it.
    Signal(i32),
    /// It was killed when its time was up.
    Timeout,
    /// It was killed because its output was larger than allowed.
    OutputLimit,
    /// It was killed because the run was interrupted.
    Interrupted,
    /// It never started: the program or the working directory is missing, for example.
    NotStarted {
        /// Why, in one line.
        reason: String,
    },
}

/// One output stream: hashed whole, kept in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Digest of the raw bytes, all of them.
    pub digest: Digest,
    /// Number of raw bytes.
    pub bytes: u64,
    /// Whether `head` and `tail` leave something out.
    pub truncated: bool,
    /// The beginning, secrets replaced; at most [`Stream::HEAD`] bytes, unless more or less was asked for.
    pub head: Vec<u8>,
    /// What follows the head, or the last of it, secrets replaced; at most [`Stream::TAIL`] bytes, unless more or less was
    /// asked for.
    pub tail: Vec<u8>,
    /// Bytes left out between head and tail, counted after replacement.
    pub omitted: u64,
}

impl Stream {
    /// Most bytes kept of the beginning, unless more or less is asked for.
    pub const HEAD: usize = 64 << 10;
    /// Most bytes kept of the end, unless more or less is asked for.
    pub const TAIL: usize = 512 << 10;

    /// The beginning alone, as text: what is not UTF-8 is replaced, and a letter that is cut at the end is left out.
    pub fn beginning(&self) -> String {
        let whole = match std::str::from_utf8(&self.head) {
            Err(error) if self.truncated && error.error_len().is_none() => error.valid_up_to(),
            _ => self.head.len(),
        };
        String::from_utf8_lossy(self.head.get(..whole).unwrap_or_default()).into_owned()
    }

    /// The preview as text: what is not UTF-8 is replaced, and a line says how much is left out.
    pub fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.truncated {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.omitted).as_bytes());
        }
        bytes.extend_from_slice(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// What became of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportFile {
    /// None was declared, or nothing ran.
    NotDeclared,
    /// The commit already has something at the report's path, so what is there after the run proves nothing.
    PreExisting(PreExisting),
    /// Nobody wrote it.
    Untouched {
        /// What probably went wrong, where the output shows it.
        hint: Option<String>,
    },
    /// What is there is not one plain file.
    Irregular(Irregular),
    /// It is larger than [`super::ReportSlot::max_bytes`].
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
    /// The bytes, secrets included.
    Bytes(Vec<u8>),
}

/// What the commit has at the report's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreExisting {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A file or a symbolic link stands where one of the report's directories would be.
    BlockedParent,
}

/// Why a report is not one plain file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Irregular {
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A socket, pipe or device.
    Special,
    /// The file has other names too.
    HardLinked,
    /// With `atomic`, the check changed more in the report's directory: these paths, relative to it, at most ten.
    Others(Vec<String>),
}
