//! Go modules.

use super::Findings;
use crate::command::init::{
    draft::Draft,
    tree::{Tree, join, within},
};

/// Every module with tests.
pub fn find(tree: &Tree, found: &mut Findings) {
    let modules = tree.directories_with("go.mod");
    for dir in &modules {
        // A module inside this one is tested by itself.
        let inner: Vec<_> =
            modules.iter().filter(|other| *other != dir).filter_map(|other| within(other, dir)).collect();
        let mut tests = tree.below(dir).filter(|file| file.ends_with("_test.go"));
        if !tests.any(|file| !inner.iter().any(|inner| within(file, inner).is_some())) {
            continue;
        }
        let module = tree.text(&join(dir, "go.mod")).unwrap_or_default();
        let requires = module.lines().any(|line| line.trim_start().starts_with("require"));
        let vendored = tree.has_directory(&join(dir, "vendor"));
        let draft = Draft::new("unit", "go", dir, ["sh", "-c", "go test -json -count=1 ./... > {report}"]);
        let draft = draft.reports("go-json").needs((requires && !vendored).then_some("go"));
        found.drafts.push(draft.found(format!("`{}`", join(dir, "go.mod"))));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn tests_each_module_by_itself() {
        check(
            &[
                ("go.mod", "module a\n\nrequire x v1.0.0\n"),
                ("a_test.go", ""),
                ("tools/go.mod", "module tools\n"),
                ("tools/b/b_test.go", ""),
                ("docs/go.mod", "module docs\n"),
                ("vendored/go.mod", "module v\n\nrequire (\n\tx v1.0.0\n)\n"),
                ("vendored/a_test.go", ""),
                ("vendored/vendor/modules.txt", ""),
            ],
            &[
                "unit: sh -c 'go test -json -count=1 ./... > reports/unit.json' | go-json reports/unit.json | needs go",
                "tools:unit: sh -c 'go test -json -count=1 ./... > reports/unit.json' | in tools | go-json tools/reports/unit.json",
                "vendored:unit: sh -c 'go test -json -count=1 ./... > reports/unit.json' | in vendored | go-json vendored/reports/unit.json",
            ],
        );
    }
}
