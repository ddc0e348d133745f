//! Registry caches and vendored sources made up for each fault.

use std::fs;

use flate2::{Compression, write::GzEncoder};
use runmill_manifest::checks::Ecosystem::Cargo;
use runmill_model::{Digest, Side};

use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, need, refused},
};

/// The bytes of an archive with these entries.
fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        // Set by hand, because the builder refuses a path that leaves.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn good() -> Vec<u8> {
    archive(&[("dep-1.0.0/Cargo.toml", "[package]\n"), ("dep-1.0.0/src/lib.rs", "// honest\n")])
}

fn lockfile(checksum: &str) -> String {
    format!(
        "version = 4\n\n[[package]]\nname = \"dep\"\nversion = \"1.0.0\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{checksum}\"\n\n\
         [[package]]\nname = \"project\"\nversion = \"0.1.0\"\ndependencies = [\"dep\"]\n"
    )
}

fn commit(archive: &[u8]) -> Commit {
    Commit::with(&[("Cargo.lock", &lockfile(&Digest::of(archive).hex()))])
}

/// A registry cache that holds these bytes as the locked archive.
fn fetched(bytes: &[u8]) -> Site {
    let site = Site::new();
    site.write(&site.home(".cargo/registry/cache/registry-1/dep-1.0.0.crate"), bytes);
    site
}

#[test]
fn sources_are_unpacked_from_the_locked_archive_whatever_lies_unpacked() {
    let site = fetched(&good());
    site.write(&site.home(".cargo/registry/src/registry-1/dep-1.0.0/src/lib.rs"), "// altered\n");
    let prepared = site.prepare(Cargo, &commit(&good())).unwrap();
    assert_eq!(prepared.receipt.packages, ["dep@1.0.0"]);
    let at: Vec<_> = prepared.mounts.iter().map(|mount| mount.at.as_str()).collect();
    assert_eq!(at, ["/run/runmill/.cargo", "/run/runmill/crates"]);
    let tree = prepared.mounts[0].host.parent().unwrap();
    let expect = [
        "config/config.toml",
        "crates/dep-1.0.0/.cargo-checksum.json",
        "crates/dep-1.0.0/Cargo.toml",
        "crates/dep-1.0.0/src/lib.rs",
    ];
    assert_eq!(listing(tree), expect);
    assert_eq!(fs::read_to_string(tree.join("crates/dep-1.0.0/src/lib.rs")).unwrap(), "// honest\n");
    let config: toml::Table = fs::read_to_string(tree.join("config/config.toml")).unwrap().parse().unwrap();
    assert_eq!(config["source"]["crates-io"]["replace-with"].as_str(), Some("runmill-prepared"));
    assert_eq!(prepared.hidden, [site.home(".cargo/registry"), site.home(".cargo/git")]);
}

#[test]
fn an_archive_that_is_not_the_locked_one_is_refused() {
    let site = fetched(b"altered");
    refused(
        site.prepare(Cargo, &commit(&good())),
        FaultKind::Mismatch,
        "does not have the checksum",
        "delete the file",
    );
    // The right one beside it, in the cache of another registry, is as good.
    site.write(&site.home(".cargo/registry/cache/registry-2/dep-1.0.0.crate"), good());
    site.prepare(Cargo, &commit(&good())).unwrap();
}

#[test]
fn an_archive_that_is_altered_later_is_refused_although_the_sources_are_there() {
    let (site, commit) = (fetched(&good()), commit(&good()));
    site.prepare(Cargo, &commit).unwrap();
    site.write(&site.home(".cargo/registry/cache/registry-1/dep-1.0.0.crate"), "altered");
    let refusal = site.change(Cargo, [&commit, &commit, &commit]);
    refused(refusal, FaultKind::Mismatch, "does not have the checksum", "cargo fetch");
    fs::remove_dir_all(site.home(".cargo")).unwrap();
    assert!(site.change(Cargo, [&commit, &commit, &commit]).unwrap().get(Side::Base, &need(Cargo)).is_some());
}

#[test]
fn what_was_not_fetched_is_missing() {
    let refusal = Site::new().prepare(Cargo, &commit(&good()));
    refused(refusal, FaultKind::Missing, "1 of 1 locked crates are not in", "run `cargo fetch --locked`");
}

#[test]
fn an_archive_that_leaves_its_directory_is_refused() {
    for entry in ["dep-1.0.0/../../evil", "other/lib.rs", "/etc/evil"] {
        let bytes = archive(&[(entry, "evil")]);
        refused(fetched(&bytes).prepare(Cargo, &commit(&bytes)), FaultKind::Unreadable, "cannot unpack", "");
    }
}

#[test]
fn what_no_checksum_proves_is_refused() {
    let with = |text: &str| Site::new().prepare(Cargo, &Commit::with(&[("Cargo.lock", text)]));
    let git =
        "version = 4\n[[package]]\nname = \"dep\"\nversion = \"1.0.0\"\nsource = \"git+https://example.com/dep#abc\"\n";
    refused(with(git), FaultKind::Unsupported, "no checksum proves: `dep`", "cargo vendor");
    let sum = "0".repeat(64);
    refused(
        with(&lockfile(&sum).replace("version = 4", "version = 1")),
        FaultKind::InvalidLock,
        "versions 3 and 4",
        "cargo update",
    );
    refused(with(&lockfile("")), FaultKind::InvalidLock, "has no checksum", "");
    refused(with(&lockfile(&sum).replace("\"dep\"", "\"../dep\"")), FaultKind::InvalidLock, "is no name", "");
    refused(with("version = "), FaultKind::InvalidLock, "cannot be used", "");
    refused(
        Site::new().prepare(Cargo, &Commit::default()),
        FaultKind::Unlocked,
        "no `Cargo.lock`",
        "generate-lockfile",
    );
}

