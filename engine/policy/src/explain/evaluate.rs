//! Expressions: what each came to, and what it was made of.

use std::sync::Arc;

use rhai::{ASTFlags, Expr, Position};
use runmill_model::{Type, Value};

use super::{
    Read, Step, StepKind,
    marks::Passed,
    run::{Frame, Run, Stop},
    spell,
};
use crate::language::{context, scopes::Closure, shown::shown, text::suggestion, tokens::ABSENT, values::type_of};

impl Run<'_> {
    /// Evaluates an expression.
    pub(super) fn value(&mut self, frame: &mut Frame<'_>, expression: &Expr) -> Result<Arc<Step>, Stop> {
        self.step(1)?;
        let place = frame.source.place(spell::start(expression));
        let text = spell::expression(frame.source, expression);
        let constant = |value| {
            let text = text.clone();
            Ok(Arc::new(Step {
                place: place.clone(),
                text,
                value: Some(value),
                kind: StepKind::Constant,
                parts: vec![],
            }))
        };
        match expression {
            Expr::BoolConstant(value, _) => constant(Value::Bool(*value)),
            Expr::IntegerConstant(value, _) => constant(Value::Int(*value)),
            Expr::StringConstant(value, _) => constant(Value::Text(value.as_str().into())),
            Expr::CharConstant(ABSENT, _) | Expr::Unit(_) => constant(Value::Unit),
            Expr::InterpolatedString(parts, _) => {
                let parts = self.values(frame, parts)?;
                let told = parts.iter().map(|part| match (&part.value, &part.kind) {
                    (Some(Value::Text(text)), _) => text.to_string(),
                    (Some(value), _) => shown(self.asked.graph, value),
                    (None, _) => String::new(),
                });
                let value = Some(Value::Text(told.collect::<String>().into()));
                Ok(Arc::new(Step { place, text, value, kind: StepKind::Function, parts }))
            }
            Expr::Array(items, _) => {
                let parts = self.values(frame, items)?;
                let value = Some(Value::List(parts.iter().filter_map(|part| part.value.clone()).collect()));
                Ok(Arc::new(Step { place, text, value, kind: StepKind::Function, parts }))
            }
            Expr::And(parts, _) => self.until(frame, parts, false, "&&", expression),
            Expr::Or(parts, _) => self.until(frame, parts, true, "||", expression),
            Expr::Variable(variable, ..) => {
                let known = frame.variables.iter().rev().find(|(name, _)| *name == variable.1.as_str());
                let Some((_, of)) = known else {
                    return Err(self.stop(frame, spell::start(expression), format!("unknown name `{text}`")));
                };
                let kind = if of.value.is_none() { StepKind::Context } else { StepKind::Variable };
                let value = of.value.clone();
                Ok(Arc::new(Step { place, text, value, kind, parts: vec![Arc::clone(of)] }))
            }
            Expr::FnCall(call, position) => self.function(frame, call, *position, text),
            Expr::Dot(sides, ..) => {
                let left = self.value(frame, &sides.lhs)?;
                self.chain(frame, left, &sides.rhs)
            }
            Expr::Index(sides, flags, _) => {
                let left = self.value(frame, &sides.lhs)?;
                self.index(frame, left, &sides.rhs, *flags)
            }
            Expr::Stmt(block) if Closure::of(expression).is_none() => {
                let given = self.block(frame, block.iter())?;
                let value = given.as_ref().map_or(Some(Value::Unit), |given| given.value.clone());
                Ok(Arc::new(Step { place, text, value, kind: StepKind::Function, parts: given.into_iter().collect() }))
            }
            _ => Err(self.stop(frame, spell::start(expression), format!("`{text}` cannot be explained"))),
        }
    }

    pub(super) fn values(&mut self, frame: &mut Frame<'_>, expressions: &[Expr]) -> Result<Vec<Arc<Step>>, Stop> {
        expressions.iter().map(|expression| self.value(frame, expression)).collect()
    }

    /// `&&` and `||`: parts are asked until one of them is `decisive`.
    fn until(
        &mut self,
        frame: &mut Frame<'_>,
        asked: &[Expr],
        decisive: bool,
        sign: &str,
        whole: &Expr,
    ) -> Result<Arc<Step>, Stop> {
        let mut parts = Vec::new();
        let mut holds = !decisive;
        for part in asked {
            let step = self.value(frame, part)?;
            holds = self.truth(frame, &step, part)?;
            if spell::is_operand(part) {
                self.marks.leave(frame.source, spell::start(part), Passed::Condition(holds));
            }
            parts.push(step);
            if holds == decisive {
                break;
            }
        }
        Ok(Arc::new(Step {
            place: frame.source.place(spell::start(whole)),
            text: spell::expression(frame.source, whole),
            value: Some(Value::Bool(holds)),
            kind: StepKind::Operator(sign.to_owned()),
            parts,
        }))
    }

    /// What stands right of a dot.
    fn chain(&mut self, frame: &mut Frame<'_>, left: Arc<Step>, right: &Expr) -> Result<Arc<Step>, Stop> {
        self.step(1)?;
        match right {
            Expr::Property(property, position) => self.property(frame, left, &property.2, *position),
            Expr::MethodCall(call, position) => self.method(frame, left, call, *position),
            Expr::Dot(sides, ..) => {
                let middle = self.chain(frame, left, &sides.lhs)?;
                self.chain(frame, middle, &sides.rhs)
            }
            Expr::Index(sides, flags, _) => {
                let middle = self.chain(frame, left, &sides.lhs)?;
                self.index(frame, middle, &sides.rhs, *flags)
            }
            other => Err(self.stop(frame, spell::start(other), "this cannot stand after a dot")),
        }
    }

    /// What stands in brackets, and the rest of the chain.
    fn index(
        &mut self,
        frame: &mut Frame<'_>,
        left: Arc<Step>,
        right: &Expr,
        flags: ASTFlags,
    ) -> Result<Arc<Step>, Stop> {
        let (at, rest) = match right {
            Expr::Dot(sides, ..) if !flags.contains(ASTFlags::BREAK) => (&sides.lhs, Some(&sides.rhs)),
            whole => (whole, None),
        };
        let at_step = self.value(frame, at)?;
        let item = match (&left.value, &at_step.value) {
            (Some(Value::List(items)), Some(Value::Int(place))) => {
                let item = usize::try_from(*place).ok().and_then(|place| items.get(place)).cloned();
                let what = format!("the list has {} items, and none at {place} (0 is the first)", items.len());
                item.ok_or_else(|| self.stop(frame, spell::start(at), what))?
            }
            _ => return Err(self.stop(frame, spell::start(at), "only a list has items, by their numbers")),
        };
        let (place, text) = (left.place.clone(), format!("{}[{}]", left.text, at_step.text));
        let step = Step { place, text, value: Some(item), kind: StepKind::Function, parts: vec![left, at_step] };
        match rest {
            Some(rest) => self.chain(frame, Arc::new(step), rest),
            None => Ok(Arc::new(step)),
        }
    }

    fn property(
        &mut self,
        frame: &Frame<'_>,
        left: Arc<Step>,
        name: &str,
        position: Position,
    ) -> Result<Arc<Step>, Stop> {
        let (place, text) = (left.place.clone(), format!("{}.{name}", left.text));
        let graph = self.asked.graph;
        let (value, kind) = match (&left.value, &left.kind, name) {
            (Some(Value::Fact(fact)), ..) => {
                let known = fact.kind.accessors();
                let Some(accessor) = known.iter().find(|accessor| accessor.name == name) else {
                    let close = suggestion(name, known.iter().map(|accessor| accessor.name));
                    let what = format!("a {} has no property `{name}`{close}", fact.kind.as_str());
                    return Err(self.stop(frame, position, what));
                };
                let value = match ((accessor.get)(graph, fact.index), accessor.ty) {
                    (list @ Value::List(_), _) => list,
                    (other, Type::List(_)) => Value::List(vec![other]),
                    (other, _) => other,
                };
                let read = Read { fact: *fact, property: accessor.name, value: value.clone(), place: place.clone() };
                self.read.push(read);
                (Some(value), StepKind::Property { fact: *fact, property: accessor.name })
            }
            (None, StepKind::Context, "params") => (None, StepKind::Param),
            (None, StepKind::Context, name) => match context::fact_of(name, graph) {
                Ok(fact) => (Some(Value::Fact(fact)), StepKind::Function),
                Err(what) => return Err(self.stop(frame, position, what)),
            },
            (None, _, name) => match self.asked.pack.source().params.get(name) {
                Some(value) => (Some(value.clone()), StepKind::Param),
                None => return Err(self.stop(frame, position, format!("the pack has no parameter `{name}`"))),
            },
            (Some(other), ..) => {
                return Err(self.stop(frame, position, format!("{} has no property `{name}`", type_of(other))));
            }
        };
        Ok(Arc::new(Step { place, text, value, kind, parts: vec![left] }))
    }
}
