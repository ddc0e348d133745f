use super::*;

#[expect(clippy::disallowed_methods, reason = "the test makes the files that the verb reads")]
fn file(dir: &tempfile::TempDir, name: &str, text: &str) -> Utf8PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.try_into().unwrap()
}

fn args(file: Utf8PathBuf) -> ReadArgs {
    ReadArgs {
        file,
        format: None,
        base: None,
        declared: Vec::new(),
        skips: Skips::All,
        identity: Identity::Classname,
        duplicates: Duplicates::Reject,
    }
}

fn run(args: &ReadArgs, view: View) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = read(args, view, &mut out, &mut err).unwrap();
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const TAP: &str = "1..3\nok 1 - a\nnot ok 2 - b\nok 3 - \u{1b}[31mc # SKIP\n";

#[test]
fn shows_a_table_of_ids_and_statuses() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(&dir, "r.tap", TAP);
    let (exit, out, _) = run(&args(path.clone()), View::Plain);
    let table = "  3 tests: 1 passed, 1 failed, 1 skipped\n\n  skipped  \\u{1b}[31mc\n  passed   a\n  failed   b\n";
    assert_eq!((exit, out), (0, format!("accepted {path} (tap)\n{table}")));
}

#[test]
fn shows_why_a_report_is_refused_and_what_to_set() {
    let dir = tempfile::tempdir().unwrap();
    let text = "<testsuites id=\"\" name=\"\"><testsuite name=\"s\"><testcase name=\"a\"/><testcase name=\"a\"/></testsuite></testsuites>";
    let (exit, out, _) = run(&args(file(&dir, "r.xml", text)), View::Plain);
    assert_eq!(exit, 3);
    for part in [
        "refused",
        "(junit, playwright)",
        "duplicate-id: line 1, column 67: the test `a` is listed twice",
        "fix: ",
        "setting: `includeProjectInTestName: true`",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn writes_one_document() {
    let dir = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(&args(file(&dir, "r.tap", TAP)), View::Json);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, err.as_str(), &document["schema"]), (0, "", &"runmill.report/v1".into()));
    assert_eq!(document["totals"], serde_json::json!({ "total": 3, "passed": 1, "failed": 1, "skipped": 1 }));
    assert_eq!(document["tests"][1], serde_json::json!({ "id": "a", "status": "passed", "flaky": false }));
    assert!(document["accepted"] == true && document["comparison"].is_null() && document["reason"].is_null());
    let (exit, out, _) = run(&args(file(&dir, "bad.tap", "ok 1 - a\n")), View::Json);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &document["accepted"], &document["reason"]), (3, &false.into(), &"no-plan".into()));
    assert_eq!(document["tests"], serde_json::json!([]));
}

#[test]
fn compares_both_sides_in_one_arena() {
    let dir = tempfile::tempdir().unwrap();
    let base = file(&dir, "base.tap", "1..2\nok 1 - a\nok 2 - gone\n");
    let with_base = ReadArgs { base: Some(base), ..args(file(&dir, "r.tap", TAP)) };
    let (exit, out, _) = run(&with_base, View::Plain);
    assert_eq!(exit, 3);
    let lists = "compared with the base: refuted\n  missing             gone\n  skipped             \\u{1b}[31mc\n  undeclared          \\u{1b}[31mc\n  undeclared          gone\n";
    assert!(out.ends_with(lists), "{out}");
    let declared = vec!["gone".to_owned(), "\u{1b}[31mc".to_owned()];
    let (exit, out, _) = run(&ReadArgs { declared: declared.clone(), ..with_base.clone() }, View::Plain);
    assert!(exit == 0 && out.contains("compared with the base: nothing refuted"), "{out}");
    let unused = [declared, vec!["a".to_owned()]].concat();
    let (exit, out, _) = run(&ReadArgs { declared: unused, ..with_base.clone() }, View::Plain);
    assert!(exit == 3 && out.contains("  unused declaration  a\n"), "{out}");
    let broken = ReadArgs { base: Some(file(&dir, "broken.tap", "ok 1 - a\n")), ..with_base };
    assert_eq!(run(&broken, View::Plain).0, 3, "a base that is refused refutes");
}

#[test]
fn a_file_that_cannot_be_used_is_exit_1() {
    let dir = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(&args("no/such/file.xml".into()), View::Plain);
    assert!(exit == 1 && out.is_empty() && err.starts_with("error: `no/such/file.xml` cannot be read: "), "{err}");
    let (exit, out, _) = run(&args(file(&dir, "r.txt", "hello\n")), View::Json);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &document["schema"]), (1, &"runmill.error/v1".into()));
    assert_eq!(document["code"], "RM-REPORT-001");
    assert!(document["message"].as_str().unwrap().contains("looks like no report format"));
    let empty = run(&args(file(&dir, "e.xml", " \n")), View::Plain);
    assert!(empty.0 == 3 && empty.1.contains("empty-report"));
}

#[test]
fn says_when_no_test_ran() {
    let dir = tempfile::tempdir().unwrap();
    let (_, out, _) = run(&args(file(&dir, "r.tap", "1..1\nok 1 - a # SKIP\n")), View::Plain);
    assert!(out.contains("\n  1 test: 0 passed, 0 failed, 1 skipped\n"), "{out}");
    assert!(out.ends_with("note no test ran: a gate blocks this, whatever is declared\n"), "{out}");
}
