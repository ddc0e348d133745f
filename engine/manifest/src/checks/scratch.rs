//! The private writable directories of a check.

use runmill_model::RepoPath;

use super::{MAX_SCRATCH, path};
use crate::{
    faults::{Fault, Faults, Span},
    invalid::quoted,
    yaml::{self, Node},
};

/// Sorted, none inside another, none over the report.
pub(super) fn read(node: &Node, report: Option<(&RepoPath, Span)>, faults: &mut Faults) -> Vec<RepoPath> {
    let mut kept: Vec<(RepoPath, Span)> = Vec::new();
    let items = yaml::list(node, "scratch", faults);
    if items.len() > MAX_SCRATCH {
        let fault = Fault::new(
            format!("{} scratch directories are more than {MAX_SCRATCH}", items.len()),
            "declare the directory they are all in",
        );
        faults.add(fault.at(node.span, "too many"));
        return Vec::new();
    }
    for item in items {
        let Some(path) = yaml::parsed(item, "scratch", faults, path::entry) else { continue };
        let other =
            kept.iter().map(|(path, span)| (path, *span)).chain(report).find(|(other, _)| path::overlap(&path, other));
        match other {
            Some((other, span)) => {
                let fault = Fault::new(
                    format!("the scratch directory {} overlaps {}", quoted(path.as_str()), quoted(other.as_str())),
                    "keep scratch directories apart from each other and from the report",
                );
                faults.add(fault.at(item.span, "this").at(span, "and this"));
            }
            None => kept.push((path, item.span)),
        }
    }
    let mut paths: Vec<_> = kept.into_iter().map(|(path, _)| path).collect();
    paths.sort();
    paths
}
