//! What a stranger sees first: the verdict, what was judged, and everything that was loosened for it.

use std::time::Duration;

use super::{
    Page,
    markup::{code, line, prose, text},
};
use crate::render::{
    duration,
    measure::count,
    outputs::told::{Check, Standing, Told},
};

/// The letters of a commit that are shown where it is only named.
const SHORT: usize = 10;

/// The verdict as a heading.
pub fn word(told: &Told) -> &'static str {
    match told.verdict.as_str() {
        "ready" => "Ready",
        "blocked" => "Blocked",
        _ => "Indeterminate",
    }
}

impl Page<'_> {
    pub(super) fn top(&self, out: &mut String) {
        let Self { told, inspection, .. } = self;
        line(out, &format!("<header class=\"top {}\">\n<p class=\"brand\">runmill</p>", text(&told.verdict)));
        line(out, &format!("<h1>{}</h1>", word(told)));
        line(out, &format!("<p class=\"lead\">{}</p>", sentence(told)));
        line(out, &format!("<p class=\"judged\">{}</p>", self.judged()));
        let took = duration::exact(Duration::from_millis(inspection.duration_ms));
        let started = &inspection.started_at;
        let when = format!("<time datetime=\"{}\">{}</time>", text(started), text(&moment(started)));
        line(out, &format!("<p class=\"faint\">{when}, took {took}, run {}</p>", code(&told.run)));
        self.figures(out);
        line(out, "</header>");
        self.loosened(out);
    }

    /// Which commit, or which merge.
    fn judged(&self) -> String {
        let Self { told, inspection, .. } = self;
        let commit = |name: &Option<String>, id: &str| {
            let short = id.get(..SHORT).unwrap_or(id);
            match name {
                Some(name) if !id.starts_with(name.as_str()) => format!("<b>{}</b> {}", text(name), code(short)),
                _ => code(short),
            }
        };
        let into = commit(&inspection.names.target, &told.target);
        let candidate = commit(&inspection.names.candidate, told.merged.as_deref().unwrap_or(&told.candidate));
        let paths = count(self.graph.change().map_or(0, |change| change.changed_paths.len()), "path");
        let base = code(told.base.get(..SHORT).unwrap_or(&told.base));
        let joined = if told.merged.is_some() || !told.conflicts.is_empty() { "merged into" } else { "to merge into" };
        format!("{candidate} {joined} {into} <span class=\"faint\">{paths} changed since {base}</span>")
    }

    fn figures(&self, out: &mut String) {
        let told = self.told;
        let open = told.open();
        let many = |wanted: Standing| open.iter().filter(|(standing, _)| *standing == wanted).count();
        let required: Vec<_> = told.required().collect();
        let passed = |check: &Check| !matches!(told.standing(check), Some(Standing::Blocks | Standing::Open));
        let passing = required.iter().filter(|check| passed(check)).count();
        let tests = |side: &str| -> u64 {
            let results = told.results.iter().filter(|result| result.side == side);
            results.filter_map(|result| result.report.as_ref()).map(|report| report.passed + report.failed).sum()
        };
        line(out, "<dl class=\"figures\">");
        let mut figure = |name: &str, value: String, class: &str| {
            line(out, &format!("<div class=\"{class}\"><dt>{name}</dt><dd>{value}</dd></div>"));
        };
        let blocks = many(Standing::Blocks);
        figure("Findings that block", blocks.to_string(), if blocks > 0 { "bad" } else { "" });
        let waits = many(Standing::Open);
        if waits > 0 {
            figure("Left open", waits.to_string(), "doubt");
        }
        figure("Required and passed", format!("{passing} of {}", required.len()), "");
        figure("Tests run at the base", tests("base").to_string(), "");
        figure("Tests run at the candidate", tests("candidate").to_string(), "");
        line(out, "</dl>");
    }

    /// What the operator let pass, and what is not there yet.
    fn loosened(&self, out: &mut String) {
        let told = self.told;
        let waivers = told.waivers.iter().map(|waiver| {
            let about = told.findings.iter().find(|it| it.waived && it.fingerprint == waiver.fingerprint);
            let what = about.map_or(String::new(), |it| format!("{} {}: ", text(&it.code), prose(&it.message)));
            format!(
                "{what}<b>{}</b>, by {} until {} <span class=\"faint\">{}</span>",
                text(&waiver.reason),
                text(&waiver.approver),
                text(&waiver.expires),
                code(&waiver.fingerprint)
            )
        });
        let waiting = told.waiting.iter().map(|it| text(&it.told()));
        let relaxed = told.relaxations.iter().map(|it| text(it));
        let groups: [(&str, Vec<String>); 3] = [
            ("Relaxed by the operator", relaxed.collect()),
            ("Waived", waivers.collect()),
            ("Still awaited", waiting.collect()),
        ];
        if groups.iter().all(|(_, items)| items.is_empty()) {
            line(out, "<p class=\"strict\">Nothing was relaxed, nothing was waived, nothing is awaited.</p>");
            return;
        }
        line(out, "<aside class=\"notice\" id=\"loosened\" aria-label=\"Relaxed, waived and awaited\">");
        for (name, items) in groups.iter().filter(|(_, items)| !items.is_empty()) {
            line(out, &format!("<h2>{name} <small>{}</small></h2><ul>", items.len()));
            items.iter().for_each(|item| line(out, &format!("<li>{item}</li>")));
            line(out, "</ul>");
        }
        line(out, "</aside>");
    }
}

fn sentence(told: &Told) -> String {
    let mut letters = told.sentence().chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let waivers = told.waivers.len();
    let by = if waivers == 0 { String::new() } else { format!(", with {} in use", count(waivers, "waiver")) };
    format!("{first}{}{by}.", letters.as_str())
}

/// `2026-12-01 02:58:22 UTC` of an instant in UTC.
pub fn moment(instant: &str) -> String {
    match (instant.get(..10), instant.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => instant.to_owned(),
    }
}
