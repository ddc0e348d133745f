//! Paths inside the checkout, as people write them.

use runmill_model::RepoPath;

use crate::invalid::{InvalidValue, quoted};

/// The longest path, in bytes.
const MAX_BYTES: usize = 1024;

/// The longest name of a file or directory, in bytes; no file system takes more.
const MAX_NAME: usize = 255;

const INSIDE: &str = "write a path inside the checkout, such as `reports/unit.xml`";

/// A directory of the checkout; the root is one.
pub(crate) fn directory(text: &str) -> Result<RepoPath, InvalidValue> {
    let refused = |why: &str, help: String| InvalidValue::new(format!("{} {why}", quoted(text)), help);
    if text.starts_with('/') || text.starts_with('~') || has_drive(text) {
        return Err(refused("is not relative to the checkout", INSIDE.to_owned()));
    }
    if text.contains('\\') {
        return Err(refused("has a backslash", format!("write {}", quoted(&text.replace('\\', "/")))));
    }
    if text.split('/').any(|segment| segment == "..") {
        return Err(refused("may leave the checkout", "write a path inside the checkout, without `..`".to_owned()));
    }
    if text.len() > MAX_BYTES {
        return Err(refused("is too long", format!("write at most {MAX_BYTES} bytes")));
    }
    if text.split('/').any(|segment| segment.len() > MAX_NAME) {
        return Err(refused("has a name that is too long", format!("write names of at most {MAX_NAME} bytes")));
    }
    let path = RepoPath::new(text).map_err(|_| {
        let normal: Vec<_> = text.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
        match RepoPath::new(if normal.is_empty() { ".".to_owned() } else { normal.join("/") }) {
            Ok(normal) if !text.is_empty() => {
                refused("is not in its plain form", format!("write {}", quoted(normal.as_str())))
            }
            _ => refused("is not a path", INSIDE.to_owned()),
        }
    })?;
    if path.as_str().split('/').any(|segment| segment.eq_ignore_ascii_case(".git")) {
        return Err(refused("is inside `.git`", "write a path that belongs to the tree".to_owned()));
    }
    Ok(path)
}

/// A file or directory of the checkout that is not the root.
pub(crate) fn entry(text: &str) -> Result<RepoPath, InvalidValue> {
    let path = directory(text)?;
    if path.is_root() {
        return Err(InvalidValue::new("`.` is the checkout itself", "name a file or directory inside it"));
    }
    Ok(path)
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Whether one path is the other, or a directory the other is in.
pub(crate) fn overlap(a: &RepoPath, b: &RepoPath) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(a.as_str(), b.as_str()) || within(b.as_str(), a.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let shown = match entry(text) {
            Ok(path) => path.to_string(),
            Err(error) => format!("{} | {}", error.message(), error.help()),
        };
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn keeps_paths_inside_the_checkout() {
        check("reports/unit.xml", "reports/unit.xml");
        check("a..b/.gitignore", "a..b/.gitignore");
        check(
            "/etc/passwd",
            "`/etc/passwd` is not relative to the checkout | write a path inside the checkout, such as `reports/unit.xml`",
        );
        check(
            "C:/x",
            "`C:/x` is not relative to the checkout | write a path inside the checkout, such as `reports/unit.xml`",
        );
        check("../x", "`../x` may leave the checkout | write a path inside the checkout, without `..`");
        check("a/../b", "`a/../b` may leave the checkout | write a path inside the checkout, without `..`");
        check("a\\b", "`a\\b` has a backslash | write `a/b`");
        check("./target/", "`./target/` is not in its plain form | write `target`");
        check(".git/hooks", "`.git/hooks` is inside `.git` | write a path that belongs to the tree");
        check("sub/.GIT", "`sub/.GIT` is inside `.git` | write a path that belongs to the tree");
        check(".", "`.` is the checkout itself | name a file or directory inside it");
        check("./", "`./` is not in its plain form | write `.`");
        let (longest, longer) = ("x".repeat(255), "x".repeat(256));
        assert!(entry(&format!("a/{longest}/b")).is_ok());
        assert_eq!(entry(&format!("a/{longer}")).unwrap_err().help(), "write names of at most 255 bytes");
        assert!(entry("").is_err() && entry("a\nb").is_err() && entry(&"a/".repeat(600)).is_err());
    }

    #[test]
    fn overlap_is_by_whole_segments() {
        let path = |text| RepoPath::new(text).unwrap();
        assert!(
            overlap(&path("a"), &path("a")) && overlap(&path("a/b"), &path("a")) && overlap(&path("a"), &path("a/b"))
        );
        assert!(!overlap(&path("a"), &path("ab")) && !overlap(&path("a/b"), &path("a/c")));
    }
}
