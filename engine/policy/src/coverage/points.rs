//! The places of a unit that a call can reach, read off its syntax tree.

use std::collections::{BTreeMap, BTreeSet};

use rhai::{Expr, FlowControl, FnCallExpr, Position, ScriptFuncDef, Stmt};

use super::{OutcomeCount, Point, Unit, UnitName, What};
use crate::{
    On, Pack, Place, Registry, RuleInfo,
    explain::{
        Passed,
        source::{Source, Sources},
        spell,
    },
    language::scopes::Closure,
};

/// What a call leaves where it reaches a place.
pub(super) fn passed(what: What) -> Passed {
    match what {
        What::Statement => Passed::Statement,
        What::Branch(holds) => Passed::Branch(holds),
        What::Body => Passed::Entered,
        What::Condition(holds) => Passed::Condition(holds),
        What::Result => Passed::Result,
    }
}

/// A rule's own body.
pub(super) fn of_rule(pack: &Pack, rule: &RuleInfo, sources: &Sources, registry: &Registry) -> Unit {
    let on = match rule.on {
        On::Kind(kind) => Some(kind),
        On::Run => None,
    };
    let name = UnitName::Rule { id: rule.head.rule.clone(), stage: rule.stage, on };
    let body = sources.rule.bodies.closure(&sources.body);
    let mut unit = unit(pack, name, &sources.rule, body, registry);
    let mut made = Vec::new();
    if let Some((_, statements)) = body {
        Reach { sources, registry, met: BTreeSet::new(), made: &mut made }.statements(&sources.rule, statements);
    }
    unit.outcomes = made.into_iter().map(|outcome| OutcomeCount { outcome, calls: 0, first: None }).collect();
    unit
}

/// The functions of a rule's file and of `lib/`, by file and line; those of `lib/` that are known stay as they are.
pub(super) fn of_functions(
    pack: &Pack,
    rule: &RuleInfo,
    sources: &Sources,
    registry: &Registry,
    units: &mut BTreeMap<(String, usize), Unit>,
) {
    let own = std::iter::once((None, &sources.rule));
    let lib = sources.lib.iter().map(|(name, source)| (Some(name), source));
    for (file, source) in own.chain(lib) {
        for body in source.bodies.named() {
            let name = match file {
                Some(file) => format!("{file}::{}", body.0.name),
                None => format!("{} in {}", body.0.name, rule.path),
            };
            let unit = || unit(pack, UnitName::Function(name), source, Some(body), registry);
            let line = body.0.body.start_position().line().unwrap_or(0);
            units.entry((source.path.to_string(), line)).or_insert_with(unit);
        }
    }
}

type Body<'a> = (&'a ScriptFuncDef, &'a [Stmt]);

fn unit(pack: &Pack, name: UnitName, source: &Source, body: Option<Body<'_>>, registry: &Registry) -> Unit {
    let start = body.map_or(Position::NONE, |(definition, _)| definition.body.start_position());
    let mut walk = Walk { source, registry, points: Vec::new(), within: None };
    if let Some((_, statements)) = body {
        walk.statements(statements);
    }
    let Walk { points, .. } = walk;
    let place = source.place(start);
    Unit { pack: pack.name().clone(), name, place, calls: 0, points, outcomes: Vec::new() }
}

struct Walk<'a> {
    source: &'a Source,
    registry: &'a Registry,
    points: Vec<Point>,
    /// The point that everything from here on stands behind.
    within: Option<usize>,
}

