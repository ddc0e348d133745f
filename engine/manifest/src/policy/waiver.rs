//! Waivers: findings that the operator lets pass until a day.

use jiff::Timestamp;
use runmill_model::Digest;

use crate::{
    faults::Faults,
    invalid::quoted,
    yaml::{self, Entries, Node, Value},
};

/// One waiver. A malformed one is kept and is expired, so that a typing error never opens a gate and never goes unseen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    fingerprint: String,
    reason: String,
    approver: String,
    expires: Expiry,
}

/// When a waiver ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expiry {
    /// At this moment; from then on it no longer counts. A date alone is its first moment in UTC.
    At(Timestamp),
    /// It never counted; the text says what is wrong with it.
    Malformed(String),
}

impl Waiver {
    /// The finding's fingerprint as it was written.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Why; empty when it was not written.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Who allowed it; empty when it was not written.
    pub fn approver(&self) -> &str {
        &self.approver
    }

    /// When it ends.
    pub fn expires(&self) -> &Expiry {
        &self.expires
    }

    /// Whether it no longer counts at a moment; a malformed one never does.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        match self.expires {
            Expiry::At(end) => now >= end,
            Expiry::Malformed(_) => true,
        }
    }
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<Waiver> {
    yaml::list(node, "waivers", faults).iter().filter_map(|item| waiver(item, faults)).collect()
}

/// A waiver whose keys are known; what its values lack makes it malformed, not the policy invalid.
fn waiver(node: &Node, faults: &mut Faults) -> Option<Waiver> {
    let mut entries = Entries::of(node, "a waiver", faults)?;
    let fingerprint = written(entries.get("fingerprint"));
    let reason = written(entries.get("reason"));
    let approver = written(entries.get("approver"));
    let expires = written(entries.get("expires"));
    entries.close(faults);

    let expires = complaint(&fingerprint, &reason, &approver).map_or_else(
        || {
            moment(&expires).map_or_else(
                || Expiry::Malformed(format!("`expires` is {}, not an RFC 3339 time or a date", quoted(&expires))),
                Expiry::At,
            )
        },
        Expiry::Malformed,
    );
    Some(Waiver { fingerprint, reason, approver, expires })
}

fn complaint(fingerprint: &str, reason: &str, approver: &str) -> Option<String> {
    if fingerprint.parse::<Digest>().is_err() {
        return Some("`fingerprint` is not `sha256:` and 64 lower-case hex digits".to_owned());
    }
    [("reason", reason), ("approver", approver)]
        .into_iter()
        .find(|(_, text)| text.trim().is_empty())
        .map(|(key, _)| format!("`{key}` is missing or blank"))
}

/// A text as it was written; empty for anything else.
fn written(node: Option<&Node>) -> String {
    match node.map(|node| &node.value) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// A moment of RFC 3339 with an offset, or the first moment of a date in UTC.
fn moment(text: &str) -> Option<Timestamp> {
    let is_date = |bytes: &[u8]| {
        bytes.len() == 10
            && bytes
                .iter()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    if is_date(text.as_bytes()) {
        return format!("{text}T00:00:00Z").parse().ok();
    }
    let (date, clock) = text.split_once('T')?;
    let clock_only =
        clock.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'+' | b'-' | b'Z'));
    let seconds = clock.as_bytes().get(5) == Some(&b':');
    if is_date(date.as_bytes()) && clock_only && seconds { text.parse().ok() } else { None }
}
