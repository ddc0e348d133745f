//! Findings of receipts and sessions: what stands in the way, and what to do.

use runmill_model::{Level, Outcome};
use runmill_pipeline::document::FindingEntry;

use super::{
    flow::Flow,
    line::Line,
    paint::{Paint, Tone},
};

/// Appends what is neither proven nor not applicable, what blocks first.
pub fn findings(out: &mut String, findings: &[FindingEntry], paint: Paint, width: usize) {
    let open = |finding: &&FindingEntry| {
        matches!(finding.outcome, Outcome::Refuted | Outcome::Unproven) && finding.level != Level::Off
    };
    let mut open: Vec<_> = findings.iter().filter(open).collect();
    open.sort_by_key(|finding| !finding.blocks());
    let flow = Flow::new(width);
    for finding in open {
        let (tone, word) = match (finding.blocks(), finding.fault) {
            (_, true) => (Tone::Doubt, "fault"),
            (true, _) => (Tone::Bad, "blocks"),
            (false, _) => (Tone::Doubt, "warning"),
        };
        let head = Line::of(tone, word).then(None, "  ").then(Some(Tone::Strong), finding.code.as_str());
        let head = head.then(None, "  ").then(Some(Tone::Faint), finding.rule.as_str());
        out.push('\n');
        out.push_str(&head.painted(width, paint));
        out.push('\n');
        flow.push(out, "  ", "  ", &finding.message);
        flow.push(out, "  fix: ", "       ", &finding.fix);
    }
}