impl Walk<'_> {
    fn add(&mut self, position: Position, what: What, text: String) -> usize {
        let place: Place = self.source.place(position);
        self.points.push(Point { place, what, text, within: self.within, hits: 0, first: None });
        self.points.len() - 1
    }

    /// Walks statements; whether what follows them is never run after them.
    fn statements<'s>(&mut self, statements: impl IntoIterator<Item = &'s Stmt>) -> bool {
        let mut ended = false;
        for statement in statements {
            ended |= self.statement(statement);
        }
        ended
    }

    fn statement(&mut self, statement: &Stmt) -> bool {
        let text = match statement {
            Stmt::Return(Some(value), ..) => format!("return {}", spell::expression(self.source, value)),
            Stmt::Expr(value) => spell::expression(self.source, value),
            _ => String::new(),
        };
        if !matches!(statement, Stmt::Noop(_)) {
            self.add(spell::start_of(statement), What::Statement, text);
        }
        match statement {
            Stmt::Expr(expression) => self.expression(expression),
            Stmt::FnCall(call, position) => self.call(call, *position),
            Stmt::Block(block) => return self.statements(block.iter()),
            Stmt::If(flow, _) => return self.branches(flow),
            Stmt::For(parts, _) => {
                let (name, _, flow) = &**parts;
                self.expression(&flow.expr);
                let text = format!("for {} in {}", name.name, spell::expression(self.source, &flow.expr));
                self.inside(name.pos, text, |walk| {
                    walk.statements(flow.body.iter());
                });
            }
            Stmt::Var(variable, ..) => self.expression(&variable.1),
            Stmt::Assignment(parts) => self.expression(&parts.1.rhs),
            Stmt::Return(value, ..) => {
                value.iter().for_each(|value| self.expression(value));
                return true;
            }
            Stmt::BreakLoop(..) => return true,
            _ => {}
        }
        false
    }

    fn inside(&mut self, position: Position, text: String, walk: impl FnOnce(&mut Self)) {
        let outer = self.within;
        self.within = Some(self.add(position, What::Body, text));
        walk(self);
        self.within = outer;
    }

    fn branches(&mut self, flow: &FlowControl) -> bool {
        self.expression(&flow.expr);
        let (position, text) = (spell::start(&flow.expr), spell::expression(self.source, &flow.expr));
        let outer = self.within;
        let holds = self.add(position, What::Branch(true), text.clone());
        let fails = self.add(position, What::Branch(false), text);
        self.within = Some(holds);
        let then_ends = self.statements(flow.body.iter());
        self.within = Some(fails);
        let else_ends = self.statements(flow.branch.iter());
        // What follows an `if` that ends the path on one side stands behind the other side.
        self.within = match (then_ends, else_ends) {
            (true, false) => Some(fails),
            (false, true) => Some(holds),
            _ => outer,
        };
        then_ends && else_ends
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::InterpolatedString(parts, _) | Expr::Array(parts, _) => {
                parts.iter().for_each(|part| self.expression(part));
            }
            Expr::And(parts, _) | Expr::Or(parts, _) => parts.iter().for_each(|part| self.part(part)),
            Expr::FnCall(call, position) => self.call(call, *position),
            Expr::MethodCall(call, _) => call.args.iter().for_each(|argument| self.argument(call, argument)),
            Expr::Dot(sides, ..) | Expr::Index(sides, ..) => {
                self.expression(&sides.lhs);
                self.expression(&sides.rhs);
            }
            Expr::Stmt(block) if Closure::of(expression).is_none() => {
                let outer = self.within;
                self.statements(block.iter());
                self.within = outer;
            }
            _ => {}
        }
    }

    fn part(&mut self, part: &Expr) {
        self.expression(part);
        if spell::is_operand(part) {
            self.both(spell::start(part), spell::expression(self.source, part));
        }
    }

    fn both(&mut self, position: Position, text: String) {
        self.add(position, What::Condition(true), text.clone());
        self.add(position, What::Condition(false), text);
    }

    fn call(&mut self, call: &FnCallExpr, position: Position) {
        call.args.iter().for_each(|argument| self.argument(call, argument));
        if call.namespace.is_empty() && self.registry.makes_result(&call.name) {
            let text = spell::expression(self.source, &Expr::FnCall(Box::new(call.clone()), position));
            self.add(position, What::Result, text);
        }
    }

    fn argument(&mut self, call: &FnCallExpr, argument: &Expr) {
        let Some(closure) = Closure::of(argument) else { return self.expression(argument) };
        let Some((definition, statements)) = self.source.bodies.closure(&closure) else { return };
        let (position, text) = (definition.body.start_position(), spell::expression(self.source, argument));
        let truth = call.name != "map";
        self.inside(position, text.clone(), |walk| {
            walk.statements(statements);
            if truth {
                walk.both(position, text);
            }
        });
    }
}

/// Which results a rule can make, through the functions it calls.
struct Reach<'a, 'm> {
    sources: &'a Sources,
    registry: &'a Registry,
    met: BTreeSet<(String, String, usize)>,
    made: &'m mut Vec<String>,
}

impl<'a> Reach<'a, '_> {
    fn statements(&mut self, source: &'a Source, statements: &'a [Stmt]) {
        let mut calls = Vec::new();
        for statement in statements {
            statement.walk(&mut Vec::new(), &mut |path| {
                match path.last() {
                    Some(rhai::ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _))) => {
                        calls.push((**call).clone());
                    }
                    Some(rhai::ASTNode::Stmt(Stmt::FnCall(call, _))) => calls.push((**call).clone()),
                    _ => {}
                }
                true
            });
        }
        calls.iter().for_each(|call| self.call(source, call));
    }

    fn call(&mut self, source: &'a Source, call: &FnCallExpr) {
        let home = if call.namespace.is_empty() { Some(source) } else { self.sources.lib.get(call.namespace.root()) };
        let Some(home) = home else { return };
        match home.function(&call.name, call.args.len()) {
            Some((definition, statements)) => {
                let met = (home.path.to_string(), definition.name.to_string(), call.args.len());
                if self.met.insert(met) {
                    self.statements(home, statements);
                }
            }
            None if call.namespace.is_empty() && self.registry.makes_result(&call.name) => {
                let name = call.name.to_string();
                if !self.made.contains(&name) {
                    self.made.push(name);
                }
            }
            None => {}
        }
    }
}
