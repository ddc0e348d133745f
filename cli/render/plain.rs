//! Texts of others, made harmless for a terminal.
//!
//! Test names, notes and manifests come from the change that is judged. A control character could move the cursor over the
//! verdict, a mark of direction could turn words around.

use runmill_model::Problem;

/// Longest text that is shown in one piece, in characters.
const LONGEST: usize = 500;

/// A text for one place on the screen: no control characters, no line breaks, not longer than a few lines.
pub fn text(text: &str) -> String {
    let mut letters = text.chars().map(|letter| if is_harmful(letter) { ' ' } else { letter });
    let mut shown: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// A line of a command's output as a terminal would leave it: without colours, and what stands after the last return.
pub fn output(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let last = line.rsplit('\r').next().unwrap_or_default();
    text(&without_sequences(last).replace('\t', "    "))
}

/// A text without escape sequences (ECMA-48: control sequences, and strings up to their end).
fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            kept.push(letter);
            continue;
        }
        match letters.next() {
            Some('[') => drop(letters.by_ref().find(|letter| matches!(letter, '@'..='~'))),
            Some(']' | 'P' | '_' | '^' | 'X') => {
                let mut before = ' ';
                let mut ends = |letter: char| {
                    let end = letter == '\u{7}' || (before == '\u{1b}' && letter == '\\');
                    before = letter;
                    end
                };
                letters.by_ref().find(|letter| ends(*letter));
            }
            _ => {}
        }
    }
    kept
}

/// A problem whose texts are harmless. Its source keeps its length and its lines, so that labels stay where they are.
pub fn problem(problem: &Problem) -> Problem {
    let mut shown = Problem::new(problem.code, text(&problem.message), text(&problem.help));
    if let Some(place) = place_in_a_long_line(problem) {
        shown.message.push_str(&format!(" ({})", text(&place)));
        return shown;
    }
    if let Some(source) = &problem.source {
        shown = shown.in_source(text(&source.name), same_length(&source.text));
    }
    for label in &problem.labels {
        shown = shown.at(label.offset, label.length, text(&label.text));
    }
    shown
}

/// An excerpt would show the lines around a label whole, so a place among lines that are too long is only named.
fn place_in_a_long_line(problem: &Problem) -> Option<String> {
    let (source, label) = (problem.source.as_ref()?, problem.labels.first()?);
    let (line, column) = problem.position(label)?;
    let around = source.text.lines().skip(line.saturating_sub(2)).take(3);
    around.into_iter().any(|line| line.len() > LONGEST).then(|| format!("{}:{line}:{column}", source.name))
}

fn same_length(text: &str) -> String {
    let replaced = |letter: char| match (letter, letter.len_utf8()) {
        ('\n' | '\t' | '\r', _) => letter,
        (_, 1) if is_harmful(letter) => '?',
        (_, 2) if is_harmful(letter) => '\u{bf}',
        _ if is_harmful(letter) => '\u{fffd}',
        _ => letter,
    };
    text.chars().map(replaced).collect()
}

/// Control characters, line separators, and marks that change the direction of what follows (Unicode UAX 9).
pub fn is_harmful(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::*;

    #[test]
    fn nothing_moves_the_cursor_or_turns_words_around() {
        assert_eq!(text("a\u{1b}[2Jb\nc\u{9b}d\u{202e}e é ✓"), "a [2Jb c d e é ✓");
        assert_eq!(text(&"x".repeat(501)).chars().count(), 501);
        assert_eq!(text(&"x".repeat(500)), "x".repeat(500));
    }

    #[test]
    fn output_is_what_a_terminal_would_leave_of_it() {
        assert_eq!(output("\x1b[1;32mok\x1b[0m\tdone\r"), "ok    done");
        assert_eq!(output(" 10%\r 20%\x1b[K"), " 20%");
        assert_eq!(output("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x07b\x1b(c\u{9b}"), "alinkbc ");
        assert_eq!(output("cut \x1b[3"), "cut ");
    }

    #[test]
    fn no_excerpt_shows_a_line_without_end() {
        let source = format!("a\n{}\nb\n", "x".repeat(LONGEST + 1));
        let made = Problem::new(Code::Verify004, "m", "h").in_source("f", source).at(4, 1, "l");
        let shown = problem(&made);
        assert_eq!((shown.message.as_str(), shown.source.is_none()), ("m (f:2:3)", true));
    }

    #[test]
    fn labels_stay_where_they_are() {
        let source = "a: \u{1b}\u{9b}\u{202e}\tx\n";
        let made = Problem::new(Code::Verify004, "m\u{1b}", "h").in_source("f", source).at(9, 1, "l\u{1b}");
        let shown = problem(&made);
        assert_eq!((shown.message.as_str(), shown.labels[0].text.as_str()), ("m ", "l "));
        assert_eq!(&*shown.source.as_ref().unwrap().text, "a: ?\u{bf}\u{fffd}\tx\n");
        assert_eq!((shown.labels[0].offset, shown.source.unwrap().text.len()), (9, source.len()));
    }
}
