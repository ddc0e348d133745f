//! What must not matter: the order of observations, and whether the engine has simplified the rules.

use std::{collections::BTreeSet, sync::Arc};

use runmill_model::{Graph, Problems};
use serde_json::{Value, json};

use super::{Counterexample, Law, TOLD, Trial, TriedLaw, said, shrink::shrunk};
use crate::cases::{Case, Company, Judge, Observations};

/// Ways to order things otherwise.
const ORDERS: [Order; 3] = [Order::Backwards, Order::Turned, Order::Mixed];

/// A way to order things otherwise.
#[derive(Debug, Clone, Copy)]
enum Order {
    Backwards,
    Turned,
    Mixed,
}

pub(super) fn shuffled(judge: &Judge<'_>, cases: &[&Case]) -> Result<TriedLaw, Problems> {
    let (mut tried, mut counterexamples) = (0, Vec::new());
    for case in cases {
        let trial = Trial { judge, params: &case.params };
        for order in ORDERS {
            tried += 1;
            let differs = |observations: &Observations| trial.shuffled(observations, order);
            if counterexamples.len() < TOLD
                && let Some(what) = differs(&case.observations)?
            {
                counterexamples.push(counterexample(case, &format!("{order:?}").to_lowercase(), what, differs));
            }
        }
    }
    Ok(TriedLaw { law: Law::ShuffledFacts, tried, counterexamples })
}

pub(super) fn folded(judge: &Judge<'_>, cases: &[&Case]) -> Result<TriedLaw, Problems> {
    let mut counterexamples = Vec::new();
    for case in cases {
        let trial = Trial { judge, params: &case.params };
        let differs = |observations: &Observations| trial.folded(observations);
        if counterexamples.len() < TOLD
            && let Some(what) = differs(&case.observations)?
        {
            counterexamples.push(counterexample(case, "folded", what, differs));
        }
    }
    Ok(TriedLaw { law: Law::FoldedConstants, tried: cases.len(), counterexamples })
}

fn counterexample(
    case: &Case,
    how: &str,
    what: String,
    differs: impl Fn(&Observations) -> Result<Option<String>, Problems>,
) -> Counterexample {
    let observations = shrunk(&case.observations, |observations| differs(observations).is_ok_and(|it| it.is_some()));
    Counterexample::new(case, how, what, &observations, |_| None)
}

impl Trial<'_> {
    /// What is said otherwise of facts in another order; none when nothing is.
    fn shuffled(&self, observations: &Observations, order: Order) -> Result<Option<String>, Problems> {
        let Ok(graph) = observations.seal() else { return Ok(None) };
        let document = serde_json::to_value(graph.to_document()).unwrap_or_default();
        let Ok(other) = Graph::from_json(order.document(document).to_string().as_bytes()).map(Arc::new) else {
            return Ok(Some("facts in another order are no graph".to_owned()));
        };
        if other.digest() != graph.digest() {
            return Ok(Some("facts in another order have another digest".to_owned()));
        }
        let host = self.judge.host(self.params, Company::WithContract)?;
        Ok(difference(&said(&host, &graph), &said(&host, &other)))
    }

    /// What rules say otherwise when they are simplified; none when nothing is.
    fn folded(&self, observations: &Observations) -> Result<Option<String>, Problems> {
        let Ok(graph) = observations.seal() else { return Ok(None) };
        let plain = self.judge.host(self.params, Company::WithContract)?;
        let folded = self.judge.folded(self.params)?;
        Ok(difference(&said(&plain, &graph), &said(&folded, &graph)))
    }
}

fn difference(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Option<String> {
    let gone = before.difference(after).next().map(|said| format!("no more: {said}"));
    gone.or_else(|| after.difference(before).next().map(|said| format!("only then: {said}")))
}

impl Order {
    /// A fact graph whose facts and tests are in this order.
    fn document(self, mut document: Value) -> Value {
        let tests = document.get("tests").and_then(Value::as_array).cloned().unwrap_or_default();
        let order = self.of(tests.len());
        let mut places = vec![0; tests.len()];
        for (place, test) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(*test) {
                *slot = place;
            }
        }
        let moved = |test: &Value| {
            let place = test.as_u64().and_then(|test| places.get(usize::try_from(test).ok()?));
            place.map_or(Value::Null, |place| json!(place))
        };
        if let Some(facts) = document.get_mut("facts").and_then(Value::as_object_mut) {
            for fact in facts.get_mut("report").and_then(Value::as_array_mut).into_iter().flatten() {
                for set in ["passed", "failed", "skipped", "flaky"] {
                    if let Some(set) = fact.get_mut(set).and_then(Value::as_array_mut) {
                        set.iter_mut().for_each(|test| *test = moved(test));
                        // A set is written in the order of its members.
                        set.sort_by_key(Value::as_u64);
                    }
                }
                for repeat in fact.get_mut("repeats").and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Some(test) = repeat.get_mut("test") {
                        *test = moved(test);
                    }
                }
            }
            for list in facts.values_mut().filter_map(Value::as_array_mut) {
                let order = self.of(list.len());
                *list = order.iter().filter_map(|at| list.get(*at).cloned()).collect();
            }
        }
        if let Some(slot) = document.get_mut("tests") {
            *slot = order.iter().filter_map(|at| tests.get(*at).cloned()).collect();
        }
        document
    }

    /// The places of so many things, in this order.
    fn of(self, number: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..number).collect();
        match self {
            Self::Backwards => order.reverse(),
            Self::Turned => order.rotate_left(number / 2),
            // Mixed in the same way every time: a multiplication by a large odd number, taken as a key.
            Self::Mixed => order.sort_by_key(|at| (*at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_order_names_the_same_tests() {
        let facts = json!({ "report": [
            { "check": "a", "passed": [0, 2], "failed": [1], "repeats": [{ "test": 2, "times": 3 }] }, { "check": "b" },
        ] });
        let document = json!({ "tests": [{ "name": "x" }, { "name": "y" }, { "name": "z" }], "facts": facts });
        for order in ORDERS {
            let other = order.document(document.clone());
            let name = |place: &Value| other["tests"][place.as_u64().unwrap() as usize]["name"].clone();
            let report = other["facts"]["report"].as_array().unwrap().iter().find(|it| it["check"] == "a").unwrap();
            let mut passed: Vec<String> =
                report["passed"].as_array().unwrap().iter().map(|place| name(place).to_string()).collect();
            passed.sort();
            assert_eq!(passed, ["\"x\"", "\"z\""], "{order:?}");
            assert_eq!(name(&report["failed"][0]), "y");
            assert_eq!(name(&report["repeats"][0]["test"]), "z");
        }
        assert_ne!(Order::Mixed.of(5), Order::Backwards.of(5));
        assert_ne!(Order::Mixed.of(5), (0..5).collect::<Vec<_>>());
    }

    #[test]
    fn what_differs_is_told() {
        let said = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(difference(&said(&["a"]), &said(&["a"])), None);
        assert_eq!(difference(&said(&["a", "b"]), &said(&["a"])).unwrap(), "no more: b");
        assert_eq!(difference(&said(&["a"]), &said(&["a", "b"])).unwrap(), "only then: b");
    }
}
