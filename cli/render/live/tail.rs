//! The end of what a running check printed.

use std::collections::VecDeque;

use super::super::plain;

/// Bytes kept; more than a screen of long lines.
const KEPT: usize = 16 << 10;

/// The last bytes of an output.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    /// Whether something in front was dropped, so that the first line is not whole.
    cut: bool,
}

impl Tail {
    /// Adds a piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let kept = piece.get(piece.len().saturating_sub(KEPT)..).unwrap_or_default();
        let dropped = (self.bytes.len() + kept.len()).saturating_sub(KEPT);
        self.cut |= dropped > 0 || kept.len() < piece.len();
        self.bytes.drain(..dropped.min(self.bytes.len()));
        self.bytes.extend(kept);
    }

    /// The last lines, harmless for a terminal, blank ones left out; at most `most`.
    pub(super) fn lines(&self, most: usize) -> Vec<String> {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The rest of a line whose beginning was dropped is shown only where there is nothing else.
        let first = usize::from(self.cut && text.contains('\n'));
        let lines = text.split('\n').skip(first).map(plain::output);
        let lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
        lines.iter().skip(lines.len().saturating_sub(most)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_whole_lines_of_the_end() {
        let mut tail = Tail::default();
        assert_eq!(tail.lines(3), Vec::<String>::new());
        tail.push(b"one\n\ntw");
        tail.push(b"o\r\n\x1b[32mthree\x1b[0m\n  10%\r  90%\n");
        assert_eq!(tail.lines(9), ["one", "two", "three", "  90%"]);
        assert_eq!(tail.lines(2), ["three", "  90%"]);
    }

    #[test]
    fn its_memory_does_not_grow_with_the_output() {
        let mut tail = Tail::default();
        for at in 0..10_000 {
            tail.push(format!("line {at}\n").as_bytes());
        }
        assert!(tail.bytes.len() <= KEPT);
        tail.push(&vec![b'x'; 5 * KEPT]);
        assert_eq!((tail.bytes.len(), tail.lines(3).len()), (KEPT, 1));
        tail.push(b"\nend");
        assert_eq!(tail.lines(3), ["end"]);
    }
}
