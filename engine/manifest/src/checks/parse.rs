//! Nodes to a manifest.

use std::collections::BTreeSet;

use runmill_model::{CheckId, RepoPath};

use super::{
    Check, ChecksManifest, DEFAULT_TIMEOUT, Ecosystem, MAX_CHECKS, check::Parts, command, environment, limits, path,
    report, rule, scratch, skip,
};
use crate::{
    faults::{Fault, Faults, Once},
    invalid::{self, quoted},
    yaml::{self, Entries, Node},
};

/// Who wrote a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The repository: may not name variables that inject code or reach agents.
    Repository,
    /// The operator: may, and every check of theirs is required.
    Operator,
}

pub(super) fn manifest(root: &Node, faults: &mut Faults) -> Option<ChecksManifest> {
    let mut entries = Entries::of(root, "the manifest", faults)?;
    if let Some(node) = entries.get("version") {
        yaml::integer(node, "version", 1..=1, faults);
    }
    let checks = entries.need("checks", "write `checks:` with a list of checks; an empty list is `checks: []`", faults);
    let rules = entries.get("paths");
    entries.close(faults);

    let checks = checks.map(|node| self::checks(node, "checks", Author::Repository, faults)).unwrap_or_default();
    let paths = rules.map(|node| rule::read(node, faults)).unwrap_or_default();
    Some(ChecksManifest { checks, paths })
}

/// A list of checks with unique ids.
pub(crate) fn checks(node: &Node, what: &str, author: Author, faults: &mut Faults) -> Vec<Check> {
    let items = yaml::list(node, what, faults);
    if items.len() > MAX_CHECKS {
        let fault = Fault::new(format!("{} checks are more than {MAX_CHECKS}", items.len()), "merge some of them");
        faults.add(fault.at(node.span, "too many"));
        return Vec::new();
    }
    let mut seen = Once::default();
    items.iter().filter_map(|item| check(item, author, &mut seen, faults)).collect()
}

/// One check; `seen` has the ids before it and where they stand.
pub(crate) fn check(node: &Node, author: Author, seen: &mut Once<CheckId>, faults: &mut Faults) -> Option<Check> {
    let mut entries = Entries::of(node, "a check", faults)?;
    let id = entries.need("id", "give it a unique name, such as `id: unit`", faults);
    let description = entries.get("description");
    let (run, argv) = (entries.get("run"), entries.get("argv"));
    let required = entries.get("required");
    let timeout = entries.get("timeout");
    let cwd = entries.get("cwd");
    let env = entries.get("env");
    let report = entries.get("report");
    let skips = entries.get("declared_skips");
    let scratch = entries.get("scratch");
    let dependencies = entries.get("dependencies");
    let limits = entries.get("limits");
    let start = entries.start();
    entries.close(faults);

    let id = id.and_then(|node| identifier(node, "two checks have", seen, faults));
    let description = description.and_then(|node| yaml::text(node, "description", faults)).map(str::to_owned);
    let argv = command::read(run, argv, start, faults);
    let required = required.and_then(|node| required_flag(node, author, faults)).unwrap_or(true);
    let timeout = timeout.and_then(|node| yaml::parsed(node, "timeout", faults, str::parse)).unwrap_or(DEFAULT_TIMEOUT);
    let cwd = cwd.and_then(|node| yaml::parsed(node, "cwd", faults, path::directory)).unwrap_or_else(RepoPath::root);
    let env = env.and_then(|node| environment::read(node, author, faults)).unwrap_or_default();
    let has_report = report.is_some();
    let report = report.and_then(|node| report::read(node, faults));
    let declared_skips = skips.map(|node| skip::read(node, has_report, faults)).unwrap_or_default();
    let scratch = scratch
        .map(|node| scratch::read(node, report.as_ref().map(|(spec, span)| (spec.path(), *span)), faults))
        .unwrap_or_default();
    let dependencies = dependencies.map(|node| ecosystems(node, faults)).unwrap_or_default();
    let limits = limits.map(|node| limits::read(node, faults)).unwrap_or_default();

    let report = report.map(|(spec, _)| spec);
    let parts = Parts {
        id: id?,
        description,
        argv: argv?,
        required,
        timeout,
        cwd,
        env,
        report,
        declared_skips,
        scratch,
        dependencies,
        limits,
        folder: RepoPath::root(),
    };
    Check::new(parts).map_err(|error| faults.add(Fault::from(error).at(start, "this check"))).ok()
}

/// An id that is unique where it stands; `two` says of what there are two, with its verb.
pub(crate) fn identifier(node: &Node, two: &str, seen: &mut Once<CheckId>, faults: &mut Faults) -> Option<CheckId> {
    let id = yaml::parsed(node, "id", faults, invalid::id::<CheckId>)?;
    seen.note(id.clone(), node.span, faults, || {
        Fault::new(format!("{two} the id {}", quoted(id.as_str())), "give each an id of its own")
    });
    Some(id)
}

fn required_flag(node: &Node, author: Author, faults: &mut Faults) -> Option<bool> {
    let required = yaml::flag(node, "required", faults)?;
    if author == Author::Operator && !required {
        faults.add(
            Fault::new("a command of the operator is always required", "remove `required`, or the command")
                .at(node.span, "here"),
        );
    }
    Some(required)
}

fn ecosystems(node: &Node, faults: &mut Faults) -> BTreeSet<Ecosystem> {
    let items = yaml::list(node, "dependencies", faults);
    let mut found = BTreeSet::new();
    for item in items {
        let Some(ecosystem) = yaml::word(item, "dependencies", Ecosystem::ALL, Ecosystem::as_str, faults) else {
            continue;
        };
        if !found.insert(ecosystem) {
            faults.add(
                Fault::new(format!("`{ecosystem}` is listed twice"), "keep one of the two").at(item.span, "again here"),
            );
        }
    }
    found
}
