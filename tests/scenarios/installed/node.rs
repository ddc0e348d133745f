//! npm, pnpm and Yarn.

use super::{Project, add_package, edit, remove, tool};

const TEST: &str = r#"const test = require("node:test");
const assert = require("node:assert");
const isOdd = require("is-odd");
test("one is odd", () => assert.equal(isOdd(1), true));
test("two is not", () => assert.equal(isOdd(2), false));
"#;

/// A check that runs `node --test` over one file and reports as JUnit.
fn node_test(dependencies: &str, cwd: &str, before: &str) -> String {
    format!(
        "checks:\n  - id: unit\n    argv: [node, {before}--test, --test-reporter=junit, \
         --test-reporter-destination=unit.xml, is-odd.test.js]\n    cwd: {cwd}\n    report: {{ path: {}unit.xml, \
         format: junit }}\n    dependencies: [{dependencies}]\n",
        if cwd == "." { String::new() } else { format!("{cwd}/") }
    )
}

fn manifest(more: &str) -> String {
    format!(
        r#"{{ "name": "project", "version": "1.0.0", "private": true{more}, "dependencies": {{ "is-odd": "3.0.1" }} }}"#
    )
}

/// Names the package manager as a program that tells of being called, and never runs in a verification.
fn never_called(project: &Project, names: &[&str]) -> String {
    let bin = project.repo.place("stubs");
    std::fs::create_dir_all(&bin).unwrap();
    let called = project.repo.place("called");
    for name in names {
        project.repo.executable_at(
            &bin.join(name),
            &format!("#!/bin/sh\necho {name} \"$@\" >> {}\nexit 1\n", called.display()),
        );
    }
    bin.display().to_string()
}

#[test]
fn npm_with_vitest() {
    let project = Project::new();
    let repo = &project.repo;
    repo.file(".gitignore", "/node_modules/\n*.xml\n");
    repo.file(
        "package.json",
        r#"{ "name": "project", "version": "1.0.0", "type": "module", "devDependencies": { "vitest": "2.1.8" } }"#,
    );
    repo.file(
        "sum.test.js",
        "import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(2));\ntest('adds nothing', () => expect(1 + 0).toBe(1));\n",
    );
    repo.file(
        ".runmill/checks.yaml",
        "checks:\n  - id: unit\n    argv: [node_modules/.bin/vitest, run, --reporter=junit, --outputFile=unit.xml]\n    \
         report: { path: unit.xml, format: junit }\n    dependencies: [npm]\n    env: { set: { VITEST_SKIP_INSTALL_CHECKS: '1' } }\n",
    );
    project.run("npm", &["install", "--no-audit", "--no-fund"]);
    let project = project.committed();
    let verdict = project.ready();
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);
    let repair = || {
        project.run("npm", &["ci", "--no-audit", "--no-fund"]);
        project.ready();
    };
    project.refused(|at| remove(at.join("node_modules")), "are not installed", "npm ci");
    repair();
    project.refused(|at| add_package(at.join("node_modules")), "is installed and not locked", "npm ci");
    repair();
    project.refused(|at| edit_version(&at.join("node_modules/vitest/package.json")), "says version 0.0.0", "npm ci");
    project.refused(|at| remove(at.join("node_modules/vite")), "vite", "npm ci");
    repair();

    let test = std::fs::read_to_string(project.repo.path().join("sum.test.js")).unwrap();
    project
        .repo
        .file("sum.test.js", test.replace("test('adds nothing'", "(() => {})('adds nothing'"))
        .commit("lose a test");
    project
        .check()
        .verdict()
        .is("blocked")
        .finding("RM-VERIFY-003", "skip/undeclared-missing")
        .tests(["sum.test.js::adds nothing"]);
}

fn edit_version(manifest: &std::path::Path) {
    let text = std::fs::read_to_string(manifest).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document["version"] = "0.0.0".into();
    std::fs::remove_file(manifest).unwrap();
    std::fs::write(manifest, document.to_string()).unwrap();
}

