//! What a person or a program sees.

pub mod deps;
pub mod doctor;
pub mod duration;
mod explanation;
pub mod facts;
pub mod flow;
pub mod gates;
pub mod human;
pub mod init;
pub mod inspection;
pub mod json;
mod line;
pub mod live;
pub mod measure;
pub mod outputs;
pub mod page;
pub mod paint;
pub mod plain;
pub mod receipt;
pub mod remote;
mod replay;
pub mod rules;
pub mod runs;
pub mod session;
mod told;

use std::io::{self, IsTerminal, Write};

use runmill_host::interrupt::Interrupt;
use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::{Run, receipt::ReceiptRun};
use runmill_workshop::{CodePage, ExplainedRun, ReplayedRun, ReplayedRuns};

use crate::{
    args::{Color, Format, Global},
    exit::{self, Exit},
};
use live::Live;
use paint::Paint;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The verdict.
    Verdict,
    /// What a person needs.
    Normal,
    /// What was proven too.
    All,
}

/// Where everything that is shown goes through. In JSON mode exactly one document is written to stdout.
pub struct Output {
    format: Format,
    detail: Detail,
    stdout: Paint,
    stderr: Paint,
    width: usize,
}

impl Output {
    /// The output that the flags ask for.
    pub fn new(global: &Global) -> Self {
        Self {
            format: global.format(),
            detail: match (global.quiet, global.verbose) {
                (true, _) => Detail::Verdict,
                (false, true) => Detail::All,
                (false, false) => Detail::Normal,
            },
            stdout: Paint::when(wants_colour(global.color, io::stdout().is_terminal())),
            stderr: Paint::when(wants_colour(global.color, io::stderr().is_terminal())),
            width: width(),
        }
    }

    /// What is printed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Shows what runs, on stderr.
    pub fn live(&self, global: &Global, interrupt: &Interrupt) -> Result<Live, Problem> {
        Live::new(global, self.stderr, interrupt).map_err(|error| {
            let message = format!("cannot show what runs: {error}");
            Problem::new(Code::Internal001, message, "raise the limits on open files and processes")
        })
    }

    /// How much is said.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Shows a verdict.
    pub fn verdict(&mut self, run: &Run) -> Exit {
        let text = match self.format {
            Format::Json => run.printed.clone(),
            Format::Human => human::verdict(run, self.stdout, self.width, self.detail),
        };
        self.print(&text, run.verdict.into())
    }

    /// Shows a receipt.
    pub fn receipt(&self, run: &ReceiptRun) -> Exit {
        let text = match self.format {
            Format::Json => run.printed.clone(),
            Format::Human => receipt::receipt(run, self.stdout, self.width, self.detail),
        };
        self.print(&text, run.outcome.into())
    }

    /// Shows the page of a code.
    pub fn page(&self, page: &CodePage) -> Exit {
        match self.format {
            Format::Json => self.print(&json::text(page), Exit::Ready),
            Format::Human => self.print(&page::code(page, self.stdout, self.width), Exit::Ready),
        }
    }

    /// Shows why a run came out as it did.
    pub fn explanation(&self, explained: &ExplainedRun) -> Exit {
        let text = match self.format {
            Format::Json => json::text(explained),
            Format::Human => explanation::Screen { explained, paint: self.stdout, width: self.width }.text(),
        };
        self.print(&text, Exit::Ready)
    }

    /// Shows what comes out otherwise when runs are judged again.
    pub fn replay(&self, replayed: &ReplayedRuns) -> Exit {
        let text = match self.format {
            Format::Json => json::text(replayed),
            Format::Human => replay::Screen { replayed, paint: self.stdout, width: self.width }.text(),
        };
        let runs = &replayed.runs;
        let exit = match (runs.iter().all(|run| run.reproduced), runs.iter().any(ReplayedRun::is_flipped)) {
            (false, _) => Exit::Indeterminate,
            (true, true) => Exit::Blocked,
            (true, false) => Exit::Ready,
        };
        self.print(&text, exit)
    }

    /// Prints a document.
    pub fn document(&self, document: &impl serde::Serialize) -> Exit {
        self.print(&json::text(document), Exit::Ready)
    }

    /// Prints a document that says how the process ends.
    pub fn document_with(&self, document: &impl serde::Serialize, exit: Exit) -> Exit {
        self.print(&json::text(document), exit)
    }

    /// Prints a document, or the screen that says the same.
    pub fn show(&self, document: &impl serde::Serialize, human: impl FnOnce() -> String, exit: Exit) -> Exit {
        let text = match self.format {
            Format::Json => json::text(document),
            Format::Human => human(),
        };
        self.print(&text, exit)
    }

    /// Prints a text as it is, whatever the format: a script, a manual page.
    pub fn text(&self, text: &str, exit: Exit) -> Exit {
        self.print(text, exit)
    }

    /// Prints bytes as they are, without a line end of our own.
    pub fn bytes(&self, bytes: &[u8]) -> Exit {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        if written.is_ok() { Exit::Ready } else { Exit::CouldNotRun }
    }

    /// Shows what kept a verb from its work.
    pub fn problems(&mut self, problems: &Problems) -> Exit {
        let exit = exit::of_problems(problems);
        match self.format {
            Format::Json => self.print(&json::error(problems), exit),
            Format::Human => {
                // When stderr is closed there is nobody left to tell; the exit code still says it.
                let _ = io::stderr().lock().write_all(human::problems(problems, self.stderr, self.width).as_bytes());
                exit
            }
        }
    }

    /// Shows why something was refused that could be judged.
    pub fn refusal(&self, problems: &Problems) -> Exit {
        match self.format {
            Format::Json => self.print(&json::error(problems), Exit::Blocked),
            Format::Human => self.print(&human::problems(problems, self.stdout, self.width), Exit::Blocked),
        }
    }

    /// Tells a person of something that does not keep a verb from its work.
    pub fn aside(&self, problem: &Problem) {
        let text = human::problems(&Problems::from(problem.clone()), self.stderr, self.width);
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints a text of our own to stdout in human mode.
    pub fn say(&mut self, text: &str) {
        let _ = writeln!(io::stdout().lock(), "{text}");
    }

    /// Shows a person something beside a document, on stderr.
    pub fn beside_document(&self, text: impl FnOnce(Paint, usize) -> String) {
        // When stderr is closed there is nobody left to tell.
        let _ = io::stderr().lock().write_all(text(self.stderr, self.width).as_bytes());
    }

    /// The colours and the width of stdout.
    pub fn style(&self) -> (Paint, usize) {
        (self.stdout, self.width)
    }

    /// Nobody must take a verdict that could not be written whole for a verdict.
    fn print(&self, text: &str, exit: Exit) -> Exit {
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush());
        if written.is_ok() { exit } else { Exit::CouldNotRun }
    }
}

fn wants_colour(color: Color, terminal: bool) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// The width of the terminal, between 60 and 100; 80 where there is none.
fn width() -> usize {
    let columns = terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| usize::from(columns));
    columns.unwrap_or(80).clamp(60, 100)
}
