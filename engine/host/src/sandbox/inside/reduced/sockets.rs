//! Unix sockets of the host. Landlock before version 9 stops nobody who connects by a path, whether or not the path may be opened:
//! so each is tried, and one that answers keeps the check from running.

use std::{fs, io, os::unix::fs::FileTypeExt, os::unix::net::UnixStream};

use camino::{Utf8Path, Utf8PathBuf};

use crate::sandbox::{SandboxError, inside::hidden::Hidden};

/// How deep below a hidden directory sockets are looked for: `/run/user/1000/gnupg/S.gpg-agent`.
const DEPTH: usize = 4;

/// How many entries are looked at.
const ENTRIES: usize = 50_000;

/// Paths where a socket may be: those the kernel lists, those mounted here, and those in the directories where sockets usually
/// are, which may belong to another network namespace. Directories in `own` are runmill's.
pub(super) fn candidates(open: &[Utf8PathBuf], hidden: &Hidden, own: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let mut found = open.to_vec();
    let mut pending: Vec<_> = hidden.directories().map(|path| (path.to_owned(), 0)).collect();
    let mut left = ENTRIES;
    while let Some((directory, depth)) = pending.pop() {
        if own.contains(&directory) {
            continue;
        }
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten().take(left) {
            left = left.saturating_sub(1);
            let (Ok(path), Ok(kind)) = (Utf8PathBuf::try_from(entry.path()), entry.file_type()) else { continue };
            if kind.is_socket() {
                found.push(path);
            } else if kind.is_dir() && depth < DEPTH {
                pending.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Tries each. Call it where the check will be.
///
/// # Errors
/// RM-SANDBOX-001 with those that answer.
pub(in crate::sandbox::inside) fn refuse_reachable(candidates: &[Utf8PathBuf]) -> Result<(), SandboxError> {
    let paths: Vec<_> = candidates.iter().filter(|path| answers(path)).cloned().collect();
    if paths.is_empty() { Ok(()) } else { Err(SandboxError::SocketsInSight { paths }) }
}

/// A socket of another type, or one whose queue is full, is there all the same.
fn answers(path: &Utf8Path) -> bool {
    match UnixStream::connect(path) {
        Ok(_) => true,
        Err(error) => matches!(error.raw_os_error(), Some(libc::EPROTOTYPE | libc::EAGAIN)) || is_interrupted(&error),
    }
}

fn is_interrupted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixDatagram, UnixListener};

    use super::*;

    #[test]
    fn whoever_listens_answers_and_a_file_that_was_left_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| Utf8PathBuf::try_from(directory.path().join(name)).unwrap();
        let _stream = UnixListener::bind(path("stream")).unwrap();
        let _datagram = UnixDatagram::bind(path("datagram")).unwrap();
        drop(UnixListener::bind(path("left")).unwrap());
        let all = ["stream", "datagram", "left", "absent"].map(path);
        let refused = refuse_reachable(&all).unwrap_err();
        assert_eq!(refused, SandboxError::SocketsInSight { paths: vec![path("stream"), path("datagram")] });
        assert_eq!(refuse_reachable(&[path("left")]), Ok(()));
    }
}
