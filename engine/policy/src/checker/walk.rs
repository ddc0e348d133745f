//! The walk over statements: what each path gives, and what is known on it.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
};

use rhai::{Expr, FlowControl, Position, ScriptFuncDef, Stmt, StmtBlock};
use runmill_model::{Code, Kind, Problem, Stage};

use super::{
    known::Context,
    narrow::Knowledge,
    sources::{Source, Sources},
    types::Ty,
};
use crate::{On, RuleInfo};

/// So many statements and expressions of one pack are looked at, a helper's once for each combination of types.
const STEPS: usize = 2_000_000;

/// So deep may calls nest; the host stops a rule there too.
const DEPTH: usize = 32;

/// What came of walking a pack.
pub(super) struct Walked {
    pub(super) problems: Vec<Problem>,
    /// The functions that rules reach: file (the name of a `lib/` file, or a rule's path), name, number of parameters.
    pub(super) called: BTreeSet<(String, String, usize)>,
    /// The parameters that rules read.
    pub(super) params: BTreeSet<String>,
}

/// Walks every rule, and every function that one of them reaches.
pub(super) fn check(sources: &Sources, context: &Context, rules: &[RuleInfo]) -> Walked {
    let world = World {
        sources,
        context,
        answers: RefCell::default(),
        called: RefCell::default(),
        params: RefCell::default(),
        left: Cell::new(STEPS),
        depth: Cell::new(0),
    };
    for rule in rules {
        let Some(source) = sources.rules.get(&rule.path) else { continue };
        let Some((definition, statements)) = source.rule_body() else { continue };
        let subject = match rule.on {
            On::Kind(kind) => Ty::fact(kind),
            On::Run => Ty::fact(Kind::Change),
        };
        let home = Home { name: &rule.path, source };
        let mut walk = Walk::new(&world, home, rule.stage, Part::Rule);
        walk.rule(definition, statements, subject);
    }
    let mut problems = sources.problems();
    if world.left.get() == 0 {
        let message = format!("the pack is not checked to its end: the checker takes {STEPS} steps and no more");
        let help = "make helpers simpler, or call them with fewer combinations of types";
        problems.push(Problem::new(Code::Policy011, message, help));
    }
    Walked { problems, called: world.called.into_inner(), params: world.params.into_inner() }
}

/// What all walks share.
pub(super) struct World<'a> {
    pub(super) sources: &'a Sources,
    pub(super) context: &'a Context,
    /// What functions give, by file, name, stage and types of arguments; none while it is worked out.
    answers: RefCell<BTreeMap<Asked, Option<Ty>>>,
    called: RefCell<BTreeSet<(String, String, usize)>>,
    pub(super) params: RefCell<BTreeSet<String>>,
    /// The steps that are left.
    left: Cell<usize>,
    /// How deep calls nest here.
    depth: Cell<usize>,
}

type Asked = (String, String, Stage, Vec<Ty>);

/// The file whose code is walked.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    pub(super) name: &'a str,
    pub(super) source: &'a Source,
}

/// Whether what is walked is seen once, or as often as it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Rule,
    Helper,
}

/// How a statement ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flow {
    /// Nothing after it runs.
    Ends,
    /// What follows it runs; its value.
    Gives(Ty),
}

pub(super) struct Walk<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) home: Home<'a>,
    pub(super) stage: Stage,
    pub(super) part: Part,
    scope: Vec<(String, Ty)>,
    pub(super) knowledge: Knowledge,
    returned: Vec<(Ty, Position)>,
}

