//! `runmill.rules-doc/v1`: the catalogue of rule packs. What each rule is for and what to do about it, its parameters, its
//! level, a case for each thing it can say, and what its cases reach.

mod html;
mod markdown;

use std::collections::{BTreeMap, BTreeSet};

use runmill_manifest::pack::{Param, ParamName, ParamValue};
use runmill_model::{Code, Digest, Level, PackName, Problems, RuleId, Stage};
use runmill_policy::{On, RuleInfo};
use serde::Serialize;

use crate::{
    PackFiles,
    cases::{Company, Suite},
    coverage::{self, Figures},
    explanation::Spot,
    schema::flowing,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-doc/v1";

/// The catalogue of some packs.
#[derive(Debug, Serialize)]
pub struct Catalogue {
    /// `runmill.rules-doc/v1`.
    pub schema: &'static str,
    /// The packs, in the order they were asked for.
    pub packs: Vec<CataloguedPack>,
    /// What the packs leave out, a line each; empty when nothing is.
    pub empty: Vec<String>,
}

/// A pack.
#[derive(Debug, Serialize)]
pub struct CataloguedPack {
    /// Its name.
    pub name: PackName,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: Digest,
    /// Where it is: a folder, or the name of a built-in pack.
    pub place: String,
    /// What it asks for.
    pub description: String,
    /// Its parameters.
    pub params: Vec<CataloguedParam>,
    /// How many cases it has.
    pub cases: usize,
    /// What they reach.
    pub figures: Figures,
    /// Its rules, in the order of stages and ids.
    pub rules: Vec<CataloguedRule>,
}

/// A parameter.
#[derive(Debug, Serialize)]
pub struct CataloguedParam {
    /// Its name.
    pub name: ParamName,
    /// Its type.
    pub r#type: &'static str,
    /// What a choice may be; empty for other types.
    pub choices: Vec<String>,
    /// Its value when nobody gives one, as a person would write it; absent when the operator has to give one.
    pub default: Option<String>,
    /// What it is for.
    pub doc: String,
    /// The rules that read it, by themselves or through a file of `lib/` that they call.
    pub rules: Vec<RuleId>,
}

/// A rule.
#[derive(Debug, Serialize)]
pub struct CataloguedRule {
    /// Its id.
    pub id: RuleId,
    /// When it speaks.
    pub stage: Stage,
    /// The kind of fact it is on; `run` for the whole.
    pub on: &'static str,
    /// Its code.
    pub code: Code,
    /// What the code means.
    pub means: &'static str,
    /// How its findings count, as the pack suggests.
    pub level: Level,
    /// The same where a machine owns the merge, when it is another.
    pub strict_level: Option<Level>,
    /// What it finds.
    pub what: String,
    /// Why it exists.
    pub why: String,
    /// What to do about a finding. A discovery rule finds nothing: as what its requirements are recorded.
    pub fix: String,
    /// Why it may match no subject; absent when it may not.
    pub may_be_empty: Option<String>,
    /// The parameters it reads.
    pub params: Vec<ParamName>,
    /// A case for each thing it can say.
    pub cases: Vec<CataloguedCase>,
    /// What cases reach of it.
    pub figures: Figures,
    /// Where it stands.
    pub place: Spot,
}

/// A case that shows what a rule can say.
#[derive(Debug, Serialize)]
pub struct CataloguedCase {
    /// `proven`, `refuted`, `unproven`, `not_applicable`, `require` or `ignore`.
    pub outcome: String,
    /// What it is called; absent when no case shows this.
    pub case: Option<String>,
    /// Where it stands.
    pub place: Option<Spot>,
    /// What the rule says there; empty for a bare `proven`.
    pub message: String,
}

/// Puts the catalogue of packs together.
///
/// # Errors
/// Every problem of every pack: RM-POLICY-001 to 005, RM-POLICY-030.
pub fn catalogue(packs: &[PackFiles]) -> Result<Catalogue, Problems> {
    let catalogued = PackFiles::each(packs, |pack| {
        let suite = Suite::read(&pack.place, &pack.files)?;
        catalogued_pack(pack, &suite, &coverage::covered_pack(pack, &suite)?)
    })?;
    let empty = catalogued.iter().flat_map(empty).collect();
    Ok(Catalogue { schema: SCHEMA, packs: catalogued, empty })
}

impl Catalogue {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// As one page of HTML that needs nothing else.
    pub fn html(&self) -> String {
        html::page(self)
    }
}

fn catalogued_pack(
    pack: &PackFiles,
    suite: &Suite<'_>,
    covered: &coverage::CoveredPack,
) -> Result<CataloguedPack, Problems> {
    let manifest = suite.manifest();
    let told = said(suite)?;
    let reads = |rule: &RuleInfo| params_of(&pack.files, &rule.path);
    let rule = |rule: &RuleInfo| {
        let unit = covered.rules.iter().find(|unit| unit.name == rule.head.rule.as_str());
        catalogued_rule(rule, reads(rule), unit, &told)
    };
    let rules: Vec<CataloguedRule> = suite.judge.rules().iter().map(rule).collect();
    let param = |param: &Param| CataloguedParam {
        name: param.name().clone(),
        r#type: param.ty().as_str(),
        choices: param.choices().to_vec(),
        default: param.default().map(shown),
        doc: param.doc().unwrap_or_default().to_owned(),
        rules: rules.iter().filter(|rule| rule.params.contains(param.name())).map(|rule| rule.id.clone()).collect(),
    };
    let checked = suite.judge.pack();
    Ok(CataloguedPack {
        name: checked.name().clone(),
        version: checked.version().to_owned(),
        digest: checked.digest(),
        place: pack.place.clone(),
        description: manifest.as_ref().and_then(|manifest| manifest.description()).unwrap_or_default().to_owned(),
        params: manifest.iter().flat_map(|manifest| manifest.params()).map(param).collect(),
        cases: covered.cases,
        figures: covered.figures,
        rules,
    })
}

fn catalogued_rule(
    rule: &RuleInfo,
    params: BTreeSet<ParamName>,
    covered: Option<&coverage::CoveredUnit>,
    told: &BTreeMap<(String, String), CataloguedCase>,
) -> CataloguedRule {
    let id = &rule.head.rule;
    let case = |outcome: &coverage::CoveredOutcome| match told.get(&(id.to_string(), outcome.outcome.clone())) {
        Some(CataloguedCase { outcome, case, place, message }) => CataloguedCase {
            outcome: outcome.clone(),
            case: case.clone(),
            place: place.clone(),
            message: message.clone(),
        },
        None => CataloguedCase { outcome: outcome.outcome.clone(), case: None, place: None, message: String::new() },
    };
    let fix = match (rule.stage, rule.head.source) {
        (Stage::Discovery, Some(source)) => format!("Recorded as a requirement of `{source}`."),
        _ => rule.head.fix.to_string(),
    };
    CataloguedRule {
        id: id.clone(),
        stage: rule.stage,
        on: match rule.on {
            On::Kind(kind) => kind.as_str(),
            On::Run => "run",
        },
        code: rule.head.code,
        means: rule.head.code.title(),
        level: rule.pack_level,
        strict_level: rule.strict_level.filter(|level| *level != rule.pack_level),
        what: flowing(&rule.doc),
        why: rule.why.clone(),
        fix,
        may_be_empty: rule.may_be_empty.clone(),
        params: params.into_iter().collect(),
        cases: covered.iter().flat_map(|unit| &unit.outcomes).map(case).collect(),
        figures: covered.map(|unit| unit.figures).unwrap_or_default(),
        place: Spot { file: rule.path.clone(), line: rule.line as usize, column: 1 },
    }
}

/// The first case in which a rule comes to an outcome that the case expects of it; those of its own file before others.
fn said(suite: &Suite<'_>) -> Result<BTreeMap<(String, String), CataloguedCase>, Problems> {
    let mut told = BTreeMap::new();
    let mut cases: Vec<_> = suite.cases().collect();
    cases.sort_by_key(|(file, _)| file.rule.is_none());
    let pack = suite.judge.pack().name().clone();
    for (_, case) in cases {
        let judged = suite.judge.judge(&case.graph, &case.params, Company::Alone)?;
        for expect in &case.expects {
            let key = (expect.rule.clone(), expect.outcome.clone());
            let said = judged.said_by(&pack, &expect.rule).find(|said| {
                let subject = judged.key(said.subject);
                said.outcome == expect.outcome && expect.subject.as_ref().is_none_or(|wanted| *wanted == subject)
            });
            let Some(said) = said.filter(|_| !told.contains_key(&key)) else { continue };
            let (outcome, message) = (said.outcome.clone(), said.message.to_owned());
            let entry =
                CataloguedCase { outcome, case: Some(case.name.clone()), place: Some(case.place.clone()), message };
            told.insert(key, entry);
        }
    }
    Ok(told)
}

/// The parameters that a file reads, and the files of `lib/` that it calls.
fn params_of(files: &BTreeMap<String, String>, path: &str) -> BTreeSet<ParamName> {
    let (mut met, mut left, mut params) = (BTreeSet::new(), vec![path.to_owned()], BTreeSet::new());
    while let Some(path) = left.pop() {
        let Some(text) = files.get(&path).filter(|_| met.insert(path.clone())) else { continue };
        for after in text.split("cx.params.").skip(1) {
            let name: String = after.chars().take_while(|mark| mark.is_ascii_alphanumeric() || *mark == '_').collect();
            params.extend(ParamName::new(&name).ok());
        }
        let lib = files.keys().filter_map(|file| Some((file, file.strip_prefix("lib/")?.strip_suffix(".rhai")?)));
        left.extend(lib.filter(|(_, name)| text.contains(&format!("{name}::"))).map(|(file, _)| file.clone()));
    }
    params
}

fn shown(value: &ParamValue) -> String {
    match value {
        ParamValue::Bool(value) => value.to_string(),
        ParamValue::Int(value) => value.to_string(),
        ParamValue::Text(text) => format!("\"{text}\""),
        ParamValue::List(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
            format!("[{}]", texts.join(", "))
        }
    }
}

/// What a pack leaves out.
fn empty(pack: &CataloguedPack) -> Vec<String> {
    let mut lines = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            lines.push(format!("{}: {what}", pack.name));
        }
    };
    must(!pack.description.is_empty(), "the pack has no description".to_owned());
    for param in &pack.params {
        must(!param.doc.is_empty(), format!("parameter `{}` has no doc", param.name));
        must(!param.rules.is_empty(), format!("parameter `{}` is read by no rule", param.name));
    }
    for rule in &pack.rules {
        let id = &rule.id;
        for (name, text) in [("what", &rule.what), ("why", &rule.why), ("fix", &rule.fix)] {
            must(!text.trim().is_empty(), format!("rule `{id}` does not say {name}"));
        }
        must(!rule.cases.is_empty(), format!("rule `{id}` has no case"));
        for case in &rule.cases {
            must(case.case.is_some(), format!("rule `{id}` has no case that expects {}", case.outcome));
            let bare = ["proven", "require"].contains(&case.outcome.as_str());
            let told = bare || case.case.is_none() || !case.message.is_empty();
            must(told, format!("rule `{id}` says nothing where it comes to {}", case.outcome));
        }
    }
    lines
}
