//! Directories of the machine that checks may use as they are, each with a fingerprint.

use std::collections::BTreeSet;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use runmill_model::{CheckId, Digest, RepoPath};

use crate::{
    InvalidValue,
    checks::path as place,
    faults::{Fault, Faults, Once},
    invalid::{self, quoted},
    yaml::{self, Entries, Node},
};

/// One entry of `verification.dependencies`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorPath {
    path: Utf8PathBuf,
    fingerprint: Digest,
    at: Option<RepoPath>,
    checks: BTreeSet<CheckId>,
}

impl OperatorPath {
    /// The directory, absolute and normal.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The digest over everything in it, as `runmill deps fingerprint` prints it.
    pub fn fingerprint(&self) -> Digest {
        self.fingerprint
    }

    /// Where it appears in the checkout; at its own path, if it was not written.
    pub fn at(&self) -> Option<&RepoPath> {
        self.at.as_ref()
    }

    /// Whether a check gets it; every check does, if none was written.
    pub fn is_for(&self, check: &CheckId) -> bool {
        self.checks.is_empty() || self.checks.contains(check)
    }
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<OperatorPath> {
    let mut seen = Once::default();
    let items = yaml::list(node, "dependencies", faults).iter();
    items.filter_map(|item| entry(item, &mut seen, faults)).collect()
}

fn entry(node: &Node, seen: &mut Once<Utf8PathBuf>, faults: &mut Faults) -> Option<OperatorPath> {
    let mut entries = Entries::of(node, "an entry of `dependencies`", faults)?;
    let path = entries.need("path", "name a directory of the machine, such as `path: /opt/sdk`", faults);
    let fingerprint = entries.need("fingerprint", "`runmill deps fingerprint DIR` prints it", faults);
    let at = entries.get("at");
    let checks = entries.get("checks");
    entries.close(faults);
    let path = path.and_then(|node| Some((node, yaml::parsed(node, "path", faults, absolute)?)));
    let fingerprint = fingerprint.and_then(|node| yaml::parsed(node, "fingerprint", faults, super::packs::digest_of));
    let at = at.map(|node| yaml::parsed(node, "at", faults, place::entry));
    let checks = checks.map(|node| ids(node, faults)).unwrap_or_default();
    let (node, path) = path?;
    seen.note(path.clone(), node.span, faults, || {
        Fault::new(format!("{} is listed twice in `dependencies`", quoted(path.as_str())), "keep one of the two")
    });
    // A place that cannot be read is reported; the entry goes with it.
    let at = match at {
        Some(at) => Some(at?),
        None => None,
    };
    Some(OperatorPath { path, fingerprint: fingerprint?, at, checks })
}

fn ids(node: &Node, faults: &mut Faults) -> BTreeSet<CheckId> {
    yaml::unique(node, "checks", faults, invalid::id::<CheckId>).into_iter().map(|(id, _)| id).collect()
}

/// An absolute path without `.` and `..`, below the root.
fn absolute(text: &str) -> Result<Utf8PathBuf, InvalidValue> {
    let path = Utf8Path::new(text);
    let normal = path.components().skip(1).all(|part| matches!(part, Utf8Component::Normal(_)));
    if path.is_absolute() && normal && path.file_name().is_some() && !text.contains('\0') {
        return Ok(path.components().collect());
    }
    let message = format!("{} is no absolute path of a directory", quoted(text));
    Err(InvalidValue::new(message, "write the whole path, without `.` and `..`"))
}
