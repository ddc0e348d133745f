//! How runners speak: the built-in table, and those that packs add. A pack can only add notices: each table reads every
//! output, and what any of them notices counts.

use runmill_model::{Code, Problem, Problems};
use runmill_policy::Pack;
use runmill_report::text::{self, Table, TextNotices};

/// The tables of a run.
#[derive(Debug)]
pub(crate) struct Runners {
    builtin: &'static Table,
    added: Vec<Table>,
}

impl Runners {
    /// The built-in table, and one for each pack that has a `runners.kdl`.
    ///
    /// # Errors
    /// RM-POLICY-005: such a file is no table, or names a runner that the built-in table has.
    pub(crate) fn of(packs: &[Pack]) -> Result<Self, Problems> {
        let builtin = Table::builtin().map_err(|error| {
            Problem::new(Code::Internal001, format!("the table of runners: {error}"), "report this")
        })?;
        let (mut added, mut problems) = (Vec::new(), Vec::new());
        for (pack, text) in packs.iter().filter_map(|pack| Some((pack, pack.runners()?))) {
            match Table::extended(text) {
                Ok(table) => added.push(table),
                Err(error) => problems.push(refused(pack, text, &error)),
            }
        }
        Problems::from_list(problems).map_or(Ok(Self { builtin, added }), Err)
    }

    /// What any table makes of the output of a command.
    pub(crate) fn scan(&self, argv: &[String], output: &[u8]) -> TextNotices {
        let noticed = |table: &Table| text::scan_run(argv, output, table);
        self.added.iter().map(noticed).fold(noticed(self.builtin), TextNotices::with)
    }
}

fn refused(pack: &Pack, text: &str, error: &text::TableError) -> Problem {
    let line = text.as_bytes().iter().take(error.offset()).filter(|byte| **byte == b'\n').count() + 1;
    let message = format!("`runners.kdl` of pack `{}`, line {line}: {error}", pack.name());
    Problem::new(Code::Policy005, message, "correct the table; `docs/runners.md` says what it holds")
}
