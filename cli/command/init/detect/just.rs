//! Recipes of a justfile.

use super::Findings;
use crate::command::init::{draft::Draft, tree::Tree};

/// The recipe for tests.
pub fn find(tree: &Tree, found: &mut Findings) {
    let files = ["justfile", "Justfile", ".justfile"];
    let Some((file, text)) = files.iter().find_map(|file| Some((file, tree.text(file)?))) else { return };
    let Some(recipe) = ["test", "check"].into_iter().find(|recipe| is_recipe(&text, recipe)) else { return };
    let draft = Draft::new("unit", "just", "", ["just", recipe]).found(format!("the recipe `{recipe}` of `{file}`"));
    if !found.tests("") {
        found.note(format!(
            "`just {recipe}` writes no report that runmill could name; give the check a `report` where it does"
        ));
    }
    found.take_or_offer(draft);
}

/// Whether a recipe of this name needs no argument.
fn is_recipe(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.strip_prefix('@').unwrap_or(line).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.trim_start().starts_with(":="))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn takes_a_recipe_only_where_nothing_else_was_found() {
        check(&[("justfile", "test:\n    sh test.sh\n")], &["unit: just test"]);
        for other in ["test := \"x\"\n", "test FILE:\n", "testing:\n"] {
            check(&[("justfile", other)], &[]);
        }
        let found = check(
            &[
                ("justfile", "test:\n    cargo test\n"),
                ("Cargo.toml", "[package]\nname = \"a\"\n"),
                ("Cargo.lock", ""),
                ("tests/a.rs", ""),
            ],
            &["unit: cargo test --locked | scratch target"],
        );
        assert_eq!(found.also.len(), 1);
    }
}
