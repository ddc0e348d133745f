//! Yarn trees made up for each fault.

use std::fs;

use runmill_manifest::checks::Ecosystem::Yarn;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, refused},
};

const MANIFEST: &str = r#"{ "name": "project", "workspaces": ["packages/*"], "dependencies": { "runner": "^1.0.0" },
    "devDependencies": { "part": "1.0.0" }, "optionalDependencies": { "for-mac": "1.0.0" } }"#;

const PART: &str = r#"{ "name": "part", "version": "1.0.0", "dependencies": { "deep": "^2.0.0" } }"#;

const CLASSIC: &str = r#"# yarn lockfile v1


deep@^1.0.0:
  version "1.0.0"
  resolved "https://registry.example/deep-1.0.0.tgz#d1"
  integrity sha512-deep1

deep@^2.0.0:
  version "2.0.0"
  resolved "https://registry.example/deep-2.0.0.tgz#d2"
  integrity sha512-deep2

for-mac@1.0.0:
  version "1.0.0"
  resolved "https://registry.example/for-mac-1.0.0.tgz#m"
  integrity sha512-mac

"runner@^1.0.0":
  version "1.2.0"
  resolved "https://registry.example/runner-1.2.0.tgz#r"
  integrity sha512-runner
  dependencies:
    deep "^1.0.0"
"#;

fn later() -> String {
    let hard = |name: &str, version: &str, range: &str, more: &str| {
        format!(
            "\"{name}@npm:{range}\":\n  version: {version}\n  resolution: \"{name}@npm:{version}\"\n{more}  checksum: 10c0/{}\n  \
             linkType: hard\n\n",
            checksum(name)
        )
    };
    let mut text = "__metadata:\n  version: 8\n  cacheKey: 10c0\n\n".to_owned();
    text += &hard("deep", "1.0.0", "^1.0.0", "");
    text += &hard("deep", "2.0.0", "^2.0.0", "");
    text += &hard("for-mac", "1.0.0", "1.0.0", "  conditions: os=darwin\n");
    text += &hard("runner", "1.2.0", "^1.0.0", "  dependencies:\n    deep: \"npm:^1.0.0\"\n");
    text += "\"part@workspace:packages/part, part@npm:1.0.0\":\n  version: 0.0.0-use.local\n  resolution: \
             \"part@workspace:packages/part\"\n  dependencies:\n    deep: \"npm:^2.0.0\"\n  linkType: soft\n\n";
    text += "\"project@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"project@workspace:.\"\n  dependencies:\n    \
             for-mac: \"npm:1.0.0\"\n    part: \"npm:1.0.0\"\n    runner: \"npm:^1.0.0\"\n  dependenciesMeta:\n    for-mac:\n      \
             optional: true\n  linkType: soft\n";
    text
}

