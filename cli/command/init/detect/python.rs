//! Python: pytest, and unittest.

use toml::{Table, Value};

use super::Findings;
use crate::command::init::{
    draft::{Draft, REPORT},
    tree::{Tree, join, within},
};

const PROJECT_FILES: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "Pipfile"];

/// A directory with tests of its own.
struct Project<'t> {
    tree: &'t Tree,
    dir: String,
    tests: Vec<String>,
    config: Option<Table>,
}

/// Every project with tests; a repository of scripts is one project.
pub fn find(tree: &Tree, found: &mut Findings) {
    let mut dirs: Vec<_> = PROJECT_FILES.iter().flat_map(|file| tree.directories_with(file)).collect();
    if dirs.is_empty() || !dirs.contains(&"") {
        dirs.push("");
    }
    dirs.sort_unstable();
    dirs.dedup();
    for dir in &dirs {
        let inner: Vec<_> = dirs.iter().filter(|other| *other != dir).filter_map(|other| within(other, dir)).collect();
        let own = |file: &&str| !inner.iter().any(|inner| within(file, inner).is_some());
        let tests: Vec<_> = tree.below(dir).filter(|file| is_test(file)).filter(own).map(str::to_owned).collect();
        if tests.is_empty() {
            continue;
        }
        let config = tree.text(&join(dir, "pyproject.toml")).and_then(|text| text.parse().ok());
        let project = Project { tree, dir: (*dir).to_owned(), tests, config };
        if project.uses_pytest() { project.pytest(found) } else { project.unittest(found) }
    }
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py").is_some_and(|name| name.starts_with("test_") || name.ends_with("_test"))
}

impl Project<'_> {
    fn text(&self, file: &str) -> String {
        self.tree.text(&join(&self.dir, file)).unwrap_or_default()
    }

    fn has(&self, file: &str) -> bool {
        self.tree.has(&join(&self.dir, file))
    }

    fn tool(&self, name: &str) -> Option<&Value> {
        self.config.as_ref()?.get("tool")?.get(name)
    }

    /// Settings, requirements or tests that name pytest.
    fn uses_pytest(&self) -> bool {
        let configured = self.tool("pytest").is_some()
            || self.has("pytest.ini")
            || self.text("setup.cfg").contains("[tool:pytest]")
            || self.text("tox.ini").contains("[pytest]");
        configured || self.requires("pytest") || self.tests.iter().any(|test| imports(&self.text(test), "pytest"))
    }

    /// Whether a file of requirements names a distribution.
    fn requires(&self, distribution: &str) -> bool {
        let files = self.tree.below(&self.dir).filter(|file| {
            let top = file.rsplit('/').next().unwrap_or(file);
            matches!(*file, "pyproject.toml" | "setup.py" | "setup.cfg" | "tox.ini" | "Pipfile")
                || (file.matches('/').count() < 2 && top.contains("requirements") && top.ends_with(".txt"))
        });
        let named = |text: &str| {
            let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "-_.".contains(letter)));
            words.map(|word| word.replace('_', "-")).any(|word| word == distribution)
        };
        files.map(|file| self.text(file)).any(|text| named(&text))
    }

    /// Whether its requirements are locked, here or above: what is installed can be held against them.
    fn is_locked(&self) -> bool {
        let locks = |dir: &str| {
            let uv = self.tree.has(&join(dir, "uv.lock"));
            uv || self.tree.below(dir).any(|file| {
                file.contains("requirements")
                    && file.ends_with(".txt")
                    && self.tree.text(&join(dir, file)).is_some_and(|text| text.contains("--hash="))
            })
        };
        let above = self.dir.match_indices('/').map(|(at, _)| at).filter_map(|at| self.dir.get(..at));
        [self.dir.as_str(), ""].into_iter().chain(above).any(locks)
    }

    /// Where sources are imported from, when not from the directory itself.
    fn source_root(&self) -> Option<&'static str> {
        let mut modules = self.tree.below(&join(&self.dir, "src")).filter(|file| file.ends_with(".py"));
        modules.any(|file| !is_test(file)).then_some("src")
    }

    fn pytest(&self, found: &mut Findings) {
        let report = format!("--junitxml={REPORT}");
        let words = ["python3", "-m", "pytest", "-p", "no:cacheprovider"];
        let mut draft = Draft::new("unit", "pytest", &self.dir, words);
        let has_path = self.settings().contains("pythonpath");
        if let Some(root) = self.source_root().filter(|_| !has_path) {
            // An installation in development mode points outside of what a check sees.
            let option = format!("pythonpath={root}");
            draft = draft.with(["-o", option.as_str()]);
        }
        draft = draft.with([report.as_str()]).reports("junit");
        self.keep(draft.found(format!("the tests in {}, which use pytest", self.place())), found);
    }

    fn unittest(&self, found: &mut Findings) {
        let (module, flags) = if self.requires("unittest-xml-reporting") {
            ("xmlrunner", format!(" --output-file {REPORT}"))
        } else {
            ("unittest", String::new())
        };
        let command = format!("python3 -m {module} discover{flags}{}", self.start());
        let mut draft = match self.source_root() {
            Some(root) => {
                let command = format!("PYTHONPATH={root} {command}");
                Draft::new("unit", "unittest", &self.dir, ["sh", "-c", command.as_str()])
            }
            None => Draft::new("unit", "unittest", &self.dir, command.split(' ')),
        };
        if module == "xmlrunner" {
            draft = draft.reports("junit");
        } else {
            found.note(format!(
                "unittest in {} writes no report, so a test that is deleted goes unnoticed: require pytest or \
                 unittest-xml-reporting, delete the check and run `runmill init` again",
                self.place()
            ));
        }
        self.keep(draft.found(format!("the tests in {}, which use unittest", self.place())), found);
    }

    /// The directory that discovery starts in.
    fn start(&self) -> String {
        let Some(top) =
            ["tests", "test"].into_iter().find(|top| self.tests.iter().all(|test| within(test, top).is_some()))
        else {
            return String::new();
        };
        let package = self.has(&join(top, "__init__.py"));
        format!(" -s {top}{}", if package { " -t ." } else { "" })
    }

    fn settings(&self) -> String {
        ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"].map(|file| self.text(file)).concat()
    }

    fn place(&self) -> String {
        if self.dir.is_empty() { "the root".to_owned() } else { format!("`{}`", self.dir) }
    }

    fn keep(&self, draft: Draft, found: &mut Findings) {
        let locked = self.is_locked();
        let outside = draft.words.iter().any(|word| word.contains("pytest") || word.contains("xmlrunner"));
        if !locked && outside {
            found.note(format!(
                "the tests in {} run with whatever the `python3` on PATH has installed: lock what they need, in `uv.lock` or \
                 in requirements with hashes, and add `dependencies: [python]` to the check",
                self.place()
            ));
        }
        found.drafts.push(draft.needs(locked.then_some("python")));
    }
}

