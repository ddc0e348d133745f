//! Directories of the machine that the operator's policy names, each with its fingerprint.
//!
//! What is proven: everything in the directory has the fingerprint of the policy. A check gets a copy, so that nothing that
//! happens to the directory while it runs can matter.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use runmill_manifest::policy::OperatorPath;
use runmill_model::{Digest, Hasher, Problem, RepoPath};

use crate::{
    Cache, CommitFiles, Fault, FaultKind, Machine, Prepared, Standing, Whose,
    change::{inspect, refuse_tracked},
    ecosystem::{Content, FORMAT, Locked},
    layout::{Layout, Part},
    prepared::Placement,
};

const PROOF: &str = "every file, link and directory as the fingerprint of the operator's policy has them";

/// The name of the one part of a prepared tree.
const PART: &str = "directory";

/// Verifies a directory and gives a copy of it, for a check that runs on these commits.
///
/// # Errors
/// RM-VERIFY-005: it is not there and no copy is either, it has another fingerprint, the copy was altered, or a commit holds
/// something where it is to appear.
pub fn operator_path(
    path: &OperatorPath,
    commits: &[&dyn CommitFiles],
    machine: &Machine,
    cache: &Cache,
) -> Result<Prepared, Fault> {
    let Looked { locked, layout, copy } = look(path, commits, machine, cache)?;
    match copy {
        Some(copy) => Ok(copy),
        None => cache.make(&locked, &layout?, machine),
    }
}

/// A directory that no commit and no alteration forbids.
struct Looked {
    locked: Locked,
    /// What is in it, or that it is not there.
    layout: Result<Layout, Fault>,
    /// The copy that was made of it before.
    copy: Option<Prepared>,
}

fn look(path: &OperatorPath, commits: &[&dyn CommitFiles], machine: &Machine, cache: &Cache) -> Result<Looked, Fault> {
    let locked = locked(path, machine)?;
    commits.iter().try_for_each(|files| refuse_tracked(&locked, *files))?;
    let layout = match inspect(&locked, machine) {
        Err(fault) if fault.kind() != FaultKind::Missing => return Err(fault),
        layout => layout,
    };
    let copy = cache.find(&locked, machine)?;
    Ok(Looked { locked, layout, copy })
}

/// Makes the copy of a directory, because a person asked for it. One that was altered is made anew.
///
/// # Errors
/// As [`operator_path`].
pub fn prepare_path(path: &OperatorPath, machine: &Machine, cache: &Cache) -> Result<Prepared, Fault> {
    let locked = locked(path, machine)?;
    let layout = inspect(&locked, machine)?;
    match cache.find(&locked, machine) {
        Ok(Some(found)) => Ok(found),
        Err(fault) if fault.kind() != FaultKind::Altered => Err(fault),
        _ => cache.make(&locked, &layout, machine),
    }
}

/// How a directory stands for checks of these commits, and what keeps them from using it. Nothing is made.
pub fn path_standing(
    path: &OperatorPath,
    commits: &[&dyn CommitFiles],
    machine: &Machine,
    cache: &Cache,
) -> (Standing, Option<Fault>) {
    let standing = look(path, commits, machine, cache).and_then(|looked| match looked.copy {
        Some(_) => Ok(Standing::Prepared),
        None => looked.layout.map(|_| Standing::Present),
    });
    match standing {
        Ok(standing) => (standing, None),
        Err(fault) if fault.kind() == FaultKind::Missing => (Standing::Missing, Some(fault)),
        Err(fault) => (Standing::Stale, Some(fault)),
    }
}

/// The fingerprint of a directory: SHA-256 over one line for each thing in it, sorted by path: `d PATH`, `l PATH TARGET`, and
/// `f PATH DIGEST` or `x PATH DIGEST` for a file and a program. Names are JSON strings.
///
/// # Errors
/// RM-VERIFY-005: it cannot be read, or holds a link that leads out of it.
pub fn fingerprint(directory: &Utf8Path) -> Result<Digest, Problem> {
    read(directory).map(|(fingerprint, _)| fingerprint).map_err(|fault| fault.problem())
}

fn locked(path: &OperatorPath, machine: &Machine) -> Result<Locked, Fault> {
    let material = serde_json::json!({
        "format": FORMAT,
        "path": path.path(),
        "at": path.at(),
        "fingerprint": path.fingerprint(),
        "platform": machine.platform(),
    });
    let key = runmill_model::canonical::digest(&material).map_err(|error| {
        let message = format!("`{}` has no canonical form: {error}", path.path());
        Fault::new(Whose::Operator, FaultKind::InvalidLock, message, "name another directory")
    })?;
    let content = Box::new(Directory(path.clone()));
    Ok(Locked { ecosystem: Whose::Operator, dir: RepoPath::root(), key, inputs: BTreeMap::new(), content })
}

