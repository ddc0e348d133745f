//! Skipped, neutral, never reported, wrong name: what a forge reported of the candidate.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{RUNNER, Remote, Repo, Verdict, listed};

const BUILD: &str = "version: 1\nremote: { required: [{ context: build }] }\n";

/// The verdict on a ready change, of which a forge reported this.
fn judged(policy: &str, report: impl FnOnce(&mut Remote)) -> Verdict {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    judged_in(&repo, policy, report)
}

fn judged_in(repo: &Repo, policy: &str, report: impl FnOnce(&mut Remote)) -> Verdict {
    let mut remote = Remote::of(repo);
    report(&mut remote);
    remote.write();
    repo.check().policy(policy).args(["--remote", "../remote.json"]).verdict()
}

fn waits_for(verdict: &Verdict, context: &str, until: Value) {
    verdict.is("indeterminate");
    assert_eq!(verdict.document()["waiting"], json!([{ "context": context, "until": until }]));
}

#[test]
fn a_context_that_succeeded_is_satisfied() {
    let verdict = judged(BUILD, |remote| {
        remote.run("build", "github-actions", "success");
    });
    verdict.is("ready");
    let checks = verdict.document()["manifest"]["checks"].as_array().unwrap();
    let build = checks.iter().find(|check| check["id"] == "build").unwrap();
    assert_eq!((&build["required"], &build["sources"]), (&json!(true), &json!(["github"])));
}

/// Shape 9.
#[test]
fn only_success_is_success() {
    let words =
        ["failure", "neutral", "skipped", "cancelled", "stale", "timed_out", "action_required", "startup_failure"];
    let ends = words.map(Value::from).into_iter().chain([Value::Null, "Success".into(), "a new word".into()]);
    for end in ends {
        let verdict = judged(BUILD, |remote| {
            remote.run("build", "github-actions", "success")["conclusion"] = end.clone();
        });
        verdict.is("blocked").only_codes(["RM-CI-004"]).finding("RM-CI-004", "outcome/context-not-successful");
    }
    for state in ["failure", "error"] {
        let verdict = judged(BUILD, |remote| {
            remote.status("build", state);
        });
        verdict.is("blocked").only_codes(["RM-CI-004"]);
    }
}

/// Shape 10.
#[test]
fn waits_until_the_deadline_and_no_longer() {
    let at = |time: &str| {
        judged(BUILD, |remote| {
            remote.at(time);
        })
    };
    for early in ["00:00:00", "00:09:59", "00:09:59.999"] {
        let verdict = at(early);
        waits_for(&verdict, "build", json!("2030-01-01T00:10:00.000Z"));
        verdict.finding("RM-CI-002", "coverage/context-unobserved").says("is not scheduled yet");
    }
    let late = at("00:10:00");
    late.is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
    let finding = late.finding("RM-CI-002", "coverage/context-unobserved");
    finding.says("was not scheduled within 10m of the first observation");
    for hint in ["path filters", "triggers", "merge_group"] {
        assert!(finding.text("fix").contains(hint), "{late}");
    }
    assert_eq!(late.document()["waiting"], json!([]));
}

#[test]
fn the_operator_says_how_long_a_context_may_stay_unscheduled() {
    let policy = "version: 1\nremote: { deadline: 5m, required: [{ context: build }] }\n";
    judged(policy, |remote| {
        remote.at("00:04:59");
    })
    .is("indeterminate");
    judged(policy, |remote| {
        remote.at("00:05:00");
    })
    .is("blocked")
    .only_codes(["RM-CI-002", "RM-VERIFY-001"]);
}

/// Shape 11.
#[test]
fn two_sources_of_one_name_must_both_succeed_in_either_order() {
    for ends in [["success", "failure"], ["failure", "success"]] {
        let report = |remote: &mut Remote| {
            remote.run("build", "one", ends[0]);
            remote.run("build", "two", ends[1]);
        };
        judged(BUILD, report).is("blocked").only_codes(["RM-CI-004"]);
    }
    let both = |remote: &mut Remote| {
        remote.run("build", "one", "success");
        remote.run("build", "two", "success");
    };
    judged(BUILD, both).is("ready");
    let declared = "version: 1\nremote: { required: [{ context: build, app: one }] }\n";
    let verdict = judged(declared, both);
    verdict.is("blocked").only_codes(["RM-CI-003"]);
    verdict.finding("RM-CI-003", "coverage/context-source").says("of `two`, not by `one`");
}

#[test]
fn two_workflows_of_one_name_must_both_succeed() {
    let report = |end: &'static str| {
        move |remote: &mut Remote| {
            remote.run("build", "one", end)["workflow"] = "nightly.yml".into();
            remote.run("build", "one", "success");
        }
    };
    judged(BUILD, report("failure")).is("blocked").only_codes(["RM-CI-004"]);
    judged(BUILD, report("success")).is("ready");
    let declared = "version: 1\nremote: { required: [{ context: build, workflow: .github/workflows/ci.yml }] }\n";
    judged(declared, report("success")).is("blocked").only_codes(["RM-CI-003"]);
}

