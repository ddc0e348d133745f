//! JSON values whose numbers are doubles, and their canonical bytes.

use std::sync::Arc;

use runmill_model::{
    Digest,
    canonical::{compare_names, write_number, write_string},
};

/// A JSON value. Cloning shares text, arrays and objects.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as the nearest double; infinite when its text is beyond every double.
    Number(f64),
    /// A text.
    Text(Arc<str>),
    /// An array.
    List(Arc<Vec<Json>>),
    /// An object.
    Object(Object),
}

/// The members of an object: each name once, sorted by UTF-16 code units.
#[derive(Debug, Clone, PartialEq)]
pub struct Object(Arc<Vec<(Arc<str>, Json)>>);

impl Object {
    /// The members, or the first name that stands twice.
    pub(super) fn new(mut members: Vec<(Arc<str>, Json)>) -> Result<Self, Arc<str>> {
        members.sort_by(|(a, _), (b, _)| compare_names(a, b));
        let twice = members.iter().zip(members.iter().skip(1)).find(|((a, _), (b, _))| a == b);
        match twice {
            Some(((name, _), _)) => Err(Arc::clone(name)),
            None => Ok(Self(Arc::new(members))),
        }
    }

    /// The member with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let at = self.0.binary_search_by(|(member, _)| compare_names(member, name)).ok()?;
        self.0.get(at).map(|(_, json)| json)
    }

    /// The members in the order of their canonical form.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, json)| (name.as_ref(), json))
    }

    /// The same object without one of its members.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self(Arc::new(self.0.iter().filter(|(member, _)| member.as_ref() != name).cloned().collect()))
    }
}

impl Json {
    /// The member of an object with this name; none for other values.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            _ => None,
        }
    }

    /// The text; none for other values.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The canonical bytes, RFC 8785; none when a number in it is infinite.
    pub fn canonical(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        self.write(&mut out).then_some(out)
    }

    /// The digest of the canonical bytes; none when a number in it is infinite.
    pub fn digest(&self) -> Option<Digest> {
        self.canonical().map(|bytes| Digest::of(&bytes))
    }

    fn write(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(true) => out.extend_from_slice(b"true"),
            Self::Bool(false) => out.extend_from_slice(b"false"),
            Self::Number(number) => return write_number(out, *number).is_ok(),
            Self::Text(text) => write_string(out, text),
            Self::List(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    if !item.write(out) {
                        return false;
                    }
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (index, (name, member)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    write_string(out, name);
                    out.push(b':');
                    if !member.write(out) {
                        return false;
                    }
                }
                out.push(b'}');
            }
        }
        true
    }
}