struct Directory(OperatorPath);

impl Content for Directory {
    fn inspect(&self, _machine: &Machine) -> Result<Layout, Fault> {
        let Self(path) = self;
        let directory = path.path();
        if !directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let message = format!("`{directory}`, which the operator's policy names, is no directory");
            return Err(Fault::new(
                Whose::Operator,
                FaultKind::Missing,
                message,
                "put it there, or correct the policy",
            ));
        }
        let (found, mut layout) = read(directory)?;
        if found != path.fingerprint() {
            let wanted = path.fingerprint();
            let message = format!(
                "`{directory}` is not what the operator's policy names: its fingerprint is {found}, expected {wanted}"
            );
            let help = format!(
                "find out who changed it; if it is right, write what `runmill deps fingerprint {directory}` prints into the policy"
            );
            return Err(Fault::new(Whose::Operator, FaultKind::Mismatch, message, help));
        }
        layout.packages.insert(directory.to_string());
        Ok(layout)
    }

    fn placement(&self, _machine: &Machine) -> Placement {
        let part = Utf8PathBuf::from(PART);
        match self.0.at() {
            Some(at) => Placement { overlays: vec![(part, at.clone())], ..Placement::default() },
            None => Placement { mounts: vec![(part, self.0.path().to_owned())], ..Placement::default() },
        }
    }

    fn covers(&self) -> Vec<RepoPath> {
        self.0.at().cloned().into_iter().collect()
    }
}

/// Everything in a directory, with its digest.
fn read(directory: &Utf8Path) -> Result<(Digest, Layout), Fault> {
    let repair = format!("make `{directory}` what it was, or correct the policy");
    let mut layout = Layout::new(Whose::Operator, PROOF, repair);
    layout.add_whole(directory, Utf8Path::new(PART), directory, &|_| true)?;
    let lines = layout.parts.par_iter_mut().map(line);
    let mut lines = lines.collect::<Result<Vec<_>, Fault>>()?;
    lines.sort();
    let mut hasher = Hasher::new();
    lines.iter().for_each(|line| hasher.update(line.as_bytes()));
    Ok((hasher.finish(), layout))
}

