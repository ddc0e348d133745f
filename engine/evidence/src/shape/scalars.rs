//! Texts of a certain form. Lengths are counted in UTF-16 code units, as the format's first implementation does.

use std::{fmt, sync::Arc};

use runmill_model::{CommitId, Digest};

use super::{Issues, Place, Shape};
use crate::{json::Json, timestamp::Instant};

macro_rules! scalars {
    ($($(#[$meta:meta])* $name:ident, $what:literal, $valid:expr;)*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name(Arc<str>);

        impl $name {
            #[allow(dead_code, reason = "some texts only have to be well-formed")]
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Shape for $name {
            fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
                let valid: fn(&str) -> bool = $valid;
                match json {
                    Json::Text(text) if valid(text) => Some(Self(Arc::clone(text))),
                    _ => issues.add(place, concat!("is not ", $what)),
                }
            }
        }
    )*};
}

scalars! {
    Identifier, "an identifier: 1 to 256 letters, digits and `. _ : -`, starting with a letter or digit",
        |text| units(text, 1, 256) && is_word(text, b"._:-");
    LongIdentifier, "an identifier: 1 to 512 letters, digits and `. _ : -`, starting with a letter or digit",
        |text| units(text, 1, 512) && is_word(text, b"._:-");
    Reference, "a reference: 1 to 512 letters, digits and `. _ : / @ + -`, starting with a letter or digit",
        |text| units(text, 1, 512) && is_word(text, b"._:/@+-");
    Repository, "a repository: `owner/name` of letters, digits and `. _ -`, 3 to 512 characters",
        |text| units(text, 3, 512) && is_repository(text);
    SubjectName, "a subject name: `forge:owner/name`",
        |text| text.split_once(':').is_some_and(|(forge, rest)| is_name(forge) && is_repository(rest));
    RunSubjectName, "a subject name: `asf-run:` and a run id",
        |text| text.strip_prefix("asf-run:").is_some_and(|run| is_word(run, b"._:-"));
    BranchRef, "a branch: `refs/heads/` and letters, digits and `. _ / -`, 12 to 512 characters",
        |text| units(text, 12, 512) && text.strip_prefix("refs/heads/").is_some_and(|name| is_word(name, b"._/-"));
    ChangedPath, "a path: relative, 1 to 1024 characters, without `..` segments, backslashes or control characters",
        |text| units(text, 1, 1024) && !text.starts_with('/') && !text.contains('\\') && !has_controls(text)
            && text.split('/').all(|segment| segment != "..");
    MediaType, "a media type: `type/subtype` in lower case, 3 to 256 characters",
        |text| units(text, 3, 256) && text.split_once('/').is_some_and(|(main, sub)| is_media(main) && is_media(sub));
    CasRef, "a location: `cas://sha256/` and 64 lower-case hex digits",
        |text| text.strip_prefix("cas://sha256/").is_some_and(|hex| is_hex(hex, 64));
    SignatureText, "a signature: `base64url:` and letters, digits, `-` and `_`",
        |text| text.strip_prefix("base64url:").is_some_and(|encoded| !encoded.is_empty()
            && encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    HttpsUrl, "an https URL without white space around it, user, query and fragment", is_https_url;
    PlainText, "a text of 1 to 4096 characters without control characters",
        |text| units(text, 1, 4096) && !has_controls(text);
    TerminalId, "a text of 1 to 512 characters without control characters",
        |text| units(text, 1, 512) && !has_controls(text);
    TerminalRef, "a text of 1 to 1024 characters without control characters",
        |text| units(text, 1, 1024) && !has_controls(text);
    Sentence, "a text of 1 to 2048 characters", |text| units(text, 1, 2048);
    NonEmpty, "a text that is not empty", |text| !text.is_empty();
    StopCode, "a stop code: capital letters, digits and `_`, starting with a letter",
        |text| text.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    EventType, "an event type: two or more lower-case words joined by `.`",
        |text| text.contains('.') && text.split('.').all(|word| word.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte)));
    WorkOrderId, "an id: 1 to 256 letters, digits and `. _ -`, starting with a letter or digit",
        |text| units(text, 1, 256) && is_word(text, b"._-");
    IdempotencyKey, "a key: 1 to 768 letters, digits and `. _ / -`, starting with a letter or digit",
        |text| units(text, 1, 768) && is_word(text, b"._/-");
    ForgeRepository, "a repository: `owner/name` without white space", is_forge_repository;
    AnyCaseCommit, "40 hex digits", |text| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    GitBranch, "a branch: `refs/heads/` and a name git allows",
        |text| text.strip_prefix("refs/heads/").is_some_and(is_branch_name);
    Title, "a text of 1 to 1024 characters", |text| units(text, 1, 1024);
    MergePolicy, "a text of 1 to 512 characters", |text| units(text, 1, 512);
    RemoteCheck, "a text of 1 to 512 characters without control characters or white space around it",
        |text| units(text, 1, 512) && !has_controls(text) && js_trim(text) == text;
    Pem, "a text of 1 to 16384 characters", |text| units(text, 1, 16384);
}

