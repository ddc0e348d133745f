//! `--output`: the same verdict for those who look elsewhere.

use std::fs;

use regex::Regex;
use serde_json::{Value, json};

use crate::harness::{Remote, Repo, Verdict, faults};

/// Test names that every one of the forms could take for its own.
const NASTY: &str = "a <b> & \"c\" `d` | ]]> @team #1 *x* ::error::no %0A";

/// The same as the check writes it into its report.
fn written() -> String {
    format!("pass {}", quick_xml::escape::escape(NASTY))
}

/// A relaxed policy that requires two contexts.
const POLICY: &str = "version: 1\nremote: { required: [{ context: build }, { context: later }] }\nverification:\n  \
    fail_on_skipped_check: false\n  packs: [{ builtin: coverage-contract, levels: { \"outcome/focus-marker\": \"warn\" } }]\n";

/// A change with something of everything: a test that is gone, a failed context, one that is awaited, a warning, a relaxation.
pub fn judged() -> (Repo, Verdict) {
    let repo = Repo::with_tests(["pass a", &written(), "pass c"]);
    repo.tests("unit", ["pass a", "skip c"]).file("test/a.test.js", "it.only('a', () => {});\n").commit("change");
    let mut remote = Remote::of(&repo);
    remote.run("build", "github-actions", "skipped");
    remote.write();
    let forms = ["sarif=out.sarif", "junit=out.xml", "markdown=out.md", "html=out.html", "json=out.json", "github"];
    let check = repo.check().policy(POLICY).args(["--remote", "../remote.json"]).outputs(forms);
    let verdict = check.env("GITHUB_STEP_SUMMARY", repo.place("summary.md")).verdict();
    verdict.is("blocked").only_codes(["RM-CI-002", "RM-CI-004", "RM-VERIFY-003"]);
    (repo, verdict)
}

fn read(repo: &Repo, name: &str) -> String {
    fs::read_to_string(repo.path().join(name)).unwrap()
}

