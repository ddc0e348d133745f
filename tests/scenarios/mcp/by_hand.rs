//! The protocol without a library: what is malformed, unknown, huge or cut off.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::mcp;
use crate::{
    harness::{Repo, Runmill},
    scenarios::sessions::{POLICY, repo},
};

/// A server, line by line.
struct Wire {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Wire {
    fn of(run: Runmill) -> Self {
        let mut server = run.start_on(Stdio::piped(), Stdio::piped(), Stdio::piped());
        let (input, output) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        Self { server, input, output }
    }

    fn begun(run: Runmill) -> Self {
        let mut wire = Self::of(run);
        assert_eq!(wire.initialize("2025-06-18")["result"]["protocolVersion"], "2025-06-18");
        wire
    }

    fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "by hand", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = self.ask(&json!({ "jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params }));
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("`{line}`: {error}"))
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.say(&request.to_string());
        self.hear()
    }

    /// Calls a tool, and proves that the server still answers.
    fn lists(&mut self, id: u32) {
        let params = json!({ "name": "list_profiles", "arguments": {} });
        let answer = self.ask(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        assert_eq!(answer["id"], id, "{answer:#}");
        assert_eq!(answer["result"]["structuredContent"]["schema"], "runmill.profiles/v1", "{answer:#}");
    }

    /// Closes the input: how the server ends, what else it said, and what it told a person.
    fn closed(mut self) -> (Option<i32>, String, String) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        let output = self.server.wait_with_output().unwrap();
        (output.status.code(), rest, String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn a_version_is_agreed_on() {
    let repo = repo();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // What nobody knows is answered with what we speak.
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let mut wire = Wire::of(mcp(&repo, POLICY));
        let answer = wire.initialize(asked);
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}: {answer:#}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "runmill");
        assert_eq!(answer["result"]["capabilities"], json!({ "tools": {} }));
        wire.lists(1);
        assert_eq!(wire.closed(), (Some(0), String::new(), String::new()));
    }
}

#[test]
fn what_is_malformed_is_answered_or_dropped_and_the_server_goes_on() {
    let repo = repo();
    let mut wire = Wire::begun(mcp(&repo, POLICY));
    // What is no JSON has no id to answer to.
    for garbage in ["", "no JSON", "{", "\u{0}", "{\"jsonrpc\":\"2.0\",\"id\":7,", "[[[[["] {
        wire.say(garbage);
    }
    wire.lists(1);
    for shapeless in ["[]", "{}", "5", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}"] {
        wire.say(shapeless);
        let answer = wire.hear();
        assert_eq!(answer["error"]["code"], -32600, "{shapeless}: {answer:#}");
    }
    let answer =
        wire.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/execute", "params": { "argv": ["sh"] } }));
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(2), &json!(-32601)), "{answer:#}");
    for method in ["resources/list", "prompts/list", "resources/read", "sampling/createMessage", "logging/setLevel"] {
        let answer = wire.ask(&json!({ "jsonrpc": "2.0", "id": 3, "method": method, "params": {} }));
        let listed = answer["result"].as_object().into_iter().flatten().find_map(|(_, it)| it.as_array());
        assert!(answer["error"].is_object() || listed.is_some_and(Vec::is_empty), "{method}: {answer:#}");
    }
    wire.lists(4);
    assert_eq!(wire.closed(), (Some(0), String::new(), String::new()));
}

#[test]
fn a_huge_message_is_dropped_and_a_deep_one_refused() {
    let repo = repo();
    let mut wire = Wire::begun(mcp(&repo, POLICY));
    let call = |id: u32, profile: &str| {
        let params = json!({ "name": "verify_profile", "arguments": { "profile": profile } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    // Just short of the bound it is read, and refused for what it is.
    let answer = wire.ask(&call(1, &"a".repeat(1_000_000)));
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer.to_string().len() < 2_000, "{}", answer.to_string().len());
    // Beyond it, it is not: the next answer is to the next message.
    wire.say(&call(2, &"a".repeat(1 << 20)).to_string());
    wire.lists(3);
    // Nothing of it is kept, whatever its length.
    let block = "a".repeat(1 << 20);
    write!(wire.input.as_mut().unwrap(), "{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"").unwrap();
    for _ in 0..64 {
        wire.input.as_mut().unwrap().write_all(block.as_bytes()).unwrap();
    }
    wire.say("\"}");
    wire.lists(5);
    let status = std::fs::read_to_string(format!("/proc/{}/status", wire.server.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 100 * 1024, "{peak} kB");
    wire.say(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    wire.lists(6);
    assert_eq!(wire.closed(), (Some(0), String::new(), String::new()));
}

#[test]
fn what_is_asked_before_the_end_of_the_input_is_answered() {
    let repo = repo();
    let mut wire = Wire::begun(mcp(&repo, POLICY));
    let params = json!({ "name": "list_profiles", "arguments": {} });
    wire.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string());
    let (exit, rest, told) = wire.closed();
    assert!(rest.contains("runmill.profiles/v1"), "{rest}");
    assert_eq!((exit, told.as_str()), (Some(0), ""));
}

/// Standard output is the protocol's, whatever is asked of it.
#[test]
fn what_keeps_it_from_serving_is_told_on_standard_error_alone() {
    let repo = repo();
    let silent = |run: Runmill, exit: i32, why: &str| {
        let (code, said, told) = Wire::of(run).closed();
        assert_eq!((code, said.as_str()), (Some(exit), ""), "{told}");
        assert!(told.contains(why), "`{why}` is not in {told}");
    };
    silent(mcp(&repo, POLICY), 2, "no client spoke the protocol");
    silent(mcp(&repo, POLICY).arg("--json"), 2, "no client spoke the protocol");
    let nowhere = repo.place("home");
    silent(mcp(&repo, POLICY).in_dir(&nowhere).arg("--json"), 1, "RM-REPO-001");
    let mut wire = Wire::begun(mcp(&repo, POLICY).args(["--json", "-v"]));
    wire.lists(1);
    assert_eq!(wire.closed(), (Some(0), String::new(), String::new()));
}

/// The repository is fixed when the server starts: one below which it starts, and no other.
#[test]
fn the_root_is_fixed() {
    let (here, other) = (repo(), Repo::new());
    other.file("x", "x").commit("base");
    std::fs::create_dir(here.path().join("deep")).unwrap();
    let mut wire = Wire::begun(mcp(&here, POLICY).in_dir(&here.path().join("deep")));
    let roots = json!({ "uri": format!("file://{}", other.path().display()), "name": "other" });
    for arguments in [json!({ "repo": other.path() }), json!({ "roots": [roots] }), json!({ "cwd": "/" })] {
        let params = json!({ "name": "begin_session", "arguments": arguments });
        let answer = wire.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    }
    let params = json!({ "name": "begin_session", "arguments": {} });
    let answer = wire.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }));
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    wire.closed();
    let status = crate::scenarios::sessions::at(&here, ["status"]);
    status.is("open", false);
}
