//! What is sent to a forge, and how often.

use std::time::Duration;

use runmill_forge::{Client, Pause, Stopped, Token};
use runmill_model::Code;
use serde_json::{Value, json};

use crate::harness::{Forge, Reply};

/// No time passes.
struct Instantly;

impl Pause for Instantly {
    fn pause(&self, _: Duration) -> Result<(), Stopped> {
        Ok(())
    }
}

/// Somebody wants to stop at once.
struct Impatient;

impl Pause for Impatient {
    fn pause(&self, _: Duration) -> Result<(), Stopped> {
        Err(Stopped)
    }
}

fn client<'a>(forge: &Forge, pauses: &'a dyn Pause) -> Client<'a> {
    Client::new(forge.api().parse().unwrap(), Token::new("secret"), pauses, Duration::from_secs(3600))
}

fn methods(forge: &Forge) -> Vec<String> {
    forge.asked().into_iter().map(|asked| asked.method).collect()
}

#[test]
fn what_is_sent_is_sent_once_unless_the_forge_did_not_look_at_it() {
    let forge = Forge::of(&"d".repeat(40));
    let sent = json!({ "name": "runmill", "head_sha": "d" });
    let post = || client(&forge, &Instantly).post::<Value>(&["repos", "owner", "name", "check-runs"], &sent);
    forge.instead("check-runs", Reply::status(429).header("retry-after", "9"));
    forge.instead("check-runs", Reply::status(201).with(&json!({ "id": 7 })));
    assert_eq!(post().unwrap(), json!({ "id": 7 }));
    for asked in forge.asked() {
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.header("authorization"), Some("Bearer secret"));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(serde_json::from_slice::<Value>(&asked.body).unwrap(), sent);
    }
    for (reply, code) in [
        (Reply::status(500), Code::Ci006),
        (Reply::status(201).with(&json!({ "id": 7 })).cut(2), Code::Ci009),
        (Reply::status(422), Code::Ci007),
        (Reply::status(302).header("location", "/check-runs"), Code::Ci007),
    ] {
        let before = forge.asked().len();
        forge.instead("check-runs", reply);
        assert_eq!(post().unwrap_err().problem().code, code);
        assert_eq!(forge.asked().len(), before + 1, "it was sent again");
    }
    assert!(methods(&forge).iter().all(|method| method == "POST"));
}

#[test]
fn whoever_wants_to_stop_does_not_wait() {
    let forge = Forge::of(&"d".repeat(40));
    forge.always("thing", &Reply::status(500));
    let refusal = client(&forge, &Impatient).get::<Value>(&["thing"]).unwrap_err();
    assert_eq!((refusal.problem().code, forge.asked().len()), (Code::Ci006, 1));
    let refusal = client(&forge, &Instantly).get::<Value>(&["thing"]).unwrap_err();
    assert_eq!((refusal.problem().code, forge.asked().len()), (Code::Ci006, 5));
}

/// What was seen is asked for by its tag, and not sent again.
#[test]
fn an_answer_that_is_known_is_not_sent_again() {
    let forge = Forge::of(&"d".repeat(40));
    forge.state().status("licence", "success");
    let client = client(&forge, &Instantly);
    let statuses = || client.get::<Value>(&["repos", "owner", "name", "commits", "d", "statuses"]).unwrap();
    let first = statuses();
    let again = statuses();
    let tags: Vec<_> = forge.asked().iter().map(|asked| asked.header("if-none-match").is_some()).collect();
    assert_eq!((&first, tags), (&again, vec![false, true]));
    forge.state().status("licence", "failure");
    assert_eq!(statuses().as_array().unwrap().len(), 2);
    // That nothing has changed is no answer to a question that was never asked.
    forge.instead("pulls", Reply::status(304));
    let refusal = client.get::<Value>(&["pulls"]).unwrap_err();
    assert_eq!(refusal.problem().code, Code::Ci009);
}
