//! The token that GitHub's own tool keeps.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

/// The token that `gh` is signed in with at a host; none without the tool, or where it is not signed in. Whoever gets it must not
/// show it.
pub fn token(host: &str, environment: &BTreeMap<String, String>) -> Option<String> {
    let output = Command::new("gh")
        .args(["auth", "token", "--hostname", host])
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let token = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !token.trim().is_empty()).then(|| token.trim().to_owned())
}
