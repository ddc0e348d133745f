//! `runmill report html`: a recorded run as one page.

#[cfg(feature = "real-world")]
mod browser;

use std::{collections::BTreeSet, fs};

use base64::{Engine, engine::general_purpose::STANDARD};
use camino::Utf8Path;
use regex::Regex;
use runmill_model::{Digest, RunId};
use runmill_store::{Began, Names, RunKind, RunRecord, RunSchema, Store};
use serde_json::Value;

use crate::harness::{RUNNER, Repo, files, listed, listed_with, shell};

use super::outputs::{self, page_text};

/// Test names that would like to be something else: markup, the end of the data, words turned around, a name that is not seen.
const HOSTILE: [&str; 5] = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "--><!--<svg/onload=document.title='owned'>",
    "turned \u{202e}around\u{2066} and un\u{200b}seen",
    "'\" onmouseover='document.title=1' javascript:x ${7*7} {{7*7}}",
];

/// A change with hostile names in a report that lost, skipped and broke tests, in an exception, in a path and in what was printed.
pub fn hostile() -> Repo {
    let escaped = HOSTILE.map(|name| quick_xml::escape::escape(name).into_owned());
    let all = |word: &str| escaped.iter().map(|name| format!("{word} {name}")).collect::<Vec<_>>();
    let repo = Repo::new();
    let cause = format!("declared_skips: [{{ test_id: \"gone\", cause: {} }}]", Value::from(HOSTILE[0]));
    repo.manifest([listed_with("unit", &cause), shell("lint", "echo '<script>alert(1)</script>'; exit 1", "")]);
    repo.file("run.sh", RUNNER).tests("unit", all("pass").iter().map(String::as_str)).commit("base");
    let mut after = all("fail");
    after.truncate(2);
    after.push(format!("skip {}", escaped[3]));
    after.push("pass <b>new</b>".to_owned());
    repo.branch("change").tests("unit", after.iter().map(String::as_str));
    repo.file("<img src=x>/\u{202e}name.txt", "x").commit("<script>alert(2)</script>");
    repo
}

fn written(repo: &Repo) -> String {
    let file = repo.place("page.html");
    let output = repo.runmill(["report", "html", "latest", "--out"]).arg(&file).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_page_of_a_check_is_the_page_of_its_record() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let verdict = repo.check().outputs(["html=out.html"]).verdict();
    let page = written(&repo);
    assert_eq!(fs::read_to_string(repo.path().join("out.html")).unwrap(), page);
    let output = repo.runmill(["report", "html", verdict.run()]).output();
    assert_eq!((output.exit, output.stdout), (0, page));
}

#[test]
fn every_text_of_the_verdict_is_on_the_page() {
    let (repo, verdict) = outputs::judged();
    let text = page_text(&written(&repo));
    outputs::says_every_text(&text, "", verdict.document());
    for told in ["Judged again comes out exactly as recorded", "What to do", "Why it matters", "It would pass if"] {
        assert!(text.contains(told), "{told}\n{text}");
    }
}

#[test]
fn what_was_loosened_comes_before_everything_that_was_found() {
    let (repo, verdict) = outputs::judged();
    let page = written(&repo);
    let (top, _) = page.split_once("<main").unwrap();
    let top = page_text(top);
    assert!(top.contains("Blocked This change may not merge."), "{top}");
    for relaxation in verdict.document()["relaxations"].as_array().unwrap() {
        assert!(top.contains(relaxation.as_str().unwrap()), "{relaxation}\n{top}");
    }
    assert!(
        top.contains("Still awaited 1") && top.contains("later until it begins, at the latest 2030-01-01"),
        "{top}"
    );
    let strict = Repo::with_tests(["pass a"]);
    strict.file("x", "x").commit("change");
    strict.check().verdict().is("ready");
    let page = page_text(&written(&strict));
    assert!(page.contains("Ready This change may merge."), "{page}");
    assert!(page.contains("Nothing was relaxed, nothing was waived, nothing is awaited."), "{page}");
}

