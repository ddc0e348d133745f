//! Whether each command is there where it would run: inside the sandbox, in its own directory, with its own environment.

use runmill_manifest::{Argv, Check};
use runmill_model::{Problem, Problems, Status};
use runmill_pipeline::{DryRun, Times, Tried, dry_run};

use super::{finding::Finding, patient::Patient};
use crate::command::session;

/// Prints where a program is, as a shell finds it.
const QUESTION: &str = "command -v -- \"$1\"";

/// Looks for the program of every check.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let checks = patient.checks();
    if checks.is_empty() {
        return Vec::new();
    }
    match ask(patient, &checks) {
        Err(problems) => Finding::untried(&problems),
        Ok(answers) => findings(&checks, &answers),
    }
}

fn ask(patient: &Patient<'_>, checks: &[Check]) -> Result<Vec<Tried>, Problems> {
    let next = patient.next().map_err(Clone::clone)?;
    let policy = &patient.policy().map_err(Clone::clone)?.policy;
    let questions = checks.iter().map(question).collect::<Result<Vec<_>, Problem>>()?;
    let request = DryRun {
        repository: &next.repository,
        commit: &next.commit,
        checks: &questions,
        policy,
        times: Times::Once,
        jobs: session::processors(),
    };
    patient.with_machine(|machine| dry_run(request, machine))
}

/// The check, asking for its own program instead of running it.
fn question(check: &Check) -> Result<Check, Problem> {
    let words = ["/bin/sh", "-c", QUESTION, "sh", check.argv().program()].map(str::to_owned);
    let asking = Argv::new(words.to_vec()).and_then(|argv| check.asking(argv));
    asking.map_err(|error| Problem::new(runmill_model::Code::Internal001, error.message(), "report this"))
}

fn findings(checks: &[Check], answers: &[Tried]) -> Vec<Finding> {
    let answer = |check: &Check| answers.iter().find(|answer| answer.check == *check.id());
    let missing: Vec<_> = checks
        .iter()
        .filter_map(|check| {
            let answer = answer(check)?;
            (answer.status != Status::Passed).then(|| absent(check, answer))
        })
        .collect();
    if !missing.is_empty() {
        return missing;
    }
    let mut programs: Vec<_> = checks.iter().map(|check| format!("`{}`", check.argv().program())).collect();
    programs.sort();
    programs.dedup();
    let are = if programs.len() == 1 { "is" } else { "are" };
    vec![Finding::ok(format!("{} {are} there, inside the sandbox", programs.join(", ")))]
}

fn absent(check: &Check, answer: &Tried) -> Finding {
    let program = check.argv().program();
    if let Some(reason) = &answer.not_started {
        let what = format!("nothing can be started for `{}`: {reason}", check.id());
        return Finding::fail(what, "correct `cwd` and `dependencies` of the check").about(check.id());
    }
    let (place, fix) = if program.contains('/') {
        let cwd = check.cwd();
        let place = if cwd.is_root() { "in the commit".to_owned() } else { format!("in `{cwd}` of the commit") };
        (place, "commit it as an executable file, or correct its path, which starts at the check's `cwd`")
    } else {
        (
            "inside the sandbox".to_owned(),
            "install it in a directory of the system or of a toolchain manager, and put that on PATH; your home directory is hidden",
        )
    };
    Finding::fail(format!("`{program}` of `{}` is not {place}", check.id()), fix).about(check.id())
}
