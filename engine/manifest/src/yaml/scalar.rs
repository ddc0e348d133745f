//! The value of a plain scalar, as serde_yaml reads it.

use super::Value;

/// The value of a plain scalar; none when serde_yaml refuses it, such as a number beyond 64 bits.
pub(super) fn resolve(plain: &str) -> Option<Value> {
    if !could_be_more_than_text(plain) {
        return Some(Value::Text(plain.to_owned()));
    }
    // A list item, because a scalar such as `---` alone would be a document marker.
    match serde_yaml::from_str::<[serde_yaml::Value; 1]>(&format!("- {plain}")).ok()? {
        [serde_yaml::Value::Null] => Some(Value::Null),
        [serde_yaml::Value::Bool(flag)] => Some(Value::Flag(flag)),
        [serde_yaml::Value::Number(number)] => Some(Value::Number(number)),
        [serde_yaml::Value::String(text)] if text == plain => Some(Value::Text(text)),
        _ => None,
    }
}

/// Whether a plain scalar could be null, a flag or a number. A quick look; [`super::agree`] checks the whole document.
fn could_be_more_than_text(plain: &str) -> bool {
    plain.as_bytes().first().is_none_or(|first| first.is_ascii_digit() || b"+-.~nNtTfF".contains(first))
}