#[test]
fn pnpm_with_workspaces() {
    let pnpm = tool("node_modules/pnpm/bin/pnpm.cjs");
    let project = Project::new();
    let repo = &project.repo;
    repo.file(".gitignore", "node_modules/\n*.xml\n").file("pnpm-workspace.yaml", "packages: ['packages/*']\n");
    repo.file(
        "package.json",
        r#"{ "name": "project", "version": "1.0.0", "private": true, "devDependencies": { "rimraf": "5.0.5" } }"#,
    );
    repo.file(
        "packages/a/package.json",
        manifest("").replace("project", "a").replace(" } }", r#", "b": "workspace:*" } }"#),
    );
    repo.file("packages/b/package.json", r#"{ "name": "b", "version": "1.0.0", "main": "b.js" }"#);
    repo.file("packages/b/b.js", "module.exports = 2;\n");
    repo.file("packages/a/is-odd.test.js", TEST.replace("isOdd(2)", "isOdd(require(\"b\"))"));
    repo.file(".runmill/checks.yaml", node_test("pnpm", "packages/a", ""));
    let run = |project: &Project, args: &[&str]| {
        let program = pnpm.display().to_string();
        let words: Vec<_> = [program.as_str()].into_iter().chain(args.iter().copied()).collect();
        project.run("node", &words);
    };
    run(&project, &["install", "--no-frozen-lockfile"]);
    let project = project.committed();
    let verdict = project.ready();
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);
    let store = |at: &std::path::Path| at.join("node_modules/.pnpm/is-odd@3.0.1/node_modules/is-odd");
    let repair = || {
        remove(project.repo.path().join("node_modules"));
        run(&project, &["install", "--frozen-lockfile"]);
        project.ready();
    };
    const REPAIR: &str = "pnpm install --frozen-lockfile";
    project.refused(|at| remove(at.join("node_modules")), "are not installed", REPAIR);
    run(&project, &["install", "--frozen-lockfile"]);
    project.ready();
    project.refused(|at| edit(store(at).join("index.js")), "is not the file that pnpm unpacked", REPAIR);
    repair();
    project.refused(|at| add_package(at.join("packages/a/node_modules")), "is installed and not locked", REPAIR);
    remove(project.repo.path().join("packages/a/node_modules/added"));
    project.refused(|at| remove(at.join("node_modules/.pnpm/is-number@6.0.0")), "is-", REPAIR);
    repair();
    project.refused(
        |at| {
            std::fs::remove_file(at.join("packages/a/node_modules/b")).unwrap();
            std::os::unix::fs::symlink("../../../elsewhere", at.join("packages/a/node_modules/b")).unwrap();
        },
        "does not lead to the package",
        REPAIR,
    );
}

/// Runs a Yarn that is no part of the system.
fn yarn(project: &Project, path: &str, args: &[&str]) {
    let program = tool(path).display().to_string();
    let words: Vec<_> = [program.as_str()].into_iter().chain(args.iter().copied()).collect();
    project.run("node", &words);
}

const CLASSIC: &str = "node_modules/yarn/bin/yarn.js";
const LATER: &str = "node_modules/@yarnpkg/cli-dist/bin/yarn.js";

fn with_workspace(project: &Project) {
    let repo = &project.repo;
    repo.file(".gitignore", "node_modules/\n*.xml\n.yarn/*.gz\n")
        .file("package.json", manifest(r#", "workspaces": ["packages/*"]"#));
    repo.file(
        "packages/b/package.json",
        r#"{ "name": "b", "version": "1.0.0", "dependencies": { "is-number": "7.0.0" } }"#,
    );
    repo.file("packages/b/index.js", "module.exports = 2;\n");
    repo.file("is-odd.test.js", TEST.replace("isOdd(2)", "isOdd(require(\"b\"))"));
    repo.file(".runmill/checks.yaml", node_test("yarn", ".", ""));
}

fn refused_in_each_way(project: &Project, repair: impl Fn(), says: &str) {
    let again = || {
        remove(project.repo.path().join("node_modules"));
        repair();
        project.ready();
    };
    project.refused(|at| remove(at.join("node_modules")), "are not installed", says);
    repair();
    project.ready();
    project.refused(|at| add_package(at.join("node_modules")), "is installed and not locked", says);
    again();
    project.refused(|at| edit_version(&at.join("node_modules/is-odd/package.json")), "is-odd@0.0.0", says);
    again();
    project.refused(|at| remove(at.join("node_modules/is-odd")), "is-odd", says);
    again();
    // A version that is locked too, where another one is looked for.
    let swap = |at: &std::path::Path| {
        let (deep, top) = (at.join("node_modules/is-odd/node_modules"), at.join("node_modules/is-number"));
        let from = if deep.exists() { deep.join("is-number") } else { at.join("packages/b/node_modules/is-number") };
        remove(top.clone());
        std::fs::rename(from, top).unwrap();
    };
    project.refused(swap, "is-number", says);
    again();
    project
        .repo
        .file("package.json", manifest(r#", "workspaces": ["packages/*"]"#).replace("3.0.1", "3.0.0"))
        .commit("stale");
    project.check().error().is("RM-VERIFY-005", 1).says("is stale").says("yarn install");
}

#[test]
fn yarn_classic_with_workspaces() {
    let project = Project::new();
    with_workspace(&project);
    yarn(&project, CLASSIC, &["install", "--non-interactive"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["report"]["passed"], 2);
    let repair = || yarn(&project, CLASSIC, &["install", "--frozen-lockfile", "--non-interactive"]);
    refused_in_each_way(&project, repair, "yarn install --frozen-lockfile");
}

#[test]
fn yarn_with_modules() {
    let project = Project::new().with("YARN_ENABLE_TELEMETRY", "0").with("YARN_ENABLE_IMMUTABLE_INSTALLS", "false");
    with_workspace(&project);
    project.repo.file(".yarnrc.yml", "nodeLinker: node-modules\n").file("yarn.lock", "");
    yarn(&project, LATER, &["install"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["report"]["passed"], 2);
    refused_in_each_way(&project, || yarn(&project, LATER, &["install", "--immutable"]), "yarn install --immutable");
}

#[test]
fn yarn_with_archives_in_the_commit() {
    let project = Project::new().with("YARN_ENABLE_TELEMETRY", "0").with("YARN_ENABLE_IMMUTABLE_INSTALLS", "false");
    let repo = &project.repo;
    repo.file(".gitignore", "*.xml\n.yarn/*.gz\n").file("package.json", manifest("")).file("yarn.lock", "");
    repo.file(".yarnrc.yml", "enableGlobalCache: false\n").file("is-odd.test.js", TEST);
    repo.file(".runmill/checks.yaml", node_test("yarn", ".", "--require, ./.pnp.cjs, "));
    yarn(&project, LATER, &["install"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["report"]["passed"], 2);

    let cache = project.repo.path().join(".yarn/cache");
    let archive = std::fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    let archive = archive.filter(|path| path.to_string_lossy().contains("is-odd")).last().expect("an archive");
    let bytes = std::fs::read(&archive).unwrap();
    std::fs::write(&archive, [bytes.as_slice(), b"x"].concat()).unwrap();
    project.repo.commit("another archive");
    project
        .check()
        .error()
        .is("RM-VERIFY-005", 1)
        .says("no archive with a checksum of the lockfile")
        .says("yarn install");
    std::fs::remove_file(&archive).unwrap();
    project.repo.commit("no archive");
    project.check().error().is("RM-VERIFY-005", 1).says("has no archive of `is-odd@3.0.1`").says(".yarn/cache");
    std::fs::write(&archive, bytes).unwrap();
    std::fs::remove_file(project.repo.path().join(".pnp.cjs")).unwrap();
    project.repo.commit("no map");
    project.check().error().is("RM-VERIFY-005", 1).says("has no `.pnp.cjs`").says("nodeLinker");
}

#[test]
fn no_package_manager_runs_in_a_verification() {
    let project = Project::new();
    with_workspace(&project);
    yarn(&project, CLASSIC, &["install", "--non-interactive"]);
    let mut project = project.committed();
    let stubs = never_called(&project, &["npm", "npx", "pnpm", "yarn", "corepack"]);
    project.path = format!("{stubs}:{}", project.path);
    project.ready();
    assert!(!project.repo.place("called").exists());
}
