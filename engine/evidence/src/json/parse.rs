//! The reader. It accepts RFC 8259 documents in UTF-8 with these bounds: no byte order mark, no member named twice, at
//! most [`DOCUMENT_LIMIT`] bytes and [`NESTING_LIMIT`] levels.

use std::{fmt, sync::Arc};

use super::{Json, Object};
use crate::{EvidenceError, error::Document};

/// The most bytes a document may have: 4 MiB.
pub const DOCUMENT_LIMIT: u64 = 4 * 1024 * 1024;

/// The most arrays and objects that may stand inside one another.
pub const NESTING_LIMIT: usize = 512;

/// Why a text is not strict JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
    /// Byte offset, 0-based.
    pub offset: usize,
    /// Line, 1-based.
    pub line: usize,
    /// Column in bytes, 1-based.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at line {} column {}", self.message, self.line, self.column)
    }
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The document.
    pub root: Json,
    /// Where the first `\u` escape of half a surrogate pair stands. Such text has no UTF-8 form and so no canonical form;
    /// in [`Parsed::root`] it has U+FFFD instead, which has the same length in UTF-16.
    pub lone_surrogate: Option<JsonError>,
}

/// Reads a document.
///
/// # Errors
/// RM-EVIDENCE-001: it is longer than [`DOCUMENT_LIMIT`], or not strict JSON.
pub fn parse(document: Document, bytes: &[u8]) -> Result<Parsed, EvidenceError> {
    parse_up_to(document, bytes, DOCUMENT_LIMIT)
}

/// Reads a document of at most `limit` bytes.
pub(crate) fn parse_up_to(document: Document, bytes: &[u8], limit: u64) -> Result<Parsed, EvidenceError> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > limit {
        return Err(EvidenceError::TooLarge { document, bytes: length, limit });
    }
    read(bytes).map_err(|fault| EvidenceError::Json { document, fault })
}

fn read(bytes: &[u8]) -> Result<Parsed, JsonError> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(fault(bytes, 0, "a byte order mark stands before the document".to_owned()));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fault(bytes, error.valid_up_to(), "the bytes are not UTF-8".to_owned()))?;
    let mut reader = Reader { text, at: 0, lone_surrogate: None };
    let root = reader.document()?;
    Ok(Parsed { root, lone_surrogate: reader.lone_surrogate })
}