/// The findings that every form must tell.
fn told(verdict: &Verdict) -> Vec<Value> {
    let all = verdict.document()["findings"].as_array().unwrap();
    let open =
        all.iter().filter(|it| it["level"] != "off" && (it["outcome"] == "refuted" || it["outcome"] == "unproven"));
    open.cloned().collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

fn fits_sarif(log: &Value) {
    let schema = include_str!("../schemas/sarif-2.1.0.json");
    let found = faults(&serde_json::from_str(schema).unwrap(), log);
    assert!(found.is_empty(), "{found:#?}\n{log:#}");
}

/// What every form says is held against the document, field by field.
#[test]
fn every_form_says_what_the_document_says() {
    let (repo, verdict) = judged();
    let document = verdict.document();
    let findings = told(&verdict);
    assert!(findings.len() >= 4 && document["relaxations"].as_array().unwrap().len() >= 2, "{verdict}");
    assert_eq!(serde_json::from_str::<Value>(&read(&repo, "out.json")).unwrap(), *document);

    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    fits_sarif(&sarif);
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let fields =
        ["run", "verdict", "target", "base", "candidate", "mode", "facts_digest", "policy", "packs", "relaxations"];
    for field in fields.iter().chain(&["waivers", "waiting"]) {
        assert_eq!(run["properties"][field], document[field], "{field}");
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    let notifications = run["invocations"][0]["toolConfigurationNotifications"].to_string();

    let junit = read(&repo, "out.xml");
    let xml = quick_xml::escape::unescape(&junit).unwrap().into_owned();
    let markdown = references(&read(&repo, "out.md"));
    assert_eq!(fs::read_to_string(repo.place("summary.md")).unwrap(), read(&repo, "out.md"));
    let html = page_text(&read(&repo, "out.html"));
    says_every_text(&html, "", document);
    let annotations: Vec<_> =
        verdict.output().stderr.lines().filter(|line| line.starts_with("::")).map(decoded).collect();

    for finding in &findings {
        let same = |result: &&Value| result["properties"]["fingerprint"] == finding["fingerprint"];
        let result = results.iter().find(same).unwrap_or_else(|| panic!("{finding:#}"));
        for field in
            ["rule", "pack", "code", "level", "outcome", "fault", "waived", "subject", "message", "tests", "fix"]
        {
            let told = if field == "rule" { &result["ruleId"] } else { &result["properties"][field] };
            assert_eq!(*told, finding[field], "{field}");
        }
        let head = format!("{} ", text(finding, "code"));
        let annotation =
            annotations.iter().find(|it| it.contains(&head) && it.contains(&format!(": {}::", text(finding, "rule"))));
        let annotation = annotation.unwrap_or_else(|| panic!("{annotations:#?}"));
        for field in ["code", "message", "fix", "rule"] {
            for (form, said) in [("junit", &xml), ("markdown", &markdown), ("github", annotation)] {
                assert!(said.contains(text(finding, field)), "{form} does not say {field}: {}\n{said}", finding[field]);
            }
        }
        for (form, said) in [("junit", &xml), ("markdown", &markdown), ("html", &html)] {
            assert!(said.contains(text(finding, "fingerprint")), "{form}");
        }
        for test in finding["tests"].as_array().unwrap() {
            for (form, said) in [("junit", &xml), ("markdown", &markdown), ("html", &html), ("github", annotation)] {
                assert!(said.contains(test.as_str().unwrap()), "{form} does not name {test}\n{said}");
            }
        }
    }
    for relaxation in document["relaxations"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()) {
        assert!(notifications.contains(&relaxation.replace('"', "\\\"")), "{relaxation}\n{notifications}");
        for said in [&xml, &markdown, &html, &annotations.join("\n")] {
            assert!(said.contains(relaxation), "{relaxation}\n{said}");
        }
    }
    for said in [&xml, &markdown, &html, &annotations.join("\n")] {
        assert!(said.contains("later until it begins, at the latest 2030-01-01T00:10:00.000Z"), "{said}");
        assert!(said.contains(verdict.run()) && said.contains("blocked"), "{said}");
    }
    for field in ["target", "base", "candidate", "mode", "facts_digest"] {
        assert!(xml.contains(text(document, field)) && markdown.contains(text(document, field)), "{field}");
    }
    for id in ["unit", "build", "later"] {
        assert!(
            xml.contains(&format!("name=\"{id}\"")) && markdown.contains(&format!("| `{id}` |")),
            "{id}\n{markdown}"
        );
    }
}

/// What a reader of a page sees, on one line.
pub fn page_text(page: &str) -> String {
    let [hidden, tags, spaces] =
        ["(?s)<(style|script)\\b.*?</(style|script)>", "<[^>]*>", "\\s+"].map(|it| Regex::new(it).unwrap());
    let text = tags.replace_all(&hidden.replace_all(page, ""), " ").into_owned();
    let text = quick_xml::escape::unescape(&text).unwrap().into_owned();
    spaces.replace_all(&text, " ").into_owned()
}

/// Every text of a document, however deep, is there. The form's own name is not.
#[track_caller]
pub fn says_every_text(said: &str, at: &str, value: &Value) {
    match value {
        Value::String(text) => {
            let words =
                text.replace("not_applicable", "not applicable").split_whitespace().collect::<Vec<_>>().join(" ");
            let plain = words.replace('`', "");
            let said = said.replace(" , ", ", ");
            assert!(
                said.contains(&words) || without_spaces(&said).contains(&without_spaces(&plain)),
                "{at}: {text}\n{said}"
            );
        }
        Value::Array(items) => items.iter().for_each(|item| says_every_text(said, at, item)),
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| *name != "schema") {
                says_every_text(said, &format!("{at}.{name}"), member);
            }
        }
        _ => {}
    }
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Markdown with its character references resolved.
fn references(text: &str) -> String {
    let marks = "<>&@#`\\*_[]|~!".chars();
    marks.fold(text.to_owned(), |text, mark| text.replace(&format!("&#{};", u32::from(mark)), &mark.to_string()))
}

/// A workflow command as GitHub reads it.
fn decoded(line: &str) -> String {
    [("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")]
        .iter()
        .fold(line.to_owned(), |line, (code, mark)| line.replace(code, mark))
}

#[test]
fn a_test_name_of_the_change_commands_nothing() {
    let (repo, verdict) = judged();
    let commands: Vec<_> = verdict.output().stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert!(commands.iter().all(|line| !line.contains("%0A::") || line.starts_with("::error title=")), "{commands:#?}");
    assert!(commands.iter().any(|line| line.contains("no %250A")), "{commands:#?}");
    let markdown = read(&repo, "out.md");
    // Outside of code spans nothing of the change is left as it was.
    let prose: String = markdown.lines().filter(|line| !line.contains('`')).collect();
    assert!(!prose.contains("<b>") && !prose.contains("@team"), "{prose}");
}

#[test]
fn the_junit_of_a_verdict_is_accepted_as_a_report() {
    let (repo, _) = judged();
    let report = repo.runmill(["report", "read", "out.xml"]).document();
    assert_eq!((&report["accepted"], &report["reason"]), (&json!(true), &Value::Null), "{report:#}");
    let status = |id: &str| {
        let tests = report["tests"].as_array().unwrap();
        let found = tests.iter().find(|test| test["id"].as_str().unwrap().ends_with(id));
        found.unwrap_or_else(|| panic!("no {id} in {report:#}"))["status"].clone()
    };
    assert_eq!(
        (status("verdict"), status("unit"), status("build"), status("later")),
        ("failed".into(), "failed".into(), "failed".into(), "failed".into())
    );
}

#[test]
fn a_ready_verdict_passes_in_every_form() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let forms = ["sarif=out.sarif", "junit=out.xml", "markdown=out.md", "github"];
    let verdict = repo.check().outputs(forms).verdict();
    verdict.is("ready");
    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    fits_sarif(&sarif);
    assert_eq!((&sarif["runs"][0]["results"], sarif["runs"].as_array().unwrap().len()), (&json!([]), 1));
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], true);
    let report = repo.runmill(["report", "read", "out.xml"]).document();
    assert_eq!(report["totals"], json!({ "total": 2, "passed": 2, "failed": 0, "skipped": 0 }), "{report:#}");
    assert!(read(&repo, "out.md").starts_with("## runmill: ready\n"));
    assert!(verdict.output().stderr.contains("::notice title=runmill%3A ready::this change may merge%0Arun "));
}

