//! The checks manifest: what it accepts, and each refusal with its place.

use runmill_model::RepoPath;

use super::*;
use crate::{ByteSize, EnvName, TimeSpan, rendered::rendered};

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(rendered(&parse("checks.yaml", text), Code::Verify004), expect, "\n{text:.600}");
}

/// A manifest of one check with an id and a command, and the given members.
#[track_caller]
fn check_member(member: &str, expect: &str) {
    check(&format!("checks:\n- id: a\n  run: b\n  {member}\n"), expect);
}

fn only(text: &str) -> Check {
    parse("checks.yaml", text).unwrap().checks()[0].clone()
}

const FULL: &str = include_str!("../../samples/checks.yaml");

#[test]
fn reads_every_key_of_the_contract() {
    let manifest = parse("checks.yaml", FULL).unwrap();
    let unit = &manifest.checks()[0];
    assert_eq!(unit.description(), Some("Unit tests"));
    assert_eq!(unit.argv().words()[3], "--reporter=junit");
    assert_eq!(unit.timeout().as_millis(), 90_000);
    assert_eq!(unit.cwd().as_str(), "packages/core");
    assert!(unit.env().allow().contains(&EnvName::new("CI").unwrap()));
    assert_eq!(unit.env().set()[&EnvName::new("EMPTY").unwrap()], "");
    let report = unit.report().unwrap();
    assert_eq!((report.format(), report.identity()), (ReportFormat::Junit, Identity::SuiteHostname));
    assert_eq!((report.duplicates(), report.is_atomic()), (Duplicates::Group, true));
    assert_eq!(unit.declared_skips()[1].renamed_to(), Some("New::name"));
    assert_eq!(unit.scratch().iter().map(RepoPath::as_str).collect::<Vec<_>>(), [".pytest_cache", "target"]);
    assert!(unit.dependencies().contains(&Ecosystem::Cargo));
    assert_eq!((unit.limits().processes(), unit.limits().file_size()), (64, ByteSize::new(100 << 10).unwrap()));

    let migration = &manifest.checks()[1];
    assert!(!migration.is_required() && unit.is_required());
    assert_eq!((migration.timeout(), migration.cwd().is_root()), (DEFAULT_TIMEOUT, true));
    assert_eq!(migration.limits(), Limits::default());
    assert!(manifest.check(&CheckId::new("migration:check").unwrap()).is_some());

    let rule = &manifest.paths()[0];
    assert_eq!(rule.matching(&RepoPath::new("db/x.sql").unwrap()).unwrap().as_str(), "*.sql");
    assert!(rule.matching(&RepoPath::new("src/main.rs").unwrap()).is_none());
    assert_eq!(rule.require()[1].as_str(), "somewhere-else");
}

#[test]
fn an_empty_list_is_valid_and_an_empty_file_is_not() {
    check("checks: []", "ok");
    check("version: 1\nchecks: []\npaths: []\n", "ok");
    let empty = "the document is empty | write at least `checks: []`";
    check("", &format!("1:1 {empty}"));
    check("# nothing\n", &format!("2:1 {empty}"));
    check("---\n", &format!("2:1 {empty}"));
    check("~", &format!("1:1 {empty}"));
    check(
        "version: 1\n",
        "1:1 the manifest has no `checks` | write `checks:` with a list of checks; an empty list is `checks: []`",
    );
    check("[]", "1:1 the manifest must be a mapping, and it is a list | write `key: value` members");
    check("checks:\n", "1:7 `checks` must be a list, and it is empty | write `[a, b]`, or one `- item` a line");
    check("checks: {}\n", "1:9 `checks` must be a list, and it is a mapping | write `[a, b]`, or one `- item` a line");
    check("checks: [a]", "1:10 a check must be a mapping, and it is a text | write `key: value` members");
}

