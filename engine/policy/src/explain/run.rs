//! Statements: which path a call took, and the conditions it asked on the way.

use std::sync::Arc;

use rhai::{Expr, FlowControl, Position, ScriptFuncDef, Stmt};
use runmill_model::{RuleResult, Value};

use super::{
    Asked, Explanation, Place, Read, Step, StepKind,
    marks::{Marks, Passed},
    source::{Source, Sources},
    spell,
};
use crate::{
    Limits,
    language::{tokens::ABSENT, values::type_of},
};

/// Why a call did not end.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) what: String,
    pub(super) place: Option<Place>,
}

/// Follows one call.
pub(crate) fn explain(asked: &Asked<'_>, limits: &Limits) -> Option<Explanation> {
    let sources = Sources::read(asked.pack, asked.rule, limits)?;
    follow(asked, &sources, limits).map(|(explanation, _)| explanation)
}

/// Follows one call in files that are read already, and notes where it passed.
pub(crate) fn follow(asked: &Asked<'_>, sources: &Sources, limits: &Limits) -> Option<(Explanation, Marks)> {
    let (definition, statements) = sources.rule.bodies.closure(&sources.body)?;
    let mut run = Run {
        asked,
        sources,
        fuel: limits.fuel.min(Limits::MAX_FUEL),
        levels: limits.call_levels,
        read: Vec::new(),
        reads_findings: false,
        marks: Marks::default(),
    };
    run.marks.leave(&sources.rule, definition.body.start_position(), Passed::Called);
    let place = sources.rule.place(definition.body.start_position());
    let subject = Step::parameter("subject", Some(Value::Fact(asked.subject)), place.clone());
    let cx = Step { kind: StepKind::Context, ..Step::parameter("cx", None, place) };
    let mut frame = Frame::of(&sources.rule, definition, [Arc::new(subject), Arc::new(cx)]);
    let ended = run.body(&mut frame, statements);
    let Run { read, reads_findings, marks, .. } = run;
    let conditions = frame.conditions;
    let (result, outcome, ended) = match ended {
        Ok(step) => {
            let outcome = match step.as_ref().and_then(|step| step.value.clone()) {
                Some(Value::Result(result)) => Ok(*result),
                Some(other) => Err(format!("it returned {}, which is no result", type_of(&other))),
                None => Err("it returned nothing".to_owned()),
            };
            let ended = step.as_ref().map(|step| step.place.clone());
            (step, outcome, ended)
        }
        Err(stop) => (None, Err(stop.what), stop.place),
    };
    let outcome: Result<RuleResult, String> = outcome;
    Some((Explanation { read, reads_findings, conditions, result, outcome, ended }, marks))
}

/// The state of one explanation.
pub(super) struct Run<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) sources: &'a Sources,
    pub(super) fuel: u64,
    pub(super) levels: usize,
    pub(super) read: Vec<Read>,
    pub(super) reads_findings: bool,
    pub(super) marks: Marks,
}

/// One call of a function: its file, its variables, and the conditions it asked.
pub(super) struct Frame<'a> {
    pub(super) source: &'a Source,
    pub(super) variables: Vec<(String, Arc<Step>)>,
    pub(super) conditions: Vec<Arc<Step>>,
}

/// How a statement ended.
enum Flow {
    /// The next one follows; this is its value.
    On(Option<Arc<Step>>),
    Return(Option<Arc<Step>>),
    Break,
    Continue,
}

impl<'a> Frame<'a> {
    pub(super) fn of(
        source: &'a Source,
        definition: &ScriptFuncDef,
        arguments: impl IntoIterator<Item = Arc<Step>>,
    ) -> Self {
        let names = definition.params.iter().map(ToString::to_string);
        Self { source, variables: names.zip(arguments).collect(), conditions: Vec::new() }
    }
}

impl Source {
    pub(crate) fn place(&self, position: Position) -> Place {
        Place {
            file: Arc::clone(&self.path),
            line: position.line().unwrap_or(0),
            column: position.position().unwrap_or(0),
        }
    }
}

impl Step {
    pub(super) fn parameter(name: &str, value: Option<Value>, place: Place) -> Self {
        Self { place, text: name.to_owned(), value, kind: StepKind::Variable, parts: Vec::new() }
    }
}

