//! A forge that refuses, is not well, or is not there.

use std::net::TcpListener;

use serde_json::json;

use super::{look, observed};
use crate::harness::{ErrorDocument, Forge, Reply, Repo};

fn refused(repo: &Repo, forge: &Forge, code: &str) -> ErrorDocument {
    let error = look(repo, forge).error();
    error.is(code, 1);
    error
}

fn says(error: &ErrorDocument, words: &str) {
    let told = error.document()["message"].as_str().unwrap();
    assert!(told.contains(words), "{told}");
}

#[test]
fn a_refusal_is_told_with_its_status_its_words_and_what_to_do() {
    let (repo, forge) = observed();
    for (status, words, help) in [
        (401, "Bad credentials", "a token that is valid"),
        (403, "Resource not accessible by integration", "a token that may read checks"),
        (404, "Not Found", "the name of the repository"),
        (422, "No commit found for SHA", "the names that were given"),
    ] {
        for path in ["check-suites", "check-runs", "actions/runs", "statuses"] {
            forge.instead(path, Reply::status(status).with(&json!({ "message": words })));
            let error = refused(&repo, &forge, "RM-CI-007");
            says(&error, &format!("with status {status}, with the words `{words}`"));
            says(&error, &format!("{}/repos/owner/name/", forge.api()));
            says(&error, path);
            assert!(error.document()["help"].as_str().unwrap().contains(help), "{:#}", error.document());
        }
    }
}

#[test]
fn a_forge_that_is_not_well_is_asked_again_a_few_times() {
    let (repo, forge) = observed();
    let sick = |status: u16| Reply::status(status).header("retry-after", "0");
    for path in ["check-suites", "check-runs", "statuses", "pulls", "branches/main/protection", "rules/branches/main"] {
        for status in [500, 502, 503] {
            forge.instead(path, sick(status));
        }
        look(&repo, &forge).document();
        (0..4).for_each(|_| forge.instead(path, sick(504)));
        says(&refused(&repo, &forge, "RM-CI-006"), "it answered with status 504");
    }
}

#[test]
fn a_limit_of_requests_is_waited_for_where_that_is_short() {
    let (repo, forge) = observed();
    let limit = |status: u16| Reply::status(status).with(&json!({ "message": "API rate limit exceeded" }));
    let reset = |seconds: i64| forge.state().now.as_second() + seconds;
    let spent = |seconds: i64| {
        let limit = limit(403).header("x-ratelimit-remaining", "0");
        limit.header("x-ratelimit-reset", &reset(seconds).to_string())
    };
    for short in
        [limit(403).header("retry-after", "0"), Reply::status(429).header("retry-after", "0"), spent(0), spent(-5)]
    {
        forge.instead("check-runs", short);
        look(&repo, &forge).document();
    }
    let until = "until 2030-01-01T01:00:00Z";
    forge.instead("check-runs", spent(3600));
    says(&refused(&repo, &forge, "RM-CI-008"), until);
    for long in [limit(403).header("retry-after", "3600"), limit(429).header("retry-after", "3600")] {
        forge.instead("branches/main/protection", long);
        says(&refused(&repo, &forge, "RM-CI-008"), until);
    }
    // A limit that never ends is not waited for forever, and one that says nothing counts for the minute GitHub asks for.
    forge.always("pulls", &limit(403).header("retry-after", "0"));
    refused(&repo, &forge, "RM-CI-008");
}

#[test]
fn nobody_is_there() {
    let (repo, forge) = observed();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let sha = forge.state().sha.clone();
    let line = ["remote", "observe", "--github", "owner/name", "--sha", &sha, "--api"];
    let error = repo.runmill(line).arg(format!("http://{free}")).error();
    error.is("RM-CI-006", 1);
    says(&error, &format!("http://{free}/repos/owner/name/commits/{sha}/check-suites"));
}

#[test]
fn what_cannot_be_meant_is_a_wrong_command_line() {
    let repo = Repo::with_tests(["pass a"]);
    let sha = "d".repeat(40);
    for (github, sha, api) in [
        ("owner", sha.as_str(), "http://127.0.0.1:9"),
        ("owner/name/x", &sha, "http://127.0.0.1:9"),
        ("owner/name", "main", "http://127.0.0.1:9"),
        ("owner/name", &sha, "http://api.github.com"),
        ("owner/name", &sha, "https://user:password@host"),
    ] {
        let error = repo.runmill(["remote", "observe", "--github", github, "--sha", sha, "--api", api]).error();
        error.is("RM-CONFIG-004", 2);
    }
}
