//! A signed run of exactly the base commit stands in for the base, where everything that can be noticed is equal.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::harness::{Evidence, Repo, Runmill, Verdict};

/// A repository whose tip of `main` was judged and signed by a merge job, with a change on it.
struct Merged {
    repo: Repo,
    judged: String,
}

fn merged() -> Merged {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.switch("main").file("m", "m").commit("what was merged last");
    let verdict = repo.runmill(["check", "--base", "main~1", "--candidate", "main"]).verdict();
    let judged = verdict.is("ready").run().to_owned();
    let evidence = Evidence::new(&repo);
    assert_eq!(evidence.sign(&judged).output().exit, 0);
    repo.switch("change").git(["merge", "--quiet", "--ff-only", "main"]);
    repo.file("x", "x").commit("change");
    Merged { repo, judged }
}

impl Merged {
    /// `check` on a machine where nothing is on record, with the bundle.
    fn check(&self, state: &str) -> Runmill {
        let evidence = self.evidence();
        let (bundle, trust) = (evidence.at("bundle.json"), evidence.at("trust.json"));
        let check = self.repo.check().args(["--baseline-bundle", &bundle, "--trust", &trust]);
        check.state_dir(&self.repo.place(state))
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence::of(&self.repo)
    }
}

fn base(verdict: &Verdict) -> &Value {
    verdict.result("unit", "base")
}

#[track_caller]
fn runs_here(verdict: &Verdict, why: &str) {
    let base = base(verdict);
    assert_eq!((&base["reused_from"], base.get("attested_by")), (&Value::Null, None), "{verdict}");
    assert!(base["notes"].to_string().contains(why), "`{why}` is not in {}", base["notes"]);
}

#[test]
fn a_signed_run_of_the_base_commit_stands_in_on_another_machine() {
    let merged = merged();
    let verdict = merged.check("elsewhere").verdict();
    let stood = base(verdict.is("ready"));
    assert_eq!((&stood["reused_from"], &stood["attested_by"]), (&json!(merged.judged), &json!(["ci:1"])), "{verdict}");
    assert!(stood["notes"].to_string().contains("signed by `ci:1`"), "{verdict}");
    assert_eq!(verdict.result("unit", "candidate")["reused_from"], Value::Null);
    assert_eq!(stood["report"]["passed"], 2);
    let state = merged.repo.place("elsewhere");
    assert_eq!(merged.repo.runmill(["runs", "verify"]).state_dir(&state).output().exit, 0);
    assert_eq!(merged.repo.runmill(["runs", "gc"]).state_dir(&state).output().exit, 0);
    assert_eq!(merged.repo.runmill(["replay", "latest"]).state_dir(&state).output().exit, 0);
    let inspected = merged.repo.runmill(["inspect", "latest", "unit"]).state_dir(&state).output();
    assert!(inspected.stdout.contains("signed by"), "{}", inspected.stdout);
}

#[test]
fn the_signed_inventory_is_what_the_candidate_must_keep() {
    let merged = merged();
    merged.repo.tests("unit", ["pass a"]).commit("lose b");
    let verdict = merged.check("elsewhere").verdict();
    assert_eq!(base(&verdict)["attested_by"], json!(["ci:1"]), "{verdict}");
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

#[test]
fn it_is_the_same_in_another_clone_at_the_same_place() {
    let merged = merged();
    let repo = &merged.repo;
    let (here, elsewhere) = (repo.path(), repo.place("origin"));
    fs::rename(&here, &elsewhere).unwrap();
    let clone = |to: &Path| {
        let (from, to) = (elsewhere.to_str().unwrap(), to.to_str().unwrap());
        repo.git_in(repo.root(), ["clone", "--quiet", from, to]);
        repo.git_in(Path::new(to), ["branch", "--quiet", "main", "origin/main"]);
    };
    clone(&here);
    let verdict = merged.check("a").verdict();
    assert_eq!(base(verdict.is("ready"))["attested_by"], json!(["ci:1"]), "{verdict}");
    // Where the objects of a clone are, a command can see.
    let moved = repo.place("clone");
    clone(&moved);
    runs_here(&merged.check("b").in_dir(&moved).verdict(), "had another sandbox");
}

#[test]
fn whatever_is_not_equal_runs() {
    let merged = merged();
    let repo = &merged.repo;
    runs_here(&merged.check("a").env("TZ", "Asia/Tokyo").verdict(), "had another sandbox");
    let report = "report: { path: unit.xml, format: junit }";
    let check = format!("id: unit, argv: [sh, run.sh, unit], {report}, timeout: 1m");
    let policy = format!("version: 1\nverification: {{ commands: [{{ {check} }}] }}\n");
    runs_here(&merged.check("b").policy(&policy).verdict(), "had another definition");
    repo.switch("main").file("n", "n").commit("main moves on");
    repo.switch("change").git(["merge", "--quiet", "--no-edit", "main"]);
    runs_here(&merged.check("c").verdict(), "did not execute `unit` at");
}

#[test]
fn what_nobody_trusted_signed_runs() {
    let merged = merged();
    let evidence = merged.evidence();
    let bundle = evidence.path("bundle.json");
    let signed = fs::read(&bundle).unwrap();
    fs::write(&bundle, [&signed[..signed.len() - 9], b"AA==\"}]}\n"].concat()).unwrap();
    runs_here(&merged.check("a").verdict(), "bundle.json` does not stand in for it");
    fs::remove_file(&bundle).unwrap();
    runs_here(&merged.check("b").verdict(), "does not exist");
    fs::write(&bundle, signed).unwrap();
    let trust = evidence.at("trust.json");
    assert_eq!(merged.repo.runmill(["evidence", "trust", "revoke", &trust, "ci:1"]).output().exit, 0);
    runs_here(&merged.check("c").verdict(), "it is refused (trust): the key `ci:1` is revoked");
    fs::write(&trust, "{}").unwrap();
    merged.check("d").error().is("RM-EVIDENCE-001", 1);
}

#[test]
fn what_failed_at_the_base_or_was_itself_reused_runs() {
    let merged = merged();
    let evidence = merged.evidence();
    // The run of a change has its base from elsewhere: it did not execute it.
    let verdict = merged.check("elsewhere").verdict();
    let state = merged.repo.place("elsewhere");
    assert_eq!(evidence.sign(verdict.is("ready").run()).state_dir(&state).output().exit, 0);
    runs_here(&merged.check("a").verdict(), "had another run execute it");
    // Nor does the store take it for its own.
    runs_here(&merged.repo.check().state_dir(&state).verdict(), "");

    merged.repo.switch("main").tests("unit", ["pass a", "fail b"]).commit("break b");
    let broken = merged.repo.runmill(["check", "--base", "main~1", "--candidate", "main"]).verdict();
    assert_eq!(evidence.sign(broken.is("blocked").run()).output().exit, 0);
    merged.repo.switch("change").git(["merge", "--quiet", "--no-edit", "main"]);
    runs_here(&merged.check("b").verdict(), "has no inventory of it that passed");
}
