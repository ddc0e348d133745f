//! Schemas in the making. Every object is closed, and every member says what it is.

use serde_json::{Map, Value, json};

/// What a value may be, as JSON Schema (draft 7, which editors know).
#[derive(Debug, Clone, PartialEq)]
pub struct Shape(Map<String, Value>);

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    name: &'static str,
    shape: Shape,
    is_required: bool,
}

impl Shape {
    fn of(value: Value) -> Self {
        match value {
            Value::Object(members) => Self(members),
            other => Self(Map::from_iter([("const".to_owned(), other)])),
        }
    }

    /// Anything.
    pub fn any() -> Self {
        Self(Map::new())
    }

    /// What stands under this name in the `definitions` of the document, for what is made of its own kind.
    pub fn defined(name: &str) -> Self {
        Self::of(json!({ "$ref": format!("#/definitions/{name}") }))
    }

    /// Exactly this.
    pub fn constant(value: impl Into<Value>) -> Self {
        Self(Map::from_iter([("const".to_owned(), value.into())]))
    }

    /// A text that is not blank.
    pub fn text() -> Self {
        Self::of(json!({ "type": "string", "pattern": "\\S" }))
    }

    /// Any text, the empty one too.
    pub fn any_text() -> Self {
        Self::of(json!({ "type": "string" }))
    }

    /// A text of a form.
    pub fn pattern(pattern: &str) -> Self {
        Self::of(json!({ "type": "string", "pattern": pattern }))
    }

    /// One of a closed list of words.
    pub fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self::of(json!({ "enum": words.into_iter().collect::<Vec<_>>() }))
    }

    /// `true` or `false`.
    pub fn flag() -> Self {
        Self::of(json!({ "type": "boolean" }))
    }

    /// A whole number within bounds.
    pub fn whole(bounds: std::ops::RangeInclusive<u64>) -> Self {
        Self::of(json!({ "type": "integer", "minimum": bounds.start(), "maximum": bounds.end() }))
    }

    /// A whole number, of either sign.
    pub fn integer() -> Self {
        Self::of(json!({ "type": "integer" }))
    }

    /// A number from 0.
    pub fn amount() -> Self {
        Self::of(json!({ "type": "number", "minimum": 0 }))
    }

    /// A list.
    pub fn list(items: Self) -> Self {
        Self::of(json!({ "type": "array", "items": items.0 }))
    }

    /// A list with something in it.
    pub fn some(items: Self) -> Self {
        Self::of(json!({ "type": "array", "items": items.0, "minItems": 1 }))
    }

    /// A mapping with free keys of a form.
    pub fn map(key: &str, value: Self) -> Self {
        Self::of(json!({ "type": "object", "propertyNames": { "pattern": key }, "additionalProperties": value.0 }))
    }

    /// An object with these members and no others.
    pub fn object(members: impl IntoIterator<Item = Member>) -> Self {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for Member { name, shape, is_required } in members {
            properties.insert(name.to_owned(), Value::Object(shape.0));
            required.extend(is_required.then_some(name));
        }
        let mut object = json!({ "type": "object", "additionalProperties": false });
        if let Some(members) = object.as_object_mut() {
            members.insert("properties".to_owned(), Value::Object(properties));
            if !required.is_empty() {
                members.insert("required".to_owned(), required.into());
            }
        }
        Self::of(object)
    }

    /// Either of several.
    pub fn either(shapes: impl IntoIterator<Item = Self>) -> Self {
        let shapes: Vec<_> = shapes.into_iter().map(|shape| Value::Object(shape.0)).collect();
        Self::of(json!({ "anyOf": shapes }))
    }

    /// It, or `null`.
    #[must_use]
    pub fn or_null(self) -> Self {
        Self::either([self, Self::of(json!({ "type": "null" }))])
    }

    /// Exactly one of these members must be there.
    #[must_use]
    pub fn one_of<const N: usize>(mut self, names: [&str; N]) -> Self {
        let choices: Vec<_> = names.iter().map(|name| json!({ "required": [name] })).collect();
        self.0.insert("oneOf".to_owned(), choices.into());
        self
    }

    /// At most one of these two members may be there.
    #[must_use]
    pub fn not_both(mut self, one: &str, other: &str) -> Self {
        self.0.insert("not".to_owned(), json!({ "required": [one, other] }));
        self
    }

    /// What holds where it is not written.
    #[must_use]
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.0.insert("default".to_owned(), value.into());
        self
    }

    /// What it is, for people.
    #[must_use]
    pub fn doc(mut self, text: &str) -> Self {
        self.0.insert("description".to_owned(), text.into());
        self
    }

    /// The member of this name; it may be left out.
    pub fn named(self, name: &'static str) -> Member {
        Member { name, shape: self, is_required: false }
    }

    /// The member of this name; it must be there.
    pub fn needed(self, name: &'static str) -> Member {
        Member { name, shape: self, is_required: true }
    }

    /// The schema as it stands under `definitions`.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// A whole schema.
    pub fn into_document(mut self, title: &str) -> Value {
        self.0.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
        self.0.insert("title".to_owned(), title.into());
        Value::Object(self.0)
    }
}
