//! The same with tools that not every machine has; `.ci/run` installs them.

mod installed;
mod readme;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use super::{LIB, Project, lock, package, path_with_cargo};
use crate::harness::path;

const NODE: &str = "const { test } = require('node:test');\ntest('adds', () => {});\ntest('takes', () => {});\n";
const SUITES: &str = "const { describe, test } = require('node:test');\ndescribe('sums', () => {\n  test('works', () => {});\n});\ndescribe('lists', () => {\n  test('works', () => {});\n});\n";
const SCRIPT: &str = "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n";

#[test]
fn node_test_in_one_package() {
    let project = Project::of(&path(), &[("package.json", SCRIPT), ("test/a.test.js", NODE)]);
    project.is_ready(&["unit"]).loses("test/a.test.js", "test('takes', () => {});\n", "", "test::takes");
}

#[test]
fn node_test_with_suites() {
    let project = Project::of(&path(), &[("package.json", SCRIPT), ("src/a.js", ""), ("test/a.test.js", SUITES)]);
    let gone = "describe('lists', () => {\n  test('works', () => {});\n});\n";
    project.is_ready(&["unit"]).loses("test/a.test.js", gone, "", "lists::test::works");
}

#[test]
fn node_test_in_workspaces() {
    let root =
        "{\"private\": true, \"workspaces\": [\"packages/*\"], \"scripts\": {\"test\": \"npm test --workspaces\"}}\n";
    let files = [
        ("package.json", root),
        ("packages/a/package.json", SCRIPT),
        ("packages/a/a.test.js", NODE),
        ("packages/b/package.json", &SCRIPT.replace("\"x\"", "\"y\"")),
        ("packages/b/b.test.js", NODE),
    ];
    let project = Project::of(&path(), &files);
    let gone = "test('takes', () => {});\n";
    project.is_ready(&["a:unit", "b:unit"]).loses("packages/b/b.test.js", gone, "", "test::takes");
}

/// An environment with pytest and unittest-xml-reporting, made once and kept for the next run.
static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("first-day-python");
    let run = |program: &Path, args: &[&str]| {
        let status = Command::new(program).args(args).status();
        assert!(status.is_ok_and(|status| status.success()), "{} {args:?}", program.display());
    };
    run(Path::new("python3"), &["-m", "venv", home.to_str().unwrap()]);
    let install =
        ["install", "--quiet", "--disable-pip-version-check", "pytest==9.2.0", "unittest-xml-reporting==4.0.0"];
    run(&home.join("bin/pip"), &install);
    home
});

fn path_with_python() -> String {
    format!("{}:{}", PYTHON.join("bin").display(), path())
}

const PYTEST: &str = "import pytest\nfrom double import double\n\ndef test_one():\n    assert double(1) == 2\n\ndef test_zero():\n    assert double(0) == 0\n";
const UNITTEST: &str = "import unittest\nfrom double import double\n\nclass Doubles(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(double(1), 2)\n\n    def test_zero(self):\n        self.assertEqual(double(0), 0)\n";
const DOUBLE: &str = "def double(n):\n    return n * 2\n";

#[test]
fn pytest_beside_the_sources() {
    let project = Project::of(&path_with_python(), &[("double.py", DOUBLE), ("test_double.py", PYTEST)]);
    project.is_ready(&["unit"]).loses("test_double.py", "def test_zero", "def zero", "test_double::test_zero");
}

#[test]
fn pytest_with_a_src_layout() {
    let settings = ("pyproject.toml", "[project]\nname = \"double\"\nversion = \"1\"\n[tool.pytest.ini_options]\n");
    let files = [settings, ("src/double/__init__.py", DOUBLE), ("tests/test_double.py", PYTEST)];
    let project = Project::of(&path_with_python(), &files);
    project.is_ready(&["unit"]).loses(
        "tests/test_double.py",
        "def test_zero",
        "def zero",
        "tests.test_double::test_zero",
    );
}

#[test]
fn pytest_in_packages() {
    let settings = "[tool.pytest.ini_options]\n";
    let files = [
        ("packages/a/pyproject.toml", settings),
        ("packages/a/double.py", DOUBLE),
        ("packages/a/test_double.py", PYTEST),
        ("packages/b/pyproject.toml", settings),
        ("packages/b/src/double.py", DOUBLE),
        ("packages/b/tests/test_double.py", PYTEST),
    ];
    let project = Project::of(&path_with_python(), &files);
    let (file, test) = ("packages/b/tests/test_double.py", "tests.test_double::test_zero");
    project.is_ready(&["a:unit", "b:unit"]).loses(file, "def test_zero", "def zero", test);
}

#[test]
fn unittest_with_a_reporter() {
    let files = [
        ("requirements.txt", "unittest-xml-reporting==4.0.0\n"),
        ("src/double.py", DOUBLE),
        ("tests/test_double.py", UNITTEST),
    ];
    let project = Project::of(&path_with_python(), &files);
    let test = "test_double.Doubles::test_zero";
    project.is_ready(&["unit"]).loses("tests/test_double.py", "def test_zero", "def zero", test);
}

