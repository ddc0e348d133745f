//! Calls: helpers of the pack, functions that rules are given, closures over lists, and what `cx` offers.

use std::sync::Arc;

use rhai::{Expr, FnCallExpr, Position, ScriptFuncDef, Stmt};
use runmill_model::{FactRef, Kind, Stage, Subject, Value};

use super::{
    Step, StepKind,
    marks::Passed,
    run::{Frame, Run, Stop},
    source::Source,
    spell,
};
use crate::{
    Call, Function,
    language::{
        arithmetic::{self, equal},
        functions::{all_fit, misfit, weight},
        scopes::Closure,
        tokens::ABSENT,
    },
};

/// The functions that take a closure.
const OVER_LISTS: [&str; 5] = ["filter", "map", "any", "all", "find"];

impl Run<'_> {
    /// A function or an operator.
    pub(super) fn function(
        &mut self,
        frame: &mut Frame<'_>,
        call: &FnCallExpr,
        position: Position,
        text: String,
    ) -> Result<Arc<Step>, Stop> {
        let place = frame.source.place(if call.namespace.is_empty() { position } else { call.namespace.position() });
        let name = call.name.as_str();
        if let ("==" | "!=", [left, Expr::CharConstant(ABSENT, _)]) = (name, call.args.as_slice()) {
            let left = self.value(frame, left)?;
            let absent = left.value == Some(Value::Unit);
            let value = Some(Value::Bool(absent == (name == "==")));
            let place = left.place.clone();
            return Ok(Arc::new(Step {
                place,
                text,
                value,
                kind: StepKind::Operator(name.to_owned()),
                parts: vec![left],
            }));
        }
        if OVER_LISTS.contains(&name)
            && let [list, closure] = call.args.as_slice()
        {
            let list = self.value(frame, list)?;
            return self.over_list(frame, name, list, closure, text, place);
        }
        let parts = self.values(frame, &call.args)?;
        let sources = self.sources;
        if !call.namespace.is_empty() {
            let source = sources.lib.get(call.namespace.root());
            let found = source.and_then(|source| Some((source, source.function(name, parts.len())?)));
            let Some((source, (definition, statements))) = found else {
                return Err(self.stop(frame, position, format!("unknown function `{text}`")));
            };
            return self.helper(source, definition, statements, Called { text, place, parts });
        }
        // A file's own functions are visible in that file only, and a file outlives the frames that are in it.
        let own = if std::ptr::eq(frame.source, &raw const sources.rule) {
            Some(&sources.rule)
        } else {
            sources.lib.values().find(|source| std::ptr::eq(frame.source, *source))
        };
        if let Some((source, (definition, statements))) =
            own.and_then(|source| Some((source, source.function(name, parts.len())?)))
        {
            return self.helper(source, definition, statements, Called { text, place, parts });
        }
        let place = match parts.as_slice() {
            [left, _] if spell::is_sign(name) => left.place.clone(),
            _ => place,
        };
        self.native(frame, name, position, Called { text, place, parts })
    }

    /// A method of a value or of `cx`.
    pub(super) fn method(
        &mut self,
        frame: &mut Frame<'_>,
        left: Arc<Step>,
        call: &FnCallExpr,
        position: Position,
    ) -> Result<Arc<Step>, Stop> {
        let name = call.name.as_str();
        let method = Expr::MethodCall(Box::new(call.clone()), position);
        let (text, place) = (format!("{}{}", left.text, spell::link(frame.source, &method)), left.place.clone());
        if let (true, [closure]) = (OVER_LISTS.contains(&name), call.args.as_slice()) {
            return self.over_list(frame, name, left, closure, text, place);
        }
        let mut parts = vec![left];
        parts.extend(self.values(frame, &call.args)?);
        if parts.first().is_some_and(|left| left.value.is_none()) {
            return self.of_context(frame, name, position, Called { text, place, parts });
        }
        self.native(frame, name, position, Called { text, place, parts })
    }

    fn helper(
        &mut self,
        source: &Source,
        definition: &ScriptFuncDef,
        statements: &[Stmt],
        called: Called,
    ) -> Result<Arc<Step>, Stop> {
        let Called { text, place, parts } = called;
        let Some(levels) = self.levels.checked_sub(1) else {
            return Err(Stop { what: "its calls are nested too deeply".to_owned(), place: Some(place) });
        };
        self.levels = levels;
        self.marks.leave(source, definition.body.start_position(), Passed::Called);
        let mut inner = Frame::of(source, definition, parts.iter().cloned());
        let given = self.body(&mut inner, statements);
        self.levels += 1;
        let given = given?;
        let value = given.as_ref().map_or(Some(Value::Unit), |given| given.value.clone());
        let kind = StepKind::Helper(inner.conditions);
        let parts = parts.into_iter().chain(given).collect();
        Ok(Arc::new(Step { place, text, value, kind, parts }))
    }

    fn native(&mut self, frame: &Frame<'_>, name: &str, position: Position, called: Called) -> Result<Arc<Step>, Stop> {
        let Called { text, place, parts } = called;
        let values: Option<Vec<Value>> = parts.iter().map(|part| part.value.clone()).collect();
        let values = values.ok_or_else(|| self.stop(frame, position, format!("`{name}` cannot take `cx`")))?;
        self.step(values.iter().map(weight).sum())?;
        let kind = if spell::is_sign(name) { StepKind::Operator(name.to_owned()) } else { StepKind::Function };
        let given = match (name, values.as_slice()) {
            ("==" | "!=", [a, b]) => equal(a, b)
                .map(|equal| Value::Bool(equal == (name == "==")))
                .map_err(|fault| format!("`{name}` {fault}")),
            _ => self.registered(name, &values),
        };
        let value = given.map_err(|what| self.stop(frame, position, what))?;
        if self.asked.registry.makes_result(name) {
            self.marks.leave(frame.source, position, Passed::Result);
        }
        Ok(Arc::new(Step { place, text, value: Some(value), kind, parts }))
    }

    fn registered(&self, name: &str, values: &[Value]) -> Result<Value, String> {
        let known = self.asked.registry.functions().chain(arithmetic::FUNCTIONS);
        let overloads: Vec<Function> =
            known.filter(|function| function.name == name && function.params.len() == values.len()).copied().collect();
        let Some(function) = overloads.iter().find(|function| all_fit(function.params, values)) else {
            return Err(if overloads.is_empty() {
                format!("unknown function `{name}`")
            } else {
                misfit(name, &overloads, values).to_string()
            });
        };
        let stage = self.asked.stage();
        let call = Call {
            graph: self.asked.graph,
            head: self.asked.head,
            stage,
            earlier: if stage == Stage::Verdict { self.asked.earlier } else { &[] },
            params: &self.asked.pack.source().params,
        };
        (function.body)(&call, values).map_err(|fault| fault.to_string())
    }

    fn of_context(
        &mut self,
        frame: &Frame<'_>,
        name: &str,
        position: Position,
        called: Called,
    ) -> Result<Arc<Step>, Stop> {
        let Called { text, place, parts } = called;
        let graph = self.asked.graph;
        let arguments: Vec<Option<&Value>> = parts.iter().skip(1).map(|part| part.value.as_ref()).collect();
        let value = match (name, arguments.as_slice()) {
            ("check", [Some(Value::Text(id))]) => graph.find(Kind::Check, id).map_or(Value::Unit, Value::Fact),
            ("facts", [Some(Value::Text(kind))]) => {
                let kind = Kind::ALL.iter().find(|known| known.as_str() == &**kind);
                let Some(kind) = kind else {
                    return Err(self.stop(frame, position, "there is no kind of fact of that name"));
                };
                Value::List(graph.of_kind(*kind).map(Value::Fact).collect())
            }
            ("findings", [Some(Value::Text(rule)), Some(Value::Fact(fact))])
                if self.asked.stage() == Stage::Verdict =>
            {
                self.reads_findings = true;
                Value::List(self.earlier_outcomes(rule, *fact))
            }
            _ => return Err(self.stop(frame, position, format!("`cx` has no `{name}` that takes this"))),
        };
        Ok(Arc::new(Step { place, text, value: Some(value), kind: StepKind::Function, parts }))
    }

    fn earlier_outcomes(&self, rule: &str, fact: FactRef) -> Vec<Value> {
        let found = self
            .asked
            .earlier
            .iter()
            .filter(|finding| finding.head.rule.as_str() == rule && finding.subject == Subject::Fact(fact));
        let words = found.map(|finding| if finding.fault { "fault" } else { finding.judgement.outcome.as_str() });
        words.map(|word| Value::Text(word.into())).collect()
    }

    /// A closure over a list. The item that decided `any`, `all` or `find` is among the parts.
    fn over_list(
        &mut self,
        frame: &mut Frame<'_>,
        name: &str,
        list: Arc<Step>,
        closure: &Expr,
        text: String,
        place: super::Place,
    ) -> Result<Arc<Step>, Stop> {
        let at = spell::start(closure);
        let source = frame.source;
        let closure = Closure::of(closure).and_then(|of| source.bodies.closure(&of).map(|body| (of, body)));
        let (Some((of, (definition, statements))), Some(Value::List(items))) = (closure, &list.value) else {
            return Err(self.stop(frame, at, format!("`{name}` takes a list and a closure")));
        };
        let captured: Vec<Arc<Step>> = of
            .captured
            .iter()
            .filter_map(|(name, _)| frame.variables.iter().rev().find(|(known, _)| known == name))
            .map(|(_, step)| Arc::clone(step))
            .collect();
        let items = items.clone();
        let mut parts = vec![list];
        let (mut kept, mut decided) = (Vec::new(), None);
        for item in items {
            self.step(1)?;
            let step = Step::parameter("item", Some(item.clone()), place.clone());
            let arguments = captured.iter().cloned().chain([Arc::new(step)]);
            let mut inner = Frame::of(source, definition, arguments);
            let body = definition.body.start_position();
            self.marks.leave(source, body, Passed::Entered);
            let given = self.body(&mut inner, statements)?;
            let value = given.as_ref().and_then(|given| given.value.clone()).unwrap_or(Value::Unit);
            if name == "map" {
                kept.push(value);
                continue;
            }
            let Value::Bool(holds) = value else {
                return Err(self.stop(frame, at, format!("the closure of `{name}` must give true or false")));
            };
            self.marks.leave(source, body, Passed::Condition(holds));
            if name == "filter" {
                kept.extend(holds.then_some(item));
            } else if holds != (name == "all") {
                decided = Some(item);
                parts.extend(given);
                break;
            }
        }
        let value = match name {
            "any" => Value::Bool(decided.is_some()),
            "all" => Value::Bool(decided.is_none()),
            "find" => decided.unwrap_or(Value::Unit),
            _ => Value::List(kept),
        };
        Ok(Arc::new(Step { place, text, value: Some(value), kind: StepKind::Function, parts }))
    }
}

/// What a call is made of.
struct Called {
    text: String,
    place: super::Place,
    parts: Vec<Arc<Step>>,
}