#[test]
fn an_indeterminate_verdict_is_no_success_in_any_form() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    Remote::of(&repo).write();
    let policy = "version: 1\nremote: { required: [{ context: build }] }\n";
    let forms = ["sarif=out.sarif", "junit=out.xml", "github"];
    let verdict = repo.check().policy(policy).args(["--remote", "../remote.json"]).outputs(forms).verdict();
    verdict.is("indeterminate");
    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    fits_sarif(&sarif);
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(4)));
    let report = repo.runmill(["report", "read", "out.xml"]).document();
    assert_eq!(report["totals"]["failed"], 3, "the verdict, the context, the finding: {report:#}");
    assert!(verdict.output().stderr.contains("::error title=runmill%3A indeterminate::"));
}

#[test]
fn without_a_verdict_no_file_of_an_earlier_one_is_left() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let forms = ["sarif=out.sarif", "junit=out.xml", "markdown=out.md", "json=out.json"];
    repo.check().outputs(forms).verdict().is("ready");
    repo.check().outputs(forms).args(["--candidate", "no-such-revision"]).error().is("RM-REPO-002", 1);
    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    fits_sarif(&sarif);
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(1)));
    assert!(invocation["toolExecutionNotifications"].to_string().contains("RM-REPO-002"));
    let report = repo.runmill(["report", "read", "out.xml"]).document();
    assert_eq!((&report["totals"]["failed"], &report["totals"]["passed"]), (&json!(1), &json!(0)));
    assert!(read(&repo, "out.md").starts_with("## runmill: no verdict\n"));
    assert!(read(&repo, "out.json").contains("runmill.error/v1"));
}

