//! What an agent may read of recorded verdicts.

use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::replay::Recorded;
use runmill_store::{Filter, RunKind, State, Store};
use runmill_workshop::{Reproduced, explain};
use serde_json::Value;

use super::answer::{Said, said};
use crate::{args::Global, command::stored};

/// How many findings are told in lines; the document has all of them.
const TOLD: usize = 20;

/// The verdict of a run: what was found, and nothing of what checks execute.
pub fn verdict(global: &Global, run: Option<&str>) -> Result<Said, Problems> {
    let recorded = read(global, run)?;
    let unreadable = |error: serde_json::Error| {
        let message = format!("the verdict of run `{}` cannot be read: {error}", recorded.record.run);
        Problem::new(Code::State004, message, "let a person run `runmill runs verify`")
    };
    let mut document: Value = serde_json::from_slice(&recorded.verdict).map_err(unreadable)?;
    // What the operator's checks execute is not for an agent.
    for check in document.pointer_mut("/manifest/checks").and_then(Value::as_array_mut).into_iter().flatten() {
        check.as_object_mut().map(|check| check.remove("argv"));
    }
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let blocks = |it: &&Value| {
        ["refuted", "unproven"].contains(&text(it, "outcome").as_str())
            && text(it, "level") == "block"
            && it.get("waived") != Some(&Value::Bool(true))
    };
    let findings: Vec<_> =
        document.get("findings").and_then(Value::as_array).into_iter().flatten().filter(blocks).collect();
    let told = findings.iter().take(TOLD).map(|it| {
        let [code, message, fix, fingerprint] = ["code", "message", "fix", "fingerprint"].map(|name| text(it, name));
        format!("- {code}: {message}. {fix} ({fingerprint})")
    });
    let mut lines = vec![format!("{}: run {}", text(&document, "verdict"), recorded.record.run)];
    lines.extend(told);
    if let Some(more) = findings.len().checked_sub(TOLD).filter(|more| *more > 0) {
        lines.push(format!("and {more} more, in the document"));
    }
    if !findings.is_empty() {
        lines.push("next: explain_finding with one of the fingerprints, or repair what they name".to_owned());
    }
    Ok(said(&document, &lines.join("\n")))
}

/// The schema of what [`verdict`] answers.
pub fn schema_without_commands(mut schema: Value) -> Value {
    let check = schema.pointer_mut("/properties/manifest/properties/checks/items").and_then(Value::as_object_mut);
    if let Some(check) = check {
        check.get_mut("properties").and_then(Value::as_object_mut).map(|members| members.remove("argv"));
        if let Some(needed) = check.get_mut("required").and_then(Value::as_array_mut) {
            needed.retain(|name| name != "argv");
        }
    }
    schema
}

/// Why one finding of a run came out as it did.
pub fn finding(global: &Global, run: Option<&str>, fingerprint: &str) -> Result<Said, Problems> {
    let recorded = read(global, run)?;
    let judged = recorded.replay.judge()?;
    let same = judged.bytes()? == recorded.verdict;
    let reproduced = if same { Reproduced::Exactly } else { Reproduced::Otherwise };
    let mut explained = explain(&judged, None, reproduced);
    explained.findings.retain(|finding| finding.fingerprint.to_string() == fingerprint);
    let Some(finding) = explained.findings.first() else {
        let message = format!("run `{}` has no open finding `{fingerprint}`", recorded.record.run);
        return Err(Problem::new(Code::State003, message, "take a fingerprint that `read_verdict` shows").into());
    };
    let text = format!("{}: {}\nwhy: {}\nwhat to do: {}", finding.code, finding.message, finding.why, finding.fix);
    Ok(said(&explained, &text))
}

/// A run by its id, or the newest that has a verdict.
fn read(global: &Global, run: Option<&str>) -> Result<Recorded, Problems> {
    let dir = stored::state_dir(global)?;
    let none = || {
        let message = "no change of this repository was judged yet";
        Problem::new(Code::State003, message, "run `runmill check`, or ask a person to; then call `read_verdict` again")
    };
    if stored::is_blank(&dir) {
        return Err(none().into());
    }
    let store = Store::read(&dir).map_err(|error| error.problem())?;
    let run = match run {
        Some(run) => run.to_owned(),
        None => newest(&store)?.ok_or_else(none)?,
    };
    Recorded::read(&store, &run)
}

fn newest(store: &Store) -> Result<Option<String>, Problem> {
    let changes = Filter { kind: Some(RunKind::Change), ..Filter::default() };
    let runs = store.runs(&changes).map_err(|error| error.problem())?;
    let ended = runs.into_iter().find(|run| matches!(run.state, State::Ended(_)));
    Ok(ended.map(|run| run.run.to_string()))
}
