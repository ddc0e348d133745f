//! Parameters of packs.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    PathPattern,
    invalid::{InvalidValue, quoted},
    words::words,
    yaml::{enumeration, suggestion},
};

/// The name of a parameter, which rules read as a property: `^[a-z][a-z0-9_]*$`, at most 64 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ParamName(String);

impl ParamName {
    /// Checks the name.
    ///
    /// # Errors
    /// It is not a lower-case letter followed by lower-case letters, digits and `_`.
    pub fn new(name: &str) -> Result<Self, InvalidValue> {
        let valid = name.len() <= 64
            && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if valid {
            return Ok(Self(name.to_owned()));
        }
        let help = "write lower-case letters, digits and `_`, starting with a letter; rules read it as a property";
        Err(InvalidValue::new(format!("{} is not a parameter's name", quoted(name)), help))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ParamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ParamName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

words! {
    /// The type of a parameter.
    ParamType {
        /// True or false.
        Bool = "bool",
        /// A whole number of 64 bits.
        Int = "int",
        /// A text.
        Text = "text",
        /// Path patterns.
        Globs = "globs",
        /// Texts.
        List = "list",
        /// One of a closed list of texts.
        Choice = "choice",
    }
}

/// A parameter's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamValue {
    /// Of `bool`.
    Bool(bool),
    /// Of `int`.
    Int(i64),
    /// Of `text` and `choice`.
    Text(String),
    /// Of `globs` and `list`.
    List(Vec<String>),
}

impl ParamValue {
    fn noun(&self) -> &'static str {
        match self {
            Self::Bool(_) => "true or false",
            Self::Int(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
        }
    }
}

/// A parameter as a pack declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub(super) name: ParamName,
    pub(super) ty: ParamType,
    pub(super) choices: Vec<String>,
    pub(super) default: Option<ParamValue>,
    pub(super) doc: Option<String>,
}

impl Param {
    /// Its name.
    pub fn name(&self) -> &ParamName {
        &self.name
    }

    /// Its type.
    pub fn ty(&self) -> ParamType {
        self.ty
    }

    /// What a choice may be, at least two, each once; empty for other types.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Its value when nobody gives one; it has the type.
    pub fn default(&self) -> Option<&ParamValue> {
        self.default.as_ref()
    }

    /// What it is for; not blank.
    pub fn doc(&self) -> Option<&str> {
        self.doc.as_deref()
    }

    /// The value as one of this parameter's type; a single text stands for a list of one.
    ///
    /// # Errors
    /// It has another type, is no choice, or holds something that is no path pattern.
    pub fn fit(&self, value: &ParamValue) -> Result<ParamValue, InvalidValue> {
        match (self.ty, value) {
            (ParamType::Bool, ParamValue::Bool(_))
            | (ParamType::Int, ParamValue::Int(_))
            | (ParamType::Text, ParamValue::Text(_)) => Ok(value.clone()),
            (ParamType::Choice, ParamValue::Text(text)) => self.choice(text),
            (ParamType::List, ParamValue::List(_)) => Ok(value.clone()),
            (ParamType::List, ParamValue::Text(text)) => Ok(ParamValue::List(vec![text.clone()])),
            (ParamType::Globs, ParamValue::List(texts)) => globs(texts),
            (ParamType::Globs, ParamValue::Text(text)) => globs(std::slice::from_ref(text)),
            (ty, value) => Err(InvalidValue::new(
                format!(
                    "the parameter {} must be {}, and it is {}",
                    quoted(self.name.as_str()),
                    noun(ty),
                    value.noun()
                ),
                format!("write {}", example(ty)),
            )),
        }
    }

    fn choice(&self, text: &str) -> Result<ParamValue, InvalidValue> {
        if self.choices.iter().any(|choice| choice == text) {
            return Ok(ParamValue::Text(text.to_owned()));
        }
        let choices: Vec<_> = self.choices.iter().map(String::as_str).collect();
        let help = suggestion(text, &choices).unwrap_or_else(|| format!("write {}", enumeration(&choices)));
        Err(InvalidValue::new(format!("{} is no choice of {}", quoted(text), quoted(self.name.as_str())), help))
    }
}

fn globs(texts: &[String]) -> Result<ParamValue, InvalidValue> {
    for text in texts {
        PathPattern::new(text.as_str())?;
    }
    Ok(ParamValue::List(texts.to_vec()))
}

fn noun(ty: ParamType) -> &'static str {
    match ty {
        ParamType::Bool => "true or false",
        ParamType::Int => "a whole number",
        ParamType::Text => "a text",
        ParamType::Globs => "one or more path patterns",
        ParamType::List => "one or more texts",
        ParamType::Choice => "one of its choices",
    }
}

fn example(ty: ParamType) -> &'static str {
    match ty {
        ParamType::Bool => "true or false, without quotes",
        ParamType::Int => "a whole number, without quotes",
        ParamType::Text | ParamType::Choice => "a text in quotes",
        ParamType::Globs => "patterns such as `payments/**`",
        ParamType::List => "texts in quotes",
    }
}
