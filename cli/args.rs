//! The command line.

use std::ffi::OsString;

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use runmill_forge::{Api, GITHUB, RepositoryName};
use runmill_manifest::TimeSpan;

use crate::command::report::html::HtmlArgs;
use crate::command::{
    approve::ApproveArgs, completions::CompletionsArgs, declare::DeclareArgs, deps::DepsCommand, doctor::DoctorArgs,
    evidence::EvidenceCommand, explain::ExplainArgs, facts::FactsArgs, hook::HookCommand, init::InitArgs,
    inspect::InspectArgs, man::ManArgs, mcp::McpArgs, policy::PolicyCommand, remote::RemoteCommand, replay::ReplayArgs,
    report::ReadArgs, rules::RulesCommand, runs::RunsArgs, schema::SchemaArgs, sessions::SessionCommand,
    verify::ReceiptArgs,
};
use crate::render::outputs::Asked;

/// Decides whether a change may merge: which checks are required, did each one run, on the exact commit, and without a
/// false green.
#[derive(Debug, Parser)]
#[command(name = "runmill", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every verb.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// The repository [default: the one around the working directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub repo: Option<Utf8PathBuf>,
    /// The operator's policy file
    #[arg(long, value_name = "FILE", global = true)]
    pub policy: Option<Utf8PathBuf>,
    /// Where runs are recorded
    #[arg(long, value_name = "DIR", env = "RUNMILL_STATE_DIR", hide_env_values = true, global = true)]
    pub state_dir: Option<Utf8PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "human", global = true)]
    pub format: Format,
    /// The same as `--format json`
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Print the verdict only
    #[arg(short, long, conflicts_with = "verbose", global = true)]
    pub quiet: bool,
    /// Print what was proven too
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// Exactly one JSON document on stdout.
    Json,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Global {
    /// What to print.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    Init(InitArgs),
    Doctor(DoctorArgs),
    /// Judge a change: run every required check on base and candidate, and say whether it may merge
    Check(CheckArgs),
    Verify(ReceiptArgs),
    /// Hold an agent to a contract over the operator's profiles
    #[command(subcommand)]
    Session(SessionCommand),
    /// Answer a coding agent's hooks, and install them
    #[command(subcommand)]
    Hook(HookCommand),
    Mcp(McpArgs),
    /// List the runs on record, newest first
    Runs(RunsArgs),
    /// Show everything on record about a run: each check, on both sides, and what was found
    Inspect(InspectArgs),
    /// Show the sealed fact graph of a run, as the rules saw it
    Facts(FactsArgs),
    /// Say what a code means, or why a recorded run came out as it did and what would change that
    Explain(ExplainArgs),
    /// Say what the operator's policy makes of a recorded run
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Judge recorded runs again, by the recorded rules or by others, and say what comes out otherwise
    Replay(ReplayArgs),
    /// Let a person's exceptions for one candidate pass: write them into the operator's policy
    Approve(ApproveArgs),
    /// Propose declarations for the tests that a check skips; nothing is written
    Declare(DeclareArgs),
    /// Prepare installed dependencies for checks, show how they stand, remove old copies
    #[command(subcommand)]
    Deps(DepsCommand),
    /// Make a throw-away repository and catch four false greens in it
    Demo(DemoArgs),
    /// Look at a test report as the gate would, or at a recorded run as a page
    #[command(subcommand)]
    Report(ReportCommand),
    /// Write, check and test rules
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Sign a recorded run, and verify what others signed
    #[command(subcommand)]
    Evidence(EvidenceCommand),
    /// Ask a forge what it reports of a commit
    #[command(subcommand)]
    Remote(RemoteCommand),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// `runmill report ..`.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Show what a report says, what would be refused, and the reporter setting that repairs it
    Read(ReadArgs),
    /// Write a recorded run as one page that needs nothing else: checks, findings, facts, tests
    Html(HtmlArgs),
}

/// `runmill check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The tip the change would merge into [default: the remote's default branch, else main, else master]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The commit to judge
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub candidate: String,
    /// Judge the merge of both, which is made for this run and written nowhere else; a conflict blocks
    #[arg(long)]
    pub merge: bool,
    /// Ask for a configured check by id; may be repeated
    #[arg(long, value_name = "ID")]
    pub propose: Vec<String>,
    /// What a forge reported of the candidate, as `runmill.remote/v1`
    #[arg(long, value_name = "FILE", conflicts_with = "github")]
    pub remote: Option<Utf8PathBuf>,
    /// Ask GitHub what it reports of the candidate, and what the branch that `--base` names requires
    #[arg(long, value_name = "OWNER/REPO")]
    pub github: Option<RepositoryName>,
    /// The address of the forge's interface
    #[arg(long, value_name = "URL", default_value = GITHUB, requires = "github", conflicts_with = "remote")]
    pub api: Api,
    /// Ask again for so long, such as `30m`, while nothing but contexts is awaited
    #[arg(long, value_name = "DURATION", requires = "github", conflicts_with = "remote")]
    pub wait: Option<TimeSpan>,
    /// Add a rule pack for this run; it can only add findings; may be repeated
    #[arg(long, value_name = "DIR")]
    pub pack: Vec<Utf8PathBuf>,
    /// How many checks may run at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Write the verdict elsewhere too: `sarif=FILE`, `junit=FILE`, `markdown=FILE`, `html=FILE`, `json=FILE`, or
    /// `github` for the annotations and the summary of a job; may be repeated
    #[arg(long, value_name = "FORM=FILE")]
    pub output: Vec<Asked>,
    /// Run every base, even where an earlier run executed it and nothing it could notice has changed
    #[arg(long)]
    pub no_reuse: bool,
    /// Let a signed run of exactly the base commit stand in for its bases, where everything that can be noticed is equal; whatever
    /// is not equal runs; may be repeated
    #[arg(long, value_name = "FILE", requires = "trust", conflicts_with = "no_reuse")]
    pub baseline_bundle: Vec<Utf8PathBuf>,
    /// Who may have signed it
    #[arg(long, value_name = "FILE", requires = "baseline_bundle")]
    pub trust: Option<Utf8PathBuf>,
}

/// `runmill demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the repository and its runs in this new directory
    #[arg(long, value_name = "DIR")]
    pub keep: Option<Utf8PathBuf>,
}

/// Whether a command line that could not be parsed asks for documents.
pub fn asks_for_json(args: impl Iterator<Item = OsString>) -> bool {
    let args: Vec<_> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    args.iter().any(|arg| arg == "--json" || arg == "--format=json")
        || args.windows(2).any(|pair| matches!(pair, [flag, value] if flag == "--format" && value == "json"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn finds_the_wish_for_documents_in_a_wrong_command_line() {
        let asks = |line: &str| asks_for_json(line.split(' ').map(OsString::from));
        assert!(asks("runmill check --json --bogus") && asks("runmill --format json") && asks("runmill --format=json"));
        assert!(!asks("runmill check --bogus") && !asks("runmill --format human"));
    }
}
