//! What a coding agent tells its hooks. Members that are not asked for are passed over.

use serde::Deserialize;
use serde_json::Value;

use super::Event;

/// The input of a hook, as Claude Code and Codex write it.
#[derive(Debug, Deserialize)]
pub struct Payload {
    hook_event_name: Option<String>,
    /// Whether the agent already goes on because a hook blocked its stop.
    #[serde(default)]
    pub stop_hook_active: bool,
    /// The tool that was called.
    pub tool_name: Option<String>,
    #[serde(default)]
    tool_input: Value,
    /// What `runmill hook self-test` asks to hear again.
    #[serde(rename = "runmill_self_test")]
    pub self_test: Option<String>,
}

/// Whether a stop is the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    First,
    /// The agent goes on because a hook blocked it.
    GoesOnAlready,
}

impl Payload {
    /// Reads one that is of this event.
    pub fn read(text: &[u8], event: Event) -> Result<Self, String> {
        let payload: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        match payload.hook_event_name.as_deref() {
            Some(name) if name == event.as_str() => Ok(payload),
            Some(name) => Err(format!("it is of `{}`, and the hook is for `{}`", name.escape_debug(), event.as_str())),
            None => Err("it has no `hook_event_name`".to_owned()),
        }
    }

    pub fn stop(&self) -> Stop {
        if self.stop_hook_active { Stop::GoesOnAlready } else { Stop::First }
    }

    /// Whether the call is one of runmill's own, which changes nothing that evidence could be about.
    pub fn is_own_call(&self) -> bool {
        let tool = self.tool_name.as_deref().unwrap_or_default();
        if tool.strip_prefix("mcp__runmill__").is_some_and(|rest| !rest.is_empty()) {
            return true;
        }
        let command = self.tool_input.get("command");
        matches!(tool, "Bash" | "shell" | "local_shell") && command.is_some_and(is_own_command)
    }
}

/// One plain call of `runmill session`, and nothing that a shell would make more of.
fn is_own_command(command: &Value) -> bool {
    let words: Vec<&str> = match command {
        Value::String(line) => line.split(' ').filter(|word| !word.is_empty()).collect(),
        Value::Array(words) => words.iter().map(|word| word.as_str().unwrap_or("\0")).collect(),
        _ => return false,
    };
    let plain = |word: &&str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "._:-".contains(letter));
    let verbs = ["profiles", "draft", "begin", "verify", "status", "complete"];
    matches!(words.as_slice(), ["runmill", "session", verb, ..] if verbs.contains(verb)) && words.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> bool {
        let text = text.replacen('{', "{\"hook_event_name\":\"PostToolUse\",", 1);
        Payload::read(text.as_bytes(), Event::PostToolUse).unwrap().is_own_call()
    }

    #[test]
    fn only_a_plain_call_of_a_session_is_our_own() {
        assert!(own(r#"{"tool_name":"mcp__runmill__verify"}"#));
        assert!(own(r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify unit --json"}}"#));
        assert!(own(r#"{"tool_name":"shell","tool_input":{"command":["runmill","session","status"]}}"#));
        for other in [
            r#"{"tool_name":"Edit","tool_input":{"command":"runmill session verify unit"}}"#,
            r#"{"tool_name":"mcp__runmill__"}"#,
            r#"{"tool_name":"mcp__other__verify"}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify unit; touch x"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify unit && touch x"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify $(touch x)"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify unit\ntouch x"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session verify unit > x"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"./runmill session verify unit"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill check"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"runmill session event"}}"#,
            r#"{"tool_name":"shell","tool_input":{"command":["sh","-c","runmill session status"]}}"#,
            r#"{"tool_name":"Bash"}"#,
        ] {
            assert!(!own(other), "{other}");
        }
    }

    #[test]
    fn refuses_what_is_no_payload_of_the_event() {
        for wrong in ["", "[]", "{}", r#"{"hook_event_name":"Stop"}"#, r#"{"hook_event_name":5}"#] {
            assert!(Payload::read(wrong.as_bytes(), Event::PostToolUse).is_err(), "{wrong}");
        }
    }
}
