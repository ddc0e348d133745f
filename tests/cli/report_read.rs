//! `runmill report read`: what a person sees of a report before a gate does, without a repository.

use serde_json::{Value, json};

use crate::harness::{Output, Repo, User};

const GREEN: &str = "<testsuite><testcase classname=\"A\" name=\"works\"/></testsuite>\n";

/// Runs the verb on files of these texts, in a directory that is no repository.
fn read(files: &[(&str, &str)], args: &[&str]) -> Output {
    let repo = Repo::bare_directories(User::Same);
    std::fs::create_dir(repo.path()).unwrap();
    for (name, text) in files {
        repo.file(name, text);
    }
    repo.runmill(["report", "read"]).args(args.iter().copied()).output()
}

fn document(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.stdout))
}

#[test]
fn accepts_a_report_of_each_format_by_its_content() {
    let event = |action: &str, test: &str| format!("{{\"Action\":\"{action}\",\"Package\":\"p\"{test}}}\n");
    let test = ",\"Test\":\"T\"";
    let go = [event("run", test), event("pass", test), event("pass", "")].concat();
    for (text, format, id) in [(GREEN, "junit", "A::works"), ("1..1\nok 1 - a\n", "tap", "a"), (&go, "go-json", "p::T")]
    {
        let output = read(&[("report", text)], &["report", "--json"]);
        let document = document(&output);
        assert_eq!((output.exit, &document["accepted"], &document["format"]), (0, &json!(true), &json!(format)));
        assert_eq!(document["tests"], json!([{ "id": id, "status": "passed", "flaky": false }]));
        let named = read(&[("report", text)], &["report", "--as", format]);
        assert!(named.exit == 0 && named.stdout.contains("1 test: 1 passed"), "{}", named.stdout);
    }
}

#[test]
fn refuses_with_a_reason_a_place_and_what_to_change() {
    let twice = "<testsuite>\n<testcase name=\"a\"/>\n<testcase name=\"a\"/>\n</testsuite>\n";
    let output = read(&[("report", twice)], &["report", "--json"]);
    let document = document(&output);
    assert_eq!((output.exit, &document["accepted"]), (3, &json!(false)));
    assert_eq!((&document["reason"], &document["id"]), (&json!("duplicate-id"), &json!("a")));
    assert_eq!((&document["line"], &document["column"]), (&json!(3), &json!(1)));
    assert!(document["fix"].as_str().unwrap().contains("duplicates: group"), "{document:#}");
    assert_eq!(read(&[("report", twice)], &["report", "--duplicates", "group"]).exit, 0);
}

#[test]
fn compares_with_a_base_and_its_declarations() {
    let files = [("base", "1..2\nok 1 - a\nok 2 - b\n"), ("report", "1..1\nok 1 - a\n")];
    let output = read(&files, &["report", "--base", "base", "--json"]);
    let comparison = &document(&output)["comparison"];
    assert_eq!((output.exit, &comparison["missing"], &comparison["refuted"]), (3, &json!(["b"]), &json!(true)));
    let declared = read(&files, &["report", "--base", "base", "--declared", "b"]);
    assert!(declared.exit == 0 && declared.stdout.contains("nothing refuted"), "{}", declared.stdout);
    let files = [("base", "1..2\nok 1 - a\nok 2 - b # SKIP\n"), ("report", "1..2\nok 1 - a\nok 2 - b # SKIP\n")];
    assert_eq!(read(&files, &["report", "--base", "base"]).exit, 3);
    assert_eq!(read(&files, &["report", "--base", "base", "--skips", "regressions"]).exit, 0);
}

#[test]
fn tells_a_file_that_cannot_be_read_from_wrong_usage() {
    let output = read(&[], &["nowhere.xml", "--json"]);
    assert_eq!((output.exit, &document(&output)["code"]), (1, &json!("RM-REPORT-001")));
    let output = read(&[("report", "hello\n")], &["report"]);
    assert!(output.exit == 1 && output.stdout.is_empty() && output.stderr.contains("--as"), "{}", output.stderr);
    let output = read(&[("report", GREEN)], &["report", "--as", "xunit", "--json"]);
    assert_eq!((output.exit, &document(&output)["code"]), (2, &json!("RM-CONFIG-004")));
    assert_eq!(read(&[("report", GREEN)], &["report", "--declared", "a"]).exit, 2);
}
