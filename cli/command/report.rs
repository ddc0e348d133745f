//! `runmill report read`: shows what runmill sees in a report, before a gate looks at it.

pub mod html;
mod human;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Write},
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use runmill_model::{Code, Problems, TestArena, TestSet};
use runmill_pipeline::{Compared, Reports, compare};
use runmill_report::{Duplicates, Format, Identity, Options, Rejection, TestReport, guess, parse, reporter};
use serde::Serialize;

/// Show what a report says, what would be refused, and the reporter setting that repairs it
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// The report
    #[arg(value_name = "FILE")]
    pub file: Utf8PathBuf,
    /// Its format [default: guessed from the content]
    #[arg(id = "as", long = "as", value_name = "junit|tap|go-json")]
    pub format: Option<Format>,
    /// The base's report, to compare with
    #[arg(long, value_name = "FILE")]
    pub base: Option<Utf8PathBuf>,
    /// A test that is declared as skipped or removed; may be repeated
    #[arg(long, value_name = "ID", requires = "base")]
    pub declared: Vec<String>,
    /// Which skipped tests count as exceptions
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub skips: Skips,
    /// What tells tests apart
    #[arg(long, value_name = "classname|suite|file|suite+hostname", default_value_t = Identity::Classname)]
    pub identity: Identity,
    /// What repeated ids mean
    #[arg(long, value_name = "reject|group", default_value_t = Duplicates::Reject)]
    pub duplicates: Duplicates,
}

/// Which skipped tests count as exceptions; the pack parameter of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Skips {
    /// Every test that is skipped at the candidate.
    All,
    /// Those that passed at the base.
    Regressions,
}

impl Skips {
    /// The value of the pack parameter.
    fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Regressions => "regressions",
        }
    }
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// One `runmill.report/v1` document, or one `runmill.error/v1`.
    Json,
    /// Text.
    Plain,
    /// Text with colours.
    Coloured,
}

const ACCEPTED: u8 = 0;
const UNUSABLE: u8 = 1;
const REFUSED: u8 = 3;

/// Reads a report and returns the exit code: 0 accepted and nothing refuted, 3 otherwise, 1 when a file cannot be read
/// or its format not be guessed.
///
/// # Errors
/// Writing to `out` or `err` failed.
pub fn read(args: &ReadArgs, view: View, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    match Reading::of(args) {
        Ok(reading) => {
            if view == View::Json {
                write_json(out, &reading.document())?;
            } else {
                human::write(&reading, out, view)?;
            }
            Ok(if reading.is_fit() { ACCEPTED } else { REFUSED })
        }
        Err(fault) => {
            if view == View::Json {
                write_json(out, &fault)?;
            } else {
                writeln!(err, "error: {}\n  help: {}", fault.message, fault.help)?;
            }
            Ok(UNUSABLE)
        }
    }
}

/// A file that cannot be used, as a `runmill.error/v1` document.
#[derive(Debug, Serialize)]
struct Fault {
    schema: &'static str,
    code: &'static str,
    message: String,
    help: String,
    labels: [(); 0],
}

impl Fault {
    /// The file is no report that could be looked at.
    fn of_file(message: String, help: impl Into<String>) -> Self {
        Self::new(Code::Report001, message, help)
    }

    fn new(code: Code, message: String, help: impl Into<String>) -> Self {
        Self { schema: "runmill.error/v1", code: code.as_str(), message, help: help.into(), labels: [] }
    }
}

/// The rules could not compare.
impl From<Problems> for Fault {
    fn from(problems: Problems) -> Self {
        let code = problems.iter().next().map_or(Code::Internal001, |problem| problem.code);
        Self::new(code, problems.to_string(), "report this")
    }
}

/// One report file, read.
struct Side {
    path: Utf8PathBuf,
    format: Format,
    reporter: Option<&'static reporter::Reporter>,
    result: Result<TestReport, Rejection>,
}

impl Side {
    fn of(path: &Utf8Path, args: &ReadArgs, arena: &mut TestArena) -> Result<Self, Fault> {
        let options = Options { identity: args.identity, duplicates: args.duplicates, ..Options::default() };
        let bytes = bounded(path, options.limits.bytes)?;
        let blank = bytes.iter().all(u8::is_ascii_whitespace);
        let format = args.format.or_else(|| guess(&bytes)).or(blank.then_some(Format::Junit)).ok_or_else(|| {
            let help = "name the format with `--as junit`, `--as tap` or `--as go-json`";
            Fault::of_file(format!("`{path}` looks like no report format that is known"), help)
        })?;
        let result = parse(format, &bytes, &options, arena);
        Ok(Self { path: path.to_owned(), format, reporter: reporter::recognise(format, &bytes), result })
    }