#[test]
fn base_and_candidate_are_side_by_side_and_the_facts_that_were_read_are_named() {
    let repo = Repo::new();
    repo.manifest([listed("unit"), listed_with("slow", "required: false")]);
    repo.file("run.sh", format!("echo running\n{RUNNER}"))
        .tests("unit", ["pass a", "pass b", "pass c", "skip d"])
        .tests("slow", ["pass s"]);
    repo.commit("base");
    repo.branch("change").tests("unit", ["pass a", "skip b", "fail c", "pass e"]).commit("change");
    repo.check().verdict().is("blocked");
    let text = page_text(&written(&repo));
    for told in [
        "Passed 3 2",
        "Failed 0 1",
        "Skipped 1 1",
        "Missing 1 that the candidate lists 1 that the base lists",
        "slow not required",
        "It did not run.",
        "Facts read",
        "read check unit ( ",
        "End of standard output at the candidate",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
    // Each test once, with both sides.
    for row in
        ["a unit passed passed", "b unit passed skipped", "c unit passed failed", "d unit skipped –", "e unit – passed"]
    {
        assert!(text.contains(row), "{row}\n{text}");
    }
}

/// What ran here has its place in time; what stands in names the run that it is from.
#[test]
fn the_timeline_shows_when_each_side_ran() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let first = repo.check().verdict();
    let lanes = |text: &str, side: &str| {
        let lane = format!(r"unit {side} (\d+\.\d) s to (\d+\.\d) s");
        let found = Regex::new(&lane).unwrap().captures(text)?;
        Some([1, 2].map(|at| found[at].parse::<f64>().unwrap()))
    };
    let text = page_text(&written(&repo));
    for side in ["base", "candidate"] {
        let [start, end] = lanes(&text, side).unwrap_or_else(|| panic!("no lane of the {side}: {text}"));
        assert!(start <= end, "{side}: {start} to {end}");
    }
    let inspected = repo.runmill(["inspect", "latest"]).document();
    for run in inspected["checks"][0]["invocations"].as_array().unwrap() {
        let [start, took] = ["started_ms", "duration_ms"].map(|member| run[member].as_u64().unwrap());
        assert!(start + took <= inspected["duration_ms"].as_u64().unwrap() + 1, "{run:#}");
    }
    repo.check().verdict().is("ready");
    let text = page_text(&written(&repo));
    assert!(text.contains(&format!("unit base stands in from run {}", first.run())), "{text}");
    assert!(lanes(&text, "base").is_none() && lanes(&text, "candidate").is_some(), "{text}");
    assert_eq!(
        repo.runmill(["inspect", "latest"]).document()["checks"][0]["invocations"][0]["started_ms"],
        Value::Null
    );
}

