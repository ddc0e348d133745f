//! Less evidence never proves more.

use std::collections::BTreeMap;

use runmill_model::{Kind, Level, Outcome, Problems, Verdict};
use serde_json::Value;

use super::{Counterexample, Law, TOLD, Trial, TriedLaw, shrink::shrunk};
use crate::cases::{Case, Company, Judge, Judged, Observations, quoted};

/// At most so many tests are taken out of one report, one at a time.
const TESTS: usize = 20;
/// Fields of an invocation without which less is known.
const FIELDS: [&str; 3] = ["exit_code", "tree_before", "tree_after"];

/// Something that is taken away.
#[derive(Debug, Clone)]
enum Less {
    /// A fact, and what hangs on it.
    Fact(Kind, String),
    /// A field.
    Field(Kind, String, &'static str),
    /// A test that passed at the candidate.
    Test(String, Value),
}

/// What is otherwise without it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum More {
    /// The run is ready.
    Ready(Verdict),
    /// A rule proves something of a subject that it did not prove before.
    Proven { rule: String, subject: String, before: Outcome },
}

pub(super) fn tried(judge: &Judge<'_>, cases: &[&Case]) -> Result<TriedLaw, Problems> {
    let (mut number, mut counterexamples) = (0, Vec::new());
    for case in cases {
        let trial = Trial { judge, params: &case.params };
        let before = trial.judged(&case.observations)?;
        for less in everything(&case.observations) {
            number += 1;
            if counterexamples.len() < TOLD
                && let Some(before) = &before
                && let Some(more) = trial.more(before, &case.observations, &less)?
            {
                counterexamples.push(trial.counterexample(case, &less, &more));
            }
        }
    }
    Ok(TriedLaw { law: Law::LessEvidence, tried: number, counterexamples })
}

/// Everything that can be taken away, one at a time. The base of a check that is new is no evidence: there is no inventory
/// to preserve.
fn everything(observations: &Observations) -> Vec<Less> {
    let mut all = Vec::new();
    for (kind, key, fields) in observations.facts() {
        let counts = matches!(kind, Kind::Invocation | Kind::Report) && !is_base_of_new(observations, key);
        if !counts {
            continue;
        }
        all.push(Less::Fact(kind, key.to_owned()));
        let there = |field: &&str| fields.get(*field).is_some_and(|value| !value.is_null());
        all.extend(FIELDS.into_iter().filter(there).map(|field| Less::Field(kind, key.to_owned(), field)));
        if kind == Kind::Report && key.ends_with("@candidate") {
            let passed = fields.get("passed").and_then(Value::as_array).into_iter().flatten().take(TESTS);
            all.extend(passed.map(|test| Less::Test(key.to_owned(), test.clone())));
        }
    }
    all
}

fn is_base_of_new(observations: &Observations, key: &str) -> bool {
    let Some(check) = key.strip_suffix("@base") else { return false };
    let in_target = observations.field(Kind::Check, check, "in_target");
    in_target == Some(&Value::Bool(false))
}

impl Less {
    fn from(&self, observations: &Observations) -> Option<Observations> {
        match self {
            Self::Fact(kind, key) => observations.has(*kind, key).then(|| observations.without(*kind, key)),
            Self::Field(kind, key, field) => observations.with(*kind, key, field, Value::Null),
            Self::Test(key, test) => {
                let passed = observations.field(Kind::Report, key, "passed")?.as_array()?;
                let left: Vec<Value> = passed.iter().filter(|other| *other != test).cloned().collect();
                if left.len() == passed.len() {
                    return None;
                }
                let mut fewer = observations.with(Kind::Report, key, "passed", Value::Array(left))?;
                // What is said of the test elsewhere in the report goes with it.
                for field in ["flaky", "repeats"] {
                    let of = |item: &Value| item.get("test").unwrap_or(item) == test;
                    let list = fewer.field(Kind::Report, key, field).and_then(Value::as_array);
                    let left = list.map(|list| list.iter().filter(|item| !of(item)).cloned().collect());
                    if let Some(left) = left {
                        fewer = fewer.with(Kind::Report, key, field, Value::Array(left))?;
                    }
                }
                Some(fewer)
            }
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Fact(kind, key) => format!("without {} `{key}`", kind.as_str()),
            Self::Field(kind, key, field) => format!("without `{field}` of {} `{key}`", kind.as_str()),
            Self::Test(key, test) => {
                let name = test.get("name").unwrap_or(test);
                format!("without the passed test `{}` of report `{key}`", name.as_str().unwrap_or_default())
            }
        }
    }