fn fault(bytes: &[u8], offset: usize, message: String) -> JsonError {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    JsonError { message, offset, line, column }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    lone_surrogate: Option<JsonError>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Json, JsonError> {
        let root = self.value(0)?;
        self.space();
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(self.wrong("something follows the document")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.wrong("no JSON value starts like this")),
            None => Err(self.wrong("the document ends where a value should stand")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let start = self.at;
        self.open(depth)?;
        let mut members = Vec::new();
        let mut ended = self.takes(b'}');
        while !ended {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a member name in quotes should stand here"));
            }
            let name = self.string()?;
            if !self.takes(b':') {
                return Err(self.wrong("`:` should stand here"));
            }
            members.push((name, self.value(depth)?));
            ended = self.takes(b'}');
            if !ended && !self.takes(b',') {
                return Err(self.wrong("`,` or `}` should stand here"));
            }
        }
        Object::new(members)
            .map(Json::Object)
            .map_err(|name| self.wrong_at(start, format!("the member `{}` stands twice in one object", shown(&name))))
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Json::List(Arc::new(items)));
        }
        loop {
            items.push(self.value(depth)?);
            if self.takes(b']') {
                return Ok(Json::List(Arc::new(items)));
            }
            if !self.takes(b',') {
                return Err(self.wrong("`,` or `]` should stand here"));
            }
        }
    }

    fn open(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth > NESTING_LIMIT {
            return Err(self.wrong(&format!("arrays and objects are nested deeper than {NESTING_LIMIT} levels")));
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.skip_one(b"-");
        if !self.skip_one(b"0") && self.digits() == 0 {
            return Err(self.wrong("a digit should stand here"));
        }
        if self.skip_one(b".") && self.digits() == 0 {
            return Err(self.wrong("a digit should stand here"));
        }
        if self.skip_one(b"eE") {
            self.skip_one(b"+-");
            if self.digits() == 0 {
                return Err(self.wrong("a digit should stand here"));
            }
        }
        // Rust rounds decimal text to the nearest double, ties to even, as ECMAScript does; too large is infinite.
        let number = self.text.get(start..self.at).and_then(|text| text.parse().ok());
        number.map(Json::Number).ok_or_else(|| self.wrong_at(start, "this is not a number".to_owned()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<Arc<str>, JsonError> {
        self.at += 1;
        let mut start = self.at;
        let mut decoded = String::new();
        loop {
            let Some(byte) = self.peek() else { return Err(self.wrong("the document ends inside a string")) };
            match byte {
                b'"' => {
                    let piece = self.text.get(start..self.at).unwrap_or_default();
                    self.at += 1;
                    if decoded.is_empty() {
                        return Ok(piece.into());
                    }
                    decoded.push_str(piece);
                    return Ok(decoded.into());
                }
                b'\\' => {
                    decoded.push_str(self.text.get(start..self.at).unwrap_or_default());
                    decoded.push(self.escape()?);
                    start = self.at;
                }
                0..=0x1f => return Err(self.wrong("a control character stands unescaped in a string")),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unit(start),
            _ => return Err(self.wrong_at(start, "no escape is spelled like this".to_owned())),
        })
    }

    /// A `\u` escape whose hex digits start here, or a pair of them.
    fn unit(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.hex(start)?;
        if let Some(char) = char::from_u32(first) {
            return Ok(char);
        }
        if first < 0xdc00 && self.text.get(self.at..self.at + 2) == Some("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hex(before)?;
            if (0xdc00..0xe000).contains(&second) {
                let char = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                return char.ok_or_else(|| self.wrong_at(start, "this is no character".to_owned()));
            }
            self.at = before;
        }
        if self.lone_surrogate.is_none() {
            self.lone_surrogate = Some(self.wrong_at(start, "half a surrogate pair stands alone".to_owned()));
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self, start: usize) -> Result<u32, JsonError> {
        let digits =
            self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|text| u32::from_str_radix(text, 16).ok());
        self.at += 4;
        unit.ok_or_else(|| self.wrong_at(start, "four hex digits should follow `\\u`".to_owned()))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.wrong("no JSON value starts like this"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Whether `byte` is next after white space; then it is read.
    fn takes(&mut self, byte: u8) -> bool {
        self.space();
        self.skip_one(&[byte])
    }

    fn skip_one(&mut self, bytes: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| bytes.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, message: &str) -> JsonError {
        self.wrong_at(self.at, message.to_owned())
    }

    fn wrong_at(&self, offset: usize, message: String) -> JsonError {
        fault(self.text.as_bytes(), offset, message)
    }
}

/// A name as it may stand in a one-line message.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expect: Result<&str, &str>) {
        let actual = read(input).map(|parsed| String::from_utf8(parsed.root.canonical().unwrap()).unwrap());
        let actual = actual.map_err(|error| error.to_string());
        assert_eq!(actual.as_deref().map_err(String::as_str), expect, "{}", String::from_utf8_lossy(input));
    }

    #[test]
    fn reads_values_as_ecmascript_does() {
        check(b" {\"b\":[1.0,-0,4E0,9007199254740993],\"a\":null} ", Ok(r#"{"a":null,"b":[1,0,4,9007199254740992]}"#));
        check(br#""\u00e9\ud83d\ude80\/\b\f\n\r\t\"\\""#, Ok(r#""é🚀/\b\f\n\r\t\"\\""#));
        check(b"[ ]", Ok("[]"));
        check(b"{ }", Ok("{}"));
    }

    #[test]
    fn refuses_what_has_no_single_meaning() {
        check(
            b"{\"a\":1,\n \"b\":{\"a\":1,\"\\u0061\":2}}",
            Err("the member `a` stands twice in one object, at line 2 column 6"),
        );
        check(b"\xef\xbb\xbf{}", Err("a byte order mark stands before the document, at line 1 column 1"));
        check(b"\"\xff\"", Err("the bytes are not UTF-8, at line 1 column 2"));
        check(b"\"\xed\xa0\x80\"", Err("the bytes are not UTF-8, at line 1 column 2"));
        check(b"{}{}", Err("something follows the document, at line 1 column 3"));
        check(b"\"a\nb\"", Err("a control character stands unescaped in a string, at line 1 column 3"));
    }

    #[test]
    fn refuses_other_dialects() {
        for input in [
            "",
            " ",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "NaN",
            "Infinity",
            "-",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "0x1",
            "tru",
            "nul",
            "'a'",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\u+123\"",
            "[1 2]",
            "{\"a\" 1}",
            "{\"a\":}",
            "//\n1",
            "[",
            "\u{a0}1",
            "\"\\",
            "\"\\u",
            "\"\\ud800\\u\"",
            "-Infinity",
            "[,1]",
            "{,}",
            "\u{2028}1",
        ] {
            assert!(read(input.as_bytes()).is_err(), "{input}");
        }
    }

    #[test]
    fn notes_half_surrogate_pairs_and_keeps_their_length() {
        for (input, units) in [
            (r#""\ud800""#, 1),
            (r#""\udc00""#, 1),
            (r#""\ude80\ud83d""#, 2),
            (r#""\ud800\ud83d\ude80""#, 3),
            (r#""\ud800\u0041""#, 2),
        ] {
            let parsed = read(input.as_bytes()).unwrap();
            assert!(parsed.lone_surrogate.is_some(), "{input}");
            assert_eq!(parsed.root.as_text().unwrap().encode_utf16().count(), units, "{input}");
        }
        assert_eq!(read(br#""\ud83d\ude80""#).unwrap().lone_surrogate, None);
        assert!(read(br#"{"bad\ud800":true}"#).unwrap().lone_surrogate.is_some());
    }

    #[test]
    fn numbers_beyond_every_double_have_no_canonical_form() {
        assert_eq!(read(b"[1e999]").unwrap().root.canonical(), None);
        assert_eq!(read(b"-1e999").unwrap().root.digest(), None);
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert!(read(&nested(NESTING_LIMIT)).is_ok());
        let error = read(&nested(NESTING_LIMIT + 1)).unwrap_err();
        assert_eq!(error.message, "arrays and objects are nested deeper than 512 levels");
    }

    #[test]
    fn size_is_bounded_and_named() {
        let mut bytes = b"{}".to_vec();
        bytes.resize(4 * 1024 * 1024, b' ');
        assert!(parse(Document::Trust, &bytes).is_ok());
        bytes.push(b' ');
        let message = parse(Document::Trust, &bytes).unwrap_err().to_string();
        assert_eq!(message, "the trust document is 4194305 bytes long, above the limit of 4194304 bytes (4 MiB)");
    }
}
