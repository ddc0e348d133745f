//! Colours, or none.

use anstyle::{AnsiColor, Style};

/// Paints text when colours are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

/// What a text is, so that it is always painted alike.
#[derive(Debug, Clone, Copy)]
pub enum Tone {
    Good,
    Bad,
    Doubt,
    Strong,
    Faint,
}

impl Paint {
    /// Colours only when `on`.
    pub fn when(on: bool) -> Self {
        Self { on }
    }

    /// Whether colours are on.
    pub fn is_on(self) -> bool {
        self.on
    }

    /// The text in its tone.
    pub fn text(self, tone: Tone, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let style = match tone {
            Tone::Good => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
            Tone::Bad => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Tone::Doubt => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Strong => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
        };
        format!("{}{text}{}", style.render(), style.render_reset())
    }
}
