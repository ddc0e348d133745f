//! `runmill approve RUN CHECK --by NAME`: an operator's exceptions for one candidate, written into `policy.yaml`.

mod document;
mod judged;
mod policy_file;
mod screen;

use clap::Args;
use runmill_host::git::Repository;
use runmill_manifest::edit::{self, Exception};
use runmill_model::{CheckId, Code, CommitId, Problem, Problems};

use self::{
    document::{Approval, Approver, Declared},
    judged::Judged,
    policy_file::PolicyFile,
};
use super::{inspect, session, stored};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::Output,
};

/// `runmill approve`.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// The check whose undeclared exceptions are approved
    #[arg(value_name = "CHECK")]
    check: String,
    /// Who approves
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Writes the exceptions of one check at one candidate into the operator's policy.
pub fn run(global: &Global, args: &ApproveArgs, output: &Output) -> Result<Exit, Problems> {
    let approver = Approver::new(&args.by, args.reason.as_deref())?;
    let inspection = inspect::inspection(&stored::open(global)?, &args.run, Some(&args.check))?;
    let (Some(candidate), Some(check)) = (inspection.candidate.clone(), inspection.checks.first()) else {
        let message = format!("run `{}` judged no change, so it has no candidate to approve", inspection.run);
        return Err(Problem::new(Code::State003, message, "name a run of `runmill check`").into());
    };
    let judged = Judged::of(&inspection, check);
    let mut approval = Approval::new(&inspection, check.id.clone(), candidate.clone(), approver, global);
    match judged {
        Judged::Refused(reasons) => approval.refused = reasons,
        Judged::Excusable(tests) => write(global, &mut approval, &check.id, &candidate, tests)?,
    }
    let exit = if approval.refused.is_empty() { Exit::Ready } else { Exit::Blocked };
    if output.format() == Format::Json {
        return Ok(output.document_with(&approval, exit));
    }
    let (paint, width) = output.style();
    Ok(output.text(&screen::text(&approval, paint, width), exit))
}

fn write(
    global: &Global,
    approval: &mut Approval,
    check: &CheckId,
    candidate: &CommitId,
    tests: Vec<Declared>,
) -> Result<(), Problems> {
    let environment = session::environment();
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    let path = session::policy_path(global, &environment, repository.work_dir()).ok_or_else(|| {
        let message = "neither XDG_CONFIG_HOME nor HOME is set, so the operator has no policy file";
        Problem::new(Code::Config001, message, "name one with `--policy`")
    })?;
    let mut file = PolicyFile::lock(&path)?;
    approval.policy = Some(path.clone());
    let exceptions = tests.iter().map(|test| Exception {
        check: check.clone(),
        test_id: test.test_id.clone(),
        cause: approval.cause.clone(),
        commit: candidate.clone(),
    });
    let edited = edit::add_exceptions(path.as_str(), file.text(), exceptions.collect())?;
    let is_known = |test: &Declared| edited.known.iter().any(|known| known.test_id == test.test_id);
    (approval.already_declared, approval.declared) = tests.into_iter().partition(is_known);
    if !edited.added.is_empty() {
        approval.created = file.is_new();
        file.replace(&edited.text)?;
    }
    Ok(())
}
