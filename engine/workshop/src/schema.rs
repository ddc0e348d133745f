//! What rules can read and call: the fact schema and the functions, for people and as JSON Schema.

use runmill_model::{Form, Kind, Type, facts::Accessor};
use runmill_policy::Offered;
use serde_json::{Map, Value, json};

/// A kind of fact.
#[derive(Debug, Clone)]
pub struct KindPage {
    /// The kind.
    pub kind: Kind,
    /// What such a fact says.
    pub doc: String,
    /// Its properties, those that are computed last.
    pub properties: Vec<PropertyPage>,
}

/// A property of a fact.
#[derive(Debug, Clone)]
pub struct PropertyPage {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// What it holds; the words it can be, where there are only a few.
    pub doc: String,
}

/// Every kind, in the order of the declarations.
pub fn kinds() -> Vec<KindPage> {
    let kind = |kind: &Kind| KindPage {
        kind: *kind,
        doc: flowing(kind.doc()),
        properties: kind.accessors().iter().map(property).collect(),
    };
    Kind::ALL.iter().map(kind).collect()
}

/// Everything that rules can call.
pub fn functions() -> Vec<Offered> {
    runmill_stdlib::registry().offered()
}

/// The fact schema as Markdown.
pub fn markdown() -> String {
    let mut page = String::new();
    for KindPage { kind, doc, properties } in kinds() {
        page.push_str(&format!("\n## `{}`\n\n{doc}\n\n", kind.as_str()));
        for PropertyPage { name, ty, doc } in properties {
            page.push_str(&format!("- `{name}`: {ty}. {doc}\n"));
        }
    }
    page
}

/// The JSON Schema (draft 7) of fact graphs in their JSON form. What rules can read beside the stored fields stands under
/// `x-computed` of each kind, what they can call under `x-functions`.
pub fn json_schema() -> Value {
    let kinds: Map<String, Value> = Kind::ALL.iter().map(|kind| (kind.as_str().to_owned(), of_kind(*kind))).collect();
    let functions: Vec<Value> =
        functions().into_iter().map(|it| json!({ "section": it.section, "usage": it.usage, "doc": it.doc })).collect();
    let test = json!({
        "type": "object",
        "description": "A test that a report lists.",
        "properties": { "group": { "type": "string" }, "name": { "type": "string" } },
        "required": ["name"],
        "additionalProperties": false,
    });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": runmill_model::graph::SCHEMA,
        "description": "The sealed facts of a run, as rules see them. Test sets are places in `tests`, 0-based.",
        "type": "object",
        "properties": {
            "schema": { "const": runmill_model::graph::SCHEMA },
            "tests": { "type": "array", "items": test },
            "facts": { "type": "object", "properties": kinds, "additionalProperties": false },
        },
        "required": ["schema", "tests", "facts"],
        "additionalProperties": false,
        "x-functions": functions,
    })
}

fn of_kind(kind: Kind) -> Value {
    let (mut fields, mut required, mut computed) = (Map::new(), Vec::new(), Map::new());
    for accessor in kind.accessors() {
        let Accessor { name, doc, ty, stored, left_out, .. } = accessor;
        match stored {
            Some(form) => {
                let mut shape = shape(*ty, *form);
                if let Some(members) = shape.as_object_mut() {
                    members.insert("description".to_owned(), json!(flowing(doc)));
                }
                fields.insert((*name).to_owned(), shape);
                if !left_out && !matches!(ty, Type::Optional(_)) {
                    required.push(*name);
                }
            }
            None => {
                computed.insert((*name).to_owned(), json!({ "type": ty.to_string(), "doc": flowing(doc) }));
            }
        }
    }
    let fact = json!({
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": false,
        "x-computed": computed,
    });
    json!({ "type": "array", "description": flowing(kind.doc()), "items": fact })
}

fn shape(ty: Type, form: Form) -> Value {
    match (ty, form) {
        (Type::Optional(of), form) => json!({ "anyOf": [shape(*of, form), { "type": "null" }] }),
        (Type::List(of), form) => json!({ "type": "array", "items": shape(*of, form) }),
        (_, Form::Words(words)) => json!({ "enum": words }),
        (_, Form::Commit) => json!({ "type": "string", "pattern": "^[0-9a-f]{40}$" }),
        (_, Form::Digest) => json!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" }),
        (_, Form::Repeat) => json!({
            "type": "object",
            "properties": { "test": { "type": "integer", "minimum": 0 }, "times": { "type": "integer", "minimum": 2 } },
            "required": ["test", "times"],
            "additionalProperties": false,
        }),
        (Type::Bool, Form::Plain) => json!({ "type": "boolean" }),
        (Type::Int, Form::Plain) => json!({ "type": "integer" }),
        (Type::Tests, Form::Plain) => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        (Type::Text | Type::Fact(_) | Type::AnyFact | Type::Result, Form::Plain) => json!({ "type": "string" }),
    }
}

fn property(accessor: &Accessor) -> PropertyPage {
    let Accessor { name, doc, ty, stored, .. } = accessor;
    let words = match stored {
        Some(Form::Words(words)) => format!(" One of `{}`.", words.join("`, `")),
        _ => String::new(),
    };
    PropertyPage { name, ty: *ty, doc: format!("{}{words}", flowing(doc)) }
}

/// A comment's lines as one.
pub(crate) fn flowing(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
