//! KDL nodes to a pack manifest.

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};
use runmill_model::PackName;

use super::{
    PackManifest, Param, ParamName, ParamType, ParamValue,
    node::{Body, Values, entry_span, name_span, unknown_node},
};
use crate::{
    Version,
    faults::{Fault, Faults, Once, Span},
    invalid::{self, InvalidValue, quoted},
    yaml::{enumeration, suggestion},
};

pub(super) fn manifest(document: &KdlDocument, faults: &mut Faults) -> Option<PackManifest> {
    let mut packs = document.nodes().iter().filter(|node| node.name().value() == "pack");
    for node in document.nodes().iter().filter(|node| node.name().value() != "pack") {
        unknown_node(node, "the file", &["pack"], faults);
    }
    let Some(pack) = packs.next() else {
        faults.add(
            Fault::new(
                "the file holds no pack",
                "write `pack \"name\" version=\"1.0.0\" { engine \"0.1\"; facts 1; }`",
            )
            .at(Span::new(0, 0), "no `pack` in here"),
        );
        return None;
    };
    for second in packs {
        faults.add(
            Fault::new("the file holds two packs", "keep one; a pack is a folder")
                .at(name_span(second), "again here")
                .at(name_span(pack), "first here"),
        );
    }
    let mut body = Body::of(pack, "the pack", faults);
    let name = body.one_argument("a name", "write `pack \"team-rules\" version=\"1.0.0\"`", faults);
    let version = body.property("version");
    let engine = body.child("engine", faults);
    let facts = body.child("facts", faults);
    let description = body.child("description", faults);
    let params = body.children("param");
    body.close(faults);

    let name = name.and_then(|entry| parsed(entry, "name", faults, invalid::id::<PackName>));
    let version = match version {
        Some(entry) => parsed(entry, "version", faults, str::parse::<Version>),
        None => missing(pack, "version", "write `version=\"1.0.0\"`", faults),
    };
    let engine = match engine {
        Some(node) => only(node, faults).and_then(|entry| parsed(entry, "engine", faults, Version::from_short)),
        None => {
            missing(pack, "engine", "write the lowest engine version that may run it, such as `engine \"0.1\"`", faults)
        }
    };
    let facts = match facts {
        Some(node) => only(node, faults).and_then(|entry| schema_version(entry, faults)),
        None => missing(pack, "facts", "write the fact-schema version, `facts 1`", faults),
    };
    let description =
        description.and_then(|node| only(node, faults)).and_then(|entry| text(entry, "description", faults));
    let params = self::params(&params, faults);
    Some(PackManifest { name: name?, version: version?, engine: engine?, facts: facts?, description, params })
}

fn params(nodes: &[&KdlNode], faults: &mut Faults) -> Vec<Param> {
    let mut seen = Once::default();
    let mut params: Vec<Param> = Vec::new();
    for node in nodes {
        let Some(param) = param(node, faults) else { continue };
        seen.note(param.name.clone(), name_span(node), faults, || {
            Fault::new(
                format!("two parameters have the name {}", quoted(param.name.as_str())),
                "give each a name of its own",
            )
        });
        params.push(param);
    }
    params
}

fn param(node: &KdlNode, faults: &mut Faults) -> Option<Param> {
    let mut body = Body::of(node, "a parameter", faults);
    let name = body.one_argument("a name", "write `param \"name\" type=\"text\" doc=\"..\"`", faults);
    let ty = body.values("type", faults);
    let default = body.values("default", faults);
    let doc = body.values("doc", faults);
    let choices = body.values("choices", faults);
    body.close(faults);

    let name = name.and_then(|entry| parsed(entry, "param", faults, ParamName::new));
    let ty = match ty {
        Some(values) => values.single(faults).and_then(|entry| parsed(entry, "type", faults, param_type)),
        None => missing(node, "type", &format!("write `type=` and {}", enumeration(&type_names())), faults),
    };
    let doc = doc.and_then(|values| values.single(faults)).and_then(|entry| text(entry, "doc", faults));
    let (name, ty) = (name?, ty?);
    let choices = self::choices(choices.as_ref(), ty, node, faults);
    let mut param = Param { name, ty, choices, default: None, doc };
    param.default = default.and_then(|values| self::default(&values, &param, faults));
    Some(param)
}

fn type_names() -> Vec<&'static str> {
    ParamType::ALL.iter().map(|ty| ty.as_str()).collect()
}

fn param_type(text: &str) -> Result<ParamType, InvalidValue> {
    ParamType::ALL.iter().copied().find(|ty| ty.as_str() == text).ok_or_else(|| {
        let help = suggestion(text, &type_names()).unwrap_or_else(|| format!("write {}", enumeration(&type_names())));
        InvalidValue::new(format!("{} is not the type of a parameter", quoted(text)), help)
    })
}

/// More choices than this are not for people to choose from.
const MAX_CHOICES: usize = 64;

