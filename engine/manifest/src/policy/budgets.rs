//! Budgets: inputs for rules, kept as data.

use runmill_model::{
    Observer, facts,
    words::{CostEnforcement, DailyWindow},
};
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

    /// What rules read of them; none when nothing was written. Amounts are whole millionths, so that no rule counts in fractions.
    pub fn fact(&self) -> Option<facts::Budgets> {
        let cost = |key: &str| self.0.get(key).and_then(Json::as_f64).and_then(micros);
        let number = |key: &str| self.0.get(key).and_then(Json::as_u64);
        let text = |key: &str| self.0.get(key).and_then(Json::as_str);
        let invocations = self.0.get("max_agent_invocations");
        let of_role = |role: &str| invocations?.get(role)?.as_u64();
        (!self.0.is_empty()).then(|| facts::Budgets {
            observed_by: Observer::Operator,
            max_cost_per_issue_micros: cost("max_cost_usd_per_issue"),
            daily_cost_micros: cost("daily_cost_usd"),
            daily_window: text("daily_window").and_then(DailyWindow::from_text),
            max_wall_minutes_per_issue: number("max_wall_minutes_per_issue"),
            cost_enforcement: text("cost_enforcement").and_then(CostEnforcement::from_text),
            clamp_invocation_timeout_to_remaining: self
                .0
                .get("clamp_invocation_timeout_to_remaining")
                .and_then(Json::as_bool),
            max_invocations: of_role("total"),
            max_implementer_invocations: of_role("implementer"),
            max_local_review_invocations: of_role("local_review"),
            max_fixer_invocations: of_role("fixer"),
            max_pr_review_invocations: of_role("pr_review"),
            max_pr_fixer_invocations: of_role("pr_fixer"),
        })
    }
}

/// The most that an amount of money can be: whole millionths of it fit a number of JSON exactly.
const MAX_AMOUNT: f64 = 1_000_000_000.0;

/// An amount of money in whole millionths; none when it is not one from 0 with at most six decimals.
fn micros(amount: f64) -> Option<u64> {
    let micros = (amount * 1_000_000.0).round();
    let is_exact = (0.0..=MAX_AMOUNT).contains(&amount) && format!("{:.6}", micros / 1_000_000.0).parse() == Ok(amount);
    // INVARIANT: a whole number of at most 16 digits.
    if is_exact { format!("{micros:.0}").parse().ok() } else { None }
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
    let window = entries.get("daily_window");
    let window =
        window.and_then(|node| yaml::word(node, "daily_window", DailyWindow::ALL, DailyWindow::as_str, faults));
    keep(&mut members, "daily_window", window.map(DailyWindow::as_str));
    let (key, words) = ("cost_enforcement", CostEnforcement::ALL);
    let enforcement = entries.get(key).and_then(|node| yaml::word(node, key, words, CostEnforcement::as_str, faults));
    keep(&mut members, key, enforcement.map(CostEnforcement::as_str));
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
        Value::Number(number) => number.as_f64().filter(|amount| micros(*amount).is_some()),
        Value::Broken => return None,
        _ => None,
    };
    if amount.is_none() {
        faults.add(
            Fault::new(
                format!("{} must be a number from 0 to {MAX_AMOUNT:.0}, with at most six decimals", quoted(what)),
                "write an amount, such as `5` or `2.50`",
            )
            .at(node.span, "here"),
        );
    }
    amount
}
