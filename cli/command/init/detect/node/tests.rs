use super::super::{Programs, detect, tests::check};
use crate::command::init::tree::fixture::tree;

const VITEST: &str =
    r#"{"scripts": {"test": "tsc --noEmit && vitest run", "lint": "eslint ."}, "devDependencies": {"vitest": "4"}}"#;

#[test]
fn takes_the_scripts_that_exist_with_the_managers_own_words() {
    let report = "--reporter=default --reporter=junit --outputFile.junit=reports/unit.xml | junit reports/unit.xml";
    for (lock, test, run, needs) in [
        ("package-lock.json", "npm test --", "npm run", "npm"),
        ("pnpm-lock.yaml", "pnpm run test", "pnpm run", "pnpm"),
        ("yarn.lock", "yarn run test", "yarn run", "yarn"),
    ] {
        check(
            &[("package.json", VITEST), (lock, "")],
            &[&format!("unit: {test} {report} | needs {needs}"), &format!("lint: {run} lint | needs {needs}")],
        );
    }
    let named = VITEST.replacen('{', "{\"packageManager\": \"pnpm@9.1.0\", ", 1);
    check(
        &[("package.json", &named)],
        &[&format!("unit: pnpm run test {report} | needs pnpm"), "lint: pnpm run lint | needs pnpm"],
    );
}

fn unit(script: &str, more: &str, expect: &str) {
    let json = serde_json::json!({ "scripts": { "test": script } }).to_string();
    let json = if more.is_empty() { json } else { json.replacen('{', &format!("{{{more}, "), 1) };
    check(&[("package.json", &json), ("package-lock.json", "")], &[expect]);
}

#[test]
fn knows_the_reporters_of_the_runners() {
    let node = "--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/unit.xml";
    unit("node --test", "", &format!("unit: npm test -- {node} | junit reports/unit.xml"));
    unit("node --test test/", "", &format!("unit: node --test {node} test/ | junit reports/unit.xml"));
    unit(
        "node --test test/*.test.js",
        "",
        &format!("unit: sh -c 'node --test {node} test/*.test.js' | junit reports/unit.xml"),
    );
    unit(
        "mocha",
        "",
        "unit: npm test -- --reporter xunit --reporter-option output=reports/unit.xml | junit reports/unit.xml",
    );
    unit(
        "NODE_ENV=test npx jest",
        r#""devDependencies": {"jest-junit": "17"}"#,
        "unit: npm test -- --reporters=default --reporters=jest-junit | junit reports/unit.xml | sets \
         JEST_JUNIT_CLASSNAME={filepath} JEST_JUNIT_OUTPUT_FILE=reports/unit.xml JEST_JUNIT_TITLE={classname} {title} \
         | needs npm",
    );
}

#[test]
fn node_tells_tests_apart_by_suite_where_each_is_in_one() {
    let json = r#"{"scripts": {"test": "node --test"}}"#;
    let identity = |text: &str| {
        let (_dir, tree) = tree(&[("package.json", json), ("test/a.js", text)]);
        let found = detect(&tree, &Programs::default());
        found.drafts[0].report.as_ref().and_then(|report| report.identity)
    };
    assert_eq!(identity("describe('a', () => {\n  test('b', () => {});\n});\n"), Some("suite"));
    assert_eq!(identity("describe('a', () => {});\ntest('b', () => {});\n"), None);
    assert_eq!(identity("test('b', () => {});\n"), None);
}

#[test]
fn invents_no_flag_where_it_would_not_reach_the_runner() {
    for script in ["jest", "vitest run | tee log", "vitest run; echo done", "vitest --reporter=dot", "ava", "make test"]
    {
        unit(script, "", "unit: npm test");
    }
}

#[test]
fn leaves_out_what_is_no_check() {
    let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1", "start": "node ."}}"#;
    check(&[("package.json", placeholder)], &[]);
    check(&[("package.json", r#"{"scripts": {"build": "rollup", "check": "biome ci"}}"#)], &["check: npm run check"]);
    let found = check(&[("package.json", "{")], &[]);
    assert!(found.notes[0].contains("cannot be read"), "{:?}", found.notes);
}

#[test]
fn a_workspace_is_judged_where_the_reports_are() {
    let member = r#"{"scripts": {"test": "mocha"}}"#;
    let flags = "--reporter xunit --reporter-option output=reports/unit.xml";
    let members = [("packages/a/package.json", member), ("packages/b/package.json", member), ("package-lock.json", "")];
    let with = |root: &'static str| [("package.json", root)].into_iter().chain(members).collect::<Vec<_>>();
    for hands_on in ["npm test --workspaces", "turbo run test", "npx lerna run test"] {
        let root = format!(r#"{{"workspaces": ["packages/*"], "scripts": {{"test": "{hands_on}"}}}}"#);
        check(
            &with(root.leak()),
            &[
                &format!("a:unit: npm test -- {flags} | in packages/a | junit packages/a/reports/unit.xml"),
                &format!("b:unit: npm test -- {flags} | in packages/b | junit packages/b/reports/unit.xml"),
            ],
        );
    }
    // What the root installs, node finds from every package.
    let root = r#"{"workspaces": ["packages/*"], "devDependencies": {"mocha": "12"}}"#;
    check(
        &with(root),
        &[
            &format!("a:unit: npm test -- {flags} | in packages/a | junit packages/a/reports/unit.xml | needs npm"),
            &format!("b:unit: npm test -- {flags} | in packages/b | junit packages/b/reports/unit.xml | needs npm"),
        ],
    );
    let root = r#"{"workspaces": ["packages/*"], "scripts": {"test": "mocha"}}"#;
    check(&with(root), &[&format!("unit: npm test -- {flags} | junit reports/unit.xml")]);
}

#[test]
fn builds_into_scratch() {
    let json = r#"{"scripts": {"pretest": "npm run build", "test": "node --test"}}"#;
    let node = "--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/unit.xml";
    check(
        &[("package.json", json), (".gitignore", "dist/\n")],
        &[&format!("unit: npm test -- {node} | junit reports/unit.xml | scratch dist")],
    );
}
