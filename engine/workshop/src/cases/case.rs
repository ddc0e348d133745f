//! Cases: what rules must make of a fixture.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_manifest::PackManifest;
use runmill_model::{Graph, Problem};

use super::{
    edit,
    fixture::{Budget, Fixture, HELP},
    nodes::{Node, Source},
    observations::Observations,
    params::{self, Params},
};
use crate::{explanation::Spot, words};

/// One file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// The path inside the pack.
    pub path: String,
    /// The rule whose cases these are; none for a file about several.
    pub rule: Option<String>,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// What it is called; unique in its file.
    pub name: String,
    /// Where it stands.
    pub place: Spot,
    /// The fixture it starts from.
    pub fixture: String,
    /// The facts of the fixture as the case changes them.
    pub observations: Observations,
    /// The same, sealed.
    pub graph: Arc<Graph>,
    /// The pack's parameters that it sets.
    pub params: Params,
    /// What rules must say.
    pub expects: Vec<Expect>,
    /// Every rule of the pack that must refute or leave something unproven; absent when the case does not say.
    pub open: Option<BTreeSet<String>>,
    /// The verdict under this pack and the contract; absent when the case does not say.
    pub verdict: Option<String>,
    /// What of it is kept as a snapshot; absent when nothing is.
    pub snapshot: Option<Snapshotted>,
}

/// What of a case is kept as a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshotted {
    /// Where it is kept, inside the pack.
    pub path: String,
    /// The rules whose words are kept; when there is none, those of every rule that refutes, leaves something unproven or
    /// faults.
    pub rules: Vec<String>,
}

/// What one rule must say of one subject.
#[derive(Debug)]
pub struct Expect {
    /// Where it stands.
    pub place: Spot,
    /// The rule's id.
    pub rule: String,
    /// The subject's key; none when there is one subject.
    pub subject: Option<String>,
    /// An outcome, `require`, `ignore`, or `nothing` when the rule is not called.
    pub outcome: String,
    /// The code of the finding; absent when the case does not say, as below.
    pub code: Option<String>,
    /// Words of the message.
    pub message: Option<String>,
    /// Words of the advice.
    pub fix: Option<String>,
    /// The shown ids of the tests concerned, all of them, sorted.
    pub tests: Option<Vec<String>>,
}

/// What a rule can be expected to say.
pub const OUTCOMES: [&str; 8] =
    ["proven", "refuted", "unproven", "waiting", "not_applicable", "require", "ignore", "nothing"];

/// The words of verdicts, of receipts, of sessions and of gates.
const VERDICTS: [&str; 11] = [
    "ready",
    "blocked",
    "indeterminate",
    "VERIFIED",
    "FAILED",
    "INDETERMINATE",
    "allowed",
    "denied",
    "permitted",
    "refused",
    "undecided",
];

/// What reading cases needs.
pub(super) struct Reading<'a> {
    pub(super) fixtures: &'a BTreeMap<String, Fixture>,
    /// Absent when it is not valid.
    pub(super) manifest: Option<&'a PackManifest>,
    /// The ids of the pack's rules; absent when they are not known.
    pub(super) rules: Option<&'a BTreeSet<String>>,
    pub(super) budget: &'a mut Budget,
    pub(super) problems: &'a mut Vec<Problem>,
}

impl Reading<'_> {
    /// Reads a file; none when it does not parse.
    pub(super) fn file(&mut self, path: &str, text: &str) -> Option<CaseFile> {
        let source = Source::new(path, text);
        let document = source.parse().map_err(|problems| self.problems.extend(problems)).ok()?;
        let mut file = CaseFile { path: path.to_owned(), rule: None, cases: Vec::new() };
        let mut names = BTreeSet::new();
        let mut kept = BTreeSet::new();
        for node in document.nodes() {
            let node = source.node(node);
            match node.name() {
                "rule" => file.rule = self.noted(node.texts().map(|[rule]| rule.to_owned())).or(file.rule),
                "case" => {
                    let Some(case) = self.case(node, path, file.rule.as_deref()) else { continue };
                    if !names.insert(case.name.clone()) {
                        let message = format!("there is another case `{}` in this file", case.name);
                        self.problems.push(node.problem(message, "give it a name of its own"));
                    }
                    if case.snapshot.as_ref().is_some_and(|snapshot| !kept.insert(snapshot.path.clone())) {
                        let message = format!("the snapshot of case `{}` would be that of another case", case.name);
                        self.problems.push(node.problem(message, "give it a name that differs in letters or digits"));
                    }
                    file.cases.push(case);
                }
                _ => {
                    let help =
                        "a file of `tests/` holds `rule \"area/name\"` and `case \"name\" fixture=\"..\" { .. }`";
                    self.problems.push(node.wrong("is neither `rule` nor `case`", help));
                }
            }
        }
        Some(file)
    }

    fn noted<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// The observations that a case starts from.
    fn start(&mut self, node: Node<'_>) -> Result<(String, String, Observations), Problem> {
        node.only(&["fixture"])?;
        let [name] = node.texts()?;
        let help = "write `case \"name\" fixture=\"ready\" { .. }`";
        let fixture = node.property("fixture")?.ok_or_else(|| node.wrong("names no fixture", help))?;
        let found = self.fixtures.get(fixture).ok_or_else(|| {
            let names: Vec<&str> = self.fixtures.keys().map(String::as_str).collect();
            node.wrong(&format!("is on no fixture: `{fixture}`"), words::one_of(fixture, &names))
        })?;
        self.budget.take(found.weight + node.length(), node)?;
        Ok((name.to_owned(), fixture.to_owned(), found.observations.clone()))
    }

    /// A case; none when something is wrong with it, all of which is noted.
    fn case(&mut self, node: Node<'_>, path: &str, rule: Option<&str>) -> Option<Case> {
        let before = self.problems.len();
        let start = self.start(node);
        let (name, fixture, mut observations) = self.noted(start)?;
        let (mut given, mut expects, mut open, mut verdict) = (Params::new(), Vec::new(), None, None);
        let mut snapshot = None;
        for child in node.children() {
            if let Some(edit) = edit::read(child) {
                self.noted(edit.and_then(|edit| observations.apply(&edit)));
                continue;
            }
            match child.name() {
                "params" => given.extend(self.noted(params::read(child)).unwrap_or_default()),
                "expect" => {
                    let read = expect(child, rule).and_then(|it| self.known(child, &it.rule).map(|()| it));
                    expects.extend(self.noted(read));
                }
                "open" => open = self.open(child),
                "verdict" => verdict = self.noted(verdict_of(child)),
                "snapshot" => snapshot = self.snapshot(child, &name, path, rule),
                _ => {
                    let help =
                        "a case holds `add`, `set`, `remove`, `params`, `expect`, `open`, `verdict` and `snapshot`";
                    self.problems.push(child.wrong("is no part of a case", help));
                }
            }
        }
        self.check_params(node, &given);
        if self.problems.len() > before {
            return None;
        }
        let sealed = observations.seal();
        let graph =
            self.noted(sealed.map_err(|why| node.problem(format!("case `{name}` is no graph: {why}"), HELP)))?;
        if expects.is_empty() && open.is_none() && verdict.is_none() && snapshot.is_none() {
            let help = "add `expect \"refuted\"`, or another outcome, or `snapshot`";
            self.problems.push(node.problem(format!("case `{name}` expects nothing"), help));
        }
        let place = node.spot();
        let params = given;
        Some(Case { name, place, fixture, observations, graph, params, expects, open, verdict, snapshot })
    }
}

