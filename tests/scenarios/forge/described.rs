//! GitHub's own description of its interface, served by a program that holds every question to it and answers as it says.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Map, Value, json};

use super::publish::loosened;
use crate::harness::Repo;

/// What is asked of GitHub, and what it answers when all is well.
const ASKED: [(&str, &str, &str); 9] = [
    ("get", "/repos/{owner}/{repo}/commits/{ref}/check-suites", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "200"),
    ("get", "/repos/{owner}/{repo}/actions/runs", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}/statuses", "200"),
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", "200"),
    ("get", "/repos/{owner}/{repo}/branches/{branch}/protection", "200"),
    ("get", "/repos/{owner}/{repo}/rules/branches/{branch}", "200"),
    ("post", "/repos/{owner}/{repo}/check-runs", "201"),
    ("patch", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "200"),
];

fn installed(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-world/node_modules").join(path);
    assert!(path.exists(), "{} is not there; `.ci/run` installs it", path.display());
    path
}

/// The part of the description that is asked for. Its examples are of different commits, and lead to the next page at GitHub
/// itself; here they are of one, and lead nowhere.
fn description(sha: &str) -> Value {
    let whole = fs::read(installed("@octokit/openapi/generated/api.github.com.deref.json")).unwrap();
    let whole: Value = serde_json::from_slice(&whole).unwrap();
    let mut paths = Map::new();
    for (method, path, status) in ASKED {
        let mut question = whole["paths"][path][method].clone();
        let answer = question["responses"][status].as_object_mut().unwrap();
        answer.remove("headers");
        of_commit(&mut answer["content"]["application/json"]["examples"], sha);
        paths.insert(path.to_owned(), json!({ method: question }));
    }
    json!({ "openapi": whole["openapi"], "info": whole["info"], "paths": paths })
}

fn of_commit(value: &mut Value, sha: &str) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|member| of_commit(member, sha));
            if let Some(head) = members.get_mut("head_sha") {
                *head = sha.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| of_commit(item, sha)),
        _ => {}
    }
}

/// A server of a description, until it is dropped.
struct Prism {
    process: Child,
    address: String,
}

impl Prism {
    fn of(repo: &Repo, description: &Value) -> Self {
        let file = repo.place("openapi.json");
        fs::write(&file, description.to_string()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let mut process = Command::new("node")
            .arg(installed("@stoplight/prism-cli/dist/index.js"))
            .args(["mock", "-h", "127.0.0.1", "-p", &port])
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("node is there; install nodejs");
        let mut told = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        while !told.contains("is listening") {
            told.clear();
            assert!(lines.read_line(&mut told).unwrap() > 0, "the server ended");
        }
        // Whoever prints where nobody reads any more stops.
        std::thread::spawn(move || lines.lines().for_each(drop));
        Self { process, address: format!("http://127.0.0.1:{port}") }
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn every_question_is_one_that_github_describes_and_every_described_answer_is_read() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x");
    let sha = repo.commit("change");
    let forge = Prism::of(&repo, &description(&sha));
    let look = |more: &[&str]| {
        let line = ["remote", "observe", "--github", "octocat/Hello-World", "--api", &forge.address, "--sha", &sha];
        repo.runmill(line.into_iter().chain(more.iter().copied()))
    };
    // A question that is not described is answered with 422, and so RM-CI-007.
    let document = look(&["--base-branch", "release/1.0"]).document();
    let run = &document["runs"][0];
    assert_eq!((&run["name"], &run["app"], &run["suite"]), (&json!("mighty_readme"), &json!("octoapp"), &json!("5")));
    assert_eq!((&run["status"], &run["conclusion"]), (&json!("completed"), &json!("neutral")));
    assert_eq!(document["statuses"][0]["context"], "continuous-integration/jenkins");
    assert_eq!(document["labels"], json!(["bug"]));
    let required = json!([{ "context": "continuous-integration/travis-ci", "app": null, "workflow": null }]);
    assert_eq!(document["protection"], json!({ "readable": true, "required": required }));
    let error = repo.runmill(["remote", "observe", "--github", "octocat/x", "--sha", &sha, "--api"]);
    let error = error.arg(format!("{}/nothing", forge.address)).error();
    error.is("RM-CI-007", 1);
}

#[test]
fn every_verdict_is_told_as_github_describes_it() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x");
    let sha = repo.commit("change");
    // More remarks than one question may carry.
    repo.check().policy(&loosened(60, 4)).verdict();
    let forge = Prism::of(&repo, &description(&sha));
    let line = ["remote", "publish", "latest", "--github", "octocat/Hello-World", "--api", &forge.address];
    let document = repo.runmill(line).env("GH_TOKEN", "a-token-of-nobody").document();
    assert_eq!((&document["sha"], &document["check_run"]), (&json!(sha), &json!(4)));
}
