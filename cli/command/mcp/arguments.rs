//! The arguments of tools. What a tool does not know is refused, and an id is never more than an id.

use runmill_model::{Code, Problem};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value, json};

/// The longest id, in bytes.
const LONGEST_ID: usize = 256;

/// How much of a wrong argument is repeated.
const SHOWN: usize = 80;

/// An id: something that is looked up.
#[derive(Debug)]
pub struct Id(String);

impl Id {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The schema of an id.
    pub fn schema(doc: &str) -> Value {
        json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$", "maxLength": LONGEST_ID, "description": doc })
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let begins = text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._:-".contains(letter));
        if begins && plain && text.len() <= LONGEST_ID {
            return Ok(Self(text));
        }
        let shown: String = text.escape_default().take(SHOWN).collect();
        Err(de::Error::custom(format!(
            "`{shown}` is no id: an id is at most {LONGEST_ID} plain letters, digits and `.`, `_`, `:`, `-`"
        )))
    }
}

/// No arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// `draft_contract`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contracted {
    pub intent: Option<String>,
    #[serde(default)]
    pub profiles: Vec<Id>,
}

/// `begin_session`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    pub draft: Option<Id>,
    pub intent: Option<String>,
    #[serde(default)]
    pub profiles: Vec<Id>,
}

/// A session, or the latest open one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfSession {
    pub session: Option<Id>,
}

/// `verify_profile`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfProfile {
    pub profile: Id,
    pub session: Option<Id>,
}

/// `propose_check`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCheck {
    pub check: Id,
}

/// A recorded run, or the newest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfRun {
    pub run: Option<Id>,
}

/// `explain_finding`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfFinding {
    pub fingerprint: Id,
    pub run: Option<Id>,
}

/// Reads the arguments of a call.
pub fn given<T: de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Problem> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let what: String = error.to_string().chars().take(4 * SHOWN).collect();
        let help = "give what the tool describes and nothing else; an id is looked up, and takes no arguments of its own. \
                    `list_profiles` names the ids of profiles";
        Problem::new(Code::Config004, format!("the arguments cannot be used: {what}"), help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(id: &str) -> Result<OfProfile, Problem> {
        given(json!({ "profile": id }).as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn an_id_is_letters_digits_and_four_marks() {
        for id in ["a", "unit-tests", "packages:api:unit", "sha256:00", "1.0_x"] {
            assert_eq!(profile(id).unwrap().profile.as_str(), id);
        }
        let long = "a".repeat(LONGEST_ID + 1);
        for id in
            ["", "-a", ".", "../a", "a b", "a;b", "a --fast", "a\n", "\u{430}", "a\u{200b}", "$(a)", long.as_str()]
        {
            let refused = profile(id).err().expect(id);
            assert!(refused.message.contains("is no id") && refused.message.len() < 400, "{refused:?}");
        }
    }
}
