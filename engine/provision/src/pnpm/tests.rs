//! pnpm trees made up for each fault.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use runmill_manifest::checks::Ecosystem::Pnpm;
use runmill_model::Side;
use serde_json::json;
use sha2::{Digest, Sha512};

use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, need, refused},
};

const MANIFEST: &str = r#"{ "dependencies": { "runner": "^1.0.0", "part": "workspace:*" },
    "optionalDependencies": { "for-mac": "1.0.0" } }"#;

const PART: &str = r#"{ "name": "part", "dependencies": { "deep": "1.0.0" } }"#;

const WORKSPACE: &str = "packages: ['packages/*']\n";

fn lockfile() -> String {
    let of = |name: &str| STANDARD.encode(Sha512::digest(name));
    format!(
        r#"lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      part: {{ specifier: 'workspace:*', version: 'link:packages/part' }}
      runner: {{ specifier: ^1.0.0, version: 1.2.0(deep@1.0.0) }}
    optionalDependencies:
      for-mac: {{ specifier: 1.0.0, version: 1.0.0 }}
  packages/part:
    dependencies:
      deep: {{ specifier: 1.0.0, version: 1.0.0 }}
packages:
  deep@1.0.0: {{ resolution: {{ integrity: sha512-{} }} }}
  for-mac@1.0.0: {{ resolution: {{ integrity: sha512-{} }}, os: [darwin] }}
  runner@1.2.0: {{ resolution: {{ integrity: sha512-{} }} }}
snapshots:
  deep@1.0.0: {{}}
  for-mac@1.0.0: {{ optional: true }}
  runner@1.2.0(deep@1.0.0): {{ dependencies: {{ deep: 1.0.0 }} }}
"#,
        of("deep"),
        of("for-mac"),
        of("runner"),
    )
}

fn commit(lockfile: &str) -> Commit {
    Commit::with(&[
        ("package.json", MANIFEST),
        ("packages/part/package.json", PART),
        ("pnpm-workspace.yaml", WORKSPACE),
        ("pnpm-lock.yaml", lockfile),
    ])
}

const RUNNER: &str = "node_modules/.pnpm/runner@1.2.0_deep@1.0.0/node_modules";
const DEEP: &str = "node_modules/.pnpm/deep@1.0.0/node_modules";

fn package(site: &Site, modules: &str, name: &str, version: &str) {
    let manifest = json!({ "name": name, "version": version }).to_string();
    site.write(&site.work(&format!("{modules}/{name}/package.json")), &manifest);
    site.write(&site.work(&format!("{modules}/{name}/cli.js")), "// honest\n");
    let file = |text: &str| json!({ "integrity": format!("sha512-{}", STANDARD.encode(Sha512::digest(text))) });
    let index =
        json!({ "requiresBuild": false, "files": { "package.json": file(&manifest), "cli.js": file("// honest\n") } });
    let hex: String = Sha512::digest(name).iter().map(|byte| format!("{byte:02x}")).collect();
    site.write(&site.home(&format!("store/files/{}/{}-index.json", &hex[..2], &hex[2..])), index.to_string());
}

fn script(to: &str) -> String {
    format!("#!/bin/sh\nexport NODE_PATH=\"/elsewhere\"\nexec node  \"$basedir/{to}\" \"$@\"\n")
}

/// A work tree in which `pnpm install` ran.
fn installed() -> Site {
    let site = Site::new();
    let notes = json!({ "nodeLinker": "isolated", "storeDir": site.home("store") });
    site.write(&site.work("node_modules/.modules.yaml"), notes.to_string());
    site.write(&site.work("node_modules/.pnpm/lock.yaml"), lockfile());
    package(&site, RUNNER, "runner", "1.2.0");
    package(&site, DEEP, "deep", "1.0.0");
    site.link(&site.work(RUNNER).join("deep"), "../../deep@1.0.0/node_modules/deep");
    site.link(&site.work("node_modules/runner"), ".pnpm/runner@1.2.0_deep@1.0.0/node_modules/runner");
    site.link(&site.work("node_modules/part"), "../packages/part");
    site.link(&site.work("node_modules/.pnpm/node_modules/deep"), "../deep@1.0.0/node_modules/deep");
    site.link(
        &site.work("packages/part/node_modules/deep"),
        "../../../node_modules/.pnpm/deep@1.0.0/node_modules/deep",
    );
    site.write(&site.work("node_modules/.bin/runner"), script("../runner/cli.js"));
    site
}

