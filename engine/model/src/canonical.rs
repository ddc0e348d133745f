//! Canonical JSON as in RFC 8785: members sorted by UTF-16 code units, shortest ECMAScript numbers, minimal escapes.

use serde::Serialize;
use serde_json::Value;

use crate::Digest;

/// A value that has no canonical form: a number that is not finite, or a value serde cannot express as JSON.
#[derive(Debug, thiserror::Error)]
#[error("no canonical form: {0}")]
pub struct CanonicalError(String);

/// The canonical bytes of a document. A field that holds a float which is not finite becomes `null`, as serde_json has it;
/// documents whose numbers come from outside keep them in types that hold finite ones only.
///
/// # Errors
/// The value cannot be expressed as JSON.
pub fn to_bytes<T: Serialize + ?Sized>(document: &T) -> Result<Vec<u8>, CanonicalError> {
    let value = serde_json::to_value(document).map_err(|error| CanonicalError(error.to_string()))?;
    let mut out = Vec::new();
    write_value(&mut out, &value)?;
    Ok(out)
}

/// The digest of the canonical bytes of a document.
///
/// # Errors
/// The value cannot be expressed as JSON.
pub fn digest<T: Serialize + ?Sized>(document: &T) -> Result<Digest, CanonicalError> {
    Ok(Digest::of(&to_bytes(document)?))
}

/// Appends the canonical bytes of `value`.
///
/// # Errors
/// A number is not finite.
pub fn write_value(out: &mut Vec<u8>, value: &Value) -> Result<(), CanonicalError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => {
            let double = number.as_f64().filter(|double| double.is_finite());
            let double = double.ok_or_else(|| CanonicalError(format!("`{number}` is not a finite number")))?;
            write_number(out, double)?;
        }
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(out, item)?;
            }
            out.push(b']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| compare_names(a, b));
            out.push(b'{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(out, name);
                out.push(b':');
                write_value(out, member)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

/// Appends the shortest ECMAScript text of a number.
///
/// # Errors
/// The number is not finite.
pub fn write_number(out: &mut Vec<u8>, number: f64) -> Result<(), CanonicalError> {
    if !number.is_finite() {
        return Err(CanonicalError(format!("`{number}` is not a finite number")));
    }
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
    Ok(())
}

/// Compares member names as sequences of UTF-16 code units.
pub fn compare_names(a: &str, b: &str) -> std::cmp::Ordering {
    // Bytes, code points and code units have the same order until a surrogate is involved.
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// Appends a quoted string with the escapes of RFC 8785.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=31)) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        rest = after;
        let short = match byte {
            8 => b'b',
            9 => b't',
            10 => b'n',
            12 => b'f',
            13 => b'r',
            0..=31 => {
                let low = HEX.get(usize::from(byte & 15)).copied().unwrap_or(b'0');
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + (byte >> 4), low]);
                continue;
            }
            quoted => quoted,
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(String::from_utf8(to_bytes(&value).unwrap()).unwrap(), expect);
    }

    #[test]
    fn sorts_members_by_utf16_and_keeps_arrays() {
        check(r#"{"b":1,"a":[3,2],"\ufb33":0,"\ud83d\ude00":0}"#, "{\"a\":[3,2],\"b\":1,\"😀\":0,\"\u{fb33}\":0}");
    }

    #[test]
    fn writes_ecmascript_numbers_and_minimal_escapes() {
        check("[-0.0,1e21,5e-7,0.000001,9007199254740993,42.0]", "[0,1e+21,5e-7,0.000001,9007199254740992,42]");
        check(r#""\u0001\n\u007f\/\u2028""#, "\"\\u0001\\n\u{7f}/\u{2028}\"");
    }
}
