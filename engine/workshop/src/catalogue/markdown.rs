//! The catalogue as Markdown.

use std::fmt::Write;

use super::{Catalogue, CataloguedCase, CataloguedPack, CataloguedParam, CataloguedRule};
use crate::coverage::{Figures, Share};

pub(super) fn page(catalogue: &Catalogue) -> String {
    let mut out = String::from("# Rules\n");
    catalogue.packs.iter().for_each(|pack| self::pack(&mut out, pack));
    if !catalogue.empty.is_empty() {
        out.push_str("\n## What is left out\n\n");
        catalogue.empty.iter().for_each(|line| push(&mut out, &format!("- {}", plain(line))));
    }
    out
}

fn push(out: &mut String, line: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(out, "{line}");
}

fn pack(out: &mut String, pack: &CataloguedPack) {
    push(out, &format!("\n## `{}` {}\n", pack.name, pack.version));
    if !pack.description.is_empty() {
        push(out, &format!("{}\n", plain(&pack.description)));
    }
    push(out, &format!("{}.", size(pack)));
    if !pack.params.is_empty() {
        push(out, "\n### Parameters\n");
        pack.params.iter().for_each(|param| self::param(out, param));
    }
    pack.rules.iter().for_each(|rule| self::rule(out, rule));
}

fn param(out: &mut String, param: &CataloguedParam) {
    let choices = if param.choices.is_empty() { String::new() } else { format!(" of {}", param.choices.join(", ")) };
    let default = match &param.default {
        Some(default) => format!("default `{default}`"),
        None => "without a default, so the operator has to give it".to_owned(),
    };
    let doc = plain(&param.doc);
    push(out, &format!("- `{}` ({}{choices}; {default}): {doc}", param.name, param.r#type));
}

fn rule(out: &mut String, rule: &CataloguedRule) {
    push(out, &format!("\n### `{}`\n", rule.id));
    push(out, &format!("{}\n", plain(&rule.what)));
    let strict = rule.strict_level.map_or(String::new(), |level| format!(", `{level}` where a machine owns the merge"));
    push(out, &format!("- Stage `{}`, on `{}`, level `{}`{strict}.", rule.stage, rule.on, rule.level));
    push(out, &format!("- {}: {}.", rule.code, rule.means));
    push(out, &format!("- Why: {}", plain(&rule.why)));
    push(out, &format!("- Fix: {}", plain(&rule.fix)));
    if let Some(reason) = &rule.may_be_empty {
        push(out, &format!("- May have no subject: {}.", plain(reason)));
    }
    if !rule.params.is_empty() {
        let names: Vec<String> = rule.params.iter().map(|name| format!("`{name}`")).collect();
        push(out, &format!("- Parameters: {}.", names.join(", ")));
    }
    push(out, &format!("- Coverage: {}.", figures(rule.figures)));
    push(out, &format!("- Stands in `{}`.\n", rule.place.file));
    rule.cases.iter().for_each(|case| self::case(out, case));
}

fn case(out: &mut String, case: &CataloguedCase) {
    let outcome = case.outcome.replace('_', " ");
    let Some(name) = &case.case else { return push(out, &format!("- **{outcome}**: no case")) };
    let message = if case.message.is_empty() { String::new() } else { format!(": {}", plain(&case.message)) };
    push(out, &format!("- **{outcome}** when \"{}\"{message}", plain(name)));
}

/// How much there is of a pack.
pub(super) fn size(pack: &CataloguedPack) -> String {
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    format!("{}, {}, {}", count(pack.rules.len(), "rule"), count(pack.cases, "case"), figures(pack.figures))
}

pub(super) fn figures(figures: Figures) -> String {
    let share =
        |share: Share, noun: &str| (share.all > 0).then(|| format!("{} of {} {noun}", share.reached, share.all));
    let told = [
        share(figures.branches, "branches"),
        share(figures.conditions, "conditions"),
        share(figures.outcomes, "outcomes"),
    ];
    told.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A text of a pack that cannot be taken for a heading, a list or HTML. Backticks keep what is literal.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut literal = false;
    let escaped = text.chars().flat_map(|mark| {
        literal ^= mark == '`';
        let escape = !literal && matches!(mark, '<' | '*' | '_' | '[' | '\\');
        escape.then_some('\\').into_iter().chain([mark])
    });
    escaped.collect()
}
