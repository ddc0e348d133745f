//! What was required, each with base and candidate beside one another, and what ran only because something asked for it.

use std::time::Duration;

use super::{
    Page,
    markup::{code, codes, line, prose, row, text},
};
use crate::{
    command::inspect::InspectedCheck,
    render::{
        duration,
        outputs::told::{Check, Standing, ToldResult},
    },
};

/// So many checks are shown whole at once; of more, only those that something stands against.
const WHOLE: usize = 3;

impl Page<'_> {
    pub(super) fn checks(&self, out: &mut String) {
        let checks = &self.told.manifest.checks;
        let required = self.told.required().count();
        line(out, &format!("<section id=\"checks\"><h2>Checks <small>{required} required</small></h2>"));
        if checks.is_empty() {
            line(out, "<p class=\"empty\">No check is configured and no context is required.</p>");
        }
        for (at, check) in checks.iter().enumerate() {
            let standing = self.told.standing(check);
            let open = checks.len() <= WHOLE || matches!(standing, Some(Standing::Blocks | Standing::Open));
            self.check(out, at, check, standing, open);
        }
        line(out, "</section>");
    }

    fn check(&self, out: &mut String, at: usize, check: &Check, standing: Option<Standing>, open: bool) {
        let candidate = self.told.candidate(check);
        let (class, word) = match (standing, candidate.map(|result| result.status.as_str())) {
            _ if check.is_context() && self.told.state(check) == "awaited" => ("doubt", "awaited"),
            (Some(Standing::Blocks), _) => ("bad", "blocked"),
            (Some(Standing::Open), _) => ("doubt", "open"),
            _ if !check.required => ("quiet", "not required"),
            (Some(Standing::Waived), _) => ("doubt", "waived"),
            (Some(Standing::Warns), _) => ("doubt", "passed, with a warning"),
            (None, _) => ("good", "passed"),
        };
        let open = if open { " open" } else { "" };
        line(out, &format!("<details class=\"check {class}\" id=\"check-{at}\"{open}>"));
        let in_short = candidate.map_or(String::new(), in_short);
        line(
            out,
            &format!(
                "<summary><span class=\"mark\" aria-hidden=\"true\"></span><b>{}</b> <span class=\"state\">{word}</span> \
                 <span class=\"faint\">{in_short}</span></summary>",
                text(&check.id)
            ),
        );
        if check.is_context() {
            self.context(out, check);
        } else {
            self.sides(out, check);
        }
        line(out, "<dl class=\"facts\">");
        row(out, "Required by", &text(&check.sources.join(", ")));
        for reason in &check.reasons {
            row(out, "Reason", &prose(reason));
        }
        if !check.argv.is_empty() {
            row(out, "Command", &codes(check.argv.iter().map(String::as_str)).replace(", ", " "));
        }
        if let Some(inspected) = self.inspection.checks.iter().find(|it| it.id.as_str() == check.id) {
            configured(out, inspected);
        }
        row(out, "Definition", &check.definition_digest.as_deref().map(code).unwrap_or_default());
        line(out, "</dl>");
        line(out, "</details>");
    }
}

fn configured(out: &mut String, check: &InspectedCheck) {
    row(out, "Defined by", &format!("the {}", check.origin));
    if check.cwd != "." {
        row(out, "Folder", &code(&check.cwd));
    }
    row(out, "Time limit", &duration::whole(Duration::from_millis(check.timeout_ms)));
    row(out, "Report", &check.report_path.as_deref().map(code).unwrap_or_default());
    for it in &check.declarations {
        let counts = if it.counts { "counts" } else { "does not count here" };
        let told = format!(
            "{}: {} <span class=\"faint\">by the {}, {counts}</span>",
            code(&it.test_id),
            text(&it.cause),
            it.origin
        );
        row(out, "Declared exception", &told);
    }
    for it in &check.earlier {
        row(
            out,
            "Earlier",
            &format!(
                "{} in run {} <span class=\"faint\">{}</span>",
                it.status,
                code(it.run.as_str()),
                text(&it.ended_at)
            ),
        );
    }
}

/// `3 passed, 1 failed, 1.8 s`.
fn in_short(result: &ToldResult) -> String {
    let mut told = Vec::new();
    if let Some(report) = &result.report {
        let counts = [(report.passed, "passed"), (report.failed, "failed"), (report.skipped, "skipped")];
        told.extend(counts.iter().filter(|(many, _)| *many > 0).map(|(many, word)| format!("{many} {word}")));
    }
    if told.is_empty() {
        told.push(text(&result.status));
    }
    told.push(duration::exact(Duration::from_millis(result.duration_ms)));
    told.join(", ")
}