/// A point in time and how it is spelled.
#[derive(Debug, Clone)]
pub(crate) struct Timestamp {
    pub(crate) text: Arc<str>,
    pub(crate) instant: Instant,
}

impl Shape for Timestamp {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let read = match json {
            Json::Text(text) => Instant::parse(text).map(|instant| Self { text: Arc::clone(text), instant }),
            _ => None,
        };
        read.or_else(|| issues.add(place, "is not a timestamp with a zone, such as `2025-06-01T10:20:00Z`"))
    }
}

/// A URL; white space around it is dropped.
#[derive(Debug, Clone)]
pub(crate) struct TrimmedUrl(pub(crate) String);

impl Shape for TrimmedUrl {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let text = json.as_text().map(js_trim).filter(|text| url::Url::parse(text).is_ok());
        text.map(|text| Self(text.to_owned())).or_else(|| issues.add(place, "is not a URL"))
    }
}

impl Shape for Digest {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let digest = json.as_text().and_then(|text| text.parse().ok());
        digest.or_else(|| issues.add(place, "is not a digest: `sha256:` and 64 lower-case hex digits"))
    }
}

impl Shape for CommitId {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let commit = json.as_text().and_then(|text| Self::new(text).ok());
        commit.or_else(|| issues.add(place, "is not a commit: 40 lower-case hex digits"))
    }
}

/// Whether a text has between `low` and `high` UTF-16 code units.
fn units(text: &str, low: usize, high: usize) -> bool {
    // No text has more code units than bytes, or fewer than a third of them.
    text.len() <= high * 3 && (low..=high).contains(&text.encode_utf16().count())
}

/// Whether a text is ASCII letters, digits and `marks`, starting with a letter or digit.
fn is_word(text: &str, marks: &[u8]) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

fn is_repository(text: &str) -> bool {
    text.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

fn is_media(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.bytes().next().is_some_and(plain) && text.bytes().all(|byte| plain(byte) || b"!#$&^_.+-".contains(&byte))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn has_controls(text: &str) -> bool {
    text.bytes().any(|byte| byte < 0x20 || byte == 0x7f)
}

fn is_forge_repository(text: &str) -> bool {
    !text.contains(is_js_space)
        && text
            .split_once('/')
            .is_some_and(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/'))
}

/// What git allows as the name of a branch.
fn is_branch_name(name: &str) -> bool {
    let forbidden = |char: char| char < ' ' || char == '\u{7f}' || " ~^:?*[\\".contains(char);
    !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && !name.contains(forbidden)
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
}

/// The URL standard drops white space around a URL and line breaks inside it; a text with them is not the URL it names.
fn is_https_url(text: &str) -> bool {
    if js_trim(text) != text || has_controls(text) || text.contains(['?', '#']) {
        return false;
    }
    url::Url::parse(text)
        .is_ok_and(|url| url.scheme() == "https" && url.username().is_empty() && url.password().is_none())
}

/// White space of ECMAScript.
fn is_js_space(char: char) -> bool {
    char == '\u{feff}' || (char != '\u{85}' && char.is_whitespace())
}

fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}