    /// The reporter's setting that repairs the refusal.
    fn setting(&self) -> Option<&'static str> {
        let rejection = self.result.as_ref().err()?;
        self.reporter?.repair(rejection.reason)
    }
}

/// One byte more than the limit is enough for the parser to name it.
#[expect(clippy::disallowed_methods, reason = "the command line reads the files it is given")]
fn bounded(path: &Utf8Path, limit: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    let fault = |error: io::Error| {
        Fault::of_file(format!("`{path}` cannot be read: {error}"), "name a report that may be read")
    };
    read.map(|_| bytes).map_err(fault)
}

struct Reading {
    arena: TestArena,
    candidate: Side,
    base: Option<Side>,
    comparison: Option<Compared>,
}

impl Reading {
    fn of(args: &ReadArgs) -> Result<Self, Fault> {
        let mut arena = TestArena::new();
        let base = args.base.as_deref().map(|path| Side::of(path, args, &mut arena)).transpose()?;
        let candidate = Side::of(&args.file, args, &mut arena)?;
        let comparison = match (&base, &candidate.result) {
            (Some(Side { result: Ok(base), .. }), Ok(report)) => {
                let reports = Reports {
                    tests: &arena,
                    base,
                    candidate: report,
                    format: candidate.format,
                    identity: args.identity,
                    duplicates: args.duplicates,
                };
                Some(compare(&reports, &args.declared, args.skips.as_str())?)
            }
            // A baseline that is not valid refutes too.
            (Some(Side { result: Err(_), .. }), _) => Some(Compared { refuted: true, ..Compared::default() }),
            _ => None,
        };
        Ok(Self { arena, candidate, base, comparison })
    }

    fn is_fit(&self) -> bool {
        self.candidate.result.is_ok() && !self.comparison.as_ref().is_some_and(|comparison| comparison.refuted)
    }

    fn document(&self) -> Document<'_> {
        let rejection = self.candidate.result.as_ref().err();
        let accepted = self.candidate.result.as_ref().ok();
        let count = |set: fn(&TestReport) -> &TestSet| accepted.map_or(0, |report| set(report).len());
        Document {
            schema: "runmill.report/v1",
            accepted: rejection.is_none(),
            format: self.candidate.format,
            reporter: self.candidate.reporter.map(|reporter| reporter.name),
            reason: rejection.map(|rejection| rejection.reason.as_str()),
            line: rejection.map(|rejection| rejection.line),
            column: rejection.map(|rejection| rejection.column),
            id: rejection.and_then(|rejection| rejection.id.as_deref()),
            message: rejection.map(|rejection| rejection.message.as_str()),
            fix: rejection.map(|rejection| rejection.fix.as_str()),
            setting: self.candidate.setting(),
            totals: Totals {
                total: accepted.map_or(0, |report| report.total),
                passed: count(|report| &report.passed),
                failed: count(|report| &report.failed),
                skipped: count(|report| &report.skipped),
            },
            tests: accepted.map(|report| rows(&self.arena, report)).unwrap_or_default(),
            warnings: accepted
                .map(|report| report.warnings.iter().map(ToString::to_string).collect())
                .unwrap_or_default(),
            comparison: self.comparison.as_ref(),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    accepted: bool,
    format: Format,
    reporter: Option<&'static str>,
    reason: Option<&'static str>,
    line: Option<u64>,
    column: Option<u64>,
    id: Option<&'a str>,
    message: Option<&'a str>,
    fix: Option<&'a str>,
    setting: Option<&'static str>,
    totals: Totals,
    tests: Vec<Row<'a>>,
    warnings: Vec<String>,
    comparison: Option<&'a Compared>,
}

#[derive(Serialize)]
struct Totals {
    total: u64,
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// One test.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    status: &'static str,
    flaky: bool,
    /// How often it is listed, where repeats are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
}

/// The tests of a report, sorted by id.
fn rows<'a>(arena: &'a TestArena, report: &TestReport) -> Vec<Row<'a>> {
    let repeats: BTreeMap<_, _> = report.repeats.iter().copied().collect();
    let sets = [(&report.passed, "passed"), (&report.failed, "failed"), (&report.skipped, "skipped")];
    let mut rows: Vec<_> = sets
        .into_iter()
        .flat_map(|(set, status)| set.iter().map(move |test| (test, status)))
        .map(|(test, status)| Row {
            id: arena.shown(test),
            status,
            flaky: report.flaky.contains(test),
            times: repeats.get(&test).copied(),
        })
        .collect();
    rows.sort_by_key(|row| row.id);
    rows
}

fn write_json(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

#[cfg(test)]
mod tests;
