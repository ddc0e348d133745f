//! One line: a JSON object without repeated keys.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::{Reason, rejection::Fault};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Start,
    Run,
    Pass,
    Fail,
    Skip,
    BuildFail,
    /// Read past: `output`, `pause`, `cont`, `bench`, `attr`, and every action that is not known.
    Other,
}

impl Action {
    fn named(name: &str) -> Self {
        match name {
            "start" => Self::Start,
            "run" => Self::Run,
            "pass" => Self::Pass,
            "fail" => Self::Fail,
            "skip" => Self::Skip,
            "build-fail" => Self::BuildFail,
            _ => Self::Other,
        }
    }
}

/// The parts of an event that matter.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub action: Action,
    pub package: Option<Cow<'a, str>>,
    pub test: Option<Cow<'a, str>>,
    pub import_path: Option<Cow<'a, str>>,
}

const TOO_DEEP: &str = "nested deeper than";

/// Reads a line that starts at `offset`.
///
/// # Errors
/// Anything but one JSON object, a repeated key at any depth, a text of another type, too many levels.
pub(super) fn read(line: &str, depth: u32, offset: usize) -> Result<Event<'_>, Fault> {
    let mut json = serde_json::Deserializer::from_str(line);
    let event = json.deserialize_map(EventVisitor { depth }).and_then(|event| json.end().map(|()| event));
    event.map_err(|error| {
        let at = offset + error.column().saturating_sub(1).min(line.len());
        let text = error.to_string();
        let reason = if text.starts_with(TOO_DEEP) { Reason::TooDeep } else { Reason::Malformed };
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        let fix = "keep other text out of the stream: write one `go test -json` run to the file, its standard error elsewhere";
        Fault::new(reason, at, format!("a line that is not one JSON object: {text}"), fix)
    })
}

struct EventVisitor {
    depth: u32,
}

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<'de>, A::Error> {
        let mut event = Event { action: Action::Other, package: None, test: None, import_path: None };
        let mut keys = Keys::default();
        let value = Checked { depth: self.depth.saturating_sub(1) };
        while let Some(key) = map.next_key_seed(Text)? {
            keys.add(key.clone())?;
            match key.as_ref() {
                "Action" => event.action = Action::named(&map.next_value_seed(Text)?),
                "Package" => event.package = Some(map.next_value_seed(Text)?),
                "Test" => event.test = Some(map.next_value_seed(Text)?),
                "ImportPath" => event.import_path = Some(map.next_value_seed(Text)?),
                _ => map.next_value_seed(value)?,
            }
        }
        Ok(event)
    }
}

/// The keys of one object. The usual ones need no memory.
#[derive(Default)]
struct Keys<'a> {
    usual: u16,
    others: BTreeSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    fn add<E: Error>(&mut self, key: Cow<'a, str>) -> Result<(), E> {
        const USUAL: [&str; 8] = ["Time", "Action", "Package", "Test", "Output", "Elapsed", "ImportPath", "OutputType"];
        let is_new = match USUAL.iter().position(|usual| *usual == key) {
            Some(place) => {
                let before = self.usual;
                self.usual |= 1 << place;
                self.usual != before
            }
            None if self.others.contains(&key) => false,
            None => {
                self.others.insert(key.clone());
                true
            }
        };
        if is_new { Ok(()) } else { Err(E::custom(format!("the key `{key}` stands twice"))) }
    }
}

/// A text, borrowed where it holds no escapes.
#[derive(Clone, Copy)]
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A value that is skipped, with its keys and depth checked.
#[derive(Clone, Copy)]
struct Checked {
    depth: u32,
}

impl Checked {
    fn inner<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| E::custom(format!("{TOO_DEEP} allowed")))?;
        Ok(Self { depth })
    }
}

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inner = self.inner()?;
        while seq.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.inner()?;
        let mut keys = Keys::default();
        while let Some(key) = map.next_key_seed(Text)? {
            keys.add(key)?;
            map.next_value_seed(inner)?;
        }
        Ok(())
    }
}
