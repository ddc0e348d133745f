//! `runmill explain`: what a code means, or why a run came out as it did.

use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::replay::Recorded;
use runmill_workshop::{Reproduced, codes, explain};

use super::stored;
use crate::{args::Global, exit::Exit, render::Output};

/// `runmill explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// A code such as RM-VERIFY-003, or a run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "CODE|RUN")]
    subject: String,
    /// Only this check of the run, with what was proven about it too
    #[arg(value_name = "CHECK")]
    check: Option<String>,
}

/// Explains what was asked for.
pub fn run(global: &Global, args: &ExplainArgs, output: &Output) -> Result<Exit, Problems> {
    if !args.subject.to_uppercase().starts_with("RM-") {
        return of_run(global, &args.subject, args.check.as_deref(), output);
    }
    if let Some(check) = &args.check {
        let message = format!("a code is about no check, and `{check}` was given beside `{}`", args.subject);
        return Err(Problem::new(Code::Config004, message, "name a run and a check, or a code alone").into());
    }
    let code = code(&args.subject)?;
    let page = codes::page(code)
        .ok_or_else(|| Problem::new(Code::Internal001, format!("code `{code}` has no page"), "report this"))?;
    Ok(output.page(&page))
}

fn of_run(global: &Global, run: &str, check: Option<&str>, output: &Output) -> Result<Exit, Problems> {
    let recorded = Recorded::read(&stored::open(global)?, run)?;
    let judged = recorded.replay.judge()?;
    if let Some(check) = check {
        let checks = &judged.graph.facts().checks;
        if !checks.iter().any(|known| known.id.as_str() == check) {
            let known: Vec<_> = checks.iter().take(10).map(|known| format!("`{}`", known.id)).collect();
            let help = if known.is_empty() {
                "no check was configured in it".to_owned()
            } else {
                format!("it has {}", known.join(", "))
            };
            let message = format!("run `{}` has no check `{check}`", recorded.record.run);
            return Err(Problem::new(Code::State003, message, help).into());
        }
    }
    let same = judged.bytes()? == recorded.verdict;
    let reproduced = if same { Reproduced::Exactly } else { Reproduced::Otherwise };
    Ok(output.explanation(&explain(&judged, check, reproduced)))
}

/// The code of a text in whatever case.
fn code(text: &str) -> Result<Code, Problem> {
    Code::from_text(&text.to_uppercase()).ok_or_else(|| {
        let help = match codes::closest(text) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "a code looks like `RM-VERIFY-003`; the answer that you want to understand says it".to_owned(),
        };
        Problem::new(Code::Config004, format!("there is no code `{text}`"), help)
    })
}
