//! Whether what is installed agrees with what the target locks.

use std::collections::BTreeSet;

use camino::Utf8Path;
use runmill_manifest::policy::OperatorPath;
use runmill_provision::{AtCommit, Cache, Fault, Machine, Need, Standing, Status, path_standing, status};

use super::{finding::Finding, patient::Patient};

/// Looks at every ecosystem that a check names, at the commit of the target.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let needs: BTreeSet<Need> = patient.checks().iter().flat_map(Need::of).collect();
    let (Ok(repository), Ok(target), Ok(head)) = (patient.repository(), patient.target(), patient.head()) else {
        return Vec::new();
    };
    let paths = patient.policy().map(|policy| policy.policy.verification().dependencies()).unwrap_or_default();
    if needs.is_empty() && paths.is_empty() {
        return Vec::new();
    }
    let cache = match patient.state_dir().and_then(|dir| Cache::open(&dir)) {
        Ok(cache) => cache,
        Err(problem) => return vec![Finding::problem(&problem)],
    };
    let machine = Machine::new(repository.work_dir(), patient.environment().clone());
    let contains = repository.contains(&head, &target.commit).unwrap_or(false);
    let (at_target, here) =
        (AtCommit::new(repository, &target.commit, &target.name), AtCommit::new(repository, &head, "HEAD"));
    let of = |need| finding(&status(need, &at_target, &here, contains, &machine, &cache), &target.name);
    let directory = |path: &OperatorPath| {
        let (standing, fault) = path_standing(path, &[&at_target], &machine, &cache);
        of_operator(path.path(), standing, fault)
    };
    needs.iter().map(of).chain(paths.iter().map(directory)).collect()
}

fn of_operator(path: &Utf8Path, standing: Standing, fault: Option<Fault>) -> Finding {
    let problem = fault.map(|fault| fault.problem());
    match (problem, standing) {
        (Some(problem), _) => Finding::fail(problem.message, problem.help),
        (None, Standing::Prepared) => Finding::ok(format!("`{path}`: prepared, as the policy names it")),
        (None, _) => Finding::ok(format!("`{path}`: as the policy names it; the next check prepares it")),
    }
}

fn finding(status: &Status, target: &str) -> Finding {
    let Need { ecosystem, cwd } = &status.need;
    let what = if cwd.is_root() { ecosystem.to_string() } else { format!("{ecosystem} in `{cwd}`") };
    let standing = match status.standing {
        Standing::Prepared => format!("{what}: prepared, as `{target}` locks it"),
        Standing::Present => format!("{what}: installed as `{target}` locks it; the next check prepares it"),
        Standing::Ahead => format!("{what}: installed as a commit after `{target}` locks it"),
        Standing::Behind => format!("{what}: installed as a commit before `{target}` locks it"),
        Standing::Missing => format!("{what}: not installed"),
        Standing::Stale => format!("{what}: not what `{target}` locks"),
    };
    match &status.fault {
        None => Finding::ok(standing),
        Some(fault) => {
            let problem = fault.problem();
            Finding::fail(format!("{standing}: {}", problem.message), problem.help)
        }
    }
}
