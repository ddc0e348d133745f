//! A forge on this machine, with a memory and a clock of its own: what GitHub answers, page after page, as time passes.

mod http;

use std::{
    collections::{BTreeMap, VecDeque},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub use http::{Asked, Reply};

/// A forge that answers until it is dropped.
pub struct Forge {
    address: String,
    state: Arc<Mutex<State>>,
}

type Happens = Box<dyn FnOnce(&mut State) + Send>;

/// What the forge knows.
pub struct State {
    /// Its clock.
    pub now: Timestamp,
    /// The commit that everything is about.
    pub sha: String,
    /// Check runs, suites, workflow runs, commit statuses, pull requests, rules of the branch.
    pub lists: BTreeMap<&'static str, Vec<Value>>,
    /// The classic protection of the branch.
    pub protection: Reply,
    /// What it answers instead, to questions whose path ends so; each once, in order.
    instead: Vec<(String, VecDeque<Reply>)>,
    /// What happens before a look, one a look.
    script: VecDeque<Happens>,
    asked: Vec<Asked>,
    gone: bool,
}

/// The lists of a commit, by the end of their path, with the member that holds them in the answer.
const LISTS: [(&str, Option<&str>); 6] = [
    ("check-suites", Some("check_suites")),
    ("check-runs", Some("check_runs")),
    ("actions/runs", Some("workflow_runs")),
    ("statuses", None),
    ("pulls", None),
    ("rules/branches/main", None),
];

impl Forge {
    /// A forge that knows a commit of `owner/name`, of which nothing was reported, and a branch `main` that requires nothing.
    pub fn of(sha: &str) -> Self {
        let state = State {
            now: "2030-01-01T00:00:00Z".parse().unwrap(),
            sha: sha.to_owned(),
            lists: LISTS.into_iter().map(|(name, _)| (name, Vec::new())).collect(),
            protection: Reply::status(404).with(&json!({ "message": "Branch not protected" })),
            instead: Vec::new(),
            script: VecDeque::new(),
            asked: Vec::new(),
            gone: false,
        };
        let state = Arc::new(Mutex::new(state));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (shared, own) = (Arc::clone(&state), address.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.lock().unwrap().gone {
                    break;
                }
                let (state, address) = (Arc::clone(&shared), own.clone());
                thread::spawn(move || serve(stream, &address, &state));
            }
        });
        Self { address, state }
    }

    /// The address of its interface.
    pub fn api(&self) -> &str {
        &self.address
    }

    /// What it knows, to look at or to change.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// What happens before the next look that nothing is said of yet.
    pub fn then(&self, happens: impl FnOnce(&mut State) + Send + 'static) -> &Self {
        self.state().script.push_back(Box::new(happens));
        self
    }

    /// Answers so instead, once, where a question's path ends so.
    pub fn instead(&self, path: &str, reply: Reply) {
        let mut state = self.state();
        match state.instead.iter_mut().find(|(end, _)| end == path) {
            Some((_, replies)) => replies.push_back(reply),
            None => state.instead.push((path.to_owned(), VecDeque::from([reply]))),
        }
    }

    /// Answers so, however often it is asked.
    pub fn always(&self, path: &str, reply: &Reply) {
        (0..20).for_each(|_| self.instead(path, reply.clone()));
    }

    /// Everything that it was asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.state().asked.clone()
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        self.state().gone = true;
        // Wakes the thread.
        drop(TcpStream::connect(self.address.trim_start_matches("http://")));
    }
}

impl State {
    /// Lets time pass.
    pub fn pass(&mut self, seconds: i64) {
        self.now = self.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
    }

    /// A run of GitHub Actions that is over, in the workflow `ci.yml`. The last one can be changed.
    pub fn run(&mut self, name: &str, conclusion: &str) -> &mut Value {
        if self.lists["actions/runs"].is_empty() {
            self.workflow(1, ".github/workflows/ci.yml");
        }
        let id = 1000 + self.lists["check-runs"].len();
        let (sha, now) = (self.sha.clone(), self.now.to_string());
        self.push(
            "check-runs",
            json!({
                "id": id, "name": name, "head_sha": sha, "status": "completed", "conclusion": conclusion,
                "started_at": now, "completed_at": now, "check_suite": { "id": 1 },
                "app": { "id": 15368, "slug": "github-actions" },
            }),
        )
    }

    /// One that is not over.
    pub fn running(&mut self, name: &str) -> &mut Value {
        let run = self.run(name, "success");
        run["status"] = "in_progress".into();
        run["conclusion"] = Value::Null;
        run["completed_at"] = Value::Null;
        run
    }

    /// A run of a workflow, which is a suite of its own.
    pub fn workflow(&mut self, suite: u64, path: &str) -> &mut Value {
        let (sha, now) = (self.sha.clone(), self.now.to_string());
        let app = json!({ "id": 15368, "slug": "github-actions" });
        self.push("check-suites", json!({ "id": suite, "head_sha": sha, "app": app }));
        self.push(
            "actions/runs",
            json!({
                "id": 500 + suite, "path": path, "head_sha": sha, "check_suite_id": suite, "status": "completed",
                "conclusion": "success", "created_at": now, "run_started_at": now,
            }),
        )
    }

    /// A commit status.
    pub fn status(&mut self, context: &str, state: &str) -> &mut Value {
        let id = 1 + self.lists["statuses"].len();
        let now = self.now.to_string();
        self.push("statuses", json!({ "id": id, "context": context, "state": state, "created_at": now }))
    }