#[test]
fn shows_every_problem_at_once_in_the_order_of_the_file() {
    let text = "version: 2
chekcs: []
checks:
  - id: 1
    run: a && b
    required: 'no'
  - id: unit
    argv: []
    timeout: 10 min
    report: { path: ../r.xml, format: xunit }
  - id: lint
    run: x
    declared_skips: [{ test_id: ' ', cause: c }]
  - id: lint
    run: x
    scratch: [.git]
paths: [{ match: ['!a'], require: [] }]
";
    check(
        text,
        "1:10 `version` is 2, which is out of range | write `1`, without quotes
2:1 the manifest has no key `chekcs` | did you mean `checks`?
4:9 `id` must be a text, and it is a number | put it in quotes: `\"1\"`
5:12 an unquoted `&&` needs a shell, and no shell is involved | quote it if it is meant literally; if a shell is meant, write `argv: [sh, -c, 'a && b']`
6:15 `required` must be true or false, and it is a text | write `true` or `false`, without quotes
8:11 there is nothing to run | write a program and its arguments, such as `[npm, test]`
9:14 `10 min` is not a duration | write a positive whole number and a unit, such as `90s`, `10m` or `2h`
10:21 `../r.xml` may leave the checkout | write a path inside the checkout, without `..`
10:39 `xunit` is no value of `format` | did you mean `junit`?
13:21 `declared_skips` needs a report to be held against | declare a `report` for this check, or remove the skips
13:33 `test_id` is blank | write a text, or leave the key out
14:9 two checks have the id `lint` | give each an id of its own + 11:9 first here
16:15 `.git` is inside `.git` | write a path that belongs to the tree
17:19 `!a` is a negated pattern | patterns only add; list what should match instead, or write `\\!a` for a name that starts with `!`
17:35 `require` is an empty list | name at least one, or remove the rule",
    );
}

#[test]
fn a_check_runs_exactly_one_command() {
    check("checks: [{ id: a }]", "1:12 a check has nothing to run | add `run: npm test` or `argv: [npm, test]`");
    check(
        "checks: [{ id: a, run: b, argv: [b] }]",
        "1:33 a check has both `run` and `argv` | keep one of the two + 1:24 this",
    );
    check_member("", "ok");
    check("checks: [{ id: a, run: '' }]", "1:24 `run` is blank | write a text, or leave the key out");
    check("checks: [{ id: a, run: [b] }]", "1:24 `run` must be a text, and it is a list | write a text");
    check(
        "checks: [{ id: a, argv: b }]",
        "1:25 `argv` must be a list, and it is a text | write `[a, b]`, or one `- item` a line",
    );
    check(
        "checks: [{ id: a, argv: [1, b] }]",
        "1:26 `argv` must be a text, and it is a number | put it in quotes: `\"1\"`",
    );
    check(
        "checks: [{ id: a, argv: ['', b] }]",
        "1:25 the program's name is blank | write a program and its arguments, such as `[npm, test]`",
    );
    assert_eq!(only("checks:\n- id: a\n  run: >-\n    b 'c d'\n").argv().words(), ["b", "c d"]);
    assert_eq!(only("checks:\n- id: a\n  run: |\n    b c\n").argv().words(), ["b", "c"]);
    assert_eq!(only("checks:\n- id: a\n  run: >\n    b\n    c\n").argv().words(), ["b", "c"]);
    check(
        "checks:\n- id: a\n  run: |\n    b\n    c\n",
        "4:5 an unquoted line break needs a shell, and no shell is involved | quote it if it is meant literally; if a shell is meant, write `argv: [sh, -c, \"b\\nc\"]`",
    );
}

#[test]
fn ids_have_one_form_and_are_unique() {
    let form = "write letters, digits and `. _ : -`, starting with a letter or digit";
    check("checks: [{ run: b }]", "1:12 a check has no `id` | give it a unique name, such as `id: unit`");
    check("checks: [{ id: a b, run: b }]", &format!("1:16 `a b` is not a check id | {form}"));
    check("checks: [{ id: '', run: b }]", &format!("1:16 `` is not a check id | {form}"));
    check("checks: [{ id: null, run: b }]", "1:16 `id` must be a text, and it is empty | write a text");
    check(
        "checks: [{ id: true, run: b }]",
        "1:16 `id` must be a text, and it is true or false | put it in quotes: `\"true\"`",
    );
    check("checks: [{ id: yes, run: b }]", "ok");
}

