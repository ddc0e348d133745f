//! What documents call a verb, an agent over the protocol calls a tool.

/// What a person would type, and the tool that does the same.
const TERMS: [(&str, &str); 7] = [
    ("runmill session profiles", "list_profiles"),
    ("runmill session draft", "draft_contract"),
    ("runmill session begin", "begin_session"),
    ("runmill session verify", "verify_profile"),
    ("runmill session status", "session_status"),
    ("runmill session complete", "complete_session"),
    ("name one with `--profile`", "name one in `profiles`"),
];

/// The same advice for an agent.
pub fn in_tools(advice: &str) -> String {
    TERMS.iter().fold(advice.to_owned(), |text, (verb, tool)| text.replace(verb, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_told_as_tools() {
        assert_eq!(in_tools("begin one with `runmill session begin`"), "begin one with `begin_session`");
        assert_eq!(in_tools("Run `runmill session verify unit`."), "Run `verify_profile unit`.");
        assert_eq!(in_tools("Run `runmill doctor`."), "Run `runmill doctor`.");
    }
}
