//! Gradle.

use super::Findings;
use crate::command::init::{
    draft::Draft,
    tree::{Tree, join, within},
};

const SCRIPTS: &[&str] = &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/// Every outermost build.
pub fn find(tree: &Tree, found: &mut Findings) {
    let mut dirs: Vec<_> = SCRIPTS.iter().flat_map(|script| tree.directories_with(script)).collect();
    dirs.sort_unstable();
    dirs.dedup();
    let mut roots: Vec<&str> = Vec::new();
    for dir in &dirs {
        if roots.iter().any(|root| within(dir, root).is_some()) {
            continue;
        }
        roots.push(dir);
        let program = if tree.has(&join(dir, "gradlew")) { "./gradlew" } else { "gradle" };
        let projects = dirs.iter().filter_map(|project| within(project, dir)).map(|project| join(project, "build"));
        let draft = Draft::new("unit", "gradle", dir, [program, "--offline", "--no-daemon", "test"]);
        let draft = draft.writes(projects).writes([".gradle"]);
        let place = if dir.is_empty() { "the root".to_owned() } else { format!("`{dir}`") };
        found.drafts.push(draft.found(format!("the Gradle build of {place}")));
        found.note(format!(
            "the Gradle build of {place} writes one report for each class, and a check declares one file: let the build \
             join them into one, and give the check a `report`"
        ));
        found.note(format!(
            "the Gradle build of {place} keeps its distribution and what it fetched in a home directory that a check does \
             not see: `verification:commands` and a first `runmill check` say whether it runs offline"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn builds_every_project_into_scratch() {
        check(
            &[("settings.gradle.kts", ""), ("gradlew", ""), ("app/build.gradle.kts", ""), ("app/src/A.java", "")],
            &["unit: ./gradlew --offline --no-daemon test | scratch .gradle app/build build"],
        );
    }
}
