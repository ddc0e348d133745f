//! An approval for people.

use super::document::{Approval, Declared, What};
use crate::render::{
    flow::Flow,
    paint::{Paint, Tone},
    plain,
};

/// Tests named one by one.
const TESTS: usize = 20;

/// The answer as a screen of text.
pub fn text(approval: &Approval, paint: Paint, width: usize) -> String {
    let mut lines = vec![headline(approval, paint)];
    let mut wrapped = |first: &str, next: &str, text: &str| {
        lines.extend(Flow::new(width).lines(first, next, text));
    };
    for reason in &approval.refused {
        let code = reason.code.map(|code| format!("{code}  ")).unwrap_or_default();
        wrapped(&format!("  {code}"), "    ", &reason.message);
    }
    if !approval.refused.is_empty() {
        wrapped("", "", "");
        let fix =
            "an approval excuses tests that were skipped or are gone, and nothing else: make the rest right first";
        wrapped("fix: ", "     ", fix);
        return lines.join("\n");
    }
    for (tests, mark) in [(&approval.declared, "+"), (&approval.already_declared, "=")] {
        for Declared { test_id, what } in tests.iter().take(TESTS) {
            let what = match what {
                What::Skipped => "skipped",
                What::Missing => "missing",
            };
            wrapped(&format!("  {mark} "), "      ", &format!("{test_id}  ({what})"));
        }
        let more = tests.len().saturating_sub(TESTS);
        if more > 0 {
            wrapped("  ", "  ", &format!("{mark} {more} more"));
        }
    }
    if let (Some(policy), false) = (&approval.policy, approval.declared.is_empty()) {
        lines.push(format!("cause: {}", plain::text(&approval.cause)));
        let how = if approval.created { "made" } else { "added to" };
        lines.push(paint.text(Tone::Faint, &format!("{how} {policy}")));
    }
    lines.push(format!("next: {}", approval.next.join(" ")));
    lines.join("\n")
}

fn headline(approval: &Approval, paint: Paint) -> String {
    let (tone, word) = match (approval.refused.is_empty(), approval.declared.is_empty()) {
        (false, _) => (Tone::Bad, "REFUSED"),
        (true, false) => (Tone::Good, "APPROVED"),
        (true, true) => (Tone::Good, "UNCHANGED"),
    };
    let at = format!("`{}` at {}", approval.check, approval.candidate.short());
    let text = match (word, approval.declared.len()) {
        ("REFUSED", _) => format!("nothing of {at} may be approved"),
        ("UNCHANGED", _) => format!("every exception of {at} is declared already"),
        (_, 1) => format!("1 exception of {at}, for this commit only"),
        (_, many) => format!("{many} exceptions of {at}, for this commit only"),
    };
    format!("{}  {text}", paint.text(tone, word))
}
