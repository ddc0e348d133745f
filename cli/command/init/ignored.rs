//! Lines of `.gitignore` for what checks write.

use std::collections::{BTreeMap, BTreeSet};

use runmill_manifest::{Check, ChecksManifest};

use super::tree::{Tree, within};

/// From this many packages on, one pattern stands for all of them.
const MANY: usize = 4;

/// The lines that are missing, sorted.
pub fn missing_lines(tree: &Tree, manifest: &ChecksManifest) -> Vec<String> {
    let written: BTreeSet<String> = manifest.checks().iter().flat_map(|check| written(tree, check)).collect();
    let missing: Vec<_> = written.into_iter().filter(|path| !tree.is_ignored(path.trim_end_matches('/'))).collect();
    patterns(&missing)
}

/// What a check writes: directories end in `/`.
fn written(tree: &Tree, check: &Check) -> Vec<String> {
    let report = check.report().map(|report| report_place(tree, check, report.path().as_str()));
    check.scratch().iter().map(|dir| format!("{dir}/")).chain(report).collect()
}

/// The directory of a report, where nothing else is in it; else the report alone.
fn report_place(tree: &Tree, check: &Check, report: &str) -> String {
    let cwd = if check.cwd().is_root() { "" } else { check.cwd().as_str() };
    let dir = within(report, cwd).and_then(|inside| {
        let first = inside.split_once('/')?.0;
        report.get(..report.len() - inside.len() + first.len())
    });
    match dir {
        Some(dir) if tree.below(dir).next().is_none() => format!("{dir}/"),
        _ => report.to_owned(),
    }
}

/// A line for each path, or for many alike below one directory.
fn patterns(paths: &[String]) -> Vec<String> {
    let alike = |path: &str| {
        let (above, name) = path.trim_end_matches('/').rsplit_once('/')?;
        let (siblings, _) = above.rsplit_once('/')?;
        Some((siblings.to_owned(), name.to_owned()))
    };
    let mut groups: BTreeMap<_, usize> = BTreeMap::new();
    paths.iter().filter_map(|path| alike(path)).for_each(|group| *groups.entry(group).or_default() += 1);
    let line = |path: &String| match alike(path) {
        Some(group) if path.ends_with('/') && groups.get(&group).is_some_and(|count| *count >= MANY) => {
            format!("/{}/*/{}/", group.0, group.1)
        }
        _ => format!("/{path}"),
    };
    paths.iter().map(line).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The text with the lines at its end.
pub fn appended(text: &str, lines: &[String]) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str("# What the checks of runmill write.\n");
    lines.iter().for_each(|line| text.extend([line, "\n"]));
    text
}

#[cfg(test)]
mod tests {
    use super::super::{manifest::parsed, tree::fixture::tree};
    use super::*;

    fn check(files: &[(&str, &str)], manifest: &str, expect: &[&str]) {
        let (_dir, tree) = tree(files);
        let manifest = parsed(&format!("checks:\n{manifest}")).unwrap();
        assert_eq!(missing_lines(&tree, &manifest), expect);
    }

    #[test]
    fn names_what_is_not_ignored_yet() {
        let one = "  - { id: a, run: x, report: { path: reports/a.xml, format: junit }, scratch: [target] }\n";
        check(&[], one, &["/reports/", "/target/"]);
        check(&[(".gitignore", "target\n")], one, &["/reports/"]);
        check(&[("reports/2024.csv", ""), (".gitignore", "target\n")], one, &["/reports/a.xml"]);
        check(&[(".gitignore", "target\nreports\n")], one, &[]);
        check(&[], "  - { id: a, run: x, report: { path: a.xml, format: junit } }\n", &["/a.xml"]);
    }

    #[test]
    fn one_pattern_stands_for_many_packages() {
        let package = |name| {
            let report = format!("report: {{ path: packages/{name}/reports/unit.xml, format: junit }}");
            format!("  - {{ id: \"{name}:unit\", run: x, cwd: packages/{name}, {report} }}\n")
        };
        check(&[], &[package("a"), package("b")].concat(), &["/packages/a/reports/", "/packages/b/reports/"]);
        check(&[], &["a", "b", "c", "d"].map(package).concat(), &["/packages/*/reports/"]);
    }

    #[test]
    fn keeps_what_is_there() {
        let lines = ["/target/".to_owned()];
        assert_eq!(appended("", &lines), "# What the checks of runmill write.\n/target/\n");
        assert_eq!(appended("a", &lines), "a\n\n# What the checks of runmill write.\n/target/\n");
    }
}