fn checksum(text: &str) -> String {
    Sha512::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn classic() -> Commit {
    Commit::with(&[("package.json", MANIFEST), ("packages/part/package.json", PART), ("yarn.lock", CLASSIC)])
}

fn modules() -> Commit {
    let mut commit = classic();
    commit.set("yarn.lock", &later()).set(".yarnrc.yml", "nodeLinker: node-modules\n");
    commit
}

fn integrity() -> Value {
    json!({
        "systemParams": "linux-x64-115",
        "lockfileEntries": {
            "deep@^1.0.0": "https://registry.example/deep-1.0.0.tgz#d1",
            "deep@^2.0.0": "https://registry.example/deep-2.0.0.tgz#d2",
            "for-mac@1.0.0": "https://registry.example/for-mac-1.0.0.tgz#m",
            "runner@^1.0.0": "https://registry.example/runner-1.2.0.tgz#r",
        }
    })
}

const STATE: &str = r#"__metadata:
  version: 1
"deep@npm:1.0.0":
  locations: ["node_modules/deep"]
"deep@npm:2.0.0":
  locations: ["packages/part/node_modules/deep"]
"part@workspace:packages/part":
  locations: ["node_modules/part"]
"project@workspace:.":
  locations: [""]
"runner@npm:1.2.0":
  locations: ["node_modules/runner"]
"#;

fn package(site: &Site, at: &str, name: &str, version: &str) {
    site.write(&site.work(at).join("package.json"), json!({ "name": name, "version": version }).to_string());
    site.write(&site.work(at).join("cli.js"), "// honest\n");
}

/// A work tree in which either Yarn installed.
fn installed() -> Site {
    let site = Site::new();
    site.write(&site.work("node_modules/.yarn-integrity"), integrity().to_string());
    site.write(&site.work("node_modules/.yarn-state.yml"), STATE);
    package(&site, "node_modules/runner", "runner", "1.2.0");
    package(&site, "node_modules/deep", "deep", "1.0.0");
    package(&site, "packages/part/node_modules/deep", "deep", "2.0.0");
    site.link(&site.work("node_modules/part"), "../packages/part");
    site.link(&site.work("node_modules/.bin/runner"), "../runner/cli.js");
    site
}

/// Alters a work tree that fits, and expects a fault from either.
#[track_caller]
fn check(alter: impl Fn(&Site), kind: FaultKind, message: &str) {
    for (commit, repair) in [(classic(), "yarn install --frozen-lockfile"), (modules(), "yarn install --immutable")] {
        let site = installed();
        alter(&site);
        refused(site.prepare(Yarn, &commit), kind, message, repair);
    }
}

#[test]
fn what_is_installed_as_locked_is_copied_with_its_links() {
    for commit in [classic(), modules()] {
        let site = installed();
        let prepared = site.prepare(Yarn, &commit).unwrap();
        assert_eq!(prepared.receipt.packages, ["deep@1.0.0", "deep@2.0.0", "part@link", "runner@1.2.0"]);
        assert_eq!(prepared.receipt.omitted, ["for-mac@1.0.0"]);
        let at: Vec<_> = prepared.overlays.iter().map(|overlay| overlay.at.as_str()).collect();
        assert_eq!(at, ["node_modules", "packages/part/node_modules"]);
        let expect = [
            ".bin/runner -> ../runner/cli.js",
            "deep/cli.js",
            "deep/package.json",
            "part -> ../packages/part",
            "runner/cli.js",
            "runner/package.json",
        ];
        assert_eq!(listing(&prepared.overlays[0].host), expect);
    }
}

#[test]
fn every_alteration_of_what_is_installed_is_found() {
    let mismatch = FaultKind::Mismatch;
    check(|site| fs::remove_dir_all(site.work("node_modules")).unwrap(), FaultKind::Missing, "are not installed");
    let unwritten = |site: &Site| {
        fs::remove_file(site.work("node_modules/.yarn-integrity")).unwrap();
        fs::remove_file(site.work("node_modules/.yarn-state.yml")).unwrap();
    };
    check(unwritten, mismatch, "nobody knows");
    check(|site| package(site, "node_modules/added", "added", "1.0.0"), mismatch, "is installed and not locked");
    check(|site| package(site, "node_modules/@s/added", "@s/added", "1.0.0"), mismatch, "is installed and not locked");
    check(|site| package(site, "node_modules/runner", "runner", "1.1.0"), mismatch, "is runner@1.1.0");
    check(|site| fs::remove_file(site.work("node_modules/deep/package.json")).unwrap(), mismatch, "cannot be read");
    check(
        |site| fs::remove_dir_all(site.work("node_modules/runner")).unwrap(),
        mismatch,
        "`runner@1.2.0` is locked and not there",
    );
    let elsewhere = |site: &Site| package(site, "node_modules/runner/node_modules/deep", "deep", "2.0.0");
    check(elsewhere, mismatch, "as deep@2.0.0, locked is deep@1.0.0");
    let mac = |site: &Site| {
        let manifest = json!({ "name": "for-mac", "version": "1.0.0", "os": ["darwin"] }).to_string();
        site.write(&site.work("node_modules/for-mac/package.json"), manifest);
    };
    check(mac, mismatch, "not for linux-x64-");
    let relinked = |target: &'static str| {
        move |site: &Site| {
            fs::remove_file(site.work("node_modules/part")).unwrap();
            site.link(&site.work("node_modules/part"), target);
        }
    };
    check(relinked("../packages/other"), mismatch, "no workspace of that name");
    check(relinked("/etc"), mismatch, "no workspace of that name");
    check(
        |site| site.link(&site.work("node_modules/.bin/evil"), "../../home/evil"),
        mismatch,
        "is no link to a program",
    );
    check(|site| site.link(&site.work("node_modules/deep/secrets"), "../../home"), mismatch, "leads out");
}

#[test]
fn a_package_that_nothing_needs_where_it_is_is_refused() {
    let extra = |site: &Site| package(site, "node_modules/deep/node_modules/deep", "deep", "1.0.0");
    let site = installed();
    extra(&site);
    refused(site.prepare(Yarn, &classic()), FaultKind::Mismatch, "nothing needs it there", "yarn install");
    let site = installed();
    extra(&site);
    refused(site.prepare(Yarn, &modules()), FaultKind::Mismatch, "yarn did not install it", "yarn install");
}

#[test]
fn what_yarn_wrote_down_must_be_what_is_locked() {
    let with = |change: fn(&mut Value)| {
        let (site, mut written) = (installed(), integrity());
        change(&mut written);
        site.write(&site.work("node_modules/.yarn-integrity"), written.to_string());
        site.prepare(Yarn, &classic())
    };
    let mismatch = FaultKind::Mismatch;
    refused(
        with(|it| it["systemParams"] = json!("linux-x64-131")),
        mismatch,
        "for linux-x64-131, here is linux-x64-115",
        "yarn",
    );
    refused(with(|it| it["lockfileEntries"]["deep@^1.0.0"] = json!("evil")), mismatch, "from another source", "yarn");
    refused(with(|it| it["lockfileEntries"]["added@1"] = json!("x")), mismatch, "not locked: `added@1`", "yarn");
    let forget = |it: &mut Value| drop(it["lockfileEntries"].as_object_mut().unwrap().remove("deep@^1.0.0"));
    refused(with(forget), mismatch, "locked and not installed: `deep@^1.0.0`", "yarn");
    let state = |text: &str| {
        let site = installed();
        site.write(&site.work("node_modules/.yarn-state.yml"), text);
        site.prepare(Yarn, &modules())
    };
    refused(
        state(&STATE.replace("runner@npm:1.2.0", "runner@npm:1.1.0")),
        mismatch,
        "not locked: `runner@npm:1.1.0`",
        "yarn",
    );
    refused(state(&STATE.replace("node_modules/runner", "node_modules/x")), mismatch, "did not install it", "yarn");
    let twice = STATE.replace("\"node_modules/runner\"", "\"node_modules/runner\", \"node_modules/x\"");
    refused(state(&twice), mismatch, "installed and no longer there: `node_modules/x`", "yarn");
}