fn imports(text: &str, module: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split([' ', '.', ',']);
        matches!(words.next(), Some("import" | "from")) && words.next() == Some(module)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    const PYTEST: &str = "python3 -m pytest -p no:cacheprovider";

    #[test]
    fn knows_pytest_by_settings_requirements_and_imports() {
        let unit = format!("unit: {PYTEST} --junitxml=reports/unit.xml | junit reports/unit.xml");
        for (file, text) in [
            ("pyproject.toml", "[tool.pytest.ini_options]\n"),
            ("pyproject.toml", "[dependency-groups]\ndev = [\"pytest>=8\"]\n"),
            ("requirements-dev.txt", "pytest==9.2.0\n"),
            ("tests/test_b.py", "import pytest\n"),
            ("setup.cfg", "[tool:pytest]\n"),
        ] {
            check(&[("tests/test_a.py", "def test_a(): pass\n"), (file, text)], &[&unit]);
        }
    }

    #[test]
    fn imports_from_src_without_an_installation() {
        let files = [("src/pkg/__init__.py", ""), ("tests/test_a.py", "import pytest\n")];
        let options = "-o pythonpath=src --junitxml=reports/unit.xml | junit reports/unit.xml";
        check(&files, &[&format!("unit: {PYTEST} {options}")]);
        let configured = ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\"src\"]\n");
        check(
            &[files[0], files[1], configured],
            &[&format!("unit: {PYTEST} --junitxml=reports/unit.xml | junit reports/unit.xml")],
        );
        let unittest = [files[0], ("tests/test_a.py", "import unittest\n")];
        check(&unittest, &["unit: sh -c 'PYTHONPATH=src python3 -m unittest discover -s tests'"]);
    }

    #[test]
    fn unittest_reports_where_a_reporter_is_required() {
        let test = ("tests/test_a.py", "import unittest\n");
        let found = check(&[test, ("tests/__init__.py", "")], &["unit: python3 -m unittest discover -s tests -t ."]);
        assert!(found.notes[0].contains("writes no report"), "{:?}", found.notes);
        check(
            &[test, ("requirements.txt", "unittest-xml-reporting==4.0.0 --hash=sha256:0\n")],
            &[
                "unit: python3 -m xmlrunner discover --output-file reports/unit.xml -s tests | junit reports/unit.xml | needs python",
            ],
        );
        check(&[("test_a.py", "import unittest\n")], &["unit: python3 -m unittest discover"]);
    }

    #[test]
    fn packages_are_projects_of_their_own() {
        check(
            &[
                ("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"packages/*\"]\n"),
                ("packages/a/pyproject.toml", "[tool.pytest.ini_options]\n"),
                ("packages/a/tests/test_a.py", ""),
                ("packages/b/pyproject.toml", ""),
                ("packages/b/uv.lock", ""),
                ("packages/b/tests/test_b.py", "from pytest import mark\n"),
            ],
            &[
                &format!(
                    "a:unit: {PYTEST} --junitxml=reports/unit.xml | in packages/a | junit packages/a/reports/unit.xml"
                ),
                "b:unit: python3 -m pytest -p no:cacheprovider --junitxml=reports/unit.xml | in packages/b \
                 | junit packages/b/reports/unit.xml | needs python",
            ],
        );
    }
}
