//! One check at the base and at the candidate, side by side.

use std::{fmt::Display, time::Duration};

use runmill_model::{CheckId, Side, TestSet, facts::Report};

use super::{
    Page,
    markup::{code, line, prose, text},
};
use crate::{
    command::inspect::InspectedStream,
    render::{
        duration,
        measure::size,
        outputs::told::{Check, Stream, ToldResult},
        plain,
    },
};

/// Lines of what was printed that are shown, from the end.
const LINES: usize = 40;

/// The two results of a check.
type Both<'a> = [Option<&'a ToldResult>; 2];

impl Page<'_> {
    pub(super) fn sides(&self, out: &mut String, check: &Check) {
        let both = ["base", "candidate"].map(|side| self.told.result(check, side));
        if both.iter().all(Option::is_none) {
            line(out, "<p class=\"empty\">It did not run.</p>");
            return;
        }
        line(
            out,
            "<table class=\"sides\"><thead><tr><td></td><th scope=\"col\">Base</th><th scope=\"col\">Candidate</th></tr></thead><tbody>",
        );
        cells(out, "Ended", both, ended);
        self.tests_of(out, check, both);
        cells(out, "Stands in from", both, |it| {
            it.reused_from.as_deref().map(|run| format!("run {}", code(run))).unwrap_or_default()
        });
        cells(out, "Signed by", both, |it| text(&it.attested_by.join(", ")));
        cells(out, "Coverage", both, |it| text(&it.coverage));
        cells(out, "Notes", both, |it| it.notes.iter().map(|note| prose(note)).collect::<Vec<_>>().join("<br>"));
        line(out, "</tbody></table>");
        self.printed(out, check);
        line(
            out,
            "<details><summary>Digests and isolation</summary><table class=\"sides\"><thead><tr><td></td><th scope=\"col\">Base</th><th scope=\"col\">Candidate</th></tr></thead><tbody>",
        );
        cells(out, "Commit", both, |it| code(&it.commit));
        cells(out, "Tree before", both, |it| digest(it.tree_before.as_deref()));
        cells(out, "Tree after", both, |it| digest(it.tree_after.as_deref()));
        cells(out, "Report", both, report);
        cells(out, "Standard output", both, |it| stream(&it.stdout));
        cells(out, "Standard error", both, |it| stream(&it.stderr));
        cells(out, "Isolation", both, |it| format!("{}, {}", text(&it.isolation), text(&it.checkout)));
        cells(out, "Executor", both, |it| text(&it.executor));
        line(out, "</tbody></table></details>");
    }

    /// How many tests came out how, and how many are on one side only.
    fn tests_of(&self, out: &mut String, check: &Check, both: Both<'_>) {
        cells(out, "Passed", both, |it| counted(it, |report| report.passed));
        cells(out, "Failed", both, |it| counted(it, |report| report.failed));
        cells(out, "Skipped", both, |it| counted(it, |report| report.skipped));
        let Ok(id) = check.id.parse::<CheckId>() else { return };
        let listed = |side| self.graph.report_of(&id, side).map(all);
        let (Some(base), Some(candidate)) = (listed(Side::Base), listed(Side::Candidate)) else { return };
        let one_sided = [base.difference(&candidate).len(), candidate.difference(&base).len()];
        let [gone, new] = one_sided;
        let class = if gone > 0 { " class=\"missing\"" } else { "" };
        line(
            out,
            &format!(
                "<tr><th scope=\"row\">Missing</th><td>{new} <small>that the candidate lists</small></td>\
                 <td{class}>{gone} <small>that the base lists</small></td></tr>"
            ),
        );
    }

    /// The end of what was printed where it did not pass.
    fn printed(&self, out: &mut String, check: &Check) {
        let Some(inspected) = self.inspection.checks.iter().find(|it| it.id.as_str() == check.id) else { return };
        for run in inspected.invocations.iter().filter(|run| run.status.as_str() != "passed") {
            for (name, stream) in [("standard output", &run.stdout), ("standard error", &run.stderr)] {
                let Some(tail) = tail(stream) else { continue };
                line(
                    out,
                    &format!(
                        "<details><summary>End of {name} at the {}</summary><pre tabindex=\"0\">{tail}</pre></details>",
                        run.side
                    ),
                );
            }
        }
    }
}

fn all(report: &Report) -> TestSet {
    report.passed.union(&report.failed).union(&report.skipped)
}

/// A row of the table; left out where neither side has anything.
fn cells(out: &mut String, name: &str, both: Both<'_>, value: impl Fn(&ToldResult) -> String) {
    let told = both.map(|side| side.map_or(String::new(), &value));
    if told.iter().all(String::is_empty) {
        return;
    }
    let cell = |text: &String| {
        if text.is_empty() { "<td class=\"faint\">–</td>".to_owned() } else { format!("<td>{text}</td>") }
    };
    line(out, &format!("<tr><th scope=\"row\">{name}</th>{}</tr>", told.iter().map(cell).collect::<String>()));
}

fn ended(result: &ToldResult) -> String {
    let how = match (result.exit_code, result.signal) {
        (Some(code), _) => format!(", exit {code}"),
        (None, Some(signal)) => format!(", signal {signal}"),
        (None, None) => String::new(),
    };
    let took = duration::exact(Duration::from_millis(result.duration_ms));
    format!("<span class=\"outcome {0}\">{0}</span>{how}, {took}", text(&result.status))
}

fn counted<N: Display>(result: &ToldResult, count: impl Fn(&crate::render::outputs::told::Report) -> N) -> String {
    result.report.as_ref().map(|report| count(report).to_string()).unwrap_or_default()
}

fn report(result: &ToldResult) -> String {
    let Some(report) = &result.report else { return String::new() };
    let state = report.state.as_deref().unwrap_or("accepted");
    let reason = report.reason.as_deref().map(|reason| format!(", {}", text(reason))).unwrap_or_default();
    format!(
        "{}, {}{reason}, {} listed {}",
        text(&report.format),
        text(state),
        report.total,
        digest(report.digest.as_deref())
    )
}

fn stream(stream: &Stream) -> String {
    let cut = if stream.truncated { ", kept in part" } else { "" };
    format!("{}{cut} {}", size(stream.bytes), digest(stream.sha256.as_deref()))
}

fn digest(digest: Option<&str>) -> String {
    digest.map(code).unwrap_or_default()
}

fn tail(stream: &InspectedStream) -> Option<String> {
    let kept = stream.preview.as_deref()?.trim_end();
    let lines: Vec<_> = kept.lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let shown = lines.into_iter().skip(left_out).map(|it| text(&plain::output(it)));
    let shown = shown.collect::<Vec<_>>().join("\n");
    (!shown.is_empty()).then_some(shown)
}