/// The line of one thing; what is copied must be what was read.
fn line(part: &mut Part) -> Result<String, Fault> {
    use std::os::unix::fs::PermissionsExt;
    let name = |at: &Utf8Path| serde_json::json!(at.strip_prefix(PART).unwrap_or(at)).to_string();
    match part {
        Part::Copy { from, at, expect } => {
            let io = |error: std::io::Error| Fault::io(Whose::Operator, "read", from, &error);
            let digest = Digest::of(&std::fs::read(&*from).map_err(io)?);
            let runs = std::fs::metadata(&*from).map_err(io)?.permissions().mode() & 0o111 != 0;
            *expect = Some(digest);
            Ok(format!("{} {} {digest}\n", if runs { 'x' } else { 'f' }, name(at)))
        }
        Part::Link { at, target } => Ok(format!("l {} {}\n", name(at), serde_json::json!(target))),
        Part::Directory { at } | Part::Write { at, .. } | Part::Unpack { at, .. } => Ok(format!("d {}\n", name(at))),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::{
        commit::made_up::Commit,
        made_up::{Site, listing, refused},
    };

    fn sdk() -> Site {
        let site = Site::new();
        site.write(&site.home("sdk/bin/tool"), "#!/bin/sh\n");
        site.write(&site.home("sdk/lib/a.h"), "int a;\n");
        site.link(&site.home("sdk/bin/alias"), "tool");
        site
    }

    /// The entry of a policy that names the directory as it is now.
    fn named(site: &Site, more: &str) -> OperatorPath {
        let directory = site.home("sdk");
        let fingerprint = fingerprint(&directory).unwrap();
        let entry = format!("{{ path: {directory}, fingerprint: \"{fingerprint}\"{more} }}");
        let text = format!("version: 1\nverification: {{ dependencies: [{entry}] }}\n");
        let policy = runmill_manifest::policy::parse("policy.yaml", &text).unwrap();
        policy.verification().dependencies()[0].clone()
    }

    fn get(site: &Site, path: &OperatorPath, commit: &Commit) -> Result<Prepared, Fault> {
        operator_path(path, &[commit], &site.machine(), &site.cache())
    }

    #[test]
    fn a_directory_with_its_fingerprint_is_copied_and_shown_where_the_policy_says() {
        let (site, commit) = (sdk(), Commit::default());
        let prepared = get(&site, &named(&site, ""), &commit).unwrap();
        assert_eq!(prepared.mounts[0].at, site.home("sdk"));
        assert_eq!(listing(&prepared.mounts[0].host), ["bin/alias -> tool", "bin/tool", "lib/a.h"]);
        let prepared = get(&site, &named(&site, ", at: vendor/sdk"), &commit).unwrap();
        assert_eq!(prepared.overlays[0].at.as_str(), "vendor/sdk");
        let mut tracked = commit;
        tracked.tracked = vec!["vendor/sdk".into()];
        let refusal = get(&site, &named(&site, ", at: vendor/sdk"), &tracked);
        refused(refusal, FaultKind::NotIgnored, "`vendor/sdk` is not ignored", "/vendor/sdk/");
    }

    #[test]
    fn every_alteration_of_the_directory_is_found() {
        let alterations: [fn(&Site); 6] = [
            |site| fs::write(site.home("sdk/lib/a.h"), "int b;\n").unwrap(),
            |site| fs::write(site.home("sdk/lib/b.h"), "").unwrap(),
            |site| fs::remove_file(site.home("sdk/lib/a.h")).unwrap(),
            |site| fs::create_dir(site.home("sdk/empty")).unwrap(),
            |site| fs::set_permissions(site.home("sdk/lib/a.h"), fs::Permissions::from_mode(0o755)).unwrap(),
            |site| {
                fs::remove_file(site.home("sdk/bin/alias")).unwrap();
                site.link(&site.home("sdk/bin/alias"), "../lib/a.h");
            },
        ];
        for alter in alterations {
            let (site, commit) = (sdk(), Commit::default());
            let path = named(&site, "");
            get(&site, &path, &commit).unwrap();
            alter(&site);
            refused(get(&site, &path, &commit), FaultKind::Mismatch, "its fingerprint is sha256:", "deps fingerprint");
        }
    }

    #[test]
    fn says_how_a_directory_stands_without_making_a_copy() {
        let (site, commit) = (sdk(), Commit::default());
        let path = named(&site, "");
        let standing = || {
            let (standing, fault) = path_standing(&path, &[&commit], &site.machine(), &site.cache());
            (standing, fault.map(|fault| fault.kind()))
        };
        assert_eq!(standing(), (Standing::Present, None));
        assert_eq!(standing(), (Standing::Present, None), "nothing was made");
        get(&site, &path, &commit).unwrap();
        assert_eq!(standing(), (Standing::Prepared, None));
        site.write(&site.home("sdk/lib/a.h"), "int b;\n");
        assert_eq!(standing(), (Standing::Stale, Some(FaultKind::Mismatch)));
        fs::rename(site.home("sdk"), site.home("other")).unwrap();
        assert_eq!(standing(), (Standing::Prepared, None), "the copy is as good");
        let never_copied = sdk();
        let path = named(&never_copied, "");
        fs::rename(never_copied.home("sdk"), never_copied.home("other")).unwrap();
        let (word, fault) = path_standing(&path, &[&commit], &never_copied.machine(), &never_copied.cache());
        assert_eq!((word, fault.unwrap().kind()), (Standing::Missing, FaultKind::Missing));
    }

    #[test]
    fn a_directory_that_is_gone_is_taken_from_the_copy_and_a_link_is_none() {
        let (site, commit) = (sdk(), Commit::default());
        let path = named(&site, "");
        fs::rename(site.home("sdk"), site.home("other")).unwrap();
        refused(get(&site, &path, &commit), FaultKind::Missing, "is no directory", "correct the policy");
        site.link(&site.home("sdk"), "other");
        refused(get(&site, &path, &commit), FaultKind::Missing, "is no directory", "correct the policy");
        fs::remove_file(site.home("sdk")).unwrap();
        fs::rename(site.home("other"), site.home("sdk")).unwrap();
        get(&site, &path, &commit).unwrap();
        fs::remove_dir_all(site.home("sdk")).unwrap();
        get(&site, &path, &commit).unwrap();
    }

    #[test]
    fn a_link_that_leads_out_has_no_fingerprint() {
        let site = sdk();
        site.link(&site.home("sdk/secrets"), "/etc");
        let problem = fingerprint(&site.home("sdk")).unwrap_err();
        assert!(problem.message.contains("leads out of what is installed"), "{}", problem.message);
    }

    #[test]
    fn a_copy_that_was_altered_is_made_anew_when_it_is_asked_for() {
        let (site, commit) = (sdk(), Commit::default());
        let path = named(&site, "");
        let file = get(&site, &path, &commit).unwrap().mounts[0].host.join("lib/a.h");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&file, "int b;\n").unwrap();
        refused(get(&site, &path, &commit), FaultKind::Altered, "were altered", "runmill deps prepare");
        prepare_path(&path, &site.machine(), &site.cache()).unwrap();
        get(&site, &path, &commit).unwrap();
    }
}