#[test]
fn nothing_of_the_change_becomes_markup() {
    let repo = hostile();
    repo.check().verdict().is("blocked");
    let page = written(&repo);
    assert_eq!(page.matches("<script").count(), 2, "the data and ours");
    assert_eq!(page.matches("</script>").count(), 2);
    for markup in ["<img", "<svg/", "<b>new", "<!--", "http:", "https:", "url(", " style=", "innerHTML", "eval("] {
        assert!(!page.contains(markup), "{markup}");
    }
    let hidden =
        page.chars().find(|mark| matches!(mark, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    assert_eq!(hidden, None);
    let text = page_text(&page);
    assert!(text.contains("turned ⟨U+202E⟩around⟨U+2066⟩ and un⟨U+200B⟩seen"), "{text}");
    assert!(text.contains(HOSTILE[0]) && text.contains(HOSTILE[4]), "{text}");
    // The data holds the same names.
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let names: BTreeSet<_> = data["tests"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap()).collect();
    assert!(names.contains(format!("suite::{}", HOSTILE[0]).as_str()) || names.contains(HOSTILE[0]), "{names:#?}");
}

#[test]
fn the_page_allows_its_own_style_and_script_and_nothing_else() {
    let (repo, _) = outputs::judged();
    let page = written(&repo);
    let between = |from: &str, to: &str| page.split_once(from).unwrap().1.split_once(to).unwrap().0;
    let policy = between("Content-Security-Policy\" content=\"", "\"");
    let allowed = |text: &str| format!("'sha256-{}'", STANDARD.encode(Digest::of(text.as_bytes()).as_bytes()));
    let [style, script] = [between("<style>", "</style>"), between("<script>", "</script>")];
    let expected = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        allowed(style),
        allowed(script)
    );
    assert_eq!(policy, expected);
    assert!(page.find("Content-Security-Policy").unwrap() < page.find("<style").unwrap());
}

#[test]
fn the_page_has_landmarks_and_every_link_leads_somewhere() {
    let (repo, _) = outputs::judged();
    let page = written(&repo);
    for (mark, times) in
        [("<h1", 1), ("<main", 1), ("<nav ", 1), ("<header", 1), ("<html lang=\"en\">", 1), ("<title>", 1)]
    {
        assert_eq!(page.matches(mark).count(), times, "{mark}");
    }
    let all = |pattern: &str| -> Vec<String> {
        Regex::new(pattern).unwrap().captures_iter(&page).map(|found| found[1].to_owned()).collect()
    };
    let ids = all(" id=\"([^\"]*)\"");
    let known: BTreeSet<_> = ids.iter().collect();
    assert_eq!(known.len(), ids.len(), "an id is there twice: {ids:#?}");
    let links = all("href=\"#([^\"]*)\"");
    assert!(links.len() > 20 && links.iter().all(|link| known.contains(link)), "{links:#?}");
    assert_eq!(all("href=\"([^#\"][^\"]*)\"").len(), 0);
    for label in all(" (?:for|aria-labelledby)=\"([^\"]*)\"") {
        assert!(known.contains(&label), "{label}");
    }
}

#[test]
fn a_run_that_is_not_there_or_was_altered_has_no_page() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict();
    let page = |run: &str| repo.runmill(["report", "html", run, "--out"]).arg(repo.place("page.html"));
    let refused = |args: &[&str]| repo.runmill(args.iter().copied()).output();
    let error = |code: &str, exit: i32, args: &[&str]| {
        let output = refused(args);
        assert_eq!(output.exit, exit, "{}", output.stderr);
        assert!(output.stderr.contains(code) && output.stdout.is_empty(), "{}{}", output.stdout, output.stderr);
    };
    error("RM-STATE-003", 1, &["report", "html", "19700101"]);
    error("RM-OUTPUT-001", 1, &["report", "html", "latest", "--out", "/no/such/folder/page.html"]);
    repo.runmill(["report", "html", "latest"]).error().is("RM-CONFIG-004", 2);
    let blobs = files(&repo.place("state/blobs"));
    let holding = |part: &str| {
        let holds = |path: &&std::path::PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains(part));
        blobs.iter().find(holds).unwrap()
    };
    for (part, before, after) in
        [("runmill.facts/v1", "\"passed\"", "\"failed\""), ("runmill.verdict/v1", "\"ready\"", "\"blocked\"")]
    {
        let blob = holding(part);
        let text = fs::read_to_string(blob).unwrap();
        assert!(text.contains(before), "{text}");
        fs::write(blob, text.replace(before, after)).unwrap();
        let output = page("latest").output();
        assert!(output.exit == 1 && output.stderr.contains("RM-STATE-004"), "{}", output.stderr);
        fs::write(blob, text).unwrap();
    }
    assert!(!repo.place("page.html").exists());
    assert_eq!(page("latest").output().exit, 0);
}

#[test]
fn only_a_run_that_judged_a_change_has_a_page() {
    let repo = Repo::with_tests(["pass a"]);
    let state = repo.place("state");
    let store = Store::open(Utf8Path::from_path(&state).unwrap()).unwrap();
    let run = RunId::new("20300101t000000-00000001").unwrap();
    let at = "2030-01-01T00:00:00Z".parse().unwrap();
    let (kind, names) = (RunKind::Worktree, Names::default());
    store.begin(&Began { run: run.clone(), kind, at, names: names.clone() }).unwrap();
    let blob = store.put_all(&[b"{}"]).unwrap().into_iter().next().unwrap();
    let record = RunRecord {
        schema: RunSchema::V1,
        run: run.clone(),
        kind,
        engine: "0.1.0".to_owned(),
        started_at: at,
        ended_at: at,
        outcome: "VERIFIED".to_owned(),
        target: None,
        base: None,
        candidate: None,
        names,
        documents: [("receipt".to_owned(), blob)].into(),
        packs: Vec::new(),
        invocations: Vec::new(),
        facts_digest: Digest::of(b""),
    };
    store.finish(&record).unwrap();
    let output = repo.runmill(["report", "html", run.as_str()]).output();
    assert!(output.exit == 1 && output.stderr.contains("RM-STATE-003"), "{}", output.stderr);
}

#[test]
fn without_a_verdict_the_page_says_so() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().outputs(["html=out.html"]).verdict().is("ready");
    repo.check().outputs(["html=out.html"]).args(["--candidate", "no-<b>such"]).error().is("RM-REPO-002", 1);
    let page = fs::read_to_string(repo.path().join("out.html")).unwrap();
    let text = page_text(&page);
    assert!(text.contains("No verdict") && text.contains("RM-REPO-002") && text.contains("no-<b>such"), "{text}");
    assert!(!page.contains("<b>such") && !page.contains("<script") && page.contains("script-src 'none'"), "{page}");
}