#[test]
fn the_projects_own_packages_change_nothing() {
    let site = fetched(&good());
    let key = |commit: &Commit| site.prepare(Cargo, commit).unwrap().receipt.key;
    let mut bumped = commit(&good());
    let text = String::from_utf8(bumped.files["Cargo.lock"].clone()).unwrap();
    bumped.set("Cargo.lock", &text.replace("0.1.0", "0.2.0"));
    assert_eq!(key(&bumped), key(&commit(&good())));
}

fn vendored() -> Commit {
    let sum = Digest::of(&good()).hex();
    let source = "// vendored\n";
    let checksums =
        format!(r#"{{"files":{{"src/lib.rs":"{}"}},"package":"{sum}"}}"#, Digest::of(source.as_bytes()).hex());
    let config = "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n";
    Commit::with(&[
        ("Cargo.lock", &lockfile(&sum)),
        (".cargo/config.toml", config),
        ("vendor/dep/.cargo-checksum.json", &checksums),
        ("vendor/dep/src/lib.rs", source),
    ])
}

#[test]
fn vendored_sources_of_the_commit_need_nothing_installed() {
    let prepared = Site::new().prepare(Cargo, &vendored()).unwrap();
    assert!(prepared.mounts.is_empty() && prepared.overlays.is_empty());
    assert_eq!(prepared.receipt.packages, ["dep@1.0.0"]);
}

#[test]
fn vendored_sources_that_were_altered_are_refused() {
    let check = |alter: fn(&mut Commit), kind, message: &str| {
        let mut commit = vendored();
        alter(&mut commit);
        refused(Site::new().prepare(Cargo, &commit), kind, message, "");
    };
    let mismatch = FaultKind::Mismatch;
    check(
        |it| {
            it.set("vendor/dep/src/lib.rs", "// altered\n");
        },
        mismatch,
        "is not the vendored file",
    );
    check(
        |it| {
            it.set("vendor/dep/src/added.rs", "");
        },
        mismatch,
        "is not the vendored file",
    );
    check(
        |it| {
            it.set("Cargo.lock", &lockfile(&"0".repeat(64)));
        },
        mismatch,
        "does not hold `dep@1.0.0`",
    );
    check(|it| drop(it.files.remove("vendor/dep/.cargo-checksum.json")), mismatch, "does not hold `dep@1.0.0`");
    check(|it| it.files.retain(|path, _| !path.starts_with("vendor")), FaultKind::Missing, "is empty");
    let outside = "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"../vendor\"\n";
    let mut commit = vendored();
    commit.set(".cargo/config.toml", outside);
    refused(Site::new().prepare(Cargo, &commit), FaultKind::Unsupported, "outside the repository", "");
}

#[test]
fn a_lockfile_that_does_not_fit_a_manifest_is_stale() {
    let with = |manifest: &str| {
        let mut commit = commit(&good());
        commit.set("Cargo.toml", manifest);
        fetched(&good()).prepare(Cargo, &commit)
    };
    let package = "[package]\nname = \"project\"\n";
    for fitting in [
        "[dependencies]\ndep = \"1\"\n",
        "[dev-dependencies]\nother = { package = \"dep\", version = \">=1, <2\" }\n",
        "[target.'cfg(unix)'.build-dependencies]\ndep = \"=1.0.0\"\n",
        "[dependencies]\ndep.workspace = true\n[workspace.dependencies]\ndep = \"1.0\"\n",
    ] {
        with(&format!("{package}{fitting}")).unwrap();
    }
    for (stale, name) in [
        ("", "`dep`"),
        ("[dependencies]\ndep = \"2\"\n", "`dep`"),
        ("[dependencies]\ndep = \"1\"\nadded = \"1\"\n", "`added`"),
        ("[dev-dependencies]\ndep = \"1\"\nadded = \"1\"\n", "`added`"),
        ("[dependencies]\ndep.workspace = true\n[workspace.dependencies]\ndep = \"2.0\"\n", "`dep`"),
    ] {
        let refusal = with(&format!("{package}{stale}"));
        refused(refusal, FaultKind::StaleLock, &format!("differ on {name}"), "cargo update --workspace");
    }
    refused(with("[package]\nname = \"other\"\n"), FaultKind::StaleLock, "does not know `other`", "cargo update");
}

#[test]
fn the_members_of_a_workspace_are_held_against_the_lockfile_too() {
    let mut commit = commit(&good());
    commit.set("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/out\"]\n");
    commit.set("crates/project/Cargo.toml", "[package]\nname = \"project\"\n[dependencies]\ndep = \"1\"\n");
    commit.set("crates/out/Cargo.toml", "[package]\nname = \"project\"\n");
    let site = fetched(&good());
    site.prepare(Cargo, &commit).unwrap();
    commit.set("crates/added/Cargo.toml", "[package]\nname = \"added\"\n");
    refused(site.prepare(Cargo, &commit), FaultKind::StaleLock, "does not know `added`", "cargo update --workspace");
}