impl Run<'_> {
    /// Takes a step's fuel.
    pub(super) fn step(&mut self, steps: u64) -> Result<(), Stop> {
        let enough = self.fuel >= steps;
        self.fuel = self.fuel.saturating_sub(steps);
        if enough { Ok(()) } else { Err(Stop { what: "it ran out of fuel".to_owned(), place: None }) }
    }

    /// A function's body: what it gives.
    pub(super) fn body(&mut self, frame: &mut Frame<'_>, statements: &[Stmt]) -> Result<Option<Arc<Step>>, Stop> {
        match self.statements(frame, statements)? {
            Flow::On(value) | Flow::Return(value) => Ok(value),
            Flow::Break | Flow::Continue => Ok(None),
        }
    }

    fn statements<'s>(
        &mut self,
        frame: &mut Frame<'_>,
        statements: impl IntoIterator<Item = &'s Stmt>,
    ) -> Result<Flow, Stop> {
        let depth = frame.variables.len();
        let mut last = Flow::On(None);
        for statement in statements {
            last = self.statement(frame, statement)?;
            if !matches!(last, Flow::On(_)) {
                break;
            }
        }
        frame.variables.truncate(depth);
        Ok(last)
    }

    fn statement(&mut self, frame: &mut Frame<'_>, statement: &Stmt) -> Result<Flow, Stop> {
        self.step(1)?;
        self.marks.leave(frame.source, spell::start_of(statement), Passed::Statement);
        match statement {
            Stmt::Expr(expression) => self.value_or_absent(frame, expression).map(|value| Flow::On(Some(value))),
            Stmt::FnCall(call, position) => {
                let text = spell::expression(frame.source, &Expr::FnCall(call.clone(), *position));
                self.function(frame, call, *position, text).map(|value| Flow::On(Some(value)))
            }
            Stmt::Block(block) => self.statements(frame, block.iter()),
            Stmt::If(flow, _) => self.branches(frame, flow),
            Stmt::For(parts, _) => {
                let (name, counter, flow) = &**parts;
                let list = self.value(frame, &flow.expr)?;
                let Some(Value::List(items)) = &list.value else {
                    return Err(self.stop(
                        frame,
                        spell::start(&flow.expr),
                        "it goes through something that is no list",
                    ));
                };
                for (at, item) in items.iter().enumerate() {
                    self.marks.leave(frame.source, name.pos, Passed::Entered);
                    let place = frame.source.place(name.pos);
                    let item = Step {
                        parts: vec![Arc::clone(&list)],
                        ..Step::parameter(&name.name, Some(item.clone()), place)
                    };
                    let depth = frame.variables.len();
                    frame.variables.push((name.name.to_string(), Arc::new(item)));
                    if let Some(counter) = counter {
                        let at = Value::Int(i64::try_from(at).unwrap_or(i64::MAX));
                        let step = Step::parameter(&counter.name, Some(at), frame.source.place(counter.pos));
                        frame.variables.push((counter.name.to_string(), Arc::new(step)));
                    }
                    let flow = self.statements(frame, flow.body.iter())?;
                    frame.variables.truncate(depth);
                    match flow {
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::Break => break,
                        Flow::On(_) | Flow::Continue => {}
                    }
                }
                Ok(Flow::On(None))
            }
            Stmt::Var(variable, ..) => {
                let (name, value, _) = &**variable;
                let value = self.value(frame, value)?;
                frame.variables.push((name.name.to_string(), value));
                Ok(Flow::On(None))
            }
            Stmt::Assignment(parts) => {
                let (_, sides) = &**parts;
                let value = self.value(frame, &sides.rhs)?;
                if let Expr::Variable(target, ..) = &sides.lhs {
                    let known = frame.variables.iter_mut().rev().find(|(name, _)| *name == target.1.as_str());
                    if let Some((_, slot)) = known {
                        *slot = value;
                    }
                }
                Ok(Flow::On(None))
            }
            Stmt::Return(value, ..) => match value {
                Some(value) => self.value_or_absent(frame, value).map(|value| Flow::Return(Some(value))),
                None => Ok(Flow::Return(None)),
            },
            Stmt::BreakLoop(_, flags, _) => {
                Ok(if flags.contains(rhai::ASTFlags::BREAK) { Flow::Break } else { Flow::Continue })
            }
            _ => Ok(Flow::On(None)),
        }
    }

    fn branches(&mut self, frame: &mut Frame<'_>, flow: &FlowControl) -> Result<Flow, Stop> {
        let condition = self.value(frame, &flow.expr)?;
        let holds = self.truth(frame, &condition, &flow.expr)?;
        self.marks.leave(frame.source, spell::start(&flow.expr), Passed::Branch(holds));
        frame.conditions.push(condition);
        self.statements(frame, if holds { flow.body.iter() } else { flow.branch.iter() })
    }

    /// The value of a block that stands where an expression does.
    pub(super) fn block<'s>(
        &mut self,
        frame: &mut Frame<'_>,
        statements: impl IntoIterator<Item = &'s Stmt>,
    ) -> Result<Option<Arc<Step>>, Stop> {
        match self.statements(frame, statements)? {
            Flow::On(value) => Ok(value),
            // The gate does not let a `return` stand inside of an expression unseen; what follows would not be run.
            Flow::Return(value) => Ok(value),
            Flow::Break | Flow::Continue => Ok(None),
        }
    }

    pub(super) fn truth(&self, frame: &Frame<'_>, step: &Step, expression: &Expr) -> Result<bool, Stop> {
        match step.value {
            Some(Value::Bool(holds)) => Ok(holds),
            _ => Err(self.stop(frame, spell::start(expression), "a condition is neither true nor false")),
        }
    }

    pub(super) fn stop(&self, frame: &Frame<'_>, position: Position, what: impl Into<String>) -> Stop {
        Stop { what: what.into(), place: Some(frame.source.place(position)) }
    }

    fn value_or_absent(&mut self, frame: &mut Frame<'_>, expression: &Expr) -> Result<Arc<Step>, Stop> {
        if let Expr::CharConstant(ABSENT, position) | Expr::Unit(position) = expression {
            let place = frame.source.place(*position);
            let absent = Step::parameter("()", Some(Value::Unit), place);
            return Ok(Arc::new(Step { kind: StepKind::Constant, ..absent }));
        }
        self.value(frame, expression)
    }
}
