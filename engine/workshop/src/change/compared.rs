//! Which values a property was compared with.

use std::{collections::BTreeSet, sync::Arc};

use runmill_model::{FactRef, Value};
use runmill_policy::{Explanation, Step, StepKind};

/// At most so many expressions are looked at: definitions of variables are shared and can unfold without end.
const LOOKED_AT: usize = 2_000;

/// The other sides of all comparisons of a property, in the order they were made.
pub(super) fn others(explanation: &Explanation, fact: FactRef, property: &str) -> Vec<Value> {
    let mut others = Vec::new();
    for step in steps(explanation) {
        let StepKind::Operator(sign) = &step.kind else { continue };
        let ([a, b], "==" | "!=" | "<" | "<=" | ">" | ">=") = (step.parts.as_slice(), sign.as_str()) else { continue };
        for (one, other) in [(a, b), (b, a)] {
            let value = other.value.clone().filter(|_| is_property(one, fact, property));
            others.extend(value.filter(|value| !others.contains(value)));
        }
    }
    others
}

/// Every expression of an explanation, each once, conditions of helpers included.
fn steps(explanation: &Explanation) -> Vec<Arc<Step>> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let mut open: Vec<Arc<Step>> = explanation.conditions.iter().rev().cloned().collect();
    while let Some(step) = open.pop() {
        if found.len() >= LOOKED_AT || !seen.insert(Arc::as_ptr(&step).addr()) {
            continue;
        }
        if let StepKind::Helper(conditions) = &step.kind {
            open.extend(conditions.iter().rev().cloned());
        }
        open.extend(step.parts.iter().rev().cloned());
        found.push(step);
    }
    found
}

/// Whether an expression is a property, or a variable that was set to it.
fn is_property(step: &Step, fact: FactRef, property: &str) -> bool {
    match (&step.kind, step.parts.as_slice()) {
        (StepKind::Property { fact: of, property: name }, _) => *of == fact && *name == property,
        (StepKind::Variable, [of]) => is_property(of, fact, property),
        _ => false,
    }
}
