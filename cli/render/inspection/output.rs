//! What a check printed, as far as it was kept.

use super::Screen;
use crate::{
    command::inspect::{InspectedCheck, InspectedStream},
    render::{measure::size, paint::Tone, plain},
};

/// Lines of one stream that are shown: half of them from its start, half from its end.
const LINES: usize = 400;

impl Screen<'_> {
    /// Every stream of every side, the base first. Streams without a text are not named.
    pub(super) fn printed(&self, check: &InspectedCheck) -> Vec<String> {
        let mut lines = Vec::new();
        for run in &check.invocations {
            for (name, stream) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
                let Some(text) = stream.preview.as_deref().filter(|text| !text.trim().is_empty()) else { continue };
                lines.push(String::new());
                lines.push(format!(
                    "{}  {}",
                    self.paint.text(Tone::Strong, &format!("{} {name}", run.side)),
                    self.faint(&told(stream))
                ));
                lines.extend(self.bars(text));
            }
        }
        lines
    }

    fn bars(&self, text: &str) -> Vec<String> {
        let all: Vec<&str> = text.trim_end().lines().collect();
        let shown = |lines: &[&str]| -> Vec<String> { lines.iter().flat_map(|line| self.bar(line)).collect() };
        if all.len() <= LINES {
            return shown(&all);
        }
        let (start, rest) = all.split_at(LINES / 2);
        let (left_out, end) = rest.split_at(rest.len().saturating_sub(LINES / 2));
        let mut lines = shown(start);
        lines.push(self.faint(&format!("  {} lines left out; `--json` has them", left_out.len())));
        lines.extend(shown(end));
        lines
    }
}

impl Screen<'_> {
    /// One line of output behind a bar, as many lines of the screen as it needs.
    fn bar(&self, line: &str) -> Vec<String> {
        let letters: Vec<char> = plain::output(line).trim_end().chars().collect();
        let width = self.width.saturating_sub(2).max(1);
        let mut pieces = letters.chunks(width).map(|piece| piece.iter().collect::<String>());
        let first = pieces.next().unwrap_or_default();
        let first = format!("{} {first}", self.faint("│")).trim_end().to_owned();
        std::iter::once(first).chain(pieces.map(|piece| format!("{} {piece}", self.faint("┆")))).collect()
    }
}

fn told(stream: &InspectedStream) -> String {
    if stream.truncated { format!("{}, kept in part", size(stream.bytes)) } else { size(stream.bytes) }
}
