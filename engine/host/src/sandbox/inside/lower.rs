//! What the sealed base has at a path, without following a symbolic link.

use std::fs;

use camino::Utf8Path;

/// What is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, and its parents are directories or nothing.
    Missing,
    Directory,
    /// A file, or something else that is neither directory nor link.
    File,
    Symlink,
    /// A parent is no directory.
    BlockedParent,
}

/// Looks at `path` below `base`.
pub(super) fn look(base: &Utf8Path, path: &Utf8Path) -> Found {
    let mut at = base.to_owned();
    let mut found = Found::Directory;
    for component in path.components().filter(|component| component.as_str() != ".") {
        if found != Found::Directory {
            return if found == Found::Missing { Found::Missing } else { Found::BlockedParent };
        }
        at.push(component);
        found = match fs::symlink_metadata(&at) {
            Err(_) => Found::Missing,
            Ok(metadata) if metadata.is_dir() => Found::Directory,
            Ok(metadata) if metadata.is_symlink() => Found::Symlink,
            Ok(_) => Found::File,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_apart_what_is_there_and_follows_no_link() {
        let directory = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(directory.path()).unwrap();
        fs::create_dir(base.join("d")).unwrap();
        fs::write(base.join("d/f"), "").unwrap();
        std::os::unix::fs::symlink("d", base.join("l")).unwrap();
        for (path, expect) in [
            (".", Found::Directory),
            ("d", Found::Directory),
            ("d/f", Found::File),
            ("l", Found::Symlink),
            ("l/f", Found::BlockedParent),
            ("d/f/x", Found::BlockedParent),
            ("d/x/y", Found::Missing),
        ] {
            assert_eq!(look(base, Utf8Path::new(path)), expect, "{path}");
        }
    }
}
