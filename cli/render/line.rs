//! One line of pieces, each in its tone, cut where the terminal ends.

use textwrap::core::display_width;

use super::{
    paint::{Paint, Tone},
    plain,
};

/// The pieces of a line.
#[derive(Debug, Clone)]
pub struct Line(Vec<(Option<Tone>, String)>);

impl Line {
    pub fn of(tone: Tone, text: &str) -> Self {
        Self(vec![(Some(tone), text.to_owned())])
    }

    /// A line that begins in no tone.
    pub fn plain(text: &str) -> Self {
        Self(vec![(None, text.to_owned())])
    }

    pub fn then(mut self, tone: Option<Tone>, text: &str) -> Self {
        self.0.push((tone, text.to_owned()));
        self
    }

    /// The line in its colours, at most `width` columns wide.
    pub fn painted(&self, width: usize, paint: Paint) -> String {
        let mut left = width;
        let mut painted = String::new();
        for (tone, text) in &self.0 {
            let text = plain::text(text);
            let piece = fitting(&text, left);
            // Nothing follows a piece that was cut.
            left = if piece.len() < text.len() { 0 } else { left - display_width(&piece).min(left) };
            if !piece.is_empty() {
                painted.push_str(&tone.map_or_else(|| piece.clone(), |tone| paint.text(tone, &piece)));
            }
        }
        painted
    }
}

/// The longest start of a text that fits into so many columns.
fn fitting(text: &str, columns: usize) -> String {
    let mut left = columns;
    let fits = |letter: &char| {
        let width = display_width(letter.encode_utf8(&mut [0; 4]));
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    text.chars().take_while(fits).collect()
}

/// The widest of some names, as far as there is room for what follows them.
pub fn column<'a>(names: impl Iterator<Item = &'a String>, width: usize) -> usize {
    names.map(|name| display_width(name)).max().unwrap_or(0).min(width.saturating_sub(BESIDE))
}

/// A name in a column; one that is too long keeps its end, which says the side.
pub fn padded(name: &str, column: usize) -> String {
    let wide = display_width(name);
    if wide <= column {
        return format!("{name}{}", " ".repeat(column - wide));
    }
    let letters: Vec<char> = name.chars().collect();
    let end = letters.len().min(END);
    let (front, back) = letters.split_at(letters.len() - end);
    let front = fitting(&front.iter().collect::<String>(), column.saturating_sub(END + 1));
    let short = format!("{front}…{}", back.iter().collect::<String>());
    format!("{short}{}", " ".repeat(column.saturating_sub(display_width(&short))))
}

/// Columns of what stands beside a name.
const BESIDE: usize = 32;
/// Letters kept of the end of a name: ` (candidate)`.
const END: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_never_wider_than_the_terminal() {
        let line = Line::of(Tone::Bad, "✗ ").then(None, "数数数").then(Some(Tone::Faint), "abc");
        let plain = |width| line.painted(width, Paint::when(false));
        assert_eq!([0, 1, 2, 5, 8, 9, 99].map(plain), ["", "✗", "✗ ", "✗ 数", "✗ 数数数", "✗ 数数数a", "✗ 数数数abc"]);
        assert_eq!(line.painted(4, Paint::when(true)), "\x1b[1m\x1b[31m✗ \x1b[0m数");
    }

    #[test]
    fn a_name_that_is_too_long_keeps_its_side() {
        let name = "a-name-that-goes-on-and-on (candidate)";
        assert_eq!(padded(name, 24), "a-name-that… (candidate)");
        assert_eq!(padded("unit (base)", 14), "unit (base)   ");
        assert_eq!(column([name.to_owned()].iter(), 60), 28);
    }
}
