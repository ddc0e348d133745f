//! Plug'n'Play whose archives and map are part of the commit.

use std::collections::BTreeSet;

use rayon::prelude::*;
use runmill_model::RepoPath;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use super::{YARN, fault, lockfile::Lockfile};
use crate::{CommitFiles, Fault, FaultKind, ecosystem::join, fault::some, layout::Layout, machine::Node};

const PROOF: &str = "every archive of the commit has the checksum of the lockfile";

const HELP: &str =
    "commit `.pnp.cjs` and `.yarn/cache`, made with `enableGlobalCache: false`; or write `nodeLinker: node-modules`";

/// Digests of the archives of a commit, each of which is locked.
pub(super) fn archives(
    dir: &RepoPath,
    files: &dyn CommitFiles,
    lockfile: &Lockfile,
    node: &Node,
    libc: &str,
) -> Result<Value, Fault> {
    let git = |problem| Fault::git(YARN, problem);
    let map = join(dir, ".pnp.cjs");
    let Some(text) = files.read(&map).map_err(git)? else {
        let message = format!("{} has no `{map}`: it is code, and nothing but the commit can prove it", files.name());
        return Err(fault(FaultKind::Unsupported, message, HELP));
    };
    if String::from_utf8_lossy(&text).contains(".yarn/unplugged/") {
        let unplugged = files.below(&join(dir, ".yarn/unplugged")).map_err(git)?;
        if unplugged.is_empty() {
            let message = format!("`{map}` names unpacked packages, which nothing proves");
            return Err(fault(
                FaultKind::Unsupported,
                message,
                "write `nodeLinker: node-modules`, then run `yarn install`",
            ));
        }
    }
    let cache = files.below(&join(dir, ".yarn/cache")).map_err(git)?;
    let archives = cache.iter().filter(|path| path.as_str().ends_with(".zip"));
    let bytes = archives.map(|path| Ok((path, files.read(path).map_err(git)?.unwrap_or_default())));
    let bytes = bytes.collect::<Result<Vec<_>, Fault>>()?;
    let digests: Vec<_> = bytes.par_iter().map(|(path, bytes)| (*path, hex(bytes))).collect();
    let locked: BTreeSet<_> =
        lockfile.packages.values().filter_map(|package| checksum(package.digest.as_deref()?)).collect();
    let wrong = digests.iter().find(|(_, digest)| !locked.contains(digest.as_str()));
    if let Some((path, _)) = wrong {
        let message = format!("`{path}` at {} is no archive with a checksum of the lockfile", files.name());
        return Err(fault(FaultKind::Mismatch, message, "delete it, run `yarn install`, and commit what it writes"));
    }
    let there: BTreeSet<_> = digests.iter().map(|(_, digest)| digest.as_str()).collect();
    let missing = lockfile.packages.values().filter(|package| {
        let digest = package.digest.as_deref().and_then(checksum);
        digest.is_some_and(|digest| !there.contains(digest)) && package.platforms.fit(node, libc)
    });
    let missing: Vec<_> = missing.map(|package| package.shown()).collect();
    if !missing.is_empty() {
        let names = some(missing.iter().map(String::as_str));
        return Err(fault(FaultKind::Missing, format!("{} has no archive of {names}", files.name()), HELP));
    }
    Ok(json!(there))
}

/// The digits of a checksum: `10c0/abc..` or `abc..`.
fn checksum(digest: &str) -> Option<&str> {
    let digits = digest.rsplit('/').next()?;
    (digits.len() == 128).then_some(digits)
}

fn hex(bytes: &[u8]) -> String {
    Sha512::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Nothing is laid over: the commit has everything.
pub(super) fn in_the_commit(lockfile: &Lockfile) -> Layout {
    let mut layout = Layout::new(YARN, PROOF, "run `yarn install` and commit what it writes");
    layout.packages.extend(lockfile.packages.values().map(|package| package.shown()));
    layout
}