#[test]
fn unittest_alone_is_seen_when_every_test_is_gone() {
    let project = Project::of(&path(), &[("double.py", DOUBLE), ("test_double.py", UNITTEST)]);
    project.is_ready(&["unit"]);
    project.repo.file("test_double.py", UNITTEST.replace("def test_", "def ")).commit("lose every test");
    project.verdict().is("blocked").only_codes(["RM-VERIFY-006"]);
}

const BATS: &str = "@test \"greets\" { true; }\n@test \"greets nobody\" { true; }\n";

#[test]
fn bats_in_a_folder_and_in_folders_of_it() {
    let project = Project::of(&path(), &[("test/a.bats", BATS)]);
    project.is_ready(&["unit"]).loses("test/a.bats", "@test \"greets nobody\"", "nobody()", "a.bats::greets nobody");
    let project = Project::of(&path(), &[("test/one/a.bats", BATS), ("test/two/b.bats", BATS)]);
    project.is_ready(&["unit"]);
}

const TESTS_C: &str = "#include <stdio.h>\nint main(void) {\n    puts(\"1..2\");\n    puts(\"ok 1 - doubles one\");\n    puts(\"ok 2 - doubles zero\");\n    return 0;\n}\n";
const MAKEFILE: &str = "BUILD = build\n\n$(BUILD)/tests: tests.c\n\tmkdir -p $(BUILD)\n\t$(CC) -o $@ $<\n\ntest: $(BUILD)/tests\n\t./$(BUILD)/tests > reports/unit.tap\n";

#[test]
fn a_makefile_in_c_that_writes_tap() {
    let files = [("Makefile", MAKEFILE), ("tests.c", TESTS_C), (".gitignore", "build/\n")];
    let project = Project::of(&path(), &files);
    let (old, new) = ("    puts(\"ok 2 - doubles zero\");\n", "");
    project.repo.file("NOTES", "");
    project.is_ready(&["unit"]);
    let text = TESTS_C.replace(old, new).replace("1..2", "1..1");
    project.repo.file("tests.c", &text).commit("lose a test");
    let verdict = project.verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["doubles zero"]);
}

const GO: &str =
    "package double\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n\nfunc TestZero(t *testing.T) {}\n";

#[test]
fn go_modules_at_the_root_in_a_folder_and_vendored() {
    let module = "module example.test/double\n\ngo 1.19\n";
    let project = Project::of(&path(), &[("go.mod", module), ("a_test.go", GO)]);
    project.is_ready(&["unit"]).loses("a_test.go", "func TestZero", "func testZero", "example.test/double::TestZero");
    let project = Project::of(&path(), &[("services/api/go.mod", module), ("services/api/a_test.go", GO)]);
    project.is_ready(&["api:unit"]);
    let uses = format!("{module}\nrequire example.test/dep v1.0.0\n");
    let used = GO.replace("import \"testing\"", "import (\n\t\"testing\"\n\n\t_ \"example.test/dep\"\n)");
    let files = [
        ("go.mod", uses.as_str()),
        ("a_test.go", &used),
        ("vendor/modules.txt", "# example.test/dep v1.0.0\n## explicit\nexample.test/dep\n"),
        ("vendor/example.test/dep/dep.go", "package dep\n"),
    ];
    Project::of(&path(), &files).is_ready(&["unit"]);
}

/// The directories of the cargo that runs this suite and of cargo-nextest.
fn path_with_nextest() -> String {
    let inherited = std::env::var("PATH").unwrap_or_default();
    let has = |dir: &&str| Path::new(dir).join("cargo-nextest").is_file();
    let nextest = inherited.split(':').find(has).expect("cargo-nextest is on PATH; `.ci/run` installs it");
    format!("{nextest}:{}", path_with_cargo())
}

#[test]
fn cargo_nextest_in_a_package_a_workspace_and_a_folder() {
    let (manifest, lock) = (package("tiny"), lock("tiny"));
    let workspace = Some(("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n"));
    for (dir, root, id) in
        [("", None, "unit"), ("crates/tiny/", workspace, "unit"), ("native/tiny/", None, "tiny:unit")]
    {
        let (toml, lib) = (format!("{dir}Cargo.toml"), format!("{dir}src/lib.rs"));
        let locked = if root.is_none() { format!("{dir}Cargo.lock") } else { "Cargo.lock".to_owned() };
        let mut files = vec![(toml.as_str(), manifest.as_str()), (locked.as_str(), lock.as_str()), (lib.as_str(), LIB)];
        files.extend(root);
        let project = Project::of(&path_with_nextest(), &files);
        let gone = "#[test]\n    fn zero()";
        project.is_ready(&[id]).loses(&lib, gone, "#[allow(dead_code)]\n    fn zero()", "tiny::tests::zero");
    }
}
