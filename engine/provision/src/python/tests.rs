//! Environments made up for each fault.

use std::fs;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use runmill_manifest::checks::Ecosystem::Python;
use runmill_model::Digest;

use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, refused},
};

const PYPROJECT: &str = r#"
[project]
name = "project"
version = "0.1.0"
dependencies = ["six>=1.16,<2", "only-windows; sys_platform == 'win32'"]
[dependency-groups]
dev = ["pytest >= 8"]
"#;

const UV_LOCK: &str = r#"
version = 1
requires-python = ">=3.11"

[[package]]
name = "project"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "six" }, { name = "only-windows", marker = "sys_platform == 'win32'" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[package.metadata]
requires-dist = [{ name = "six", specifier = "<2,>=1.16" }, { name = "only-windows", marker = "sys_platform == 'win32'" }]
[package.metadata.requires-dev]
dev = [{ name = "pytest", specifier = ">=8" }]

[[package]]
name = "six"
version = "1.16.0"
source = { registry = "https://registry.example/simple" }
wheels = [{ url = "https://registry.example/six.whl", hash = "sha256:six" }]

[[package]]
name = "only-windows"
version = "1.0.0"
source = { registry = "https://registry.example/simple" }
wheels = [{ url = "https://registry.example/w.whl", hash = "sha256:w" }]

[[package]]
name = "pytest"
version = "8.0.0"
source = { registry = "https://registry.example/simple" }
dependencies = [{ name = "iniconfig" }]
wheels = [{ url = "https://registry.example/pytest.whl", hash = "sha256:pytest" }]

[[package]]
name = "iniconfig"
version = "2.0.0"
source = { registry = "https://registry.example/simple" }
wheels = [{ url = "https://registry.example/iniconfig.whl", hash = "sha256:iniconfig" }]
"#;

const REQUIREMENTS: &str = "# made by a compiler
six==1.16.0 \\
    --hash=sha256:six
    # via project
only-windows==1.0.0 ; sys_platform == 'win32' \\
    --hash=sha256:w
pytest==8.0.0 --hash=sha256:a --hash=sha256:b
iniconfig==2.0.0 \\
    --hash=sha256:iniconfig
";

fn uv() -> Commit {
    Commit::with(&[("uv.lock", UV_LOCK), ("pyproject.toml", PYPROJECT)])
}

fn pip() -> Commit {
    Commit::with(&[("requirements.txt", REQUIREMENTS)])
}

const PACKAGES: &str = ".venv/lib/python3.11/site-packages";

/// Installs a distribution with these files, relative to the packages, and a record of them.
fn distribution(site: &Site, name: &str, version: &str, files: &[(&str, &str)]) {
    let info = format!("{name}-{version}.dist-info");
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: of the text\n");
    let meta = (format!("{info}/METADATA"), metadata);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).chain([meta]);
    let mut record = format!("{name}/__pycache__/x.pyc,,\n{info}/RECORD,,\n");
    for (path, text) in files {
        let hash = URL_SAFE_NO_PAD.encode(Digest::of(text.as_bytes()).as_bytes());
        record.push_str(&format!("{path},sha256={hash},{}\n", text.len()));
        let path = site.work(PACKAGES).join(path);
        site.write(&path, text);
    }
    site.write(&site.work(PACKAGES).join(info).join("RECORD"), record);
}