    /// A pull request that holds the commit.
    pub fn pull<'a>(&mut self, labels: impl IntoIterator<Item = &'a str>) -> &mut Value {
        let labels: Vec<_> = labels.into_iter().map(|name| json!({ "name": name })).collect();
        self.push("pulls", json!({ "number": 7, "labels": labels }))
    }

    /// The classic protection requires these contexts, each of an app where one is named.
    pub fn protect<'a>(&mut self, checks: impl IntoIterator<Item = (&'a str, Option<i64>)>) {
        let checks: Vec<_> =
            checks.into_iter().map(|(context, app)| json!({ "context": context, "app_id": app })).collect();
        let contexts: Vec<_> = checks.iter().map(|check| check["context"].clone()).collect();
        let checks = json!({ "required_status_checks": { "strict": true, "contexts": contexts, "checks": checks } });
        self.protection = Reply::status(200).with(&checks);
    }

    /// A rule of a ruleset that holds for the branch.
    pub fn rule(&mut self, name: &str, parameters: Value) {
        self.push("rules/branches/main", json!({ "type": name, "parameters": parameters }));
    }

    fn push(&mut self, list: &'static str, item: Value) -> &mut Value {
        let list = self.lists.get_mut(list).unwrap();
        list.push(item);
        list.last_mut().unwrap()
    }

    fn reply(&mut self, asked: &Asked, address: &str) -> Reply {
        if asked.path.ends_with("check-suites")
            && asked.query("page").is_none()
            && let Some(happens) = self.script.pop_front()
        {
            happens(self);
        }
        let mut replies = self.instead.iter_mut().filter(|(end, _)| asked.path.ends_with(end.as_str()));
        if let Some(reply) = replies.find_map(|(_, replies)| replies.pop_front()) {
            return reply;
        }
        if asked.method != "GET" || asked.query("check_name").is_some() && !asked.path.contains(&self.sha) {
            return self.told(asked, address);
        }
        if asked.path.ends_with("branches/main/protection") {
            return self.protection.clone();
        }
        let list = LISTS.into_iter().find(|(end, _)| asked.path.ends_with(end));
        match list {
            Some((end, member)) => page(&self.lists[end], member, asked, address),
            None => Reply::status(404).with(&json!({ "message": "Not Found" })),
        }
    }
}

impl State {
    /// Takes a check run, anew or in the place of another, and holds it to GitHub's limits.
    fn told(&mut self, asked: &Asked, address: &str) -> Reply {
        let refused = |what: &str| Reply::status(422).with(&json!({ "message": what }));
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let created = asked.method == "POST";
        if asked.method == "GET" || created && body["head_sha"] != self.sha {
            return refused("No commit found for SHA: it");
        }
        let output = &body["output"];
        let annotations = output["annotations"].as_array().cloned().unwrap_or_default();
        let length = |value: &Value| value.as_str().unwrap_or_default().chars().count();
        let too_long = |annotation: &Value| {
            length(&annotation["title"]) > 255 || annotation["message"].as_str().unwrap_or_default().len() > 64 << 10
        };
        if annotations.len() > 50 || annotations.iter().any(too_long) {
            return refused("Invalid request: annotations");
        }
        if length(&output["summary"]) > 65_535 || length(&output["text"]) > 65_535 {
            return refused("Invalid request: output");
        }
        let (sha, next) = (self.sha.clone(), 9000 + self.lists["check-runs"].len());
        let runs = self.lists.get_mut("check-runs").unwrap();
        if created {
            runs.push(json!({
                "id": next, "head_sha": sha, "html_url": format!("{address}/owner/name/runs/{next}"), "conclusion": null,
                "started_at": null, "completed_at": null, "check_suite": null, "app": null, "annotations": [],
                "output": { "annotations_count": 0 },
            }));
        }
        let named: Option<u64> = asked.path.rsplit_once('/').and_then(|(_, id)| id.parse().ok());
        let wanted = |run: &&mut Value| if created { run["id"] == next } else { run["id"].as_u64() == named };
        let Some(run) = runs.iter_mut().find(wanted) else {
            return Reply::status(404).with(&json!({ "message": "Not Found" }));
        };
        for member in ["name", "external_id", "status", "conclusion"] {
            if let Some(value) = body.get(member) {
                run[member] = value.clone();
            }
        }
        run["annotations"].as_array_mut().unwrap().extend(annotations);
        let count = run["annotations"].as_array().unwrap().len();
        run["output"] = json!({
            "title": output["title"], "summary": output["summary"], "text": output["text"], "annotations_count": count,
        });
        Reply::status(if created { 201 } else { 200 }).with(run)
    }
}

/// The page of a list that was asked for, with the way to the next one.
fn page(all: &[Value], member: Option<&str>, asked: &Asked, address: &str) -> Reply {
    let number = |name: &str, usual: usize| asked.query(name).map_or(usual, |text| text.parse().unwrap());
    let (size, at) = (number("per_page", 30), number("page", 1));
    let items: Vec<_> = all.iter().skip((at - 1) * size).take(size).cloned().collect();
    let body = match member {
        Some(member) => json!({ "total_count": all.len(), member: items }),
        None => Value::from(items),
    };
    let reply = Reply::status(200).with(&body);
    if at * size >= all.len() {
        return reply;
    }
    let others: String =
        asked.queries().filter(|(name, _)| name != "page").map(|(name, value)| format!("{name}={value}&")).collect();
    reply.header("link", &format!("<{address}{}?{others}page={}>; rel=\"next\"", asked.path, at + 1))
}

fn serve(mut stream: TcpStream, address: &str, state: &Mutex<State>) {
    while let Some(asked) = Asked::read(&mut stream) {
        let mut state = state.lock().unwrap();
        state.asked.push(asked.clone());
        let reply = state.reply(&asked, address);
        let now = state.now;
        drop(state);
        if reply.write(&asked, now, &mut stream).is_err() || reply.hangs_up() {
            return;
        }
    }
}
