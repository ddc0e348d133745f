//! Fixtures, which extend one another.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    edit::{self, Edit},
    nodes::{Node, Source},
    observations::Observations,
};

struct Raw {
    place: String,
    extends: Option<String>,
    edits: Vec<Edit>,
}

/// The fixtures of some files, by name. Those with problems are left out.
pub fn read<'a>(
    files: impl Iterator<Item = (&'a String, &'a String)>,
    problems: &mut Vec<String>,
) -> BTreeMap<String, Observations> {
    let mut raws = BTreeMap::new();
    for (path, text) in files {
        let source = Source { path, text };
        match source.parse() {
            Ok(document) => document.nodes().iter().for_each(|node| match raw(source.node(node)) {
                Ok((name, raw)) => {
                    if let Some(other) = raws.insert(name.clone(), raw) {
                        problems.push(format!("{path}: fixture `{name}` is also at {}", other.place));
                    }
                }
                Err(problem) => problems.push(problem),
            }),
            Err(problem) => problems.push(problem),
        }
    }
    let mut built = BTreeMap::new();
    for name in raws.keys() {
        match build(name, &raws, &mut BTreeSet::new()) {
            Ok(observations) => {
                built.insert(name.clone(), observations);
            }
            Err(problem) => problems.push(problem),
        }
    }
    built
}

fn raw(node: Node<'_>) -> Result<(String, Raw), String> {
    if node.name() != "fixture" {
        return Err(node.wrong("is no `fixture`"));
    }
    node.only(&["extends"])?;
    let [name] = node.texts()?;
    let edits = node.children().map(|child| edit::read(child).unwrap_or_else(|| Err(child.wrong("is no change"))));
    let extends = node.property("extends")?.map(str::to_owned);
    Ok((name.to_owned(), Raw { place: node.place(), extends, edits: edits.collect::<Result<_, _>>()? }))
}

fn build(name: &str, raws: &BTreeMap<String, Raw>, below: &mut BTreeSet<String>) -> Result<Observations, String> {
    let raw = raws.get(name).ok_or_else(|| format!("there is no fixture `{name}`"))?;
    if !below.insert(name.to_owned()) {
        return Err(format!("{}: fixture `{name}` extends itself", raw.place));
    }
    let mut observations = match &raw.extends {
        Some(extends) => build(extends, raws, below).map_err(|problem| format!("{}: {problem}", raw.place))?,
        None => Observations::default(),
    };
    raw.edits.iter().try_for_each(|edit| observations.apply(edit))?;
    observations.seal().map_err(|problem| format!("{}: {problem}", raw.place))?;
    Ok(observations)
}
