//! The parameters that a case gives to its pack.

use std::collections::BTreeMap;

use kdl::KdlValue;
use runmill_manifest::pack::{ParamName, ParamValue};
use runmill_model::Problem;

use super::nodes::Node;

/// Parameters by their names.
pub type Params = BTreeMap<ParamName, ParamValue>;

/// `params skips="regressions" strict=#true { frozen "a/**" "b/**"; }`: one value as a property, a list as a child.
pub(super) fn read(node: Node<'_>) -> Result<Params, Problem> {
    let mut params = Params::new();
    for (name, value) in node.properties() {
        params.insert(named(node, name)?, single(node, value)?);
    }
    for child in node.children() {
        child.only(&[])?;
        params.insert(named(child, child.name())?, ParamValue::List(child.every_text()?));
    }
    match node.arguments().next() {
        Some(_) => Err(node.wrong("takes names with values", "write `params name=\"value\"`")),
        None => Ok(params),
    }
}

fn named(node: Node<'_>, name: &str) -> Result<ParamName, Problem> {
    ParamName::new(name).map_err(|error| node.problem(error.message(), error.help()))
}

fn single(node: Node<'_>, value: &KdlValue) -> Result<ParamValue, Problem> {
    let integer = |number: i128| i64::try_from(number).map(ParamValue::Int).ok();
    let value = match value {
        KdlValue::String(text) => Some(ParamValue::Text(text.clone())),
        KdlValue::Bool(truth) => Some(ParamValue::Bool(*truth)),
        KdlValue::Integer(number) => integer(*number),
        KdlValue::Float(_) | KdlValue::Null => None,
    };
    value.ok_or_else(|| {
        node.wrong("takes texts, whole numbers and truth values", "write `name=\"text\"`, `name=3` or `name=#true`")
    })
}
