//! Edits of a fact graph's document.

use runmill_model::{CheckId, FactRef, Graph, Side};
use serde_json::{Value as Json, json};

/// One edit. Facts are named by their place in the sealed graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    /// A field has another value.
    Set(FactRef, &'static str, Json),
    /// A fact is there, in its JSON form.
    Add(&'static str, Json),
    /// A fact is not there.
    Remove(FactRef),
    /// The report of a check on a side was accepted; it is there.
    Accept(CheckId, Side, &'static str),
    /// Tests are listed so in the report of a check on a side, and not otherwise.
    List(CheckId, Side, Vec<Test>, Listed),
    /// Which tests are listed how often is as in the base's report.
    RepeatAsBase(CheckId),
}

/// A test of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    /// One that the graph knows, by its place.
    Known(usize),
    /// Another one.
    New(String),
}

/// How a report lists a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    Passed,
    Skipped,
    Nowhere,
}

/// The graph with edits; none when it does not hold together then.
pub(crate) fn applied<'e>(document: &Json, edits: impl IntoIterator<Item = &'e Edit>) -> Option<Graph> {
    let mut document = document.clone();
    let mut removed: Vec<FactRef> = Vec::new();
    for edit in edits {
        match edit {
            Edit::Set(fact, field, value) => *field_of(&mut document, *fact, field)? = value.clone(),
            Edit::Add(kind, fact) => facts(&mut document, kind)?.push(fact.clone()),
            Edit::Remove(fact) => removed.push(*fact),
            Edit::Accept(check, side, format) => accept(&mut document, check, *side, format)?,
            Edit::List(check, side, tests, how) => list(&mut document, check, *side, tests, *how)?,
            Edit::RepeatAsBase(check) => {
                let repeats = report(&mut document, check, Side::Base)?.get("repeats")?.clone();
                *report(&mut document, check, Side::Candidate)?.get_mut("repeats")? = repeats;
            }
        }
    }
    // Places stay true until everything else is done, and from the back while facts go.
    removed.sort_unstable();
    for fact in removed.into_iter().rev() {
        let facts = facts(&mut document, fact.kind.as_str())?;
        if (fact.index as usize) < facts.len() {
            facts.remove(fact.index as usize);
        }
    }
    Graph::from_json(document.to_string().as_bytes()).ok()
}

fn facts<'d>(document: &'d mut Json, kind: &str) -> Option<&'d mut Vec<Json>> {
    let all = document.get_mut("facts")?.as_object_mut()?;
    all.entry(kind).or_insert_with(|| json!([])).as_array_mut()
}

fn field_of<'d>(document: &'d mut Json, fact: FactRef, field: &str) -> Option<&'d mut Json> {
    facts(document, fact.kind.as_str())?.get_mut(fact.index as usize)?.get_mut(field)
}

fn report<'d>(document: &'d mut Json, check: &CheckId, side: Side) -> Option<&'d mut Json> {
    let reports = facts(document, "report")?;
    reports
        .iter_mut()
        .find(|report| report.get("check") == Some(&json!(check)) && report.get("side") == Some(&json!(side)))
}

fn accept(document: &mut Json, check: &CheckId, side: Side, format: &str) -> Option<()> {
    if report(document, check, side).is_none() {
        let report = runmill_model::facts::Report::not_run(check.clone(), side, format);
        facts(document, "report")?.push(serde_json::to_value(report).ok()?);
    }
    let report = report(document, check, side)?;
    *report.get_mut("state")? = json!("accepted");
    for field in ["reason", "message", "fix", "line", "column", "test_id"] {
        *report.get_mut(field)? = Json::Null;
    }
    Some(())
}

fn list(document: &mut Json, check: &CheckId, side: Side, tests: &[Test], how: Listed) -> Option<()> {
    let mut places = Vec::new();
    for test in tests {
        places.push(match test {
            Test::Known(place) => *place,
            Test::New(name) => {
                let known = document.get_mut("tests")?.as_array_mut()?;
                let named = json!({ "name": name });
                match known.iter().position(|test| *test == named) {
                    Some(place) => place,
                    None => {
                        known.push(named);
                        known.len() - 1
                    }
                }
            }
        });
    }
    let as_often = as_often(document, check, side, &places, how);
    let report = report(document, check, side)?;
    for (set, word) in [("passed", Some(Listed::Passed)), ("failed", None), ("skipped", Some(Listed::Skipped))] {
        let listed = report.get_mut(set)?.as_array_mut()?;
        listed.retain(|place| !places.iter().any(|moved| *place == json!(moved)));
        if word == Some(how) {
            listed.extend(places.iter().map(|place| json!(place)));
        }
    }
    if how == Listed::Nowhere {
        for set in ["flaky", "repeats"] {
            let gone = |entry: &Json| {
                let place = entry.get("test").unwrap_or(entry);
                places.iter().any(|moved| *place == json!(moved))
            };
            report.get_mut(set)?.as_array_mut()?.retain(|entry| !gone(entry));
        }
    }
    if !as_often.is_empty() {
        report.get_mut("repeats")?.as_array_mut()?.extend(as_often);
    }
    Some(())
}

/// How often the base lists tests that the candidate comes to list: a test that is back is back as often as it was.
fn as_often(document: &mut Json, check: &CheckId, side: Side, places: &[usize], how: Listed) -> Vec<Json> {
    if (side, how) != (Side::Candidate, Listed::Passed) {
        return Vec::new();
    }
    let repeats = |report: Option<&mut Json>| {
        let repeats = report.and_then(|report| report.get("repeats").and_then(Json::as_array).cloned());
        repeats.unwrap_or_default()
    };
    let of = |entry: &Json| entry.get("test").cloned();
    let own = repeats(report(document, check, side));
    let base = repeats(report(document, check, Side::Base));
    let wanted = base.into_iter().filter(|entry| places.iter().any(|place| of(entry) == Some(json!(place))));
    wanted.filter(|entry| !own.iter().any(|known| of(known) == of(entry))).collect()
}
