//! Credentials in everything that a check can print or write: absent from what is shown and kept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use runmill_model::Side;

use crate::harness::{RUNNER, Repo, Runmill, Verdict, listed};

const SECRET: &str = "s3cr3t-value";
/// The other secret is how it starts.
const LONGER: &str = "s3cr3t-value-and-more";
const ENDING: &str = "-and-more";
const POLICY: &str = "version: 1\nverification: { environment: { allow: [API_TOKEN, DEPLOY_TOKEN] } }\n";

fn with_secrets(repo: &Repo) -> Runmill {
    repo.check().policy(POLICY).env("API_TOKEN", SECRET).env("DEPLOY_TOKEN", LONGER)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Neither secret, nor the part of the longer one that would be left over, is anywhere.
#[track_caller]
fn holds_no_secret(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for part in [SECRET, ENDING] {
        assert!(!text.contains(part), "{what} holds `{part}`: {text}");
    }
}

#[track_caller]
fn is_clean(repo: &Repo, verdict: &Verdict) {
    let output = verdict.output();
    holds_no_secret("the document", verdict.document().to_string().as_bytes());
    holds_no_secret("standard error", output.stderr.as_bytes());
    let kept = files(&output.state);
    assert!(kept.len() > 3, "{kept:?}");
    for path in kept {
        holds_no_secret(&path.display().to_string(), &fs::read(&path).unwrap());
    }
    for screen in [with_secrets(repo).output(), with_secrets(repo).arg("-v").output()] {
        holds_no_secret("the screen", screen.stdout.as_bytes());
        holds_no_secret("the progress", screen.stderr.as_bytes());
    }
}

/// A suite of one test, on a branch on which `run` is the command's script.
fn running(run: &str) -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", format!("{RUNNER}\n{run}\n")).commit("print it");
    repo
}

fn sha256(text: &str) -> String {
    runmill_model::Digest::of(text.as_bytes()).to_string()
}

/// Shape 32.
#[test]
fn keeps_a_secret_printed_across_two_writes_out() {
    let repo = running("printf %s 'it is s3cr3t'; printf %s '-value'; printf '%s\\n' ', see'; echo s3cr3t-value >&2");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("ready"));
    // What was printed is known by its digest, and the text around it is kept.
    let stdout = &verdict.result("unit", "candidate")["stdout"];
    assert_eq!(stdout["sha256"], sha256("it is s3cr3t-value, see\n"), "{verdict}");
    let recorded = verdict.recorded();
    let kept = recorded.blob(recorded.invocation("unit", Side::Candidate).stdout);
    assert_eq!(String::from_utf8(kept).unwrap(), "it is [redacted], see\n");
}

/// Shape 32.
#[test]
fn keeps_a_secret_that_starts_as_another_one_out_whole() {
    let repo = running("echo \"$DEPLOY_TOKEN\"; printf %s \"$API_TOKEN\"; sleep 0.2; printf '%s\\n' -and-more");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("ready"));
}

/// Shape 32.
#[test]
fn keeps_a_secret_in_argv_out() {
    let repo = Repo::new();
    let manifest = |arg: &str| {
        format!(
            "checks:\n  - id: unit\n    description: uses {arg}\n    argv: [sh, run.sh, unit, --token={arg}]\n    report: {{ path: unit.xml, format: junit }}\n"
        )
    };
    repo.file(".runmill/checks.yaml", manifest(LONGER)).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("ready"));
    let check = verdict.manifest_check("unit");
    assert_eq!(check["argv"], serde_json::json!(["sh", "run.sh", "unit", "--token=[redacted]"]), "{verdict}");
    // The digest is over what was executed.
    let without = repo.check().verdict();
    assert_eq!(check["definition_digest"], without.manifest_check("unit")["definition_digest"]);
}

/// Shape 32.
#[test]
fn keeps_a_secret_in_the_name_of_a_missing_program_out() {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", format!("checks: [{{ id: unit, argv: [{SECRET}] }}]\n")).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("blocked"));
}

/// Shape 32.
#[test]
fn keeps_a_secret_in_the_name_of_a_test_out() {
    let repo = Repo::new();
    let suite = |names: &[&str]| {
        let cases = names.iter().map(|name| format!("<testcase name=\"{name}\"/>"));
        format!("<testsuite>{}</testsuite>", cases.collect::<String>())
    };
    let at_base = suite(&["a", "logs in with s3cr3t-value", "logs out with s3cr3t-value-and-more"]);
    repo.manifest([listed("unit")]).file("run.sh", "cat unit.list > unit.xml\n").file("unit.list", at_base);
    repo.commit("base");
    let at_candidate = suite(&["a", "b s3cr3t-value"]);
    repo.branch("change").file("unit.list", &at_candidate).commit("change");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("blocked"));
    // The digest is over what was written.
    assert_eq!(verdict.result("unit", "candidate")["report"]["digest"], sha256(&at_candidate), "{verdict}");
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2, "{verdict}");
    // Its bytes are not kept, only which tests it lists.
    let recorded = verdict.recorded();
    let report = recorded.invocation("unit", Side::Candidate).report.clone().unwrap();
    assert!(report.redacted);
    let listed = String::from_utf8(recorded.blob(Some(report.blob))).unwrap();
    assert_eq!(listed, r#"[{"id":"a","state":"passed"},{"id":"b [redacted]","state":"passed"}]"#);
}

/// Shape 32.
#[test]
fn keeps_a_secret_in_a_refused_report_out() {
    let twice = "<testsuite><testcase name=\"s3cr3t-value\"/><testcase name=\"s3cr3t-value\"/></testsuite>";
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", "cat unit.list > unit.xml\n").file("unit.list", twice).commit("twice");
    let verdict = with_secrets(&repo).verdict();
    is_clean(&repo, verdict.is("blocked"));
    verdict.finding("RM-VERIFY-003", "skip/report-unusable").says("[redacted]");
}