#[test]
fn a_report_stays_inside_the_checkout() {
    for (path, why) in [
        (
            "/tmp/r.xml",
            "`/tmp/r.xml` is not relative to the checkout | write a path inside the checkout, such as `reports/unit.xml`",
        ),
        ("a/../../r", "`a/../../r` may leave the checkout | write a path inside the checkout, without `..`"),
        (".", "`.` is the checkout itself | name a file or directory inside it"),
        (".git/r.xml", "`.git/r.xml` is inside `.git` | write a path that belongs to the tree"),
        ("./r.xml", "`./r.xml` is not in its plain form | write `r.xml`"),
        ("''", "`` is not a path | write a path inside the checkout, such as `reports/unit.xml`"),
    ] {
        check_member(&format!("report: {{ path: {path}, format: tap }}"), &format!("4:19 {why}"));
    }
    check_member(
        "report: { format: tap }",
        "4:13 a report has no `path` | write where the command puts it, such as `path: reports/unit.xml`",
    );
    check_member("report: { path: r }", "4:13 a report has no `format` | write `junit`, `tap` or `go-json`");
    check_member(
        "report: { path: r, format: tap, identity: file }",
        "4:45 a tap report has one identity only | remove `identity`; it is for junit",
    );
    check_member("report: { path: r, format: tap, identity: classname }", "ok");
    check_member(
        "report: { path: r, format: tap, atomic: yes }",
        "4:43 `atomic` must be true or false, and it is a text | write `true` or `false`, without quotes",
    );
    check_member(
        "report: { path: r, format: tap, dupes: group }",
        "4:35 a report has no key `dupes` | a report takes `path`, `format`, `identity`, `duplicates` or `atomic`",
    );
    check_member("cwd: ../x", "4:8 `../x` may leave the checkout | write a path inside the checkout, without `..`");
}

#[test]
fn declared_skips_are_named_caused_and_reported() {
    let with = |skips: &str| format!("report: {{ path: r, format: tap }}\n  declared_skips: {skips}");
    check_member(&with("[{ test_id: a, cause: b }]"), "ok");
    check_member("declared_skips: []", "ok");
    check_member(&with("[{ test_id: a, cause: ' ' }]"), "5:41 `cause` is blank | write a text, or leave the key out");
    check_member(&with("[{ test_id: a }]"), "5:22 a declared skip has no `cause` | write why the test may be skipped");
    check_member(
        &with("[{ cause: a }]"),
        "5:22 a declared skip has no `test_id` | write the test's id exactly as the report shows it",
    );
    check_member(
        &with("[{ test_id: a, cause: b }, { test_id: a, cause: c }]"),
        "5:57 the test `a` is declared twice | keep one of the two + 5:31 first here",
    );
    check_member(
        &with("[{ test_id: a, cause: b, renamed_to: a }]"),
        "5:56 a test is renamed to itself | write its new id, or remove `renamed_to`",
    );
    check_member(&with("[a]"), "5:20 a declared skip must be a mapping, and it is a text | write `key: value` members");
    check(
        "checks: []\ndeclared_skips: []\n",
        "2:1 the manifest has no key `declared_skips` | the manifest takes `version`, `checks` or `paths`",
    );
}

