//! `runmill declare [RUN] CHECK`: a `declared_skips` block to finish, from what one side of a run skipped. Nothing is
//! written: only a person can say why a test may be skipped.

use clap::{Args, ValueEnum};
use runmill_manifest::edit;
use runmill_model::{CheckId, Code, CommitId, Graph, Problem, Problems, ReportState, RunId, Side, TestSet};
use serde::Serialize;

use super::{inspect, stored};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{Output, plain},
};

/// `runmill declare`.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct DeclareArgs {
    /// The run: its id, or the beginning of its id
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// The check
    #[arg(value_name = "CHECK", required = true)]
    check: CheckId,
    /// What to look at: what the base skipped, or what the candidate skipped and lost
    #[arg(long, value_name = "SIDE", default_value = "base")]
    side: SideName,
}

/// A side by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SideName {
    Base,
    Candidate,
}

impl From<SideName> for Side {
    fn from(side: SideName) -> Self {
        match side {
            SideName::Base => Self::Base,
            SideName::Candidate => Self::Candidate,
        }
    }
}

/// `runmill.declaration/v1`: what could be declared.
#[derive(Debug, Serialize)]
struct Proposal {
    schema: &'static str,
    run: RunId,
    check: CheckId,
    side: Side,
    /// The commit of that side.
    commit: CommitId,
    /// Entries for `declared_skips`, sorted. Each cause is blank: a manifest with a blank cause is refused.
    declared_skips: Vec<Entry>,
    /// Tests that are declared already, sorted.
    already_declared: Vec<String>,
    /// The block for `.runmill/checks.yaml`; empty when there is nothing to declare.
    yaml: String,
}

#[derive(Debug, Serialize)]
struct Entry {
    test_id: String,
    cause: &'static str,
}

/// Proposes a block.
pub fn run(global: &Global, args: &DeclareArgs, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let record = store.record(&args.run).map_err(|error| error.problem())?;
    let facts = record.documents.get("facts").ok_or_else(|| {
        let message = format!("run `{}` has no fact graph on record", record.run);
        Problem::new(Code::State003, message, "name a run of `runmill check`")
    })?;
    let graph = inspect::graph(&store, &record, facts)?;
    let proposal = propose(&graph, record.run, &args.check, args.side.into())?;
    if output.format() == Format::Json {
        return Ok(output.document(&proposal));
    }
    Ok(output.text(&text(&proposal), Exit::Ready))
}

fn propose(graph: &Graph, run: RunId, check: &CheckId, side: Side) -> Result<Proposal, Problem> {
    let unusable = |what: &str, help: &str| Problem::new(Code::State003, format!("run `{run}` {what}"), help);
    let invocations = &graph.facts().invocations;
    let invocation = invocations.iter().find(|it| it.check == *check && it.side == side).ok_or_else(|| {
        let ids: std::collections::BTreeSet<_> = invocations.iter().map(|it| format!("`{}`", it.check)).collect();
        let ids: Vec<_> = ids.into_iter().take(10).collect();
        let help = if ids.is_empty() { "nothing ran in it".to_owned() } else { format!("it ran {}", ids.join(", ")) };
        unusable(&format!("did not run `{check}` on the {side}"), &help)
    })?;
    let accepted = |side| graph.report_of(check, side).filter(|report| report.state == ReportState::Accepted);
    let report = accepted(side).ok_or_else(|| {
        let help = "`runmill inspect` says what is wrong with its report; only an accepted one lists tests";
        unusable(&format!("has no usable report of `{check}` on the {side}"), help)
    })?;
    let mut tests = report.skipped.clone();
    if let (Side::Candidate, Some(before)) = (side, accepted(Side::Base)) {
        let listed = report.passed.union(&report.failed).union(&report.skipped);
        tests = tests.union(&before.passed.difference(&listed));
    }
    let shown = sorted(graph, &tests);
    let is_declared = |test: &String| graph.declarations_of(check).any(|(_, declared)| declared.test_id == *test);
    let (already_declared, open): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_declared);
    let yaml = match open.is_empty() {
        true => String::new(),
        false => edit::undecided_skips(open.iter().map(String::as_str), INDENT),
    };
    Ok(Proposal {
        schema: "runmill.declaration/v1",
        run,
        check: check.clone(),
        side,
        commit: invocation.commit.clone(),
        declared_skips: open.into_iter().map(|test_id| Entry { test_id, cause: "" }).collect(),
        already_declared,
        yaml,
    })
}

/// How deep the keys of a check stand in `.runmill/checks.yaml`.
const INDENT: usize = 4;

fn sorted(graph: &Graph, tests: &TestSet) -> Vec<String> {
    let mut shown: Vec<String> = tests.iter().map(|id| graph.tests().shown(id).to_owned()).collect();
    shown.sort();
    shown.dedup();
    shown
}

/// YAML that can be pasted, with what to know in comments.
fn text(proposal: &Proposal) -> String {
    let Proposal { run, check, side, commit, already_declared, .. } = proposal;
    let known = match already_declared.len() {
        0 => String::new(),
        many => format!("; {many} declared already"),
    };
    let count = proposal.declared_skips.len();
    let tests = if count == 1 { "1 test".to_owned() } else { format!("{count} tests") };
    let did = if *side == Side::Base { "skipped" } else { "skipped or missing" };
    let from = format!("# {tests} {did} on the {side} {} (run {run}){known}", commit.short());
    if count == 0 {
        return format!("{from}\n# nothing to declare for `{check}`");
    }
    let how = format!(
        "# Put this into check `{check}` of .runmill/checks.yaml, on the target branch first.\n# Fill in every cause: a \
         manifest with a blank one is refused."
    );
    format!("{}\n{how}\n{}", plain::text(&from), proposal.yaml)
}
