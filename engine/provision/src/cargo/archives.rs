//! The archives in the registry cache, and the sources unpacked from them.

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::Digest;
use serde_json::json;

use super::{
    CARGO, REPAIR, SOURCES_AT, fault,
    lockfile::{Locked, Lockfile},
};
use crate::{
    Fault, FaultKind,
    fault::some,
    layout::{Layout, Part},
};

const PROOF: &str = "every source is unpacked from an archive with the checksum of the lockfile";

/// Finds the archive of every locked package and lists what a check sees.
pub(super) fn inspect(lockfile: &Lockfile, home: &Utf8Path) -> Result<Layout, Fault> {
    let caches = registries(&home.join("registry/cache"));
    let mut layout = Layout::new(CARGO, PROOF, REPAIR);
    let mut missing = Vec::new();
    for locked in &lockfile.crates {
        match archive(locked, &caches)? {
            Some(from) => unpacked(locked, from, &mut layout.parts),
            None => missing.push(locked.shown()),
        }
        layout.packages.insert(locked.shown());
    }
    if !missing.is_empty() {
        let (count, of) = (missing.len(), lockfile.crates.len());
        let names = some(missing.iter().map(String::as_str));
        let message = format!("{count} of {of} locked crates are not in `{home}/registry/cache`: {names}");
        return Err(fault(FaultKind::Missing, message, REPAIR));
    }
    let config = Part::Write { at: "config/config.toml".into(), bytes: config(lockfile).into_bytes() };
    layout.parts.extend([Part::Directory { at: "crates".into() }, config]);
    Ok(layout)
}

/// The cache directories of the registries, sorted.
fn registries(cache: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = cache.read_dir_utf8().into_iter().flatten().flatten();
    let mut all: Vec<_> = entries.map(|entry| entry.path().to_owned()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

/// The archive with the locked checksum. One of that name with another checksum, and none with the right one, is a fault.
fn archive(locked: &Locked, caches: &[Utf8PathBuf]) -> Result<Option<Utf8PathBuf>, Fault> {
    let mut wrong = None;
    for path in caches.iter().map(|cache| cache.join(format!("{}.crate", locked.stem()))) {
        match std::fs::read(&path) {
            Ok(bytes) if Digest::of(&bytes) == locked.checksum => return Ok(Some(path)),
            Ok(_) => wrong = Some(path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::io(CARGO, "read", &path, &error)),
        }
    }
    match wrong {
        None => Ok(None),
        Some(path) => {
            let message = format!("`{path}` does not have the checksum that `Cargo.lock` has for `{}`", locked.shown());
            Err(fault(FaultKind::Mismatch, message, format!("delete the file, then {REPAIR}")))
        }
    }
}

fn unpacked(locked: &Locked, from: Utf8PathBuf, parts: &mut Vec<Part>) {
    let at = Utf8Path::new("crates").join(locked.stem());
    let checksum = json!({ "files": {}, "package": locked.checksum.hex() });
    parts.push(Part::Write { at: at.join(".cargo-checksum.json"), bytes: checksum.to_string().into_bytes() });
    parts.push(Part::Unpack { from, at, expect: locked.checksum, top: locked.stem() });
}

/// Replaces every registry of the lockfile by the directory of sources.
fn config(lockfile: &Lockfile) -> String {
    const NAME: &str = "runmill-prepared";
    let mut text = format!("[source.{NAME}]\ndirectory = \"{SOURCES_AT}\"\n\n[net]\noffline = true\n");
    for (at, registry) in lockfile.registries().into_iter().enumerate() {
        let source = match registry {
            "https://github.com/rust-lang/crates.io-index" => "[source.crates-io]\n".to_owned(),
            // A JSON string is a TOML string too.
            other => format!("[source.runmill-registry-{at}]\nregistry = {}\n", json!(other)),
        };
        text.push_str(&format!("\n{source}replace-with = \"{NAME}\"\n"));
    }
    text
}