#[test]
fn a_repository_may_not_name_what_injects_code_or_reaches_agents() {
    let only_operator = "only operator policy may: name it in `verification.environment.allow` of policy.yaml";
    for name in ["LD_PRELOAD", "DYLD_LIBRARY_PATH", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV"] {
        let why = format!("`{name}` loads code into programs; a repository may not name it | {only_operator}");
        check_member(&format!("env: {{ set: {{ {name}: x }} }}"), &format!("4:17 {why}"));
        check_member(&format!("env: {{ allow: [{name}] }}"), &format!("4:18 {why}"));
    }
    for name in ["SSH_AUTH_SOCK", "GIT_ASKPASS"] {
        let why = format!("`{name}` reaches an agent that holds keys; a repository may not name it | {only_operator}");
        check_member(&format!("env: {{ set: {{ {name}: x }} }}"), &format!("4:17 {why}"));
    }
    check_member(
        "env: { set: { 1A: x } }",
        "4:17 `1A` is not the name of an environment variable | write letters, digits and `_`, not starting with a digit",
    );
    check_member(
        "env: { allow: ['LD_*'] }",
        "4:18 `LD_*` is not the name of an environment variable | name each variable exactly; patterns are not supported",
    );
    check_member(
        "env: { set: { PORT: 80 } }",
        "4:23 `PORT` must be a text, and it is a number | put it in quotes: `\"80\"`",
    );
    check_member(
        "env: { set: { A: \"\\0\" } }",
        "4:20 a value holds a NUL character | remove it; no program can be given one",
    );
    check_member("env: { allow: [A], set: { A: x } }", "4:29 `A` is both allowed and set | keep one of the two");
    check_member(
        "env: { allow: [A, A] }",
        "4:21 `A` is listed twice in `allow` | keep one of the two + 4:18 first here",
    );
    check_member("env: [A]", "4:8 `env` must be a mapping, and it is a list | write `key: value` members");
}

#[test]
fn scratch_directories_keep_apart() {
    let apart = "keep scratch directories apart from each other and from the report";
    check_member("scratch: [target, build/out]", "ok");
    check_member("scratch: [.]", "4:13 `.` is the checkout itself | name a file or directory inside it");
    check_member("scratch: [target/]", "4:13 `target/` is not in its plain form | write `target`");
    check_member(
        "scratch: [/tmp]",
        "4:13 `/tmp` is not relative to the checkout | write a path inside the checkout, such as `reports/unit.xml`",
    );
    check_member(
        "scratch: [a, a/b]",
        &format!("4:16 the scratch directory `a/b` overlaps `a` | {apart} + 4:13 and this"),
    );
    check_member("scratch: [a, a]", &format!("4:16 the scratch directory `a` overlaps `a` | {apart} + 4:13 and this"));
    let many: Vec<_> = (0..=MAX_SCRATCH).map(|n| format!("d{n}")).collect();
    check_member(
        &format!("scratch: [{}]", many.join(", ")),
        "4:12 65 scratch directories are more than 64 | declare the directory they are all in",
    );
    check_member(
        "report: { path: out/r.xml, format: junit }\n  scratch: [out]",
        &format!("5:13 the scratch directory `out` overlaps `out/r.xml` | {apart} + 4:19 and this"),
    );
}

#[test]
fn limits_dependencies_and_timeouts_are_bounded() {
    check_member(
        "timeout: 0s",
        "4:12 `0s` is not a duration: it is zero | write a positive whole number and a unit, such as `90s`, `10m` or `2h`",
    );
    check_member("timeout: 90", "4:12 `timeout` must be a text, and it is a number | put it in quotes: `\"90\"`");
    check_member(
        "limits: { memory: 4GB }",
        "4:21 `4GB` is not a size | write a positive whole number and a unit, such as `512B`, `64KiB`, `64MiB` or `4GiB`",
    );
    check_member(
        "limits: { processes: 0 }",
        "4:24 `processes` is 0, which is out of range | write a whole number from 1 to 1048576, without quotes",
    );
    check_member(
        "limits: { processes: '5' }",
        "4:24 `processes` must be a whole number, and it is a text | write a whole number from 1 to 1048576, without quotes",
    );
    check_member(
        "limits: { mem: 4GiB }",
        "4:13 `limits` has no key `mem` | `limits` takes `memory`, `processes`, `output` or `file_size`",
    );
    check_member("dependencies: [npn]", "4:18 `npn` is no value of `dependencies` | did you mean `npm`?");
    check_member("dependencies: [npm, npm]", "4:23 `npm` is listed twice | keep one of the two");
    check_member("description: ' '", "4:16 `description` is blank | write a text, or leave the key out");
}