#[test]
fn an_output_that_cannot_be_written_is_found_out_before_anything_runs() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    for file in ["sarif=no/such/dir/out.sarif", "junit=.", "markdown=/proc/out.md"] {
        let error = repo.check().outputs([file]).error();
        error.is("RM-OUTPUT-001", 1);
    }
    let device = repo.place("device");
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    let error = repo.check().outputs([&*format!("junit={}", device.display())]).error();
    error.is("RM-OUTPUT-001", 1).says("it is no regular file");
    assert!(device.is_symlink(), "a device was replaced");
    for wrong in ["sarif", "sarif=", "xml=out.xml", ""] {
        let error = repo.check().outputs([wrong]).error();
        error.is("RM-CONFIG-004", 2);
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

/// What the page about continuous integration shows is run as it stands there.
#[test]
fn the_examples_of_the_page_write_what_they_name() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md")).unwrap();
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.git(["update-ref", "refs/remotes/origin/main", "main"]);
    let lines = page.lines().filter_map(|line| line.trim().strip_prefix("- run: runmill check "));
    let examples: Vec<_> = lines.filter(|line| line.contains("--output")).collect();
    assert!(examples.len() >= 2, "{examples:#?}");
    for example in examples {
        let words: Vec<_> = example.split_whitespace().collect();
        let output = repo.runmill(["check"]).args(words.iter().copied()).output();
        assert_eq!(output.exit, 0, "{example}: {}", output.stderr);
        for file in words.iter().filter_map(|word| word.split_once('=')).map(|(_, file)| file) {
            assert!(
                read(&repo, file)
                    .contains(output.stdout.rsplit_once("run ").unwrap().1.split_whitespace().next().unwrap()),
                "{file}"
            );
            fs::remove_file(repo.path().join(file)).unwrap();
        }
        assert_eq!(
            output.stderr.contains("::notice title=runmill%3A ready::"),
            words.contains(&"github"),
            "{}",
            output.stderr
        );
    }
}

/// A context is never absorbed by a check of its name.
#[test]
fn a_context_and_a_check_of_one_name_are_told_apart_in_every_form() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let mut remote = Remote::of(&repo);
    remote.run("unit", "github-actions", "failure");
    remote.write();
    let policy = "version: 1\nremote: { required: [{ context: unit }] }\n";
    let forms = ["sarif=out.sarif", "junit=out.xml", "markdown=out.md", "html=out.html"];
    repo.check().policy(policy).args(["--remote", "../remote.json"]).outputs(forms).verdict().is("blocked");
    let markdown = read(&repo, "out.md");
    for row in ["| `unit` | passed | 1 passed, 0 failed, 0 skipped |", "| `unit` | not successful | – |"] {
        assert!(markdown.contains(row), "{row}\n{markdown}");
    }
    let junit = read(&repo, "out.xml");
    let passed = "<testcase classname=\"check\" name=\"unit\"><system-out>";
    let failed = "<testcase classname=\"context\" name=\"unit\"><failure message=\"not successful\">";
    assert!(junit.contains(passed) && junit.contains(failed), "{junit}");
    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    let checks = sarif["runs"][0]["properties"]["checks"].as_array().unwrap();
    let told: Vec<_> = checks.iter().map(|it| (text(it, "kind"), text(it, "status"))).collect();
    assert_eq!(told, [("check", "passed"), ("context", "not successful")]);
    let html = page_text(&read(&repo, "out.html"));
    assert!(html.contains("unit passed 1 passed") && html.contains("unit blocked As owner/name reported it"), "{html}");
}

#[test]
fn a_waived_finding_is_visible_in_every_form() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let mut remote = Remote::of(&repo);
    remote.run("build", "github-actions", "skipped");
    remote.write();
    let policy = "version: 1\nremote: { required: [{ context: build }] }\n";
    let check = |policy: &str| {
        let run = repo.check().policy(policy).args(["--remote", "../remote.json"]);
        run.outputs(["sarif=out.sarif", "junit=out.xml", "markdown=out.md", "github"])
    };
    let blocked = check(policy).verdict();
    let fingerprint = blocked.finding("RM-CI-004", "outcome/context-not-successful").text("fingerprint").to_owned();
    let waiver = format!("{{ fingerprint: \"{fingerprint}\", reason: agreed, approver: ada, expires: 2099-01-01 }}");
    let verdict = check(&format!("{policy}waivers: [{waiver}]\n")).verdict();
    verdict.is("ready");
    let sarif: Value = serde_json::from_str(&read(&repo, "out.sarif")).unwrap();
    fits_sarif(&sarif);
    let waived = sarif["runs"][0]["results"].as_array().unwrap().iter().find(|it| it["properties"]["waived"] == true);
    let suppression = &waived.unwrap_or_else(|| panic!("{sarif:#}"))["suppressions"][0];
    assert_eq!(suppression["status"], "accepted");
    let by = "by ada until 2099-01-01T00:00:00Z: agreed";
    let forms = [text(suppression, "justification"), &read(&repo, "out.xml"), &read(&repo, "out.md")];
    for said in forms.into_iter().chain([decoded(&verdict.output().stderr).as_str()]) {
        assert!(said.contains(by), "{said}");
    }
}
