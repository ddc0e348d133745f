//! The repository, and what a change would merge into.

use std::{fs, time::Duration};

use runmill_host::git::Repository;

use super::{finding::Finding, patient::Patient};

/// How old what is known of a remote may be before a person should fetch.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

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
    let is_remote = repository.resolve(&format!("refs/remotes/{}", target.name)).is_ok();
    if !is_remote {
        return vec![Finding::ok(format!("{at}, a branch of this clone"))];
    }
    vec![match last_fetch(repository) {
        None => Finding::ok(format!("{at}, as it was cloned")),
        Some(age) if age > OLD => {
            let remote = target.name.split('/').next().unwrap_or_default();
            let what = format!("{at}, fetched {} ago", told(age));
            Finding::warn(what, format!("run `git fetch {remote}`: a change is judged against what is known here"))
        }
        Some(age) => Finding::ok(format!("{at}, fetched {} ago", told(age))),
    }]
}

/// When git last wrote what it fetched.
fn last_fetch(repository: &Repository) -> Option<Duration> {
    let dirs = repository.private_dirs();
    let written = dirs.iter().filter_map(|dir| fs::metadata(dir.join("FETCH_HEAD")).ok()?.modified().ok());
    written.max().map(|at| at.elapsed().unwrap_or_default())
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
