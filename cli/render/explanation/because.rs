//! The condition that decided, and the values it stood on.

use runmill_workshop::explanation::{Named, StepEntry};

use crate::render::{
    flow::Flow,
    paint::{Paint, Tone},
};

/// Values that are told for one condition.
const VALUES: usize = 12;

/// How conditions are told.
pub struct Because {
    pub flow: Flow,
    pub paint: Paint,
}

/// One expression of a condition, with its value.
#[derive(PartialEq)]
struct Told {
    depth: usize,
    text: String,
    value: String,
}

impl Because {
    /// A condition, its value and its place, as a sentence.
    pub fn sentence(&self, condition: &StepEntry) -> String {
        format!("`{}` is {} ({})", condition.text, condition.value, place(condition))
    }

    /// A condition and its value, as short as it can be said.
    pub fn brief(&self, condition: &StepEntry) -> String {
        format!("`{}` was {}", condition.text, condition.value)
    }

    /// The values a condition stood on, a line each.
    pub fn values(&self, out: &mut String, condition: &StepEntry) {
        let mut told = Vec::new();
        parts(condition, 0, &mut told);
        let more = told.len().saturating_sub(VALUES);
        told.truncate(VALUES);
        for one in &told {
            let indent = " ".repeat(13 + 2 * one.depth);
            let mut line = String::new();
            self.flow.push(&mut line, &indent, &format!("{indent}    "), &format!("{} = {}", one.text, one.value));
            out.push_str(&line);
        }
        if more > 0 {
            out.push_str(&format!(
                "{}\n",
                self.paint.text(Tone::Faint, &format!("             and {more} more values"))
            ));
        }
    }
}

/// The expressions below one, the interesting ones only: what was read, what was set, what a helper decided.
fn parts(step: &StepEntry, depth: usize, told: &mut Vec<Told>) {
    for part in &step.parts {
        of(part, depth, told);
    }
    if let Some(decided) = &step.decided {
        let value = format!("{} ({})", decided.value, place(decided));
        add(told, Told { depth, text: format!("there `{}`", decided.text), value });
        parts(decided, depth + 1, told);
    }
}

fn of(step: &StepEntry, depth: usize, told: &mut Vec<Told>) {
    let value = match &step.fact {
        Some(fact) => format!("{}  ({})", step.value, named(fact)),
        None => step.value.clone(),
    };
    match (is_name(&step.text), step.parts.as_slice()) {
        // A variable: what it was set to says more than its name.
        (true, [set]) if set.text != step.text => {
            add(told, Told { depth, text: format!("{} = {}", step.text, set.text), value });
            let inner = if set.fact.is_some() { return } else { depth + 1 };
            parts(set, inner, told);
        }
        (true, _) => {}
        _ if step.fact.is_some() || step.decided.is_some() || step.parts.is_empty() => {
            add(told, Told { depth, text: step.text.clone(), value });
            parts(step, depth + 1, told);
        }
        _ => parts(step, depth, told),
    }
}

fn add(told: &mut Vec<Told>, one: Told) {
    if !told.iter().any(|known| known.text == one.text) {
        told.push(one);
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn place(step: &StepEntry) -> String {
    format!("{}:{}", step.place.file, step.place.line)
}

fn named(fact: &Named) -> String {
    match fact.kind {
        "change" | "policy" => format!("the {}", fact.kind),
        kind => format!("{kind} `{}`", fact.key),
    }
}