/// Alters a work tree that fits, and expects a fault.
#[track_caller]
fn check(alter: impl Fn(&Site), kind: FaultKind, message: &str) {
    let site = installed();
    alter(&site);
    refused(site.prepare(Pnpm, &commit(&lockfile())), kind, message, "pnpm install");
}

#[test]
fn what_is_installed_as_locked_is_copied_with_its_links() {
    let site = installed();
    let prepared = site.prepare(Pnpm, &commit(&lockfile())).unwrap();
    assert_eq!(prepared.receipt.packages, ["deep@1.0.0", "runner@1.2.0(deep@1.0.0)"]);
    assert_eq!(prepared.receipt.omitted, ["for-mac@1.0.0"]);
    assert!(prepared.receipt.proof.contains("digest"), "{}", prepared.receipt.proof);
    let at: Vec<_> = prepared.overlays.iter().map(|overlay| overlay.at.as_str()).collect();
    assert_eq!(at, ["node_modules", "packages/part/node_modules"]);
    let expect = [
        ".bin/runner -> ../runner/cli.js",
        ".pnpm/deep@1.0.0/node_modules/deep/cli.js",
        ".pnpm/deep@1.0.0/node_modules/deep/package.json",
        ".pnpm/node_modules/deep -> ../deep@1.0.0/node_modules/deep",
        ".pnpm/runner@1.2.0_deep@1.0.0/node_modules/deep -> ../../deep@1.0.0/node_modules/deep",
        ".pnpm/runner@1.2.0_deep@1.0.0/node_modules/runner/cli.js",
        ".pnpm/runner@1.2.0_deep@1.0.0/node_modules/runner/package.json",
        "part -> ../packages/part",
        "runner -> .pnpm/runner@1.2.0_deep@1.0.0/node_modules/runner",
    ];
    assert_eq!(listing(&prepared.overlays[0].host), expect);
    fs::remove_dir_all(site.work("node_modules")).unwrap();
    let commit = commit(&lockfile());
    let again = site.change(Pnpm, [&commit, &commit, &commit]).unwrap();
    assert_eq!(again.get(Side::Base, &need(Pnpm)).unwrap().fingerprint, prepared.fingerprint);
}

#[test]
fn without_a_store_the_receipt_says_what_is_not_proven() {
    let site = installed();
    fs::remove_dir_all(site.home("store")).unwrap();
    site.write(&site.work(DEEP).join("deep/cli.js"), "// edited\n");
    let prepared = site.prepare(Pnpm, &commit(&lockfile())).unwrap();
    assert!(prepared.receipt.proof.contains("those that were installed"), "{}", prepared.receipt.proof);
}

