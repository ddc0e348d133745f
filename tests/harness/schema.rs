//! The part of JSON Schema (draft 7) that our schemas use. What it does not know it refuses, so that no schema goes unchecked.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt::Write,
    process::Command,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};

/// What is wrong with a value, one line each; empty when nothing is.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    Checker { root: schema }.faults(schema, value)
}

/// A schema, and the whole one that it refers into.
struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.check(schema, value, "$", &mut found);
        found
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$schema" | "id" | "$id" | "title" | "description" | "default" | "definitions" => {}
                // Says something to people: no program can be held to it.
                "format" => {}
                "uniqueItems" if *rule == Value::Bool(false) => {}
                "uniqueItems" => {
                    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                    if (1..items.len()).any(|at| items[..at].contains(&items[at])) {
                        found.push(format!("{at} has an item twice"));
                    }
                }
                // What is no keyword of JSON Schema says something to people and checks nothing.
                keyword if keyword.starts_with("x-") => {}
                "$ref" => {
                    let pointer = rule.as_str().unwrap().trim_start_matches('#');
                    self.check(self.root.pointer(pointer).expect("a definition"), value, at, found);
                }
                "const" if rule == value => {}
                "enum" if rule.as_array().unwrap().contains(value) => {}
                "const" | "enum" => found.push(format!("{at} is {value}, not {rule}")),
                "type" => has_type(rule, value, at, found),
                "pattern" => {
                    if let Some(text) = value.as_str().filter(|text| !pattern(rule.as_str().unwrap()).is_match(text)) {
                        found.push(format!("{at}: `{text}` does not match {rule}"));
                    }
                }
                "minimum" | "maximum" => within(keyword, rule, value, at, found),
                "minItems" if value.as_array().is_some_and(|items| items.len() < rule.as_u64().unwrap() as usize) => {
                    found.push(format!("{at} has fewer than {rule} items"));
                }
                "minItems" => {}
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}[{index}]"), found);
                    }
                }
                "required" => {
                    for name in rule.as_array().unwrap() {
                        if value.as_object().is_some_and(|members| !members.contains_key(name.as_str().unwrap())) {
                            found.push(format!("{at} has no {name}"));
                        }
                    }
                }
                "properties" | "additionalProperties" => {}
                "propertyNames" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        self.check(rule, &Value::from(name.as_str()), &format!("{at} key"), found);
                    }
                }
                "anyOf" | "oneOf" => {
                    let fitting =
                        rule.as_array().unwrap().iter().filter(|choice| self.faults(choice, value).is_empty()).count();
                    if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
                        found.push(format!("{at} fits {fitting} of {keyword}: {value}"));
                    }
                }
                "not" if self.faults(rule, value).is_empty() => found.push(format!("{at} is what it may not be")),
                "not" => {}
                other => panic!("the keyword `{other}` is not known here"),
            }
        }
        self.members(schema, value, at, found);
    }

    fn members(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, member) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(schema), _) => self.check(schema, member, &at, found),
                (None, Some(Value::Bool(false))) => found.push(format!("{at} is not known")),
                (None, Some(schema @ Value::Object(_))) => self.check(schema, member, &at, found),
                _ => {}
            }
        }
    }
}

fn has_type(names: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the type `{other}` is not known here"),
    };
    let fits = match names {
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        name => is(name.as_str().unwrap()),
    };
    if !fits {
        found.push(format!("{at} is no {names}: {value}"));
    }
}

fn within(keyword: &str, rule: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let (Some(bound), Some(number)) = (rule.as_f64(), value.as_f64()) else { return };
    if (keyword == "minimum" && number < bound) || (keyword == "maximum" && number > bound) {
        found.push(format!("{at} is {value}, beyond the {keyword} {rule}"));
    }
}

thread_local! {
    /// Each pattern is compiled once.
    static PATTERNS: RefCell<HashMap<String, Rc<Pattern>>> = RefCell::default();
}

fn pattern(text: &str) -> Rc<Pattern> {
    PATTERNS.with_borrow_mut(|all| all.entry(text.to_owned()).or_insert_with(|| Rc::new(compiled(text))).clone())
}

/// Look-ahead is all that `regex` does not have; our schemas use it in one pattern, to keep paths inside the checkout.
fn compiled(text: &str) -> Pattern {
    let inside = text.strip_prefix("^(?!/|~|.*\\\\|(.*/)?\\.\\.(/|$))");
    let rest = inside.map_or(text.to_owned(), |rest| format!("^{rest}"));
    Pattern { stays_inside: inside.is_some(), rest: regex::Regex::new(&rest).unwrap() }
}

struct Pattern {
    stays_inside: bool,
    rest: regex::Regex,
}

impl Pattern {
    fn is_match(&self, text: &str) -> bool {
        let leaves = text.starts_with(['/', '~']) || text.contains('\\') || text.split('/').any(|part| part == "..");
        self.rest.is_match(text) && !(self.stays_inside && leaves)
    }
}

/// Whatever the binary prints as a document of its own is described by it, and fits.
#[track_caller]
pub fn described(text: &str) {
    let document = match serde_json::from_str::<Value>(text) {
        Ok(document) if document.is_object() => document,
        _ => return,
    };
    let form = document.get("schema").and_then(Value::as_str).and_then(|name| name.strip_prefix("runmill."));
    let Some(name) = form.and_then(|name| name.strip_suffix("/v1")) else { return };
    fits(&printed(name), &document);
}

/// The schema of this name, as the binary prints it.
#[track_caller]
pub fn printed(name: &str) -> Arc<Value> {
    static ALL: Mutex<BTreeMap<String, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(name) {
        return known.clone();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_runmill")).args(["schema", name]).env_clear().output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "a document `{name}` is printed that `runmill schema` does not describe: {said}");
    let schema = Arc::new(serde_json::from_slice::<Value>(&output.stdout).unwrap());
    all.insert(name.to_owned(), schema.clone());
    schema
}

/// The value fits.
#[track_caller]
pub fn fits(schema: &Value, value: &Value) {
    let mut text = String::new();
    faults(schema, value).iter().for_each(|fault| writeln!(text, "  {fault}").unwrap());
    assert!(text.is_empty(), "{text}{value:#}");
}
