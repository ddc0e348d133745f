//! Path patterns, written as lines of a gitignore file.

use std::{fmt, path::Path};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use runmill_model::RepoPath;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::invalid::{InvalidValue, quoted};

/// A pattern over paths of the checkout, with the meaning of a gitignore line: without a slash inside it matches at any
/// depth, with one it is anchored at the root, a trailing slash means a directory, a directory stands for everything
/// in it, `*` and `?` stay within a segment, `**` crosses. Beyond gitignore, `{a,b}` is either of both.
/// Negation is not supported.
#[derive(Clone)]
pub struct PathPattern {
    text: String,
    matcher: Gitignore,
}

impl PathPattern {
    /// The longest pattern, in bytes.
    pub const MAX_BYTES: usize = 1024;

    /// Compiles the pattern.
    ///
    /// # Errors
    /// It is blank, a comment, a negation, has outer space or control characters, is too long or no valid glob.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        let refused = |why: &str, help: String| InvalidValue::new(format!("{} {why}", quoted(&text)), help);
        if text.trim().is_empty() {
            return Err(InvalidValue::new(
                "a path pattern is blank",
                "write a path or a glob, such as `migrations/**`",
            ));
        }
        if let Some(rest) = text.strip_prefix('!') {
            let help = format!(
                "patterns only add; list what should match instead, or write {} for a name that starts with `!`",
                quoted(&format!("\\!{rest}"))
            );
            return Err(refused("is a negated pattern", help));
        }
        if text.starts_with('#') {
            return Err(refused("is a comment in a gitignore file", format!("write {}", quoted(&format!("\\{text}")))));
        }
        if text.trim() != text || text.chars().any(char::is_control) {
            return Err(refused("has outer space or control characters", format!("write {}", quoted(text.trim()))));
        }
        if text.len() > Self::MAX_BYTES {
            return Err(refused("is too long", format!("write at most {} bytes", Self::MAX_BYTES)));
        }
        let normal = text.strip_prefix('/').unwrap_or(&text);
        let normal = normal.strip_suffix('/').unwrap_or(normal);
        if normal.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(refused(
                "can match no path",
                "write it relative to the root of the checkout, without `.`, `..` or empty segments".to_owned(),
            ));
        }
        let mut builder = GitignoreBuilder::new("");
        let built = builder.allow_unclosed_class(false).add_line(None, &text).and_then(|builder| builder.build());
        match built {
            Ok(matcher) => Ok(Self { text, matcher }),
            Err(error) => {
                let why = match &error {
                    ignore::Error::Glob { err, .. } => err.clone(),
                    other => other.to_string(),
                };
                Err(refused("is not a glob", format!("write a gitignore-style glob, such as `migrations/**` ({why})")))
            }
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches the file, or a directory it is in.
    pub fn matches(&self, path: &RepoPath) -> bool {
        !path.is_root() && self.matcher.matched_path_or_any_parents(Path::new(path.as_str()), false).is_ignore()
    }
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl Serialize for PathPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for PathPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matched: &[&str], unmatched: &[&str]) {
        let pattern = PathPattern::new(pattern).unwrap();
        for path in matched {
            assert!(pattern.matches(&RepoPath::new(*path).unwrap()), "{pattern} should match {path}");
        }
        for path in unmatched {
            assert!(!pattern.matches(&RepoPath::new(*path).unwrap()), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn matches_like_a_line_of_gitignore() {
        check(
            "migrations/**",
            &["migrations/1.sql", "migrations/a/b"],
            &["db/migrations/1.sql", "migrations", "migrations2/a"],
        );
        check("migrations", &["migrations/1.sql", "db/migrations/1.sql", "migrations"], &["migrations2/a"]);
        check("/Cargo.lock", &["Cargo.lock"], &["a/Cargo.lock"]);
        check("*.sql", &["a.sql", "x/y/a.sql"], &["a.sqlx"]);
        check("docs/*.md", &["docs/a.md"], &["docs/a/b.md", "x/docs/a.md"]);
        check("docs/", &["docs/a.md", "x/docs/a.md"], &["docs"]);
        check("**/gen/*.rs", &["gen/a.rs", "x/gen/a.rs"], &["gen/x/a.rs"]);
        check("src/{a,b}.rs", &["src/a.rs", "src/b.rs"], &["src/c.rs"]);
        check("\\!odd", &["!odd"], &["odd"]);
        check("**", &["a", "a/b"], &["."]);
        check("é/*", &["é/x"], &["e/x"]);
    }

    #[test]
    fn refuses_what_would_match_nothing_or_something_else() {
        for (pattern, why) in [
            ("", "a path pattern is blank"),
            ("  ", "a path pattern is blank"),
            ("!a", "`!a` is a negated pattern"),
            ("#a", "`#a` is a comment in a gitignore file"),
            ("a ", "`a ` has outer space or control characters"),
            ("a\nb", "`a\\nb` has outer space or control characters"),
            ("/", "`/` can match no path"),
            ("../a", "`../a` can match no path"),
            ("./a", "`./a` can match no path"),
            ("a//b", "`a//b` can match no path"),
            ("a[", "`a[` is not a glob"),
            ("{a", "`{a` is not a glob"),
        ] {
            assert_eq!(PathPattern::new(pattern).unwrap_err().message(), why);
        }
        assert!(PathPattern::new("a".repeat(1025)).is_err());
    }
}