fn choices(given: Option<&Values<'_>>, ty: ParamType, node: &KdlNode, faults: &mut Faults) -> Vec<String> {
    let Some(values) = given else {
        if ty == ParamType::Choice {
            let fault = Fault::new(
                "a choice has no `choices`",
                "write `choices=\"all regressions\"`, or the child `choices \"all\" \"regressions\"`",
            );
            faults.add(fault.at(name_span(node), "no `choices` in here"));
        }
        return Vec::new();
    };
    if ty != ParamType::Choice {
        faults.add(
            Fault::new(format!("a parameter of type `{ty}` has no choices"), "remove them, or write `type=\"choice\"`")
                .at(values.span, "choices"),
        );
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for entry in &values.entries {
        let Some(written) = text(entry, "choices", faults) else { continue };
        let words: Vec<_> =
            if values.is_property { written.split_whitespace().collect() } else { vec![written.as_str()] };
        for word in words {
            if found.iter().any(|known| known == word) {
                faults.add(
                    Fault::new(format!("the choice {} is listed twice", quoted(word)), "keep one of the two")
                        .at(entry_span(entry), "again here"),
                );
            }
            found.push(word.to_owned());
            if found.len() > MAX_CHOICES {
                break;
            }
        }
    }
    if found.len() > MAX_CHOICES {
        let fault = Fault::new(format!("a choice has more than {MAX_CHOICES} choices"), "use a text instead");
        faults.add(fault.at(values.span, "too many"));
        return Vec::new();
    }
    if found.len() < 2 {
        faults.add(
            Fault::new("a choice needs at least two choices", "add one, or use another type")
                .at(values.span, "choices"),
        );
    }
    found
}

fn default(values: &Values<'_>, param: &Param, faults: &mut Faults) -> Option<ParamValue> {
    let value = match (values.entries.as_slice(), param.ty) {
        ([_], _) => values.single(faults).and_then(|entry| value(entry, faults))?,
        (entries, ParamType::Globs | ParamType::List) => {
            let texts: Vec<_> = entries.iter().map(|entry| text(entry, "default", faults)).collect();
            ParamValue::List(texts.into_iter().collect::<Option<Vec<_>>>()?)
        }
        _ => {
            values.single(faults);
            return None;
        }
    };
    param.fit(&value).map_err(|error| faults.add(Fault::from(error).at(values.span, "default"))).ok()
}

fn value(entry: &KdlEntry, faults: &mut Faults) -> Option<ParamValue> {
    match entry.value() {
        KdlValue::Bool(flag) => Some(ParamValue::Bool(*flag)),
        KdlValue::String(text) => Some(ParamValue::Text(text.clone())),
        KdlValue::Integer(number) if i64::try_from(*number).is_ok() => i64::try_from(*number).ok().map(ParamValue::Int),
        other => {
            let fault = Fault::new(
                format!("a default cannot be {}", quoted(&other.to_string())),
                "write a text, a whole number of 64 bits, #true or #false",
            );
            faults.add(fault.at(entry_span(entry), "here"));
            None
        }
    }
}

fn schema_version(entry: &KdlEntry, faults: &mut Faults) -> Option<u32> {
    let version = entry.value().as_integer().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    if version.is_none() {
        faults
            .add(Fault::new("`facts` must be a whole number from 1", "write `facts 1`").at(entry_span(entry), "here"));
    }
    version
}

fn parsed<T>(
    entry: &KdlEntry,
    what: &str,
    faults: &mut Faults,
    parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Option<T> {
    let text = text(entry, what, faults)?;
    parse(&text).map_err(|error| faults.add(Fault::from(error).at(entry_span(entry), quoted(what)))).ok()
}

/// A text that is not blank.
fn text(entry: &KdlEntry, what: &str, faults: &mut Faults) -> Option<String> {
    match entry.value() {
        KdlValue::String(text) if !text.trim().is_empty() => Some(text.clone()),
        KdlValue::String(_) => {
            faults.add(Fault::new(format!("{} is blank", quoted(what)), "write a text").at(entry_span(entry), "blank"));
            None
        }
        other => {
            let fault =
                Fault::new(format!("{} must be a text", quoted(what)), format!("put it in quotes: `\"{other}\"`"));
            faults.add(fault.at(entry_span(entry), "not a text"));
            None
        }
    }
}

/// The only value of a node that takes one.
fn only<'k>(node: &'k KdlNode, faults: &mut Faults) -> Option<&'k KdlEntry> {
    let name = node.name().value();
    let mut body = Body::of(node, "this", faults);
    let entry = body.one_argument("a value", &format!("write `{name}` and one value"), faults);
    body.close(faults);
    entry
}

fn missing<T>(node: &KdlNode, what: &str, help: &str, faults: &mut Faults) -> Option<T> {
    let fault = Fault::new(format!("{} has no {}", quoted(node.name().value()), quoted(what)), help);
    faults.add(fault.at(name_span(node), format!("no {} in here", quoted(what))));
    None
}
