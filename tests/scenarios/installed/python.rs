//! pip and uv.

use std::{fs, path::PathBuf};

use super::{Project, edit, remove, tool};

const PROJECT: &str = r#"[project]
name = "project"
version = "0.1.0"
requires-python = ">=3.9"
dependencies = []
[dependency-groups]
dev = ["pytest==8.3.4", "pytest-mock==3.14.0"]
"#;

const TEST: &str = "def test_adds():\n    assert 1 + 1 == 2\n\n\ndef test_mocks(mocker):\n    assert mocker.Mock()\n";

const CHECKS: &str = "checks:\n  - { id: unit, run: pytest -p no:cacheprovider --junitxml=unit.xml, report: { path: unit.xml, format: junit }, dependencies: [python] }\n";

fn project() -> Project {
    let project = Project::new();
    project
        .repo
        .file(".gitignore", "/.venv/\n*.xml\n__pycache__/\n")
        .file("test_it.py", TEST)
        .file(".runmill/checks.yaml", CHECKS);
    project
}

fn packages(project: &Project) -> PathBuf {
    let lib = project.repo.path().join(".venv/lib");
    let mut versions = fs::read_dir(lib).unwrap().map(|entry| entry.unwrap().path());
    versions.next().expect("a version of Python").join("site-packages")
}

fn refused_in_each_way(project: &Project, repair: impl Fn(), says: &str) {
    let again = || {
        repair();
        project.ready();
    };
    project.refused(|at| remove(at.join(".venv")), "there is no environment", says);
    again();
    project.refused(|_| edit(packages(project).join("pytest/__init__.py")), "is not what is locked", says);
    again();
    project.refused(
        |_| fs::write(packages(project).join("evil.pth"), "import os\n").unwrap(),
        "belongs to no installed",
        says,
    );
    again();
    project.refused(|_| fs::remove_file(packages(project).join("pytest/__init__.py")).unwrap(), "are gone", says);
    again();
    project.refused(
        |_| {
            let info = packages(project).join("added-1.0.0.dist-info");
            fs::create_dir(&info).unwrap();
            fs::write(info.join("METADATA"), "Metadata-Version: 2.1\nName: added\nVersion: 1.0.0\n").unwrap();
            fs::write(info.join("RECORD"), "added-1.0.0.dist-info/RECORD,,\n").unwrap();
        },
        "is installed in",
        says,
    );
    again();
    let wheel = |project: &Project| packages(project).join("iniconfig-2.0.0.dist-info/WHEEL");
    if wheel(project).exists() {
        project.refused(|_| edit(wheel(project)), "is not what is locked", says);
        again();
    }
}

#[test]
fn uv_with_a_plugin_of_pytest() {
    let uv = tool("uv/bin/uv");
    let project = project();
    project.repo.file("pyproject.toml", PROJECT);
    project.run(&uv, &["lock", "--quiet"]);
    project.run(&uv, &["sync", "--frozen", "--quiet"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["report"]["passed"], 2);
    let repair = || {
        let environment = project.repo.path().join(".venv");
        if environment.exists() {
            remove(environment);
        }
        project.run(&uv, &["sync", "--frozen", "--quiet"]);
    };
    refused_in_each_way(&project, repair, "uv sync --frozen");
    project.repo.file("pyproject.toml", PROJECT.replace("8.3.4", "8.3.3")).commit("stale");
    project.check().error().is("RM-VERIFY-005", 1).says("is stale").says("uv lock");
}

#[test]
fn pip_with_hashes() {
    let uv = tool("uv/bin/uv");
    let project = project();
    project.repo.file("requirements.in", "pytest==8.3.4\npytest-mock==3.14.0\n");
    project.run(&uv, &["pip", "compile", "--quiet", "--generate-hashes", "requirements.in", "-o", "requirements.txt"]);
    let install = |project: &Project| {
        project.run("python3", &["-m", "venv", "--clear", ".venv"]);
        project.run(
            project.repo.path().join(".venv/bin/pip"),
            &["install", "--quiet", "--require-hashes", "-r", "requirements.txt"],
        );
    };
    install(&project);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["report"]["passed"], 2);
    refused_in_each_way(&project, || install(&project), "pip install --require-hashes");
}
