//! Which language a file is in, and whether it holds tests.

/// A language with focus markers, or at least with tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// JavaScript and TypeScript, and the script of Vue and Svelte files.
    Script,
    Ruby,
    Go,
    Swift,
    Shell,
    Python,
    /// Others that have tests and no focus markers of their own.
    Other,
}

const EXTENSIONS: &[(&str, Language)] = &[
    ("js", Language::Script),
    ("jsx", Language::Script),
    ("mjs", Language::Script),
    ("cjs", Language::Script),
    ("ts", Language::Script),
    ("tsx", Language::Script),
    ("mts", Language::Script),
    ("cts", Language::Script),
    ("vue", Language::Script),
    ("svelte", Language::Script),
    ("rb", Language::Ruby),
    ("go", Language::Go),
    ("swift", Language::Swift),
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("bats", Language::Shell),
    ("py", Language::Python),
    ("exs", Language::Other),
    ("rs", Language::Other),
    ("java", Language::Other),
    ("kt", Language::Other),
    ("scala", Language::Other),
    ("cs", Language::Other),
    ("fs", Language::Other),
    ("php", Language::Other),
    ("pl", Language::Other),
    ("t", Language::Other),
    ("c", Language::Other),
    ("cc", Language::Other),
    ("cpp", Language::Other),
    ("cxx", Language::Other),
    ("dart", Language::Other),
    ("lua", Language::Other),
    ("feature", Language::Other),
    ("robot", Language::Other),
];

/// Directories whose files are tests.
const DIRECTORIES: &[&str] = &["test", "tests", "spec", "specs", "__tests__", "e2e", "cypress", "testing", "features"];

impl Language {
    /// The language of a path, by its extension.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (_, extension) = file_name(path).rsplit_once('.')?;
        EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, language)| *language)
    }
}

/// Whether a path looks like a file of tests: a source in a directory of tests, or one whose name says so
/// (`x.test.js`, `x_test.go`, `test_x.py`, `x_spec.rb`, `XTests.swift`). `/` separates directories.
pub fn is_test_file(path: &str) -> bool {
    let Some(language) = Language::of(path) else { return false };
    let name = file_name(path);
    if language == Language::Go {
        return name.ends_with("_test.go");
    }
    if matches!(name.rsplit_once('.'), Some((_, "bats" | "t" | "feature" | "robot"))) {
        return true;
    }
    let directories = path.strip_suffix(name).unwrap_or_default();
    let in_tests = directories.split('/').any(|part| DIRECTORIES.iter().any(|known| known.eq_ignore_ascii_case(part)));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let capital = ["Test", "Tests", "TestCase", "Spec", "Specs"].iter().any(|ending| stem.ends_with(ending));
    in_tests
        || capital
        || words(name).any(|word| matches!(word.as_str(), "test" | "tests" | "spec" | "specs" | "cy" | "e2e"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The words of a file name in small letters: split at marks and where a capital follows a small letter.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut small_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small_before) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        small_before = c.is_lowercase() || c.is_ascii_digit();
    }
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::is_test_file;

    #[test]
    fn knows_test_files_by_name_and_place() {
        for path in [
            "src/a.test.js",
            "a.spec.tsx",
            "pkg/a_test.go",
            "tests/a.py",
            "test_a.py",
            "a_test.py",
            "spec/a_spec.rb",
            "src/__tests__/a.js",
            "Tests/AppTests/AppTests.swift",
            "ATest.java",
            "cypress/login.cy.js",
            "e2e/a.ts",
            "t/a.t",
            "test/a.bats",
            "spec/a_spec.sh",
            "a.e2e-spec.ts",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/a.js",
            "src/contest.js",
            "latest.ts",
            "README.md",
            "tests/data.json",
            "pkg/test.go",
            "inspect.py",
            "protest.rb",
            "src/attestation.rs",
            "Makefile",
            "",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
