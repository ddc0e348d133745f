//! Cases: what rules must make of a fixture.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_model::Graph;

use super::{
    edit,
    nodes::{Node, Source},
    observations::Observations,
};

/// One file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// The path inside the pack.
    pub path: String,
    /// The rule whose cases these are; none for a file about several.
    pub rule: Option<String>,
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    /// `path:line`.
    pub place: String,
    /// The fixture it starts from.
    pub fixture: String,
    pub observations: Observations,
    pub graph: Arc<Graph>,
    pub params: BTreeMap<String, String>,
    pub expects: Vec<Expect>,
    /// Every rule that must refute or leave something unproven.
    pub open: Option<BTreeSet<String>>,
    pub verdict: Option<String>,
}

/// What one rule must say of one subject.
#[derive(Debug)]
pub struct Expect {
    pub place: String,
    pub rule: String,
    /// The subject's key; none when there is one subject.
    pub subject: Option<String>,
    /// An outcome, `require`, `ignore`, or `nothing` when the rule is not called.
    pub outcome: String,
    pub code: Option<String>,
    pub message: Option<String>,
    pub fix: Option<String>,
    pub tests: Option<Vec<String>>,
}

const OUTCOMES: [&str; 7] = ["proven", "refuted", "unproven", "not_applicable", "require", "ignore", "nothing"];

/// Reads a file; none when it does not parse.
pub fn read(
    path: &str,
    text: &str,
    fixtures: &BTreeMap<String, Observations>,
    problems: &mut Vec<String>,
) -> Option<CaseFile> {
    let source = Source { path, text };
    let document = source.parse().map_err(|problem| problems.push(problem)).ok()?;
    let mut file = CaseFile { path: path.to_owned(), rule: None, cases: Vec::new() };
    for node in document.nodes() {
        let node = source.node(node);
        let read = match node.name() {
            "rule" => node.texts().map(|[rule]| file.rule = Some(rule.to_owned())),
            "case" => case(node, file.rule.as_deref(), fixtures).map(|case| file.cases.push(case)),
            _ => Err(node.wrong("is neither `rule` nor `case`")),
        };
        problems.extend(read.err());
    }
    Some(file)
}

fn case(node: Node<'_>, rule: Option<&str>, fixtures: &BTreeMap<String, Observations>) -> Result<Case, String> {
    node.only(&["fixture"])?;
    let [name] = node.texts()?;
    let fixture = node.property("fixture")?.ok_or_else(|| node.wrong("names no fixture"))?;
    let observations = fixtures.get(fixture).ok_or_else(|| node.wrong(&format!("is on no fixture: `{fixture}`")))?;
    let mut observations = observations.clone();
    let (mut params, mut expects, mut open, mut verdict) = (BTreeMap::new(), Vec::new(), None, None);
    for child in node.children() {
        if let Some(edit) = edit::read(child) {
            observations.apply(&edit?)?;
            continue;
        }
        match child.name() {
            "params" => params = given(child)?,
            "expect" => expects.push(expect(child, rule)?),
            "open" => open = Some(child.every_text()?.into_iter().collect()),
            "verdict" => verdict = Some(child.texts().map(|[word]| word.to_owned())?),
            _ => return Err(child.wrong("is no part of a case")),
        }
    }
    let graph = observations.seal().map_err(|problem| format!("{}: {problem}", node.place()))?;
    if expects.is_empty() && open.is_none() && verdict.is_none() {
        return Err(node.wrong("expects nothing"));
    }
    let (name, place, fixture) = (name.to_owned(), node.place(), fixture.to_owned());
    Ok(Case { name, place, fixture, observations, graph, params, expects, open, verdict })
}

fn given(node: Node<'_>) -> Result<BTreeMap<String, String>, String> {
    let params = node.properties().map(|(name, value)| {
        let text = value.as_string().ok_or_else(|| node.wrong("takes texts"))?;
        Ok((name.to_owned(), text.to_owned()))
    });
    params.collect()
}

fn expect(node: Node<'_>, rule: Option<&str>) -> Result<Expect, String> {
    node.only(&["rule", "subject"])?;
    let [outcome] = node.texts()?;
    if !OUTCOMES.contains(&outcome) {
        return Err(node.wrong(&format!("takes one of {}", OUTCOMES.join(", "))));
    }
    let rule = node.property("rule")?.or(rule).ok_or_else(|| node.wrong("names no rule"))?;
    let mut expect = Expect {
        place: node.place(),
        rule: rule.to_owned(),
        subject: node.property("subject")?.map(str::to_owned),
        outcome: outcome.to_owned(),
        code: None,
        message: None,
        fix: None,
        tests: None,
    };
    for child in node.children() {
        match child.name() {
            "tests" => expect.tests = Some(child.every_text()?),
            name => {
                let [text] = child.texts()?;
                let slot = match name {
                    "code" => &mut expect.code,
                    "message" => &mut expect.message,
                    "fix" => &mut expect.fix,
                    _ => return Err(child.wrong("is nothing to expect")),
                };
                *slot = Some(text.to_owned());
            }
        }
    }
    Ok(expect)
}
