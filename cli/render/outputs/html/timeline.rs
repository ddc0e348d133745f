//! What ran when: every invocation of base and candidate, in the order of their start.

use std::time::Duration;

use super::{
    Page,
    markup::{code, line, text},
};
use crate::{
    command::inspect::{InspectedCheck, InspectedInvocation},
    render::duration,
};

/// The width that bars are drawn in; the browser scales it.
const WIDTH: u64 = 10_000;
/// A bar that nobody can see says nothing.
const NARROWEST: u64 = 40;

impl Page<'_> {
    pub(super) fn timeline(&self, out: &mut String) {
        let checks = self.inspection.checks.iter();
        let mut ran: Vec<_> = checks.flat_map(|check| check.invocations.iter().map(move |run| (check, run))).collect();
        if ran.is_empty() {
            return;
        }
        ran.sort_by_key(|(_, run)| (run.started_ms.is_none(), run.started_ms));
        let whole = seconds(self.inspection.duration_ms);
        line(out, &format!("<section id=\"timeline\"><h2>Timeline <small>the run took {whole}</small></h2>"));
        line(out, "<ol class=\"timeline\">");
        ran.iter().for_each(|(check, run)| self.lane(out, check, run));
        line(out, "</ol></section>");
    }

    fn lane(&self, out: &mut String, check: &InspectedCheck, run: &InspectedInvocation) {
        let name = self.fact("check", check.id.as_str()).replace("check ", "");
        let head = format!("<span class=\"who\">{name}</span> <span class=\"side\">{}</span>", run.side);
        let lane = match (run.started_ms, &run.reused_from) {
            (Some(start), _) => {
                let end = start.saturating_add(run.duration_ms);
                let whole = self.inspection.duration_ms.max(end).max(1);
                let when = format!("{} to {}", seconds(start), seconds(end));
                format!("{}<span class=\"when\">{when}</span>", bar(run, start, whole))
            }
            (None, Some(from)) => format!("<span class=\"instead\">stands in from run {}</span>", code(from.as_str())),
            (None, None) if run.exit_code.is_some() || run.signal.is_some() => {
                format!("<span class=\"instead\">took {}; its start is not on record</span>", seconds(run.duration_ms))
            }
            (None, None) => "<span class=\"instead\">did not start</span>".to_owned(),
        };
        line(out, &format!("<li>{head} {lane}</li>"));
    }
}

/// The text beside it says the same.
fn bar(run: &InspectedInvocation, start: u64, whole: u64) -> String {
    let scaled = |part: u64| u64::try_from(u128::from(part) * u128::from(WIDTH) / u128::from(whole)).unwrap_or(WIDTH);
    let width = scaled(run.duration_ms).max(NARROWEST);
    let at = scaled(start).min(WIDTH.saturating_sub(width));
    format!(
        "<svg aria-hidden=\"true\" viewBox=\"0 0 {WIDTH} 10\" preserveAspectRatio=\"none\"><rect class=\"lane\" width=\"{WIDTH}\" \
         height=\"10\"/><rect class=\"{} {}\" x=\"{at}\" width=\"{width}\" height=\"10\"/></svg>",
        run.side,
        text(run.status.as_str())
    )
}

fn seconds(millis: u64) -> String {
    duration::exact(Duration::from_millis(millis))
}
