//! Lines that are drawn again and again in one place, without flicker.

use std::fmt::Write;

use textwrap::core::display_width;

/// Starts a frame that the terminal shows at once, where it knows how to (synchronized output); without the cursor.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
/// Ends a frame.
const END: &str = "\x1b[?2026l";
/// Shows the cursor.
const CURSOR: &str = "\x1b[?25h";
/// Erases the rest of a line.
const REST_OF_LINE: &str = "\x1b[K";
/// Erases everything below.
const BELOW: &str = "\x1b[J";

/// What stands on the terminal; the cursor is below its last line.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The widths of the lines, in columns.
    drawn: Vec<usize>,
}

impl Frame {
    /// The bytes that put `lines` in the place of what stands there, on a terminal of this width.
    pub(super) fn draw(&mut self, lines: &[String], width: usize) -> String {
        let mut text = format!("{BEGIN}{}", self.back(width));
        for line in lines {
            text.push_str(line);
            text.push_str(REST_OF_LINE);
            text.push_str("\r\n");
        }
        text.push_str(BELOW);
        text.push_str(END);
        self.drawn = lines.iter().map(|line| display_width(line)).collect();
        text
    }

    /// The bytes that take everything away.
    pub(super) fn clear(&mut self, width: usize) -> String {
        let text = format!("{}{BELOW}{CURSOR}", self.back(width));
        self.drawn.clear();
        text
    }

    /// Back to where the first line begins. Lines that became wider than the terminal take several rows by now.
    fn back(&self, width: usize) -> String {
        let rows: usize = self.drawn.iter().map(|columns| columns.div_ceil(width.max(1)).max(1)).sum();
        let mut text = String::from("\r");
        if rows > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "\x1b[{rows}A");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(widths: &[usize]) -> Vec<String> {
        widths.iter().map(|width| "x".repeat(*width)).collect()
    }

    #[test]
    fn a_frame_goes_where_the_one_before_began() {
        let mut frame = Frame::default();
        assert!(frame.draw(&lines(&[3, 0]), 80).starts_with("\x1b[?2026h\x1b[?25l\rxxx\x1b[K\r\n\x1b[K\r\n\x1b[J"));
        assert!(frame.draw(&lines(&[1]), 80).contains("\r\x1b[2Ax\x1b[K\r\n\x1b[J"));
        assert_eq!(frame.clear(80), "\r\x1b[1A\x1b[J\x1b[?25h");
        assert_eq!(frame.clear(80), "\r\x1b[J\x1b[?25h");
    }

    #[test]
    fn lines_that_a_narrower_terminal_broke_are_taken_away_whole() {
        let mut frame = Frame::default();
        frame.draw(&lines(&[79, 40, 10]), 80);
        assert!(frame.draw(&[], 40).contains("\r\x1b[4A\x1b[J"));
    }
}
