//! The attributes of one tag, checked whole even where no one asks for them.

use std::borrow::Cow;

use super::{ESCAPE, bad_reference};
use crate::{Reason, rejection::Fault};

/// More than any reporter writes; bounds the search for duplicates.
const MOST: usize = 256;

/// The attributes of the tag that was read last. Reused from tag to tag.
#[derive(Debug, Default)]
pub(super) struct Attributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Attributes<'a> {
    /// Reads a tag, from its `<` to its `>`, and gives its name. `offset` is where the tag starts.
    ///
    /// # Errors
    /// A bad name, a value without quotes, a repeated attribute, `<` in a value, an illegal reference.
    pub(super) fn read(&mut self, tag: &'a str, offset: usize) -> Result<&'a str, Fault> {
        self.0.clear();
        let inner = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')).unwrap_or_default();
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let (name, mut rest) = inner.split_at(inner.find(is_space).unwrap_or(inner.len()));
        if !is_name(name) {
            return Err(malformed(offset, format!("`{name}` is no element name")));
        }
        loop {
            rest = rest.trim_start_matches(is_space);
            if rest.is_empty() {
                return Ok(name);
            }
            let at = offset + 1 + (inner.len() - rest.len());
            let (key, value, after) =
                next(rest).ok_or_else(|| malformed(at, "an attribute without a quoted value".to_owned()))?;
            if !is_name(key) {
                return Err(malformed(at, format!("`{key}` is no attribute name")));
            }
            if self.0.iter().any(|(known, _)| *known == key) {
                return Err(malformed(at, format!("the attribute `{key}` stands twice")));
            }
            if self.0.len() == MOST {
                return Err(malformed(at, format!("more than {MOST} attributes")));
            }
            check_value(value, at)?;
            self.0.push((key, value));
            rest = after;
        }
    }

    /// The value of an attribute as it is written.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of an attribute, with references resolved and white space around it removed.
    pub(super) fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).map(resolve)
    }
}

fn malformed(offset: usize, message: String) -> Fault {
    Fault::new(Reason::Malformed, offset, message, ESCAPE)
}

/// Name, value and what follows. White space between attributes may be missing.
pub(super) fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = split_at_byte(text, b'=')?;
    let rest = rest.trim_start_matches(is_space);
    let quote = *rest.as_bytes().first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let (value, after) = split_at_byte(rest.get(1..)?, quote)?;
    Some((name.trim_end_matches(is_space), value, after))
}

/// What stands before and after an ASCII byte.
fn split_at_byte(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(byte, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_name(name: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':') || !c.is_ascii();
    let more = |c: char| start(c) || c.is_ascii_digit() || matches!(c, '-' | '.');
    name.chars().next().is_some_and(start) && name.chars().all(more)
}

fn check_value(value: &str, offset: usize) -> Result<(), Fault> {
    for at in memchr::memchr2_iter(b'<', b'&', value.as_bytes()) {
        let rest = value.get(at..).unwrap_or_default();
        if rest.starts_with('<') {
            return Err(malformed(offset, "an unescaped `<` in an attribute".to_owned()));
        }
        let reference = rest.get(..rest.find(';').map_or(rest.len(), |end| end + 1)).unwrap_or_default();
        if !is_reference(reference) {
            return Err(bad_reference(reference, offset));
        }
    }
    Ok(())
}

/// Whether a text is `&..;` with one of the five entities of XML or a reference to a character that XML allows.
pub(super) fn is_reference(text: &str) -> bool {
    text.strip_prefix('&').and_then(|text| text.strip_suffix(';')).and_then(referred).is_some()
}

/// The character that stands between `&` and `;`.
fn referred(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let (digits, radix) = digits.strip_prefix('x').map_or((digits, 10), |digits| (digits, 16));
            if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
                return None;
            }
            let c = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)?;
            (matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'))).then_some(c)
        }
    }
}

fn resolve(value: &str) -> Cow<'_, str> {
    if !value.bytes().any(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r')) {
        return Cow::Borrowed(value.trim());
    }
    let mut resolved = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        resolved.extend(before.chars().map(spaced));
        let (name, after) = after.split_once(';').unwrap_or((after, ""));
        resolved.extend(referred(name));
        rest = after;
    }
    resolved.extend(rest.chars().map(spaced));
    Cow::Owned(resolved.trim().to_owned())
}

/// White space in an attribute reads as a space (XML 1.0, 3.3.3).
fn spaced(c: char) -> char {
    if matches!(c, '\t' | '\n' | '\r') { ' ' } else { c }
}