#[test]
fn path_rules_need_patterns_and_ids() {
    let check = |rule: &str, expect: &str| check(&format!("checks: []\npaths: {rule}"), expect);
    check("[{ match: [a], require: [anything] }]", "ok");
    check("[{ match: [a] }]", "2:11 a path rule has no `require` | write the ids of the checks it requires");
    check(
        "[{ require: [a] }]",
        "2:11 a path rule has no `match` | write the paths it is about, such as `match: [\"migrations/**\"]`",
    );
    check(
        "[{ match: a, require: [b] }]",
        "2:18 `match` must be a list, and it is a text | write `[a, b]`, or one `- item` a line",
    );
    check(
        "[{ match: [a], require: [b, b] }]",
        "2:36 `b` is listed twice in `require` | keep one of the two + 2:33 first here",
    );
    check(
        "[{ match: [a], require: [b], also: c }]",
        "2:37 a path rule has no key `also` | a path rule takes `match` or `require`",
    );
}

#[test]
fn too_many_checks_or_patterns_are_refused() {
    let many: String = (0..=MAX_CHECKS).map(|n| format!("- {{ id: c{n}, run: x }}\n")).collect();
    check(&format!("checks:\n{many}"), "2:3 10001 checks are more than 10000 | merge some of them");
    let patterns = vec!["a"; MAX_PATTERNS + 1].join(",");
    check(
        &format!("checks: []\npaths: [{{ match: [{patterns}], require: [a] }}]"),
        "2:18 the manifest holds more than 2000 path patterns | write fewer, wider ones",
    );
}

#[test]
fn the_definition_digest_covers_executions_and_nothing_else() {
    let base = "checks: [{ id: a, run: b c, report: { path: r, format: tap }";
    let digest = |more: &str| only(&format!("{base}{more} }}]")).definition_digest();
    let plain = digest("");
    for same in [
        "",
        ", required: false",
        ", description: x",
        ", declared_skips: [{ test_id: t, cause: c }]",
        ", timeout: 600s",
        ", cwd: .",
        ", limits: { memory: 4096MiB }",
        ", env: {}",
        ", scratch: []",
    ] {
        assert_eq!(digest(same), plain, "{same}");
    }
    let others = [
        ", timeout: 11m",
        ", cwd: d",
        ", env: { allow: [CI] }",
        ", env: { set: { CI: x } }",
        ", scratch: [s]",
        ", dependencies: [go]",
        ", limits: { memory: 1GiB }",
        ", limits: { processes: 1 }",
        ", limits: { output: 1KiB }",
        ", limits: { file_size: 1KiB }",
    ];
    let mut seen: std::collections::BTreeSet<_> = others.iter().map(|other| digest(other)).collect();
    assert!(seen.insert(plain) && seen.len() == others.len() + 1);
    assert_eq!(only("checks: [{ id: a, argv: [b, c], report: { path: r, format: tap } }]").definition_digest(), plain);
    for other in [
        "id: z, run: b c, report: { path: r, format: tap }",
        "id: a, run: b, report: { path: r, format: tap }",
        "id: a, run: b c, report: { path: q, format: tap }",
        "id: a, run: b c, report: { path: r, format: go-json }",
        "id: a, run: b c, report: { path: r, format: tap, atomic: true }",
        "id: a, run: b c",
    ] {
        assert!(seen.insert(only(&format!("checks: [{{ {other} }}]")).definition_digest()), "{other}");
    }
}

#[test]
fn the_definition_has_a_pinned_form() {
    let check = only("checks: [{ id: a, run: b, env: { allow: [CI] }, dependencies: [npm, cargo], scratch: [t] }]");
    let form = String::from_utf8(runmill_model::canonical::to_bytes(&check.definition()).unwrap()).unwrap();
    assert_eq!(
        form,
        r#"{"argv":["b"],"cwd":".","dependencies":["npm","cargo"],"env":{"allow":["CI"],"set":{}},"id":"a","limits":{"file_size":1073741824,"memory":4294967296,"output":67108864,"processes":512},"report":null,"scratch":["t"],"timeout_ms":600000}"#
    );
    assert_eq!(check.definition_digest(), runmill_model::Digest::of(form.as_bytes()));
    assert_eq!(check.timeout(), TimeSpan::from_millis(600_000).unwrap());
}