#[test]
fn a_lockfile_that_does_not_fit_is_stale_or_refused() {
    for commit in [classic(), modules()] {
        let with = |path: &str, text: &str| {
            let mut commit = commit.clone();
            commit.set(path, text);
            installed().prepare(Yarn, &commit)
        };
        let stale = FaultKind::StaleLock;
        refused(with("package.json", &MANIFEST.replace("^1.0.0", "^3.0.0")), stale, "`runner", "yarn install");
        refused(
            with("packages/part/package.json", &PART.replace("deep", "deeper")),
            stale,
            "`deep",
            "commit both files",
        );
        refused(with("yarn.lock", "__metadata: 1\n- x\n"), FaultKind::InvalidLock, "cannot be used", "yarn install");
        let lock = String::from_utf8(commit.files["yarn.lock"].clone()).unwrap();
        let loose =
            lock.replace("  integrity sha512-deep1\n", "").replace("#d1", "").replace("  checksum: 10c0/", "  other: ");
        refused(with("yarn.lock", &loose), FaultKind::InvalidLock, "no digest for `deep@1.0.0`", "yarn install");
        let mut none = commit.clone();
        none.files.remove("yarn.lock");
        refused(installed().prepare(Yarn, &none), FaultKind::Unlocked, "has no `yarn.lock`", "commit the lockfile");
        let mut tracked = commit.clone();
        tracked.tracked = vec!["packages/part/node_modules".into()];
        refused(
            installed().prepare(Yarn, &tracked),
            FaultKind::NotIgnored,
            "is not ignored",
            "/packages/part/node_modules/",
        );
    }
    let mut unknown = modules();
    unknown.set("packages/new/package.json", "{}");
    refused(installed().prepare(Yarn, &unknown), FaultKind::StaleLock, "the workspace `packages/new`", "yarn install");
    let mut gone = modules();
    let alone = MANIFEST.replace("packages/*", "other/*").replace(r#""devDependencies": { "part": "1.0.0" },"#, "");
    gone.set("package.json", &alone);
    gone.set("yarn.lock", &later().replace("    part: \"npm:1.0.0\"\n", ""));
    let unknown = "workspaces that the project does not name: `packages/part`";
    refused(installed().prepare(Yarn, &gone), FaultKind::StaleLock, unknown, "yarn install");
    let mut linked = modules();
    linked.set(".yarnrc.yml", "nodeLinker: pnpm\n");
    refused(installed().prepare(Yarn, &linked), FaultKind::Unsupported, "the linker `pnpm`", "node-modules");
}

#[test]
fn another_node_is_another_entry() {
    let mut site = installed();
    let first = site.prepare(Yarn, &modules()).unwrap();
    site.node.abi = "131".into();
    assert_ne!(site.prepare(Yarn, &modules()).unwrap().receipt.key, first.receipt.key);
}

#[test]
fn archives_of_the_commit_are_held_against_the_lockfile() {
    let mut whole = modules();
    whole.files.remove(".yarnrc.yml");
    whole.set(".pnp.cjs", "// a map\n").set(".yarn/cache/deep.zip", "deep").set(".yarn/cache/runner.zip", "runner");
    let prepared = Site::new().prepare(Yarn, &whole).unwrap();
    assert!(prepared.overlays.is_empty() && prepared.receipt.packages.contains(&"runner@1.2.0".to_owned()));
    let with = |change: fn(&mut Commit)| {
        let mut commit = whole.clone();
        change(&mut commit);
        Site::new().prepare(Yarn, &commit)
    };
    let edited = |it: &mut Commit| {
        it.set(".yarn/cache/deep.zip", "edited");
    };
    refused(with(edited), FaultKind::Mismatch, "`.yarn/cache/deep.zip` at", "yarn install");
    refused(
        with(|it| drop(it.files.remove(".yarn/cache/deep.zip"))),
        FaultKind::Missing,
        "no archive of `deep@",
        ".yarn/cache",
    );
    refused(with(|it| drop(it.files.remove(".pnp.cjs"))), FaultKind::Unsupported, "has no `.pnp.cjs`", "nodeLinker");
    let unplugged = |it: &mut Commit| {
        it.set(".pnp.cjs", "\"./.yarn/unplugged/x\"");
    };
    refused(with(unplugged), FaultKind::Unsupported, "names unpacked packages", "nodeLinker");
}
