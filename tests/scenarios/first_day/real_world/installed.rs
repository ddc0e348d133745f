//! Projects with dependencies from npm, PyPI, the crate registry and a module proxy in a folder. What a person would run once, their
//! package manager on the network, the tests run here; everything after that is offline, in the sandbox.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{DOUBLE, LIB, PYTHON, Project, package, path_with_cargo, path_with_nextest};
use crate::harness::path;

/// Runs a package manager as the person at this machine, in a folder of the project.
#[track_caller]
fn installs(project: &Project, dir: &str, env: &[(&str, &Path)], words: &[&str]) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(project.repo.path().join(dir)).envs(env.iter().copied());
    let output = command.output().unwrap_or_else(|error| panic!("{words:?}: {error}; `.ci/run` installs it"));
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{words:?}: {said}");
}

/// A directory that is kept for the next run of the tests.
fn kept(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn npm(files: &[(&str, &str)], dir: &str) -> Project {
    let project = Project::of(&path(), files);
    project.repo.file(".gitignore", "node_modules/\n");
    installs(&project, dir, &[], &["npm", "install", "--no-audit", "--no-fund", "--silent"]);
    project.repo.commit("lock");
    project
}

fn script(name: &str, script: &str, packages: &str) -> String {
    format!(
        "{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"scripts\": {{\"test\": \"{script}\"}}, \"devDependencies\": {{{packages}}}}}\n"
    )
}

const VITEST: &str = "import { expect, test } from 'vitest';\ntest('adds', () => { expect(1 + 1).toBe(2); });\ntest('takes', () => { expect(1 - 1).toBe(0); });\n";
const VITEST_GONE: &str = "test('takes', () => { expect(1 - 1).toBe(0); });\n";
const VITEST_VERSION: &str = "\"vitest\": \"4.1.12\"";

#[test]
fn vitest_in_one_package() {
    let script = script("x", "vitest run", VITEST_VERSION);
    let project = npm(&[("package.json", &script), ("src/a.test.js", VITEST)], "");
    project.is_ready(&["unit"]).loses("src/a.test.js", VITEST_GONE, "", "src/a.test.js::takes");
}

#[test]
fn vitest_in_a_folder() {
    let script = script("x", "vitest run", VITEST_VERSION);
    let files = [("go.txt", ""), ("web/package.json", script.as_str()), ("web/src/a.test.js", VITEST)];
    let project = npm(&files, "web");
    project.is_ready(&["web:unit"]).loses("web/src/a.test.js", VITEST_GONE, "", "src/a.test.js::takes");
}

#[test]
fn vitest_in_workspaces_that_share_it() {
    let root = format!(
        "{{\"private\": true, \"workspaces\": [\"packages/*\"], \"scripts\": {{\"test\": \"npm test --workspaces\"}}, \"devDependencies\": {{{VITEST_VERSION}}}}}\n"
    );
    let (a, b) = (script("a", "vitest run", ""), script("b", "vitest run", "\"a\": \"1.0.0\""));
    let files = [
        ("package.json", root.as_str()),
        ("packages/a/package.json", &a),
        ("packages/a/a.test.js", VITEST),
        ("packages/b/package.json", &b),
        ("packages/b/b.test.js", VITEST),
    ];
    let project = npm(&files, "");
    project.is_ready(&["a:unit", "b:unit"]).loses("packages/b/b.test.js", VITEST_GONE, "", "b.test.js::takes");
}

#[test]
fn jest_with_its_reporter() {
    let script = script("x", "jest", "\"jest\": \"30.5.2\", \"jest-junit\": \"17.0.0\"");
    let tests = "test('adds', () => {});\ntest('takes', () => {});\n";
    let project = npm(&[("package.json", &script), ("a.test.js", tests), ("b.test.js", tests)], "");
    project.is_ready(&["unit"]).loses("b.test.js", "test('takes', () => {});\n", "", "b.test.js::takes");
}

#[test]
fn mocha_in_its_folder() {
    let script = script("x", "mocha", "\"mocha\": \"12.0.3\"");
    let tests = "describe('sums', () => {\n  it('adds', () => {});\n  it('takes', () => {});\n});\n";
    let project = npm(&[("package.json", &script), ("test/a.js", tests)], "");
    project.is_ready(&["unit"]).loses("test/a.js", "  it('takes', () => {});\n", "", "sums::takes");
}

/// Makes the environment of a project from these distributions, and locks each with the hash of what was downloaded.
fn pip(project: &Project, dir: &str, distributions: &[&str]) {
    let python = PYTHON.join("bin/python3").into_os_string().into_string().unwrap();
    installs(project, dir, &[], &[python.as_str(), "-m", "venv", ".venv"]);
    let report = project.repo.place("report.json");
    let to_report = ["--report", report.to_str().unwrap()];
    let install = ["install", "--quiet", "--ignore-installed", "--disable-pip-version-check"];
    let words: Vec<_> =
        [".venv/bin/pip"].iter().chain(&install).chain(&to_report).chain(distributions).copied().collect();
    installs(project, dir, &[], &words);
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let line = |item: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (name, version) = (text(&item["metadata"]["name"]), text(&item["metadata"]["version"]));
        let hash = text(&item["download_info"]["archive_info"]["hashes"]["sha256"]);
        format!("{name}=={version} --hash=sha256:{hash}\n")
    };
    let lines: String = report["install"].as_array().unwrap().iter().map(line).collect();
    project.repo.file(&format!("{dir}/requirements.txt"), lines).commit("lock");
}

