//! The repository, and what a change would merge into.

use std::{fs, time::Duration};

use runmill_host::git::{Repository, Target};

use super::{finding::Finding, patient::Patient};

/// How old what is known of a remote may be before a person should fetch.
const OLD: Duration = Duration::from_secs(24 * 3600);
/// The remote that git names by itself.
const UPSTREAM: &str = "origin";

/// Whether there is a repository whose history is whole.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    match patient.repository() {
        Err(problem) => vec![Finding::problem(problem)],
        Ok(repository) if repository.is_shallow() => vec![Finding::warn(
            format!("`{}` is a shallow clone, so the merge base of a change may be missing", repository.work_dir()),
            "run `git fetch --unshallow`; in CI, ask for the whole history",
        )],
        Ok(repository) => vec![Finding::ok(format!("`{}`", repository.work_dir()))],
    }
}

/// Whether the target is there, and how old what is known of it is. Nothing is fetched.
pub fn look_at_target(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(repository) = patient.repository() else { return Vec::new() };
    let target = match patient.target() {
        Ok(target) => target,
        Err(problem) => return vec![Finding::problem(problem)],
    };
    let at = format!("`{}` is at {}", target.name, target.commit.short());
    if repository.resolve(&format!("refs/remotes/{}", target.name)).is_err() {
        return vec![local(repository, target, &at)];
    }
    let remote = target.name.split('/').next().unwrap_or_default();
    let (how, age) = match last_fetch(repository, remote) {
        None => return vec![Finding::ok(format!("{at}, as it was cloned"))],
        Some(known) => known,
    };
    let what = format!("{at}, {how} {} ago", told(age));
    vec![if age > OLD {
        Finding::warn(what, format!("run `git fetch {remote}`: a change is judged against what is known here"))
    } else {
        Finding::ok(what)
    }]
}

/// A branch of this clone, which may be older than what is known of the same branch elsewhere.
fn local(repository: &Repository, target: &Target, at: &str) -> Finding {
    let upstream = format!("{UPSTREAM}/{}", target.name);
    let known = repository.resolve(&format!("refs/remotes/{upstream}"));
    let is_behind = known.is_ok_and(|known| !repository.contains(&target.commit, &known).unwrap_or(true));
    if is_behind {
        let fix = format!("judge against it with `--base {upstream}`, or bring `{}` up to it", target.name);
        return Finding::warn(format!("{at}, a branch of this clone, and `{upstream}` has more"), fix);
    }
    Finding::ok(format!("{at}, a branch of this clone"))
}

/// When git last wrote what it was told of a remote, and by what.
fn last_fetch(repository: &Repository, remote: &str) -> Option<(&'static str, Duration)> {
    let dirs = repository.private_dirs();
    let age = |file: &str| {
        let written = dirs.iter().filter_map(|dir| fs::metadata(dir.join(file)).ok()?.modified().ok());
        written.max().map(|at| at.elapsed().unwrap_or_default())
    };
    // A clone writes no `FETCH_HEAD`.
    let cloned = || Some(("cloned", age(&format!("refs/remotes/{remote}/HEAD"))?));
    age("FETCH_HEAD").map(|age| ("fetched", age)).or_else(cloned)
}

/// A time in the unit a person would choose.
fn told(age: Duration) -> String {
    let (number, unit) = match age.as_secs() {
        0..120 => return "a moment".to_owned(),
        seconds @ 120..7200 => (seconds / 60, "minutes"),
        seconds @ 7200..172_800 => (seconds / 3600, "hours"),
        seconds => (seconds / 86_400, "days"),
    };
    format!("{number} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_one_unit() {
        for (seconds, text) in
            [(5, "a moment"), (180, "3 minutes"), (7200, "2 hours"), (172_799, "47 hours"), (864_000, "10 days")]
        {
            assert_eq!(told(Duration::from_secs(seconds)), text);
        }
    }
}
