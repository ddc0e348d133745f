//! Maven.

use super::Findings;
use crate::command::init::{
    draft::Draft,
    tree::{Tree, join, within},
};

/// Every outermost project.
pub fn find(tree: &Tree, found: &mut Findings) {
    let mut roots: Vec<&str> = Vec::new();
    for dir in tree.directories_with("pom.xml") {
        if roots.iter().any(|root| within(dir, root).is_some()) {
            continue;
        }
        roots.push(dir);
        let program = if tree.has(&join(dir, "mvnw")) { "./mvnw" } else { "mvn" };
        let modules = tree.directories_with("pom.xml").into_iter().filter_map(|module| within(module, dir));
        let draft = Draft::new("unit", "maven", dir, [program, "--offline", "--batch-mode", "test"]);
        let path = join(dir, "pom.xml");
        found.drafts.push(draft.writes(modules.map(|module| join(module, "target"))).found(format!("`{path}`")));
        found.note(format!(
            "Maven of `{path}` writes one report for each class, and a check declares one file: let the build join them \
             into one, and give the check a `report`"
        ));
        found.note(format!(
            "Maven of `{path}` fetches plugins into a home directory that a check does not see: `verification:commands` \
             and a first `runmill check` say whether it runs offline"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn builds_every_module_into_scratch() {
        check(
            &[("pom.xml", ""), ("mvnw", ""), ("core/pom.xml", "")],
            &["unit: ./mvnw --offline --batch-mode test | scratch core/target target"],
        );
    }
}