/// A test that needs the fixture of a plugin.
const PLUGGED: &str = "from double import double\n\ndef test_one(mocker):\n    assert double(mocker.Mock(return_value=1)()) == 2\n\ndef test_zero():\n    assert double(0) == 0\n";
const PLUGIN: &[&str] = &["pytest==9.2.0", "pytest-mock==3.16.0"];

#[test]
fn pytest_with_a_plugin() {
    let ignored = (".gitignore", ".venv/\n");
    let project = Project::of(&path(), &[ignored, ("double.py", DOUBLE), ("test_double.py", PLUGGED)]);
    pip(&project, ".", PLUGIN);
    project.is_ready(&["unit"]).loses("test_double.py", "def test_zero", "def zero", "test_double::test_zero");
}

#[test]
fn pytest_with_a_plugin_and_a_src_layout() {
    let settings = ("pyproject.toml", "[project]\nname = \"double\"\nversion = \"1\"\n");
    let (source, tests) = (("src/double/__init__.py", DOUBLE), ("tests/test_double.py", PLUGGED));
    let project = Project::of(&path(), &[(".gitignore", ".venv/\n"), settings, source, tests]);
    pip(&project, ".", PLUGIN);
    let test = "tests.test_double::test_zero";
    project.is_ready(&["unit"]).loses("tests/test_double.py", "def test_zero", "def zero", test);
}

#[test]
fn pytest_with_a_plugin_in_a_folder() {
    let files = [(".gitignore", ".venv/\n"), ("api/double.py", DOUBLE), ("api/test_double.py", PLUGGED)];
    let project = Project::of(&path(), &files);
    pip(&project, "api", PLUGIN);
    let test = "test_double::test_zero";
    project.is_ready(&["api:unit"]).loses("api/test_double.py", "def test_zero", "def zero", test);
}

/// A cargo home that is kept, so that each crate is fetched once.
fn cargo_home() -> PathBuf {
    kept("first-day-cargo")
}

/// Three layouts of a package with a dependency: at the root, in a workspace, in a folder.
#[track_caller]
fn cargo_with_a_dependency(dir: &str, root: Option<(&str, &str)>, locked_in: &str, id: &str) {
    let manifest = package("tiny") + "\n[dependencies]\nitoa = \"1\"\n";
    let uses = LIB.replace("super::double(1), 2", "itoa::Buffer::new().format(super::double(1)), \"2\"");
    let (toml, lib) = (format!("{dir}Cargo.toml"), format!("{dir}src/lib.rs"));
    let mut files = vec![(toml.as_str(), manifest.as_str()), (lib.as_str(), uses.as_str())];
    files.extend(root);
    let home = cargo_home();
    let project = Project::of(&path_with_nextest(), &files).with("CARGO_HOME", &home);
    let cargo = format!("{}/cargo", path_with_cargo().split(':').next().unwrap());
    installs(&project, locked_in, &[("CARGO_HOME", home.as_path())], &[cargo.as_str(), "fetch", "--quiet"]);
    project.repo.commit("lock");
    let gone = "#[test]\n    fn zero()";
    project.is_ready(&[id]).loses(&lib, gone, "#[allow(dead_code)]\n    fn zero()", "tiny::tests::zero");
}

#[test]
fn cargo_with_a_dependency_at_the_root() {
    cargo_with_a_dependency("", None, ".", "unit");
}

