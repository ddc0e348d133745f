//! Secrets, and texts without them.
//!
//! Covered: the exact bytes of a secret value, and each longer line of a value that has several. Not covered: a secret that was
//! transformed (encoded, escaped, split by other bytes).

use std::{borrow::Cow, collections::BTreeMap, fmt};

/// What stands in place of a secret.
pub const REPLACEMENT: &str = "[redacted]";

/// A shorter value is no secret: replacing it would destroy texts and hide nothing.
const SHORTEST: usize = 4;

/// A shorter line of a value of several lines is not replaced by itself.
const SHORTEST_LINE: usize = 8;

/// Words that make a variable's name look like a credential's, compared without case and separators.
const WORDS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "privatekey",
    "accesskey",
    "signingkey",
    "credential",
    "auth",
];

/// Whether a variable's name looks like it holds a credential. `AUTHOR` and its like do not; `AUTH_ORIGIN` and `authOrigin` do.
pub fn looks_secret(name: &str) -> bool {
    let squeezed = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let without_authors = ["author", "Author", "AUTHOR"].iter().fold(name.to_owned(), |name, it| name.replace(it, ""));
    let rest = squeezed(&without_authors);
    WORDS.iter().any(|word| rest.contains(word)) || squeezed(name).contains("authoriz")
}

/// Values that must not be kept in previews, arguments and reports.
#[derive(Clone, Default)]
pub struct Secrets {
    /// By first byte, longest first. Empty: no secret starts so.
    by_first: BTreeMap<u8, Vec<Vec<u8>>>,
    longest: usize,
}

impl Secrets {
    /// No secrets.
    pub fn none() -> Self {
        Self::default()
    }

    /// The values of secret-looking variables of the host, and of `named` ones whatever they are called.
    pub fn from_env(host: &BTreeMap<String, String>, named: &[String]) -> Self {
        Self::from_values(
            host.iter()
                .filter(|(name, _)| looks_secret(name) || named.contains(name))
                .map(|(_, value)| value.as_bytes()),
        )
    }

    /// These values. Those shorter than 4 bytes are passed over.
    pub fn from_values<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut secrets = Self::default();
        for value in values {
            let value = value.trim_ascii();
            secrets.add(value, SHORTEST);
            if value.contains(&b'\n') {
                for line in value.split(|byte| *byte == b'\n') {
                    secrets.add(line.trim_ascii(), SHORTEST_LINE);
                }
            }
        }
        for values in secrets.by_first.values_mut() {
            values.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
            values.dedup();
        }
        secrets
    }

    fn add(&mut self, value: &[u8], shortest: usize) {
        if let Some(first) = value.first().filter(|_| value.len() >= shortest) {
            self.by_first.entry(*first).or_default().push(value.to_vec());
            self.longest = self.longest.max(value.len());
        }
    }

    /// Whether there is nothing to replace.
    pub fn is_empty(&self) -> bool {
        self.longest == 0
    }

    /// The text without secrets.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Takes the secrets out of some texts.
    pub fn redact_all<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            if let Cow::Owned(clean) = self.redact(text) {
                *text = clean;
            }
        }
    }

    /// The bytes without secrets.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut redactor = Redactor::new(self);
        let mut clean = Vec::with_capacity(bytes.len());
        redactor.push(bytes, &mut clean);
        redactor.finish(&mut clean);
        if clean == bytes { Cow::Borrowed(bytes) } else { Cow::Owned(clean) }
    }

    /// Length of the longest secret that starts here; 0 where none does.
    fn match_at(&self, bytes: &[u8]) -> usize {
        let candidates = bytes.first().and_then(|first| self.by_first.get(first));
        candidates.and_then(|values| values.iter().find(|value| bytes.starts_with(value))).map_or(0, Vec::len)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.by_first.values().map(Vec::len).sum::<usize>())
    }
}

/// Replaces secrets in bytes that come in pieces.
#[derive(Debug)]
pub struct Redactor<'a> {
    secrets: &'a Secrets,
    /// Bytes whose fate depends on what follows; shorter than the longest secret.
    held: Vec<u8>,
    /// How many of the coming bytes belong to a secret that is already replaced.
    covered: usize,
}

impl<'a> Redactor<'a> {
    /// A redactor at the start of a stream.
    pub fn new(secrets: &'a Secrets) -> Self {
        Self { secrets, held: Vec::new(), covered: 0 }
    }