#[test]
fn every_alteration_of_what_is_installed_is_found() {
    let mismatch = FaultKind::Mismatch;
    check(|site| fs::remove_dir_all(site.work("node_modules")).unwrap(), FaultKind::Missing, "are not installed");
    check(|site| fs::remove_file(site.work("node_modules/.modules.yaml")).unwrap(), mismatch, "pnpm did not install");
    let unwritten = |site: &Site| fs::remove_file(site.work("node_modules/.pnpm/lock.yaml")).unwrap();
    check(unwritten, mismatch, "nobody knows");
    let hoisted = |site: &Site| site.write(&site.work("node_modules/.modules.yaml"), r#"{ "nodeLinker": "hoisted" }"#);
    check(hoisted, FaultKind::Unsupported, "the layout is `hoisted`");
    check(|site| package(site, DEEP, "deep", "1.1.0"), mismatch, "says version 1.1.0, locked is 1.0.0");
    check(|site| site.write(&site.work(DEEP).join("deep/cli.js"), "// edited\n"), mismatch, "is not the file");
    check(|site| site.write(&site.work(DEEP).join("deep/added.js"), ""), mismatch, "is not the file");
    check(|site| fs::remove_file(site.work(DEEP).join("deep/cli.js")).unwrap(), mismatch, "are gone: `cli.js`");
    let named = |site: &Site| {
        site.write(&site.work(DEEP).join("deep/package.json"), r#"{ "name": "other", "version": "1.0.0" }"#);
    };
    check(named, mismatch, "says it is `other`, locked is `deep`");
    let elsewhere = |site: &Site| {
        fs::rename(site.work(DEEP).join("deep"), site.work("elsewhere")).unwrap();
        site.link(&site.work(DEEP).join("deep"), "../../../../elsewhere");
    };
    check(elsewhere, mismatch, "locked and not there: `");
    let unasked = |site: &Site| {
        let runner = "../../../node_modules/.pnpm/runner@1.2.0_deep@1.0.0/node_modules/runner";
        site.link(&site.work("packages/part/node_modules/runner"), runner);
    };
    check(unasked, mismatch, "is installed and not locked");
    let lost = |site: &Site| fs::remove_dir_all(site.work("node_modules/.pnpm/deep@1.0.0")).unwrap();
    check(lost, mismatch, "sees other packages");
    let extra = |site: &Site| package(site, "node_modules/.pnpm/added@1.0.0/node_modules", "added", "1.0.0");
    check(extra, mismatch, "is installed and not locked");
    check(|site| package(site, "node_modules", "added", "1.0.0"), mismatch, "is installed and not locked");
    let within = |site: &Site| package(site, DEEP, "added", "1.0.0");
    check(within, mismatch, "is installed and not locked");
    let of_part = |site: &Site| package(site, "packages/part/node_modules", "added", "1.0.0");
    check(of_part, mismatch, "is installed and not locked");
    check(|site| site.write(&site.work("node_modules/.bin/evil"), "#!/bin/sh\nevil\n"), mismatch, "starts no program");
    let leaving = |site: &Site| site.write(&site.work("node_modules/.bin/evil"), script("../../../evil"));
    check(leaving, mismatch, "starts no program");
}

#[test]
fn a_package_that_nothing_leads_to_is_there_all_the_same() {
    let lone = lockfile().replace(
        "snapshots:\n",
        "  lone@1.0.0: { resolution: { integrity: sha512-bG9uZQ== } }\nsnapshots:\n  lone@1.0.0: {}\n",
    );
    let site = installed();
    site.write(&site.work("node_modules/.pnpm/lock.yaml"), &lone);
    let missing = "locked and not there: `lone@1.0.0`";
    refused(site.prepare(Pnpm, &commit(&lone)), FaultKind::Mismatch, missing, "pnpm install");
}

#[test]
fn every_link_leads_where_the_lockfile_says() {
    let relinked = |path: &'static str, target: &'static str| {
        move |site: &Site| {
            fs::remove_file(site.work(path)).unwrap();
            site.link(&site.work(path), target);
        }
    };
    let mismatch = FaultKind::Mismatch;
    let deep = "node_modules/.pnpm/runner@1.2.0_deep@1.0.0/node_modules/deep";
    check(relinked(deep, "/etc"), mismatch, "is installed and not locked");
    check(relinked(deep, "../../../../packages/part"), mismatch, "sees other packages");
    check(relinked("node_modules/runner", ".pnpm/deep@1.0.0/node_modules/deep"), mismatch, "does not lead");
    check(relinked("node_modules/part", "../packages/other"), mismatch, "does not lead");
    check(relinked("packages/part/node_modules/deep", "../../../../home"), mismatch, "not locked");
    check(relinked("node_modules/.pnpm/node_modules/deep", "../../../packages/x"), mismatch, "no locked package");
    let inside = |site: &Site| site.link(&site.work(DEEP).join("deep/secrets"), "../../../../../home");
    check(inside, mismatch, "leads out of what is installed");
    check(|site| fs::remove_file(site.work("node_modules/runner")).unwrap(), mismatch, "does not lead");
}

#[test]
fn what_pnpm_wrote_down_must_be_what_is_locked() {
    let wrote = |from: &'static str, to: &'static str| {
        move |site: &Site| {
            let text = lockfile();
            assert!(text.contains(from));
            site.write(&site.work("node_modules/.pnpm/lock.yaml"), text.replace(from, to));
        }
    };
    let mismatch = FaultKind::Mismatch;
    check(
        wrote("  deep@1.0.0: { resolution: { integrity: sha512-", "  deep@1.0.0: { resolution: { integrity: sha512-x"),
        mismatch,
        "from another source",
    );
    check(wrote("dependencies: { deep: 1.0.0 }", "optional: false"), mismatch, "with other packages");
    check(wrote("version: 1.2.0(deep@1.0.0)", "version: deep@1.0.0"), mismatch, "what `.` asks for was not installed");
    check(
        wrote("  deep@1.0.0: {}\n", "  deep@1.0.0: {}\n  deep@1.0.0(x): {}\n"),
        mismatch,
        "and not locked: `deep@1.0.0(x)`",
    );
    check(wrote("lockfileVersion", "other"), mismatch, "cannot be read as a lockfile");
}

#[test]
fn a_lockfile_that_does_not_fit_is_stale_or_refused() {
    let with = |path: &str, text: &str| {
        let mut commit = commit(&lockfile());
        commit.set(path, text);
        installed().prepare(Pnpm, &commit)
    };
    let stale = FaultKind::StaleLock;
    refused(with("package.json", &MANIFEST.replace("^1.0.0", "^2.0.0")), stale, "differ on `runner`", "pnpm install");
    refused(with("package.json", &MANIFEST.replace("\"part\"", "\"other\"")), stale, "differ on `other`, `part`", "");
    refused(with("packages/part/package.json", "{}"), stale, "differ on `deep`", "commit both files");
    refused(with("packages/new/package.json", "{}"), stale, "does not know the workspaces `packages/new`", "");
    let lock = |from: &str, to: &str| with("pnpm-lock.yaml", &lockfile().replace(from, to));
    refused(lock("'9.0'", "'6.0'"), FaultKind::Unsupported, "lockfile version 6.0", "pnpm 9");
    refused(lock("  packages/part:", "  ../part:"), FaultKind::InvalidLock, "no folder", "");
    refused(lock("integrity", "other"), FaultKind::InvalidLock, "no integrity", "");
    refused(lock("integrity", "directory"), FaultKind::InvalidLock, "is a copy of a directory", "");
    let ghost = lock("  deep@1.0.0: {}\n", "  deep@1.0.0: {}\n  ghost@1.0.0: {}\n");
    refused(ghost, FaultKind::InvalidLock, "`ghost@1.0.0` is no package of it", "");
    refused(
        lock("dependencies: { deep: 1.0.0 }", "dependencies: { deep: 9.9.9 }"),
        FaultKind::InvalidLock,
        "no package",
        "",
    );
    let mut none = commit(&lockfile());
    none.files.remove("pnpm-lock.yaml");
    refused(installed().prepare(Pnpm, &none), FaultKind::Unlocked, "has no `pnpm-lock.yaml`", "lockfile-only");
    let mut tracked = commit(&lockfile());
    tracked.tracked = vec!["packages/part/node_modules".into()];
    refused(
        installed().prepare(Pnpm, &tracked),
        FaultKind::NotIgnored,
        "is not ignored",
        "/packages/part/node_modules/",
    );
}

#[test]
fn packages_of_another_platform_are_refused_and_another_node_is_another_entry() {
    let elsewhere = lockfile().replace("  deep@1.0.0: { resolution", "  deep@1.0.0: { os: [darwin], resolution");
    let site = installed();
    site.write(&site.work("node_modules/.pnpm/lock.yaml"), &elsewhere);
    refused(site.prepare(Pnpm, &commit(&elsewhere)), FaultKind::Mismatch, "not for linux-x64-", "pnpm install");
    let mut site = installed();
    let first = site.prepare(Pnpm, &commit(&lockfile())).unwrap();
    site.node.abi = "131".into();
    assert_ne!(site.prepare(Pnpm, &commit(&lockfile())).unwrap().receipt.key, first.receipt.key);
}