impl Reading<'_> {
    fn open(&mut self, node: Node<'_>) -> Option<BTreeSet<String>> {
        let rules = self.noted(node.every_text())?;
        for rule in &rules {
            let known = self.known(node, rule);
            self.noted(known);
        }
        Some(rules.into_iter().collect())
    }

    fn snapshot(&mut self, node: Node<'_>, case: &str, path: &str, rule: Option<&str>) -> Option<Snapshotted> {
        let mut rules = self.noted(node.only(&[]).and_then(|()| node.every_text()))?;
        for rule in &rules {
            let known = self.known(node, rule);
            self.noted(known);
        }
        if rules.is_empty() {
            rules.extend(rule.map(str::to_owned));
        }
        let file = path.strip_prefix("tests/").and_then(|path| path.strip_suffix(".kdl")).unwrap_or(path);
        Some(Snapshotted { path: format!("snapshots/{file}/{}.snap", slug(case)), rules })
    }

    fn known(&self, node: Node<'_>, rule: &str) -> Result<(), Problem> {
        let Some(rules) = self.rules.filter(|rules| !rules.contains(rule)) else { return Ok(()) };
        let names: Vec<&str> = rules.iter().map(String::as_str).collect();
        Err(node.problem(format!("the pack has no rule `{rule}`"), words::one_of(rule, &names)))
    }

    fn check_params(&mut self, node: Node<'_>, given: &Params) {
        let Some(manifest) = self.manifest else { return };
        for (_, fault) in manifest.resolve(given).err().unwrap_or_default() {
            self.problems.push(node.problem(fault.message(), fault.help()));
        }
    }
}

/// A case's name as a file's: letters and digits, everything else a dash.
fn slug(name: &str) -> String {
    let plain = |mark: char| if mark.is_ascii_alphanumeric() { mark.to_ascii_lowercase() } else { ' ' };
    let words: String = name.chars().map(plain).collect();
    let slug = words.split_whitespace().collect::<Vec<_>>().join("-");
    slug.chars().take(100).collect()
}

fn verdict_of(node: Node<'_>) -> Result<String, Problem> {
    let [word] = node.texts()?;
    match VERDICTS.contains(&word) {
        true => Ok(word.to_owned()),
        false => Err(node.wrong(&format!("is no verdict: `{word}`"), words::one_of(word, &VERDICTS))),
    }
}

fn expect(node: Node<'_>, rule: Option<&str>) -> Result<Expect, Problem> {
    node.only(&["rule", "subject"])?;
    let [outcome] = node.texts()?;
    if !OUTCOMES.contains(&outcome) {
        return Err(node.wrong(&format!("is no outcome: `{outcome}`"), words::one_of(outcome, &OUTCOMES)));
    }
    let help = "write `rule \"area/name\"` at the top of the file, or `expect \"..\" rule=\"area/name\"`";
    let rule = node.property("rule")?.or(rule).ok_or_else(|| node.wrong("names no rule", help))?;
    let mut expect = Expect {
        place: node.spot(),
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
                let slot = match name {
                    "code" => &mut expect.code,
                    "message" => &mut expect.message,
                    "fix" => &mut expect.fix,
                    _ => {
                        return Err(
                            child.wrong("is nothing to expect", "there is `code`, `message`, `fix` and `tests`")
                        );
                    }
                };
                let [text] = child.texts()?;
                *slot = Some(text.to_owned());
            }
        }
    }
    Ok(expect)
}