#[test]
fn a_commit_status_does_not_stand_in_for_a_declared_app() {
    let declared = "version: 1\nremote: { required: [{ context: build, app: github-actions }] }\n";
    let verdict = judged(declared, |remote| {
        remote.status("build", "success");
    });
    verdict.is("blocked").finding("RM-CI-003", "coverage/context-source").says("reported by a commit status");
    let undeclared = judged(BUILD, |remote| {
        remote.status("build", "success");
    });
    undeclared.is("ready");
}

/// Shape 12.
#[test]
fn a_run_under_way_hides_an_older_success() {
    for status in ["queued", "in_progress", "requested", "waiting", "pending"] {
        let verdict = judged(BUILD, |remote| {
            remote.run("build", "github-actions", "success");
            remote.running("build", "github-actions", status);
        });
        waits_for(&verdict, "build", Value::Null);
    }
    let verdict = judged(BUILD, |remote| {
        remote.run("build", "github-actions", "success");
        remote.running("build", "github-actions", "queued")["started_at"] = Value::Null;
    });
    waits_for(&verdict, "build", Value::Null);
    let verdict = judged(BUILD, |remote| {
        remote.status("build", "success");
        remote.status("build", "pending")["created_at"] = "2030-01-01T00:02:00Z".into();
    });
    waits_for(&verdict, "build", Value::Null);
}

#[test]
fn a_later_run_of_the_same_source_replaces_an_earlier_one_whatever_the_order_of_the_document() {
    for ends in [["failure", "success"], ["success", "failure"]] {
        for turned in [false, true] {
            let verdict = judged(BUILD, |remote| {
                remote.run("build", "github-actions", ends[0]);
                remote.run("build", "github-actions", ends[1]);
                if turned {
                    remote.document()["runs"].as_array_mut().unwrap().reverse();
                }
            });
            verdict.is(if ends[1] == "success" { "ready" } else { "blocked" });
        }
    }
}

/// Shape 13.
#[test]
fn every_match_of_a_pattern_must_succeed_and_there_must_be_one() {
    let policy = "version: 1\nremote: { required: [{ context: \"test (*)\" }] }\n";
    let reported = |ends: &'static [&'static str]| {
        judged(policy, move |remote| {
            remote.at("00:10:00");
            for (at, end) in ends.iter().enumerate() {
                remote.run(&format!("test ({at})"), "github-actions", end);
            }
        })
    };
    reported(&["success", "success"]).is("ready");
    reported(&["success", "skipped"]).is("blocked").only_codes(["RM-CI-004"]);
    reported(&[]).is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
}

/// Shape 14.
#[test]
fn a_success_on_another_commit_is_no_evidence() {
    let other = "d".repeat(40);
    let reported = |time: &str| {
        judged(BUILD, |remote| {
            remote.at(time).run("build", "github-actions", "success")["head_sha"] = other.clone().into();
        })
    };
    reported("00:09:59").is("indeterminate");
    reported("00:10:00").is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
    let verdict = judged(BUILD, |remote| {
        remote.run("build", "github-actions", "success");
        remote.document()["sha"] = other.clone().into();
    });
    verdict.is("blocked").finding("RM-CI-002", "coverage/context-unobserved").says("which is not judged");
}

#[test]
fn what_the_protection_of_the_branch_requires_is_required() {
    let policy = "version: 1\n";
    judged(policy, |remote| {
        remote.protects("build").at("00:10:00");
    })
    .is("blocked")
    .only_codes(["RM-CI-002", "RM-VERIFY-001"]);
    let report = |remote: &mut Remote| {
        remote.protects("build").run("build", "github-actions", "success");
    };
    judged(policy, report).is("ready");
    // A forge knows no patterns: its names stand for themselves.
    let report = |remote: &mut Remote| {
        remote.protects("b*").at("00:10:00").run("build", "github-actions", "success");
    };
    judged(policy, report).is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
    let app = |remote: &mut Remote| {
        remote.document()["protection"]["required"] = json!([{ "context": "build", "app": "github-actions" }]);
        remote.run("build", "other-app", "success");
    };
    judged(policy, app).is("blocked").only_codes(["RM-CI-003"]);
}

#[test]
fn protection_that_cannot_be_read_is_unknown_and_not_nothing() {
    let verdict = judged(BUILD, |remote| {
        remote.unreadable().run("build", "github-actions", "success");
    });
    verdict.is("blocked").only_codes(["RM-CI-005"]);
    verdict.finding("RM-CI-005", "coverage/protection-unreadable").says("protection of `main`");
}

#[test]
fn a_check_of_the_same_name_absorbs_nothing() {
    let repo = Repo::new();
    repo.manifest([listed("build")]).file("run.sh", RUNNER).tests("build", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = judged_in(&repo, BUILD, |remote| {
        remote.run("build", "github-actions", "failure");
    });
    verdict.is("blocked").only_codes(["RM-CI-004"]);
    let verdict = judged_in(&repo, BUILD, |remote| {
        remote.run("build", "github-actions", "success");
    });
    verdict.is("ready");
    let checks = verdict.document()["manifest"]["checks"].as_array().unwrap();
    assert_eq!(checks.iter().filter(|check| check["id"] == "build" && check["required"] == true).count(), 2);
}

#[test]
fn a_failed_check_blocks_whatever_is_awaited() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["fail a"]).file("x", "x").commit("change");
    let verdict = judged_in(&repo, BUILD, |_| ());
    verdict.is("blocked");
    assert_eq!(verdict.document()["waiting"].as_array().unwrap().len(), 1);
}

