//! Answers that cannot be believed.

use serde_json::{Value, json};

use super::{look, observed};
use crate::harness::{Forge, Reply, State};

/// That a forge which answers so is refused with these words.
fn refused(words: &str, lie: impl FnOnce(&Forge)) {
    let (repo, forge) = observed();
    let mut state = forge.state();
    state.run("build", "success");
    state.status("licence", "success");
    drop(state);
    lie(&forge);
    let error = look(&repo, &forge).error();
    error.is("RM-CI-009", 1);
    let told = error.document()["message"].as_str().unwrap();
    assert!(told.contains(words), "{told}");
    assert!(told.contains(forge.api()), "{told}");
}

fn body(value: &Value) -> Reply {
    Reply::status(200).with(value)
}

#[test]
fn an_answer_that_ends_early() {
    let whole = json!({ "total_count": 0, "check_runs": [] });
    refused("it was cut off", |forge| forge.always("check-runs", &body(&whole).cut(3)));
    refused("it ends early", |forge| {
        forge.instead("check-runs", Reply::status(200).bytes("{\"total_count\": 0, \"check_runs\": ["));
    });
    refused("it ends early", |forge| forge.instead("statuses", Reply::status(200)));
    // A connection that broke once is no lie.
    let (repo, forge) = observed();
    forge.instead("check-runs", body(&whole).cut(3));
    look(&repo, &forge).document();
}

#[test]
fn an_answer_of_wrong_types() {
    for (path, lie) in [
        ("check-runs", json!([])),
        ("check-runs", json!({ "check_runs": [] })),
        ("check-runs", json!({ "total_count": "0", "check_runs": [] })),
        ("check-suites", json!({ "total_count": 0, "check_suites": null })),
        ("actions/runs", json!({ "total_count": 1, "workflow_runs": [{ "id": 1 }] })),
        ("statuses", json!({ "message": "ok" })),
        ("pulls", json!([{ "labels": "none" }])),
        ("branches/main/protection", json!([])),
        ("branches/main/protection", json!({ "required_status_checks": { "contexts": "build" } })),
        (
            "rules/branches/main",
            json!([{ "type": "required_status_checks", "parameters": { "required_status_checks": 1 } }]),
        ),
        ("rules/branches/main", json!([{ "type": "required_status_checks" }])),
    ] {
        refused("", |forge| forge.instead(path, body(&lie)));
    }
    refused("expected", |forge| forge.instead("check-runs", Reply::status(200).bytes("<html>")));
    refused("duplicate field", |forge| {
        let twice = "{\"total_count\":1,\"total_count\":0,\"check_runs\":[]}";
        forge.instead("check-runs", Reply::status(200).bytes(twice));
    });
}

#[test]
fn a_list_that_is_not_as_long_as_it_says() {
    for (says, words) in [(2, "it says that there are 2, and lists 1"), (0, "it says that there are 0, and lists 1")] {
        refused(words, |forge| {
            let run = forge.state().lists["check-runs"][0].clone();
            forge.always("check-runs", &body(&json!({ "total_count": says, "check_runs": [run] })));
        });
    }
}

/// While a list is read it may grow; it is then read again, and whole.
#[test]
fn a_list_that_grows_while_it_is_read_is_read_again() {
    let (repo, forge) = observed();
    let mut state = forge.state();
    for at in 0..150 {
        state.run(&format!("build {at}"), "success");
    }
    let short = json!({ "total_count": 149, "check_runs": state.lists["check-runs"][..100] });
    let next = format!(
        "<{}/repos/owner/name/commits/{}/check-runs?per_page=100&page=2>; rel=\"next\"",
        forge.api(),
        state.sha
    );
    drop(state);
    forge.instead("check-runs", body(&short).header("link", &next));
    let document = look(&repo, &forge).document();
    assert_eq!(document["runs"].as_array().unwrap().len(), 150);
}

#[test]
fn an_answer_about_another_commit() {
    for list in ["check-runs", "check-suites", "actions/runs"] {
        refused("which nobody asked about", |forge| {
            forge.state().lists.get_mut(list).unwrap()[0]["head_sha"] = "d".repeat(40).into();
        });
    }
}

#[test]
fn pages_that_lead_in_a_circle_or_without_an_end() {
    let link = |forge: &Forge, page: usize| {
        let at = format!("{}/repos/owner/name/commits/x/check-runs?page={page}", forge.api());
        body(&json!({ "total_count": 0, "check_runs": [] })).header("link", &format!("<{at}>; rel=\"next\""))
    };
    refused("in a circle", |forge| (0..2).for_each(|_| forge.instead("check-runs", link(forge, 2))));
    refused("more than 200 pages", |forge| (0..300).for_each(|page| forge.instead("check-runs", link(forge, page))));
}

#[test]
fn an_answer_that_leads_elsewhere() {
    for status in [301, 302, 307, 308] {
        let (_, other) = observed();
        let away = format!("{}/repositories/1/commits", other.api());
        refused("it leads to another place", |forge| {
            forge.instead("check-runs", Reply::status(status).header("location", &away));
        });
        refused("it leads to another place", |forge| {
            let reply = body(&json!({ "total_count": 0, "check_runs": [] }));
            forge.instead("check-runs", reply.header("link", &format!("<{away}>; rel=\"next\"")));
        });
        assert!(other.asked().is_empty(), "it was asked");
    }
    refused("sent on and on", |forge| {
        let on = Reply::status(302).header("location", "/check-runs");
        forge.always("check-runs", &on);
    });
}

/// A repository that has another name now is asked under it, as long as it is the same forge's.
#[test]
fn a_new_name_at_the_same_forge_is_followed() {
    let (repo, forge) = observed();
    forge.state().run("build", "success");
    let to = "/repositories/1/check-runs";
    forge.instead("check-runs", Reply::status(301).header("location", to));
    assert_eq!(look(&repo, &forge).document()["runs"].as_array().unwrap().len(), 1);
    assert!(forge.asked().iter().any(|asked| asked.path == to));
}

#[test]
fn what_is_larger_than_any_answer_is_not_read() {
    refused("larger than 64 MiB", |forge| forge.instead("check-runs", Reply::status(200).bytes(vec![b' '; 65 << 20])));
}

#[test]
fn an_answer_without_a_time() {
    let lie = |reply: &Reply| reply.clone().undated();
    refused("when it was given", |forge| {
        forge.instead("check-suites", lie(&body(&json!({ "total_count": 0, "check_suites": [] }))));
    });
}

#[test]
fn names_and_times_that_no_document_can_hold() {
    let change = |change: fn(&mut State)| move |forge: &Forge| change(&mut forge.state());
    refused("`runs[0].name`", change(|state| state.lists.get_mut("check-runs").unwrap()[0]["name"] = " ".into()));
    refused(
        "`runs[0].started_at`",
        change(|state| {
            state.lists.get_mut("check-runs").unwrap()[0]["started_at"] = "yesterday".into();
        }),
    );
    refused(
        "`statuses[0].created_at`",
        change(|state| {
            state.lists.get_mut("statuses").unwrap()[0]["created_at"] = "".into();
        }),
    );
}