fn editable(site: &Site, url: &str) {
    let origin = format!(r#"{{"url":"{url}","dir_info":{{"editable":true}}}}"#);
    let path = format!("{}/src\n", site.work(""));
    distribution(
        site,
        "project",
        "0.1.0",
        &[("project-0.1.0.dist-info/direct_url.json", &origin), ("_project.pth", &path)],
    );
}

/// A work tree in which everything locked was installed.
fn installed() -> Site {
    let site = Site::new();
    let home = site.root().join("python/bin");
    site.write(&home.join("python3"), "");
    let config = format!(
        "home = {home}\nimplementation = CPython\nversion_info = 3.11.7\ninclude-system-site-packages = false\n"
    );
    site.write(&site.work(".venv/pyvenv.cfg"), config);
    site.link(&site.work(".venv/bin/python3"), home.join("python3").as_str());
    site.link(&site.work(".venv/bin/python"), "python3");
    site.link(&site.work(".venv/lib64"), "lib");
    site.write(&site.work(".venv/bin/activate"), "unproven");
    site.write(&site.work(".venv/.gitignore"), "*");
    distribution(&site, "six", "1.16.0", &[("six.py", "# six\n")]);
    distribution(
        &site,
        "pytest",
        "8.0.0",
        &[("pytest/__init__.py", "# pytest\n"), ("../../../bin/pytest", "#!python\n")],
    );
    distribution(&site, "iniconfig", "2.0.0", &[("iniconfig/__init__.py", "# iniconfig\n")]);
    distribution(&site, "pip", "24.0", &[("pip/__init__.py", "# pip\n")]);
    site.write(&site.work(PACKAGES).join("_virtualenv.pth"), "import evil");
    site.write(&site.work(PACKAGES).join("six/__pycache__/six.cpython-311.pyc"), "unproven");
    site
}

/// Alters a work tree that fits, and expects a fault by either lock.
#[track_caller]
fn check(alter: impl Fn(&Site), kind: FaultKind, message: &str) {
    for (commit, repair) in [(uv(), "uv sync --frozen"), (pip(), "--require-hashes -r requirements.txt")] {
        let site = installed();
        alter(&site);
        refused(site.prepare(Python, &commit), kind, message, repair);
    }
}

#[test]
fn what_is_installed_as_locked_is_copied_without_what_nothing_proves() {
    for commit in [uv(), pip()] {
        let site = installed();
        let prepared = site.prepare(Python, &commit).unwrap();
        assert_eq!(prepared.receipt.packages, ["iniconfig@2.0.0", "pip@24.0", "pytest@8.0.0", "six@1.16.0"]);
        let [overlay] = prepared.overlays.as_slice() else { panic!() };
        assert_eq!(overlay.at.as_str(), ".venv");
        let found = listing(&overlay.host);
        for there in ["bin/pytest", "bin/python -> python3", "lib64 -> lib", "pyvenv.cfg"] {
            assert!(found.contains(&there.to_owned()), "{there} in {found:?}");
        }
        for away in ["activate", ".pyc", "_virtualenv", ".gitignore"] {
            assert!(!found.iter().any(|path| path.contains(away)), "{away} in {found:?}");
        }
        assert_eq!(prepared.visible, [site.root().join("python")]);
        assert_eq!(prepared.path, [site.work(".venv/bin")]);
        assert_eq!(prepared.checkout_at.unwrap(), site.work("").as_str().trim_end_matches('/'));
    }
}

#[test]
fn an_editable_installation_of_the_project_follows_the_commit() {
    let site = installed();
    editable(&site, &format!("file://{}", site.work("").as_str().trim_end_matches('/')));
    let prepared = site.prepare(Python, &uv()).unwrap();
    assert!(prepared.receipt.packages.contains(&"project@editable".to_owned()));
    check(|site| editable(site, "file:///elsewhere"), FaultKind::Mismatch, "outside the work tree");
    let site = installed();
    distribution(&site, "project", "0.1.0", &[("project/__init__.py", "")]);
    refused(site.prepare(Python, &uv()), FaultKind::Mismatch, "installed as a copy", "editable");
}

#[test]
fn no_environment_is_missing() {
    check(|site| fs::remove_dir_all(site.work(".venv")).unwrap(), FaultKind::Missing, "there is no environment");
}

#[test]
fn every_distribution_is_locked_at_its_version() {
    let mismatch = FaultKind::Mismatch;
    check(|site| distribution(site, "added", "1.0", &[]), mismatch, "`added@1.0` is installed in");
    let other = |site: &Site| {
        fs::remove_dir_all(site.work(PACKAGES).join("six-1.16.0.dist-info")).unwrap();
        distribution(site, "six", "1.15.0", &[("six.py", "# six\n")]);
    };
    check(other, mismatch, "`six@1.15.0` is installed, locked is `1.16.0`");
    check(|site| distribution(site, "Six", "1.16.0", &[]), mismatch, "is installed twice");
    let gone = |site: &Site| {
        fs::remove_dir_all(site.work(PACKAGES).join("iniconfig-2.0.0.dist-info")).unwrap();
        fs::remove_dir_all(site.work(PACKAGES).join("iniconfig")).unwrap();
    };
    check(gone, mismatch, "locked and not installed in");
    check(|site| site.write(&site.work(PACKAGES).join("old.egg-info/PKG-INFO"), ""), mismatch, "without a record");
}

#[test]
fn every_file_is_the_one_a_record_names() {
    let mismatch = FaultKind::Mismatch;
    let packages = |site: &Site, path: &str| site.work(PACKAGES).join(path);
    check(|site| site.write(&packages(site, "six.py"), "# altered\n"), mismatch, "is not what is locked");
    check(|site| site.write(&site.work(".venv/bin/pytest"), "#!evil\n"), mismatch, "is not what is locked");
    check(|site| site.write(&packages(site, "added.py"), ""), mismatch, "belongs to no installed distribution");
    check(|site| site.write(&packages(site, "evil.pth"), "import evil"), mismatch, "belongs to no installed");
    check(|site| site.write(&packages(site, "six/data.txt"), ""), mismatch, "belongs to no installed distribution");
    check(|site| site.write(&site.work(".venv/bin/tool"), ""), mismatch, "belongs to no installed distribution");
    check(|site| fs::remove_file(packages(site, "six.py")).unwrap(), mismatch, "installed files are gone");
    check(|site| fs::remove_file(packages(site, "six-1.16.0.dist-info/RECORD")).unwrap(), mismatch, "there is no");
    let loose = |site: &Site| site.write(&packages(site, "six-1.16.0.dist-info/RECORD"), "six.py,,\n");
    check(loose, mismatch, "has no digest for `six.py`");
    check(|site| site.link(&packages(site, "linked.py"), "/etc/passwd"), mismatch, "is a link");
    let interpreter = |site: &Site| site.link(&site.work(".venv/bin/python9"), "/etc/passwd");
    check(interpreter, mismatch, "is a link");
}

#[test]
fn an_environment_that_shares_packages_of_the_system_is_refused() {
    let share = |site: &Site| {
        let config = site.work(".venv/pyvenv.cfg");
        let text = fs::read_to_string(&config).unwrap().replace("= false", "= true");
        site.write(&config, text);
    };
    check(share, FaultKind::Mismatch, "shares the packages of the system");
}

#[test]
fn a_lock_that_does_not_fit_the_project_is_stale() {
    for (from, to, names) in [
        ("six>=1.16,<2", "six>=1.17,<2", "`six`"),
        ("\"six>=1.16,<2\", ", "", "`six`"),
        ("\"six>=1.16,<2\"", "\"six>=1.16,<2\", \"added\"", "`added`"),
        ("pytest >= 8", "pytest >= 9", "`pytest`"),
    ] {
        let mut commit = uv();
        commit.set("pyproject.toml", &PYPROJECT.replace(from, to));
        refused(installed().prepare(Python, &commit), FaultKind::StaleLock, names, "run `uv lock`");
    }
    let mut commit = uv();
    commit.files.remove("pyproject.toml");
    refused(installed().prepare(Python, &commit), FaultKind::StaleLock, "has no `pyproject.toml`", "run `uv lock`");
}

#[test]
fn a_lock_without_digests_is_refused() {
    let with = |name: &str, text: &str| {
        let mut commit = Commit::with(&[("pyproject.toml", PYPROJECT)]);
        commit.set(name, text);
        installed().prepare(Python, &commit)
    };
    let invalid = FaultKind::InvalidLock;
    refused(
        with("uv.lock", &UV_LOCK.replace(", hash = \"sha256:six\"", "")),
        invalid,
        "`six` has no digest",
        "uv lock",
    );
    refused(with("uv.lock", "version = 9"), invalid, "version 9 is not known", "uv lock");
    refused(with("uv.lock", "version = "), invalid, "cannot be used", "uv lock");
    refused(with("requirements.txt", "six==1.16.0\n"), invalid, "no requirements", "--generate-hashes");
    let loose = format!("{REQUIREMENTS}loose==1.0\n");
    refused(with("requirements.txt", &loose), invalid, "does not lock `loose==1.0`", "--generate-hashes");
    let range = format!("{REQUIREMENTS}loose>=1.0 --hash=sha256:x\n");
    refused(with("requirements.txt", &range), invalid, "does not lock `loose>=1.0`", "--generate-hashes");
    refused(installed().prepare(Python, &Commit::default()), FaultKind::Unlocked, "has neither", "uv.lock");
}

#[test]
fn a_wheel_for_another_interpreter_or_machine_is_refused() {
    let built_for = |tag: &'static str| {
        move |site: &Site| {
            let wheel = format!("Wheel-Version: 1.0\nTag: {tag}\n");
            distribution(site, "six", "1.16.0", &[("six.py", "# six\n"), ("six-1.16.0.dist-info/WHEEL", &wheel)]);
        }
    };
    for tag in ["cp310-cp310-manylinux_2_17_x86_64", "cp311-cp311-win_amd64", "cp311-cp311-manylinux_2_17_riscv64"] {
        check(built_for(tag), FaultKind::Mismatch, "was built for");
    }
    let site = installed();
    built_for("py2.py3-none-any")(&site);
    site.prepare(Python, &uv()).unwrap();
}

#[test]
fn an_interpreter_that_is_gone_is_refused() {
    check(
        |site| fs::remove_dir_all(site.root().join("python")).unwrap(),
        FaultKind::Mismatch,
        "leads to no interpreter",
    );
}