#[test]
fn every_fault_of_a_document_is_told_at_once() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let mut remote = Remote::of(&repo);
    remote.run("build", "github-actions", "success")["head_sha"] = "c0ffee".into();
    remote.run(" build", "github-actions", "success")["started_at"] = "yesterday".into();
    remote.document()["repository"] = "name".into();
    remote.document()["observed_at"] = "2029-12-31T00:00:00Z".into();
    remote.document()["labels"] = json!(["fine", " "]);
    remote.write();
    let error = repo.check().args(["--remote", "../remote.json"]).error();
    error.is("RM-CI-001", 1);
    let problems = error.document()["problems"].as_array().unwrap();
    let told: Vec<_> = problems.iter().map(|problem| problem["message"].as_str().unwrap()).collect();
    let faults = [
        "`repository` is `name`",
        "is before `first",
        "`labels[1]`",
        "`runs[0].head_sha`",
        "`runs[1].name`",
        "`runs[1].started_at`",
    ];
    for fault in faults {
        assert!(told.iter().any(|told| told.contains(fault)), "{fault}: {told:?}");
    }
    assert_eq!(told.len(), faults.len(), "{told:?}");
}

#[test]
fn what_is_no_document_is_refused_and_nothing_is_judged() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let whole = Remote::of(&repo).document().to_string();
    let twice = whole.replacen("{", "{\"schema\":\"runmill.remote/v1\",", 1);
    let unknown = whole.replacen("{", "{\"verdict\":\"ready\",", 1);
    let half = whole[..whole.len() / 2].to_owned();
    let other = whole.replace("remote/v1", "remote/v2");
    for text in ["", "[]", "null", &twice, &unknown, &half, &other] {
        fs::write(repo.place("remote.json"), text).unwrap();
        repo.check().args(["--remote", "../remote.json"]).error().is("RM-CI-001", 1);
    }
    repo.check().args(["--remote", "../nothing-here.json"]).error().is("RM-CI-001", 1);
}

#[test]
fn labels_that_are_not_known_are_not_no_labels() {
    let labels = |labels: Option<Value>| {
        let repo = Repo::with_tests(["pass a"]);
        repo.file("x", "x").commit("change");
        judged_in(&repo, BUILD, |remote| {
            if let Some(labels) = labels {
                remote.document()["labels"] = labels;
            }
        });
        repo.runmill(["facts", "latest"]).document()["facts"]["forge"][0]["labels"].clone()
    };
    assert_eq!(labels(None), Value::Null);
    assert_eq!(labels(Some(Value::Null)), Value::Null);
    assert_eq!(labels(Some(json!([]))), json!([]));
    assert_eq!(labels(Some(json!(["b", "a", "b"]))), json!(["a", "b"]));
}

/// The example of `docs/remote.md`, for the candidate at hand.
#[test]
fn the_example_of_the_documentation_is_ready() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/remote.md")).unwrap();
    let block = |language: &str| {
        let from = page.split(&format!("```{language}\n")).nth(1).unwrap();
        from.split("```").next().unwrap().to_owned()
    };
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x");
    let candidate = repo.commit("change");
    fs::write(repo.place("remote.json"), block("json").replace("CANDIDATE", &candidate)).unwrap();
    let policy = block("yaml");
    let check = || repo.check().policy(&policy).args(["--remote", "../remote.json"]).verdict();
    // Of the two contexts, one has not been scheduled.
    waits_for(&check(), "test (*)", json!("2030-01-01T00:10:00.000Z"));
    let policy = policy.replace("    - { context: \"test (*)\" }\n", "");
    repo.check().policy(&policy).args(["--remote", "../remote.json"]).verdict().is("ready");
}

#[test]
fn what_is_awaited_is_told_as_such_wherever_the_run_is_shown() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let verdict = judged_in(&repo, BUILD, |_| ());
    verdict.is("indeterminate");
    let waits = |findings: &Value| {
        let all = findings.as_array().unwrap();
        all.iter().filter(|it| it["waiting"] == true).map(|it| it["rule"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(waits(&verdict.document()["findings"]), ["coverage/context-unobserved"]);
    let explained = repo.runmill(["explain", "latest"]).document();
    assert_eq!(waits(&explained["findings"]), ["coverage/context-unobserved"], "{explained:#}");
    assert_eq!(explained["findings"][0]["stands_in_the_way"], true, "{explained:#}");
    for verb in ["explain", "inspect"] {
        let screen = repo.runmill([verb, "latest"]).output().stdout;
        assert!(screen.contains("waits  RM-CI-002  coverage/context-unobserved"), "{screen}");
    }
}