#[test]
fn cargo_with_a_dependency_in_a_workspace() {
    let workspace = ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n");
    cargo_with_a_dependency("crates/tiny/", Some(workspace), ".", "unit");
}

#[test]
fn cargo_with_a_dependency_in_a_folder() {
    cargo_with_a_dependency("native/tiny/", None, "native/tiny", "tiny:unit");
}

const GO: &str = "package double\n\nimport (\n\t\"testing\"\n\n\t\"example.test/dep\"\n)\n\nfunc TestOne(t *testing.T) {\n\tif dep.Double(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestZero(t *testing.T) {}\n";

/// A module proxy in a folder, as `GOPROXY=file://` takes it, with `example.test/dep` in it.
fn module_proxy(project: &Project) -> PathBuf {
    let module = "module example.test/dep\n\ngo 1.19\n";
    let (stage, proxy) = (project.repo.place("stage"), project.repo.place("proxy"));
    let (sources, versions) = (stage.join("example.test/dep@v1.0.0"), proxy.join("example.test/dep/@v"));
    for dir in [&sources, &versions] {
        fs::create_dir_all(dir).unwrap();
    }
    fs::write(sources.join("go.mod"), module).unwrap();
    fs::write(sources.join("dep.go"), "package dep\n\nfunc Double(n int) int { return n * 2 }\n").unwrap();
    fs::write(versions.join("v1.0.0.mod"), module).unwrap();
    fs::write(versions.join("v1.0.0.info"), "{\"Version\": \"v1.0.0\"}").unwrap();
    fs::write(versions.join("list"), "v1.0.0\n").unwrap();
    let zip = versions.join("v1.0.0.zip");
    // A module archive holds files and no directories.
    let script = "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as archive:\n  for path in sys.argv[2:]: archive.write(path)";
    let mut pack = Command::new("python3");
    pack.args(["-c", script]).arg(zip).current_dir(stage);
    pack.args(["go.mod", "dep.go"].map(|name| format!("example.test/dep@v1.0.0/{name}")));
    assert!(pack.status().unwrap().success());
    proxy
}

/// Runs go as the person who has not yet left the network.
fn go_installs(project: &Project, dir: &str, words: &[&str]) {
    let (cache, proxy) = (project.repo.place("modules"), module_proxy(project));
    let proxy = PathBuf::from(format!("file://{}", proxy.display()));
    let (off, writable) = (Path::new("off"), Path::new("-modcacherw"));
    let env = [("GOMODCACHE", cache.as_path()), ("GOPROXY", &proxy), ("GOSUMDB", off), ("GOFLAGS", writable)];
    installs(project, dir, &env, words);
}

/// A module with a dependency that was fetched into the module cache.
fn go(dir: &str, more: &[(&str, &str)]) -> Project {
    let module = "module example.test/double\n\ngo 1.19\n\nrequire example.test/dep v1.0.0\n";
    let (name, tests) = (format!("{dir}go.mod"), format!("{dir}a_test.go"));
    let mut files = vec![(name.as_str(), module), (tests.as_str(), GO)];
    files.extend(more);
    let project = Project::of(&path(), &files);
    let cache = project.repo.place("modules");
    let project = project.with("GOMODCACHE", &cache);
    go_installs(&project, dir, &["go", "mod", "tidy"]);
    project.repo.commit("lock");
    project
}

#[test]
fn go_with_a_cached_module() {
    let lost = ("func TestZero", "func testZero", "example.test/double::TestZero");
    go("", &[]).is_ready(&["unit"]).loses("a_test.go", lost.0, lost.1, lost.2);
    go("services/api/", &[]).is_ready(&["api:unit"]).loses("services/api/a_test.go", lost.0, lost.1, lost.2);
    let other = [("tools/go.mod", "module example.test/tools\n\ngo 1.19\n"), ("tools/b_test.go", super::GO)];
    go("", &other).is_ready(&["tools:unit", "unit"]);
}

#[test]
fn go_with_a_vendored_module() {
    for (dir, id) in [("", "unit"), ("services/api/", "api:unit")] {
        let project = go(dir, &[]);
        go_installs(&project, dir, &["go", "mod", "vendor"]);
        fs::remove_dir_all(project.repo.place("modules")).unwrap();
        project.repo.commit("vendor");
        let tests = format!("{dir}a_test.go");
        project.is_ready(&[id]).loses(&tests, "func TestZero", "func testZero", "example.test/double::TestZero");
    }
}
