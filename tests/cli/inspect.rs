//! Everything on record about a run.

use std::fs;

use runmill_model::{Digest, RunId};
use runmill_store::{Began, Names, RunKind, RunRecord, RunSchema, Store};
use serde_json::{Value, json};

use crate::harness::{RUNNER, Repo, Runmill, files, listed, listed_with, screen, shell};

#[track_caller]
fn inspection(run: Runmill) -> Value {
    let output = run.arg("--json").output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], "runmill.inspection/v1", "{document:#}");
    document
}

/// A change that loses a test, skips one, breaks one and prints something; beside a check that is not required and one
/// without a report.
fn blocked() -> Repo {
    let repo = Repo::new();
    let talking = format!("echo \"judging $1\"\necho \"careful with $1\" >&2\n{RUNNER}");
    repo.manifest([listed("unit"), listed_with("slow", "required: false"), shell("words", "echo fine", "")]);
    repo.file("run.sh", talking).tests("unit", ["pass a", "pass b", "pass c", "pass d"]).tests("slow", ["pass s"]);
    repo.commit("base");
    repo.branch("change").tests("unit", ["pass a", "skip b", "fail c"]).commit("debugging");
    repo
}

#[test]
fn tells_everything_of_every_check_on_both_sides() {
    let repo = blocked();
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    let told = inspection(repo.runmill(["inspect", "latest"]));
    assert_eq!(
        (&told["run"], &told["outcome"], &told["kind"]),
        (&verdict.document()["run"], &json!("blocked"), &json!("change"))
    );
    for member in ["target", "base", "candidate", "facts_digest", "policy", "relaxations", "waivers", "findings"] {
        assert_eq!(told[member], verdict.document()[member], "{member}");
    }
    let ids: Vec<_> = told["checks"].as_array().unwrap().iter().map(|check| check["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["slow", "unit", "words"]);
    let check = |id: &str| told["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap();
    assert_eq!((&check("slow")["required"], &check("slow")["invocations"]), (&json!(false), &json!([])));
    let unit = check("unit");
    for member in ["argv", "sources", "reasons", "definition_digest"] {
        assert_eq!(unit[member], verdict.manifest_check("unit")[member], "{member}");
    }
    for (run, side) in unit["invocations"].as_array().unwrap().iter().zip(["base", "candidate"]) {
        let result = verdict.result("unit", side);
        assert_eq!(run["side"], side);
        for member in [
            "executor",
            "commit",
            "tree_before",
            "tree_after",
            "status",
            "exit_code",
            "signal",
            "duration_ms",
            "coverage",
            "isolation",
            "checkout",
            "reused_from",
            "notes",
        ] {
            assert_eq!(run[member], result[member], "{member} of {side}");
        }
        for (stream, text) in [("stdout", "judging unit\n"), ("stderr", "careful with unit\n")] {
            for member in ["sha256", "bytes", "truncated"] {
                assert_eq!(run[stream][member], result[stream][member], "{member} of {stream} of {side}");
            }
            assert_eq!(run[stream]["preview"], text);
        }
        for member in ["format", "digest", "total", "passed", "failed", "skipped"] {
            assert_eq!(run["report"][member], result["report"][member], "{member} of the report of {side}");
        }
    }
    assert_eq!(check("words")["invocations"].as_array().unwrap().len(), 1);
}

#[test]
fn shows_a_run_and_one_check_of_it_at_80_columns() {
    let repo = blocked();
    repo.check().verdict();
    screen(&repo, ("inspect", "run"), 0, str::to_owned, || repo.runmill(["inspect", "latest"]));
    screen(&repo, ("inspect", "check"), 0, str::to_owned, || repo.runmill(["inspect", "latest", "unit"]));
}

#[test]
fn finds_a_run_by_its_id_the_beginning_of_it_or_latest() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let id = repo.check().verdict().document()["run"].as_str().unwrap().to_owned();
    for name in [id.as_str(), &id[..20], "latest"] {
        assert_eq!(inspection(repo.runmill(["inspect", name]))["run"], id.as_str(), "{name}");
    }
    let other = repo.check().verdict().document()["run"].as_str().unwrap().to_owned();
    assert_eq!(inspection(repo.runmill(["inspect", "latest"]))["run"], other.as_str());
    for name in ["2", "no-such-run", "", "../../etc/passwd"] {
        repo.runmill(["inspect", name]).error().is("RM-STATE-003", 1);
    }
}

#[test]
fn shows_one_check_alone_and_names_them_all_when_it_is_none() {
    let repo = blocked();
    repo.check().verdict();
    let told = inspection(repo.runmill(["inspect", "latest", "words"]));
    assert_eq!(told["checks"].as_array().unwrap().len(), 1, "{told:#}");
    // What was found about the whole change is shown with each of its checks.
    let keys: Vec<_> =
        told["findings"].as_array().unwrap().iter().map(|it| it["subject"]["key"].as_str().unwrap()).collect();
    assert!(keys.contains(&"words") && keys.contains(&"change"), "{told:#}");
    assert!(keys.iter().all(|key| key.contains("words") || *key == "change"), "{told:#}");
    let error = repo.runmill(["inspect", "latest", "wrods"]).error();
    error.is("RM-STATE-003", 1).says("`wrods`");
    assert!(error.text("help").contains("`slow`, `unit`, `words`"), "{error}");
}

#[test]
fn shows_what_was_printed_and_lets_nothing_of_it_move_the_cursor() {
    let repo = Repo::new();
    let script = "printf 'one\\033[2J\\ntwo\\r\\n\\342\\200\\256three\\n'; i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i + 1)); done >&2; exit 1";
    repo.manifest([shell("unit", script, "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("blocked");
    let shown = repo.runmill(["inspect", "latest", "unit"]).output().stdout;
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{shown:?}");
    assert!(shown.contains("│ one\n│ two\n│  three\n"), "{shown}");
    assert!(
        shown.contains("│ line 0\n") && shown.contains("│ line 999\n") && !shown.contains("│ line 500\n"),
        "{shown}"
    );
    assert!(shown.contains("600 lines left out"), "{shown}");
    let whole = inspection(repo.runmill(["inspect", "latest", "unit"]));
    let stderr = whole["checks"][0]["invocations"][0]["stderr"]["preview"].as_str().unwrap();
    assert!(stderr.contains("line 500\n"), "{stderr}");
}

#[test]
fn refuses_to_show_a_record_that_is_not_what_it_was() {
    let repo = blocked();
    repo.check().verdict();
    let blobs = files(&repo.place("state/blobs"));
    let facts =
        blobs.iter().find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("runmill.facts/v1"))).unwrap();
    let text = fs::read_to_string(facts).unwrap();
    fs::remove_file(facts).unwrap();
    repo.runmill(["inspect", "latest"]).error().is("RM-STATE-004", 1);
    fs::write(facts, text.replace("\"failed\"", "\"passed\"")).unwrap();
    for args in [["inspect", "latest"], ["facts", "latest"]] {
        let error = repo.runmill(args).error();
        error.is("RM-STATE-004", 1);
        assert!(error.text("help").contains("runs verify"), "{error}");
    }
}

#[test]
fn leaves_out_a_check_that_never_ran() {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let policy = "version: 1\nverification: { commands: [{ id: house, argv: [no-such-program] }] }\n";
    repo.check().policy(policy).verdict().is("blocked");
    let shown = repo.runmill(["inspect", "latest", "house"]).output().stdout;
    assert!(shown.contains("not-run") && shown.contains("required by operator"), "{shown}");
}

/// Records of kinds that this version does not write yet.
#[test]
fn shows_what_it_can_of_a_record_of_another_kind() {
    let repo = Repo::with_tests(["pass a"]);
    let state = camino::Utf8PathBuf::from_path_buf(repo.place("state")).unwrap();
    let store = Store::open(&state).unwrap();
    for (kind, document) in [(RunKind::Session, "session"), (RunKind::Worktree, "receipt")] {
        let run = RunId::new(format!("20240102t030405-{document:0>8}")).unwrap();
        let at = "2024-01-02T03:04:05Z".parse().unwrap();
        store.begin(&Began { run: run.clone(), kind, at, names: Names::default() }).unwrap();
        let blob = store.put(br#"{"schema":"runmill.later/v1"}"#).unwrap();
        let record = RunRecord {
            schema: RunSchema::V1,
            run: run.clone(),
            kind,
            engine: "9.9.9".to_owned(),
            started_at: at,
            ended_at: at,
            outcome: "VERIFIED".to_owned(),
            target: None,
            base: None,
            candidate: None,
            names: Names::default(),
            documents: [(document.to_owned(), blob)].into(),
            packs: Vec::new(),
            invocations: Vec::new(),
            facts_digest: Digest::of(b""),
        };
        store.finish(&record).unwrap();
        let told = inspection(repo.runmill(["inspect", run.as_str()]));
        assert_eq!((&told["kind"], &told["checks"]), (&json!(kind.as_str()), &json!([])), "{told:#}");
        let shown = repo.runmill(["inspect", run.as_str()]).output().stdout;
        assert!(shown.starts_with("VERIFIED") && shown.contains(document), "{shown}");
        repo.runmill(["facts", run.as_str()]).error().is("RM-STATE-003", 1);
        repo.runmill(["inspect", run.as_str(), "unit"]).error().is("RM-STATE-003", 1);
    }
    let listed = repo.runmill(["runs"]).output();
    assert!(listed.stdout.contains("session") && listed.stdout.contains("worktree"), "{}", listed.stdout);
}
