//! Budgets: inputs for rules, kept as data.

use serde_json::{Map, Value as Json};

use crate::{
    faults::{Fault, Faults},
    invalid::quoted,
    yaml::{self, Entries, Node, Value},
};

/// The `budgets` section. Keys as upstream's operator policy has them; only those that were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budgets(Map<String, Json>);

impl Budgets {
    /// The members: `max_cost_usd_per_issue`, `daily_cost_usd` (numbers from 0), `max_wall_minutes_per_issue` (from 1),
    /// `daily_window` (`utc` or `local`), `cost_enforcement` (`auto` or `wall-and-invocations-only`),
    /// `clamp_invocation_timeout_to_remaining` (true or false), `max_agent_invocations` (a mapping of counts).
    pub fn members(&self) -> &Map<String, Json> {
        &self.0
    }
}

/// Roles whose invocations are counted; `total` is the sum's bound.
const ROLES: [&str; 6] = ["total", "implementer", "local_review", "fixer", "pr_review", "pr_fixer"];
const MAX_COUNT: u64 = 1_000_000;

pub(super) fn read(node: &Node, faults: &mut Faults) -> Budgets {
    let mut members = Map::new();
    let Some(mut entries) = Entries::of(node, "`budgets`", faults) else { return Budgets::default() };
    for key in ["max_cost_usd_per_issue", "daily_cost_usd"] {
        keep(&mut members, key, entries.get(key).and_then(|node| amount(node, key, faults)));
    }
    let minutes = "max_wall_minutes_per_issue";
    keep(
        &mut members,
        minutes,
        entries.get(minutes).and_then(|node| yaml::integer(node, minutes, 1..=MAX_COUNT, faults)),
    );
    for (key, words) in
        [("daily_window", ["utc", "local"]), ("cost_enforcement", ["auto", "wall-and-invocations-only"])]
    {
        keep(&mut members, key, entries.get(key).and_then(|node| yaml::word(node, key, &words, |word| word, faults)));
    }
    let clamp = "clamp_invocation_timeout_to_remaining";
    keep(&mut members, clamp, entries.get(clamp).and_then(|node| yaml::flag(node, clamp, faults)));
    let invocations = "max_agent_invocations";
    keep(&mut members, invocations, entries.get(invocations).and_then(|node| counts(node, faults)));
    entries.close(faults);
    Budgets(members)
}

fn keep(members: &mut Map<String, Json>, key: &str, value: Option<impl Into<Json>>) {
    if let Some(value) = value {
        members.insert(key.to_owned(), value.into());
    }
}

fn counts(node: &Node, faults: &mut Faults) -> Option<Map<String, Json>> {
    let mut entries = Entries::of(node, "`max_agent_invocations`", faults)?;
    let mut counts = Map::new();
    for role in ROLES {
        keep(&mut counts, role, entries.get(role).and_then(|node| yaml::integer(node, role, 0..=MAX_COUNT, faults)));
    }
    entries.close(faults);
    let spent: u64 = counts.iter().filter(|(role, _)| *role != "total").filter_map(|(_, count)| count.as_u64()).sum();
    if let Some(total) = counts.get("total").and_then(Json::as_u64)
        && spent > total
    {
        let fault = Fault::new(
            format!("the roles may be invoked {spent} times, more than the total of {total}"),
            "raise `total`, or lower the others",
        );
        faults.add(fault.at(node.span, "here"));
    }
    Some(counts)
}

/// An amount of money from 0.
fn amount(node: &Node, what: &str, faults: &mut Faults) -> Option<f64> {
    let amount = match &node.value {
        Value::Number(number) => number.as_f64().filter(|amount| amount.is_finite() && *amount >= 0.0),
        Value::Broken => return None,
        _ => None,
    };
    if amount.is_none() {
        faults.add(
            Fault::new(format!("{} must be a number from 0", quoted(what)), "write an amount, such as `5` or `2.50`")
                .at(node.span, "here"),
        );
    }
    amount
}
