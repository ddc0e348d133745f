//! The gates of a merge, for a terminal.

use runmill_model::{GateState, GatesOutcome};
use runmill_pipeline::gates::{GateEntry, GatesDocument};

use super::{
    Detail,
    flow::Flow,
    line::{Line, column, padded},
    paint::{Paint, Tone},
};

/// The gates as a screen of text.
pub fn screen(gates: &GatesDocument, paint: Paint, width: usize, detail: Detail) -> String {
    let (tone, word, text) = match gates.outcome {
        GatesOutcome::Permitted => (Tone::Good, "PERMITTED", "every gate is met, so a machine may merge this change"),
        GatesOutcome::Refused => (Tone::Bad, "REFUSED", "a gate is not met, so no machine may merge this change"),
        GatesOutcome::Undecided => (Tone::Doubt, "UNDECIDED", "no machine may merge this change as things stand"),
    };
    let mut out = format!("{}  {text}\n", paint.text(tone, word));
    if detail == Detail::Verdict {
        return out;
    }
    let head = format!("run {}, {}, in {}", gates.run, gates.verdict, gates.mode);
    out.push_str(&format!("{}\n\n", paint.text(Tone::Faint, &head)));
    let names: Vec<String> = gates.gates.iter().map(|gate| gate.gate.to_string()).collect();
    let wide = column(names.iter(), width);
    gates.gates.iter().zip(&names).for_each(|(gate, name)| row(&mut out, gate, &padded(name, wide), paint, width));
    for gate in &gates.gates {
        if gate.state != GateState::Met || detail == Detail::All {
            reasons(&mut out, gate, paint, width);
        }
    }
    out
}

fn style(state: GateState) -> (Tone, &'static str, &'static str) {
    match state {
        GateState::Met => (Tone::Good, "✓", "met"),
        GateState::NotMet => (Tone::Bad, "✗", "not met"),
        GateState::NeedsPerson => (Tone::Doubt, "?", "needs a person"),
        GateState::Unknown => (Tone::Doubt, "?", "unknown"),
    }
}

fn row(out: &mut String, gate: &GateEntry, name: &str, paint: Paint, width: usize) {
    let (tone, mark, word) = style(gate.state);
    let line = Line::of(tone, mark).then(None, &format!(" {name}  ")).then(Some(tone), word);
    out.push_str(line.painted(width, paint).trim_end());
    out.push('\n');
}

/// Why a gate stands as it does: what keeps it from being met, or what proves it.
fn reasons(out: &mut String, gate: &GateEntry, paint: Paint, width: usize) {
    let (tone, _, word) = style(gate.state);
    let head = Line::of(tone, word).then(None, "  ").then(Some(Tone::Strong), gate.code.as_str());
    let head = head.then(None, "  ").then(Some(Tone::Faint), gate.gate.as_str());
    out.push_str(&format!("\n{}\n", head.painted(width, paint)));
    let flow = Flow::new(width);
    let mut told: Option<&str> = None;
    for reason in gate.reasons.iter().filter(|reason| reason.state != GateState::Met || gate.state == GateState::Met) {
        flow.push(out, "  ", "  ", &reason.message);
        if let Some(fix) = reason.fix.as_deref().filter(|fix| told != Some(fix)) {
            flow.push(out, "  fix: ", "       ", fix);
            told = Some(fix);
        }
    }
}