impl<'a> World<'a> {
    /// Takes steps; false when there are none left.
    pub(super) fn spend(&self, steps: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(steps));
        self.left.get() > 0
    }

    /// What a function gives for arguments of these types; its body is walked when that was not asked before.
    pub(super) fn function(&'a self, home: Home<'a>, name: &str, stage: Stage, arguments: Vec<Ty>) -> Ty {
        let asked = (home.name.to_owned(), name.to_owned(), stage, arguments.clone());
        self.called.borrow_mut().insert((asked.0.clone(), asked.1.clone(), arguments.len()));
        if let Some(answer) = self.answers.borrow().get(&asked) {
            return answer.clone().unwrap_or(Ty::Unknown);
        }
        let Some((definition, statements)) = home.source.function(name, arguments.len()) else { return Ty::Unknown };
        if self.depth.get() == DEPTH {
            let message = format!("calls of `{name}` nest deeper than {DEPTH} functions");
            let help = "the host stops a rule there: let the helper call itself less, or not at all";
            let place = statements.first().map_or(Position::NONE, Stmt::position);
            home.source.report(Code::Policy011, place, message, help);
            return Ty::Unknown;
        }
        self.answers.borrow_mut().insert(asked.clone(), None);
        self.depth.set(self.depth.get() + 1);
        let mut walk = Walk::new(self, home, stage, Part::Helper);
        let answer = walk.function(definition, statements, arguments);
        self.depth.set(self.depth.get() - 1);
        self.answers.borrow_mut().insert(asked, Some(answer.clone()));
        answer
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(world: &'a World<'a>, home: Home<'a>, stage: Stage, part: Part) -> Self {
        let (scope, knowledge, returned) = (Vec::new(), Knowledge::default(), Vec::new());
        Self { world, home, stage, part, scope, knowledge, returned }
    }

    pub(super) fn report(&self, code: Code, position: Position, message: impl Into<String>, help: impl Into<String>) {
        self.home.source.report(code, position, message, help);
    }

    fn rule(&mut self, definition: &ScriptFuncDef, statements: &[Stmt], subject: Ty) {
        let names = definition.params.iter().map(ToString::to_string);
        self.scope = names.zip([subject, Ty::Cx]).collect();
        let end = statements.last().map_or(Position::NONE, Stmt::position);
        if let Flow::Gives(value) = self.statements(statements) {
            self.returned.push((value, end));
        }
        for (value, position) in std::mem::take(&mut self.returned) {
            let position = if position.is_none() { end } else { position };
            let help = match self.stage {
                Stage::Discovery => "end every path with `require`, `ignore` or `not_applicable`",
                _ => "end every path with `proven`, `refuted`, `unproven` or `not_applicable`",
            };
            match value {
                Ty::Result | Ty::Unknown => {}
                Ty::Absent => self.report(Code::Policy024, position, "a path of the rule ends without a result", help),
                other => {
                    let message = format!("a path of the rule gives {other} instead of a result");
                    self.report(Code::Policy024, position, message, help);
                }
            }
        }
    }

    fn function(&mut self, definition: &ScriptFuncDef, statements: &[Stmt], arguments: Vec<Ty>) -> Ty {
        self.scope = definition.params.iter().map(ToString::to_string).zip(arguments).collect();
        self.value_of(statements)
    }

    /// The body of a closure, in what is known where it stands.
    pub(super) fn closure(&self, definition: &ScriptFuncDef, statements: &[Stmt], item: Ty) -> Ty {
        let mut inner = Walk::new(self.world, self.home, self.stage, self.part);
        inner.knowledge = self.knowledge.clone();
        let last = definition.params.len().saturating_sub(1);
        for (at, parameter) in definition.params.iter().enumerate() {
            let ty = if at == last { item.clone() } else { self.named(parameter).unwrap_or(Ty::Unknown) };
            inner.knowledge.forget(if at == last { parameter } else { "" });
            inner.scope.push((parameter.to_string(), ty));
        }
        inner.value_of(statements)
    }

    fn value_of(&mut self, statements: &[Stmt]) -> Ty {
        let end = self.statements(statements);
        let mut values: Vec<Ty> = std::mem::take(&mut self.returned).into_iter().map(|(ty, _)| ty).collect();
        if let Flow::Gives(value) = end {
            values.push(value);
        }
        values.into_iter().reduce(Ty::or).unwrap_or(Ty::Unknown)
    }

    fn statements(&mut self, statements: &[Stmt]) -> Flow {
        let last = statements.len().saturating_sub(1);
        let mut flow = Flow::Gives(Ty::Absent);
        for (at, statement) in statements.iter().enumerate() {
            if flow == Flow::Ends {
                let help = "take it out, or move it before what ends the path";
                self.report(Code::Policy025, statement.position(), "this is never reached", help);
                return flow;
            }
            flow = self.statement(statement);
            if at < last && flow == Flow::Gives(Ty::Result) {
                let help = "write `return` before it, or take it out";
                self.report(Code::Policy024, statement.position(), "a result that goes nowhere", help);
            }
        }
        flow
    }

    pub(super) fn block(&mut self, block: &StmtBlock) -> Flow {
        let depth = self.scope.len();
        let flow = self.statements(block.statements());
        self.scope.truncate(depth);
        flow
    }

    fn statement(&mut self, statement: &Stmt) -> Flow {
        if !self.world.spend(1) {
            return Flow::Gives(Ty::Unknown);
        }
        match statement {
            Stmt::Expr(expression) => match &**expression {
                Expr::Stmt(block) if !block.is_empty() => self.block(block),
                expression => Flow::Gives(self.expression(expression)),
            },
            Stmt::FnCall(call, position) => Flow::Gives(self.call(call, *position)),
            Stmt::Block(block) => self.block(block),
            Stmt::If(flow, _) => self.branches(flow),
            Stmt::For(parts, _) => {
                let (name, counter, flow) = &**parts;
                self.each(&flow.expr, &name.name, counter.name_of(), &flow.body);
                Flow::Gives(Ty::Absent)
            }
            Stmt::Var(variable, ..) => {
                let (name, value, _) = &**variable;
                let ty = self.expression(value);
                self.knowledge.forget(&name.name);
                self.scope.push((name.name.to_string(), ty));
                Flow::Gives(Ty::Absent)
            }
            Stmt::Assignment(parts) => {
                let (_, sides) = &**parts;
                let ty = self.expression(&sides.rhs);
                if let Expr::Variable(variable, ..) = &sides.lhs {
                    self.assign(&variable.1, ty);
                }
                Flow::Gives(Ty::Absent)
            }
            Stmt::Return(value, _, position) => {
                let ty = value.as_ref().map_or(Ty::Absent, |value| self.expression(value));
                self.returned.push((ty, *position));
                Flow::Ends
            }
            Stmt::BreakLoop(..) => Flow::Ends,
            _ => Flow::Gives(Ty::Absent),
        }
    }

    fn branches(&mut self, flow: &FlowControl) -> Flow {
        self.condition(&flow.expr);
        // What is known is kept for both branches.
        self.world.spend(self.scope.len());
        let (before, scope) = (self.knowledge.clone(), self.scope.clone());
        self.knowledge.learn(&flow.expr, true);
        let then = self.block(&flow.body);
        let (then_knows, then_scope) =
            (std::mem::replace(&mut self.knowledge, before), std::mem::replace(&mut self.scope, scope));
        self.knowledge.learn(&flow.expr, false);
        let other = self.block(&flow.branch);
        match (then, other) {
            (Flow::Ends, other) => other,
            (then, Flow::Ends) => {
                self.knowledge = then_knows;
                self.scope = then_scope;
                then
            }
            (Flow::Gives(a), Flow::Gives(b)) => {
                self.knowledge = std::mem::take(&mut self.knowledge).both(&then_knows);
                for ((_, mine), (_, theirs)) in self.scope.iter_mut().zip(then_scope) {
                    *mine = mine.clone().or(theirs);
                }
                Flow::Gives(a.or(b))
            }
        }
    }

    fn each(&mut self, list: &Expr, name: &str, counter: Option<&str>, body: &StmtBlock) {
        let item = self.items(list, "`for`");
        let depth = self.scope.len();
        self.scope.push((name.to_owned(), item));
        self.scope.extend(counter.map(|counter| (counter.to_owned(), Ty::Int)));
        let before = self.knowledge.clone();
        // What is known when a round begins must also hold after another one.
        for assigned in assigned_in(body.statements()) {
            self.knowledge.forget(&assigned);
        }
        let _ends = self.block(body);
        self.scope.truncate(depth);
        self.knowledge = std::mem::take(&mut self.knowledge).both(&before);
    }

    /// A condition must be true or false.
    pub(super) fn condition(&mut self, condition: &Expr) {
        let ty = self.expression(condition);
        if !matches!(ty, Ty::Bool | Ty::Unknown) {
            let help = if ty.may_be_absent() { "ask `x != ()`" } else { "compare it with something" };
            let message = format!("a condition is true or false, and this is {ty}");
            self.report(Code::Policy021, condition.start_position(), message, help);
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<Ty> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, ty)| ty.clone())
    }

    fn assign(&mut self, name: &str, ty: Ty) {
        self.knowledge.forget(name);
        if let Some((_, known)) = self.scope.iter_mut().rev().find(|(known, _)| known == name) {
            *known = known.clone().or(ty);
        }
    }
}

/// The variables that statements assign, at any depth.
fn assigned_in(statements: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    for statement in statements {
        statement.walk(&mut Vec::new(), &mut |path| {
            if let Some(rhai::ASTNode::Stmt(Stmt::Assignment(parts))) = path.last()
                && let Expr::Variable(variable, ..) = &parts.1.lhs
            {
                names.push(variable.1.to_string());
            }
            true
        });
    }
    names
}

/// The name of an optional variable of a loop.
trait NameOf {
    fn name_of(&self) -> Option<&str>;
}

impl NameOf for Option<rhai::Ident> {
    fn name_of(&self) -> Option<&str> {
        self.as_ref().map(|ident| ident.name.as_str())
    }
}
