//! Targets of a makefile.

use std::collections::BTreeMap;

use super::Findings;
use crate::command::init::{
    draft::{Draft, Place, Report},
    tree::Tree,
};

/// The target for tests.
pub fn find(tree: &Tree, found: &mut Findings) {
    let files = ["GNUmakefile", "makefile", "Makefile"];
    let Some((file, text)) = files.iter().find_map(|file| Some((file, tree.text(file)?))) else { return };
    let Some(target) = ["test", "check"].into_iter().find(|target| rule(&text, target).is_some()) else { return };
    let variables = variables(&text);
    let recipe = expanded(&rule(&text, target).unwrap_or_default(), &variables);
    let mut draft =
        Draft::new("unit", "make", "", ["make", target]).found(format!("the target `{target}` of `{file}`"));
    draft.report = written(&recipe).map(|(path, format)| Report { format, identity: None, place: Place::Given(path) });
    if draft.report.is_none() && !found.tests("") {
        found.note(format!(
            "`make {target}` writes no report that runmill could name, so a test that is deleted goes unnoticed: let it \
             write TAP or JUnit into a file, and give the check a `report`"
        ));
    }
    let report = draft
        .report
        .as_ref()
        .and_then(|report| if let Place::Given(path) = &report.place { Some(path.as_str()) } else { None });
    let text = expanded(&text, &variables);
    let dirs: Vec<_> = ["build", "_build", "out", "obj", "bin", "target", ".build"]
        .into_iter()
        .filter(|dir| {
            tree.is_ignored(dir)
                && names(&text, dir)
                && !report.is_some_and(|path| path.starts_with(&format!("{dir}/")))
        })
        .collect();
    found.take_or_offer(draft.writes(dirs));
}

/// The recipe of a target without a pattern: the lines after it that start with a tab.
fn rule(text: &str, target: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| {
        let Some((targets, rest)) = line.split_once(':') else { return true };
        line.starts_with(['\t', '#', '.'])
            || rest.starts_with('=')
            || !targets.split_whitespace().any(|it| it == target)
    });
    lines.next()?;
    let recipe: Vec<_> = lines.take_while(|line| line.starts_with('\t') || line.trim().is_empty()).collect();
    Some(recipe.join("\n"))
}

/// Variables with a plain value.
fn variables(text: &str) -> BTreeMap<&str, &str> {
    let assigned = text.lines().filter(|line| !line.starts_with(['\t', '#'])).filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        Some((name.trim_end_matches([':', '?', ' ', '\t']).trim(), value.trim()))
    });
    assigned.filter(|(name, value)| !name.contains([' ', ':']) && !value.contains('$')).collect()
}

fn expanded(text: &str, variables: &BTreeMap<&str, &str>) -> String {
    variables.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value)
    })
}

/// The report that a recipe writes into a file of a telling name.
fn written(recipe: &str) -> Option<(String, &'static str)> {
    let spaced = recipe.replace('>', " > ");
    let words: Vec<_> = spaced.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let after = words.windows(2).filter_map(|pair| match pair {
        [">" | "tee", path] => Some(*path),
        _ => None,
    });
    let plain = |path: &&str| !path.contains(['$', '*', '&']) && !path.starts_with('/') && !path.contains("..");
    after.filter(plain).find_map(|path| {
        let format = if path.ends_with(".tap") {
            "tap"
        } else if path.ends_with("junit.xml") {
            "junit"
        } else {
            return None;
        };
        Some((path.trim_start_matches("./").to_owned(), format))
    })
}

/// Whether a text names a directory, as a word of a path.
fn names(text: &str, dir: &str) -> bool {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "._-".contains(letter))).any(|word| word == dir)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn reads_where_the_recipe_writes() {
        let makefile = "BUILD := build\nREPORT = reports/unit.tap\n\nall: $(BUILD)/app\n\n.PHONY: test\ntest: $(BUILD)/tests\n\t@mkdir -p reports\n\t./$(BUILD)/tests > $(REPORT)\n";
        check(
            &[("Makefile", makefile), (".gitignore", "/build/\n")],
            &["unit: make test | tap reports/unit.tap | scratch build"],
        );
    }

    #[test]
    fn invents_no_report() {
        let found = check(&[("Makefile", "check:\n\t./run-tests\n")], &["unit: make check"]);
        assert_eq!(found.notes.len(), 1);
        check(&[("Makefile", "test := 1\nall:\n\ttest: x\n.PHONY: test\n")], &[]);
        check(&[("Makefile", "test:\n\t./run > $(OUT)/x.tap\n")], &["unit: make test"]);
    }
}