    /// Adds a piece, and appends what is certain to `clean`.
    pub fn push(&mut self, piece: &[u8], clean: &mut Vec<u8>) {
        if self.secrets.is_empty() {
            clean.extend_from_slice(piece);
            return;
        }
        self.held.extend_from_slice(piece);
        let certain = (self.held.len() + 1).saturating_sub(self.secrets.longest);
        self.emit(certain, clean);
    }

    /// Ends the stream: appends what was held back.
    pub fn finish(&mut self, clean: &mut Vec<u8>) {
        self.emit(self.held.len(), clean);
    }

    /// Decides the first `certain` held bytes. Overlapping secrets are one gap.
    fn emit(&mut self, certain: usize, clean: &mut Vec<u8>) {
        let mut at = 0;
        while at < certain {
            if self.covered == 0 {
                let undecided = self.held.get(at..certain).unwrap_or_default();
                let plain = undecided.iter().take_while(|byte| !self.secrets.by_first.contains_key(byte)).count();
                clean.extend(undecided.iter().take(plain));
                at += plain;
            }
            at += self.step(at, certain, clean);
        }
        self.held.drain(..certain);
    }

    /// Decides one byte that may start a secret or lies in one; returns how many bytes that was.
    fn step(&mut self, at: usize, certain: usize, clean: &mut Vec<u8>) -> usize {
        let Some((byte, _)) = self.held.get(at..certain).and_then(<[u8]>::split_first) else { return 0 };
        let found = self.secrets.match_at(self.held.get(at..).unwrap_or_default());
        if found > 0 && self.covered == 0 {
            clean.extend_from_slice(REPLACEMENT.as_bytes());
        }
        self.covered = self.covered.max(found);
        match self.covered.checked_sub(1) {
            Some(left) => self.covered = left,
            None => clean.push(*byte),
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], text: &str, expect: &str) {
        let secrets = Secrets::from_values(values.iter().map(|value| value.as_bytes()));
        assert_eq!(secrets.redact(text), expect);
        for cut in 0..=text.len() {
            let (mut redactor, mut clean) = (Redactor::new(&secrets), Vec::new());
            redactor.push(&text.as_bytes()[..cut], &mut clean);
            redactor.push(&text.as_bytes()[cut..], &mut clean);
            redactor.finish(&mut clean);
            assert_eq!(String::from_utf8(clean).unwrap(), expect, "cut at {cut}");
        }
    }

    #[test]
    fn replaces_across_two_writes() {
        check(&["hunter22"], "pw=hunter22; hunter2", "pw=[redacted]; hunter2");
    }

    #[test]
    fn replaces_the_longest_where_one_is_the_prefix_of_another() {
        check(&["abcd", "abcdefgh"], "abcdefgh abcdef", "[redacted] [redacted]ef");
    }

    #[test]
    fn leaves_no_rest_of_overlapping_secrets() {
        check(&["abcd", "cdef"], "xabcdefx", "x[redacted]x");
        check(&["aaaa"], "aaaaaa", "[redacted]");
    }

    #[test]
    fn replaces_lines_of_a_key_and_passes_over_short_values() {
        check(&["first-line\nsecond-line\n"], "a second-line b", "a [redacted] b");
        check(&["1", ""], "1 1 1", "1 1 1");
    }

    #[test]
    fn takes_values_of_secret_looking_names_only() {
        for secret in [
            "GITHUB_TOKEN",
            "npm_config__authToken",
            "My-Api-Key",
            "DB_PASSWD",
            "AUTHORIZATION",
            "SSH_PRIVATE_KEY",
            "X_AUTH",
            "AUTH_ORIGIN",
            "authOrg",
            "AUTHOR_TOKEN",
            "pass.word",
            "API--KEY",
            "Private Key",
        ] {
            assert!(looks_secret(secret), "{secret}");
        }
        for plain in ["PATH", "GIT_AUTHOR_NAME", "HOME", "KEYBOARD", "AUTHORS"] {
            assert!(!looks_secret(plain), "{plain}");
        }
        let host = BTreeMap::from([
            ("A_TOKEN".into(), "tttttt".into()),
            ("PLAIN".into(), "pppppp".into()),
            ("X".into(), "xxxxxx".into()),
        ]);
        assert_eq!(
            Secrets::from_env(&host, &["X".into()]).redact("tttttt pppppp xxxxxx"),
            "[redacted] pppppp [redacted]"
        );
    }
}
