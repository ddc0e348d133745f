//! What of the host may be opened: everything that is not hidden. A rule reaches all that is below its path, so no rule may
//! stand above something hidden.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use crate::sandbox::inside::{files::Grant, hidden::Hidden};

/// Not granted as a whole: the host's devices and terminals.
const DEVICES: &str = "/dev";

/// The devices a program may expect. Shared memory and the terminals of others are none of them.
const NODES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx"];

/// The devices.
pub(super) fn devices() -> impl Iterator<Item = (Utf8PathBuf, Grant)> {
    let paths = NODES.iter().map(|name| Utf8Path::new(DEVICES).join(name));
    paths.filter(|path| path.exists()).map(|path| (path, Grant::Use))
}

/// The directories and files that may be read, outermost only. A directory above something hidden cannot be listed itself.
pub(super) fn in_sight(hidden: &Hidden) -> Vec<Utf8PathBuf> {
    let mut granted = Vec::new();
    let mut above = vec![Utf8PathBuf::from("/")];
    while let Some(directory) = above.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (Ok(path), Ok(kind)) = (Utf8PathBuf::try_from(entry.path()), entry.file_type()) else { continue };
            // What a link leads to is granted, or not, where it is.
            let is_plain = kind.is_dir() || kind.is_file();
            if !is_plain || path == DEVICES || hidden.covers(&path) || hidden.is_secret(&path) {
                continue;
            }
            if kind.is_dir() && hidden.is_below(&path) { above.push(path) } else { granted.push(path) }
        }
    }
    granted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Config;

    #[test]
    fn nothing_granted_is_hidden_or_stands_above_what_is() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["home/a", "home/b", "state"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let config = Config::new(root.join("home/a"), vec![root.join("state")]);
        let hidden = Hidden::find(&config);
        let granted = in_sight(&hidden);
        assert!(granted.iter().all(|path| !hidden.covers(path) && !hidden.is_below(path)), "{granted:?}");
        assert!(!granted.iter().any(|path| path.starts_with("/dev") || path.starts_with("/tmp")), "{granted:?}");
        assert!(!granted.contains(&"/etc/shadow".into()));
        assert!(
            granted.iter().any(|path| path.starts_with("/usr")) && granted.contains(&"/proc".into()),
            "{granted:?}"
        );
        assert!(granted.iter().any(|path| path == "/etc/passwd" || path == "/etc"), "{granted:?}");
    }
}