    /// The line of a case that takes it away; none where a case cannot say it shortly.
    fn edit(&self) -> Option<String> {
        match self {
            Self::Fact(kind, key) => Some(format!("remove {} {}", quoted(kind.as_str()), quoted(key))),
            Self::Field(kind, key, field) => {
                Some(format!("set {} {} {{ {field} #null; }}", quoted(kind.as_str()), quoted(key)))
            }
            Self::Test(..) => None,
        }
    }
}

impl Trial<'_> {
    /// What a run with these facts comes to; none when they are no graph.
    fn judged(&self, observations: &Observations) -> Result<Option<Judged>, Problems> {
        let judge = |graph| self.judge.judge(&graph, self.params, Company::WithContract);
        observations.seal().ok().map(judge).transpose()
    }

    /// What is more without something; none when nothing is, or what is left is no graph.
    fn more(&self, before: &Judged, observations: &Observations, less: &Less) -> Result<Option<More>, Problems> {
        let fewer = less.from(observations).map(|fewer| self.judged(&fewer)).transpose()?.flatten();
        let Some(after) = fewer else { return Ok(None) };
        if before.verdict() != Verdict::Ready && after.verdict() == Verdict::Ready {
            return Ok(Some(More::Ready(before.verdict())));
        }
        let (before, after) = (self.outcomes(before), self.outcomes(&after));
        let proven = after.into_iter().find_map(|((rule, subject), outcome)| {
            let was = *before.get(&(rule.clone(), subject.clone()))?;
            let more = outcome == Outcome::Proven && matches!(was, Outcome::Refuted | Outcome::Unproven);
            more.then_some(More::Proven { rule, subject, before: was })
        });
        Ok(proven)
    }

    /// How the pack's rules that can block came out, by rule and subject; faults left out.
    fn outcomes(&self, judged: &Judged) -> BTreeMap<(String, String), Outcome> {
        let own = judged.findings().iter().filter(|finding| finding.head.pack == *self.judge.pack().name());
        let counts = own.filter(|finding| !finding.fault && finding.head.level == Level::Block);
        let told = counts.map(|finding| {
            let (kind, key) = finding.subject_key(&judged.graph);
            ((finding.head.rule.to_string(), format!("{kind} `{key}`")), finding.judgement.outcome)
        });
        told.collect()
    }

    fn counterexample(&self, case: &Case, less: &Less, more: &More) -> Counterexample {
        let found = |observations: &Observations| {
            let before = self.judged(observations).ok().flatten()?;
            self.more(&before, observations, less).ok().flatten()
        };
        let still = |observations: &Observations| found(observations).as_ref() == Some(more);
        let observations = shrunk(&case.observations, still);
        let what = match more {
            More::Ready(before) => format!("{before} before, and ready {}", less.told()),
            More::Proven { rule, subject, before } => {
                format!("`{rule}` says {before} of {subject}, and proven {}", less.told())
            }
        };
        Counterexample::new(case, &less.told(), what, &observations, |name| {
            let expect = match more {
                More::Ready(before) => format!("verdict {}", quoted(before.as_str())),
                More::Proven { rule, subject, before } => {
                    let key = subject.split_once('`').map_or("", |(_, key)| key.trim_end_matches('`'));
                    format!("expect {} rule={} subject={}", quoted(before.as_str()), quoted(rule), quoted(key))
                }
            };
            let (name, edit) = (quoted(name), less.edit()?);
            let note = "// as it is with the evidence, or anything else that is no proof";
            Some(format!("case {name} fixture={name} {{\n    {edit}\n    {note}\n    {expect}\n}}\n"))
        })
    }
}
