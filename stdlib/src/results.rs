//! Constructors of what a rule returns.

use std::sync::Arc;

use runmill_model::{Judgement, Kind, Outcome, RuleResult, TestSet, Type, Value, Waiting};
use runmill_policy::{Call, Fault};

use crate::arguments::{fact, facts, functions, result, tests, text};

const FACTS: Type = Type::List(&Type::AnyFact);

functions! {
    "proven" [FACTS] => Type::Result, "The evidence shows it. At least one fact is needed.",
        |_, args| proven(Arc::from(""), args, 0);
    "proven" [Type::Text, FACTS] => Type::Result, "The evidence shows it, and how. At least one fact is needed.",
        |_, args| proven(said(args)?, args, 1);
    "refuted" [Type::Text, FACTS] => Type::Result, "The evidence shows the opposite: what, and on which facts.",
        |_, args| judged(Outcome::Refuted, args, TestSet::new());
    "refuted" [Type::Text, FACTS, Type::Tests] => Type::Result, "The same, and the tests it is about.",
        |_, args| judged(Outcome::Refuted, args, tests(args, 2)?.clone());
    "unproven" [Type::Text, FACTS] => Type::Result, "The evidence is missing: which, and on which facts that is seen.",
        |_, args| judged(Outcome::Unproven, args, TestSet::new());
    "unproven" [Type::Text, FACTS, Type::Tests] => Type::Result, "The same, and the tests it is about.",
        |_, args| judged(Outcome::Unproven, args, tests(args, 2)?.clone());
    "waiting" [Type::Text, FACTS] => Type::Result,
        "The evidence is under way and not there yet. Leaves the verdict open for as long as it takes.",
        |_, args| Ok(waiting(said(args)?, facts(args, 1)?, Waiting::Completion));
    "waiting" [Type::Text, Type::Text, FACTS] => Type::Result,
        "The same, for what must have begun by a time; the second text is that time.",
        |_, args| Ok(waiting(said(args)?, facts(args, 2)?, Waiting::Until(reason(args)?)));
    "not_applicable" [Type::Text] => Type::Result, "The rule has nothing to say here, and why. Never success by itself.",
        |_, args| Ok(judgement(Outcome::NotApplicable, said(args)?, Vec::new(), TestSet::new()));
    "fix" [Type::Result, Type::Text] => Type::Result,
        "The same judgement with its own advice, in place of the rule's `fix`.", with_fix;
    "require" [Type::Fact(Kind::Check), Type::Text] => Type::Result,
        "Discovery: this change must pass the check, and why.", require;
    "require" [Type::Fact(Kind::RemoteRequirement), Type::Text] => Type::Result,
        "Discovery: the context must succeed on the forge, and why.", require;
    "ignore" [Type::Fact(Kind::Proposal), Type::Text] => Type::Result,
        "Discovery: the proposal names nothing that could be required, and why.",
        |_, args| Ok(returned(RuleResult::Ignore { proposal: fact(args, 0)?, reason: reason(args)? }));
}

fn returned(result: RuleResult) -> Value {
    Value::Result(Box::new(result))
}

fn judgement(outcome: Outcome, message: Arc<str>, evidence: Vec<runmill_model::FactRef>, tests: TestSet) -> Value {
    returned(RuleResult::Judged(Judgement { outcome, message, evidence, tests, fix: None, waiting: None }))
}

fn waiting(message: Arc<str>, evidence: Vec<runmill_model::FactRef>, waiting: Waiting) -> Value {
    let (outcome, tests, waiting) = (Outcome::Unproven, TestSet::new(), Some(waiting));
    returned(RuleResult::Judged(Judgement { outcome, message, evidence, tests, fix: None, waiting }))
}

fn proven(message: Arc<str>, args: &[Value], at: usize) -> Result<Value, Fault> {
    let evidence = facts(args, at)?;
    if evidence.is_empty() {
        return Err(Fault::new("`proven` needs at least one fact as evidence"));
    }
    Ok(judgement(Outcome::Proven, message, evidence, TestSet::new()))
}

fn judged(outcome: Outcome, args: &[Value], tests: TestSet) -> Result<Value, Fault> {
    Ok(judgement(outcome, said(args)?, facts(args, 1)?, tests))
}

fn require(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    Ok(returned(RuleResult::Require { subject: fact(args, 0)?, reason: reason(args)? }))
}

fn with_fix(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    match result(args, 0)? {
        RuleResult::Judged(judgement) => {
            let fix = Some(one_line(text(args, 1)?)?);
            Ok(returned(RuleResult::Judged(Judgement { fix, ..judgement.clone() })))
        }
        RuleResult::Require { .. } | RuleResult::Ignore { .. } => Err(Fault::new("`fix` is for judgements")),
    }
}

fn said(args: &[Value]) -> Result<Arc<str>, Fault> {
    one_line(text(args, 0)?)
}

fn reason(args: &[Value]) -> Result<Arc<str>, Fault> {
    one_line(text(args, 1)?)
}

/// Texts of facts come from reports and outputs: whatever breaks a line or moves a cursor becomes a space.
fn one_line(text: &Arc<str>) -> Result<Arc<str>, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new("a message must not be empty"));
    }
    if !text.chars().any(char::is_control) {
        return Ok(Arc::clone(text));
    }
    let line: String = text.chars().map(|mark| if mark.is_control() { ' ' } else { mark }).collect();
    Ok(line.trim().into())
}
