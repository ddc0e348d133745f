//! The types of expressions: constants, variables, properties, operators on absence.

use rhai::{Expr, FnCallExpr, Position};
use runmill_model::{Code, Kind};

use super::{
    known,
    narrow::{Presence, path_of},
    types::Ty,
    walk::{Flow, Part, Walk},
};
use crate::language::{context, text::suggestion, tokens::ABSENT};

impl Walk<'_> {
    pub(super) fn expression(&mut self, expression: &Expr) -> Ty {
        if !self.world.spend(1) {
            return Ty::Unknown;
        }
        match expression {
            Expr::BoolConstant(..) => Ty::Bool,
            Expr::IntegerConstant(..) => Ty::Int,
            Expr::StringConstant(..) => Ty::Text,
            Expr::CharConstant(ABSENT, _) | Expr::Unit(_) => Ty::Absent,
            Expr::InterpolatedString(parts, _) => {
                for part in parts.iter() {
                    self.expression(part);
                }
                Ty::Text
            }
            Expr::Array(items, _) => {
                let types: Vec<Ty> = items.iter().map(|item| self.item(item)).collect();
                Ty::list(types.into_iter().reduce(Ty::or).unwrap_or(Ty::Unknown))
            }
            Expr::And(parts, _) => self.both_sides(parts, true),
            Expr::Or(parts, _) => self.both_sides(parts, false),
            Expr::Variable(variable, ..) => {
                let ty = self.named(&variable.1).unwrap_or(Ty::Unknown);
                self.narrowed(expression, ty)
            }
            Expr::FnCall(call, position) => match (call.name.as_str(), call.args.as_slice()) {
                ("==" | "!=", [left, Expr::CharConstant(ABSENT, _)]) => self.asks(left, *position),
                ("==" | "!=", [left, right]) => self.compares(call, left, right, *position),
                _ => self.call(call, *position),
            },
            Expr::Dot(sides, ..) => {
                let left = self.expression(&sides.lhs);
                self.chain(&sides.lhs, left, &sides.rhs)
            }
            Expr::Index(sides, ..) => {
                let of = self.expression(&sides.lhs);
                self.index(&of, &sides.rhs, sides.lhs.start_position())
            }
            Expr::Stmt(block) => match self.block(block) {
                Flow::Gives(ty) => ty,
                Flow::Ends => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// An item of a list that is written out. A list holds nothing that may be absent.
    fn item(&mut self, item: &Expr) -> Ty {
        let ty = self.expression(item);
        self.there(ty, item.start_position(), || shown(item))
    }

    /// A value that must be there; reports one that may be absent.
    pub(super) fn there(&self, ty: Ty, position: Position, shown: impl Fn() -> String) -> Ty {
        match ty {
            Ty::Optional(of) => {
                let shown = shown();
                let message = format!("{shown} may be absent here");
                self.report(Code::Policy023, position, message, format!("ask {} first", asking(&shown)));
                *of
            }
            Ty::Absent => {
                let shown = shown();
                self.report(
                    Code::Policy023,
                    position,
                    format!("{shown} is absent here"),
                    "use something that is there",
                );
                Ty::Unknown
            }
            other => other,
        }
    }

    /// What is known about absence here, beyond the type.
    fn narrowed(&self, expression: &Expr, ty: Ty) -> Ty {
        if !ty.may_be_absent() {
            return ty;
        }
        match path_of(expression).and_then(|path| self.knowledge.of(&path)) {
            Some(Presence::There) => ty.present(),
            Some(Presence::Absent) => Ty::Absent,
            None => ty,
        }
    }

    /// `a && b` evaluates `b` only where `a` holds, `a || b` only where it does not.
    fn both_sides(&mut self, parts: &[Expr], truth: bool) -> Ty {
        let before = self.knowledge.clone();
        for part in parts {
            self.condition(part);
            self.knowledge.learn(part, truth);
        }
        self.knowledge = before;
        Ty::Bool
    }

    /// `x == ()`.
    fn asks(&mut self, of: &Expr, position: Position) -> Ty {
        let ty = self.expression(of);
        if self.part == Part::Rule && !ty.may_be_absent() && ty != Ty::Unknown {
            let message = format!("{} is always there", shown(of));
            self.report(Code::Policy025, position, message, "take the question out; one answer never comes up");
        }
        if self.part == Part::Rule && ty == Ty::Absent {
            let message = format!("{} is never there", shown(of));
            self.report(Code::Policy025, position, message, "take the question out; one answer never comes up");
        }
        Ty::Bool
    }

    fn compares(&mut self, call: &FnCallExpr, left: &Expr, right: &Expr, position: Position) -> Ty {
        let (a, b) = (self.expression(left), self.expression(right));
        let a = self.there(a, left.start_position(), || shown(left));
        let b = self.there(b, right.start_position(), || shown(right));
        if !a.is_comparable(&b) {
            let message = format!("`{}` compares {a} with {b}", call.name);
            self.report(Code::Policy022, position, message, "compare values of one type");
        }
        Ty::Bool
    }

    /// What stands right of a dot; `left` is the type of what stands left of it, `root` the expression so far.
    fn chain(&mut self, root: &Expr, left: Ty, right: &Expr) -> Ty {
        self.chain_from(path_of(root), left, right, root.start_position())
    }

    fn chain_from(&mut self, path: Option<String>, left: Ty, right: &Expr, start: Position) -> Ty {
        match right {
            Expr::Property(property, position) => self.property(path, left, &property.2, *position).1,
            Expr::MethodCall(call, position) => self.method(left, path, call, *position),
            Expr::Dot(sides, ..) => {
                let (path, ty) = match &sides.lhs {
                    Expr::Property(property, position) => self.property(path, left, &property.2, *position),
                    other => (None, self.chain_from(path, left, other, start)),
                };
                self.chain_from(path, ty, &sides.rhs, start)
            }
            Expr::Index(sides, ..) => {
                let of = self.chain_from(path, left, &sides.lhs, start);
                self.index(&of, &sides.rhs, start)
            }
            _ => Ty::Unknown,
        }
    }

    /// A property, and the path to it.
    fn property(&mut self, path: Option<String>, of: Ty, name: &str, position: Position) -> (Option<String>, Ty) {
        let of = self.there(of, position, || path.clone().map_or("this".to_owned(), |path| format!("`{path}`")));
        let path = path.map(|path| format!("{path}.{name}"));
        let ty = match of {
            Ty::Fact(kind) => self.of_fact(kind.0, name, position),
            Ty::Cx => match name {
                "params" => Ty::Params,
                _ => match context::kind_of(name) {
                    Some(kind) => Ty::fact(kind),
                    None => self.unknown_property("cx", name, context::PROPERTIES.iter().copied(), position),
                },
            },
            Ty::Params => {
                self.world.params.borrow_mut().insert(name.to_owned());
                self.world.context.param(name).unwrap_or(Ty::Unknown)
            }
            Ty::Unknown | Ty::AnyFact => Ty::Unknown,
            other => {
                let message = format!("{other} has no properties, and so no `{name}`");
                self.report(Code::Policy020, position, message, "call a function of it, as in `x.len()`");
                Ty::Unknown
            }
        };
        let ty = match path.as_deref().and_then(|path| self.knowledge.of(path)) {
            Some(Presence::There) => ty.present(),
            Some(Presence::Absent) if ty.may_be_absent() => Ty::Absent,
            _ => ty,
        };
        (path, ty)
    }

    fn of_fact(&self, kind: Kind, name: &str, position: Position) -> Ty {
        match known::property(kind, name) {
            Some(accessor) => accessor.ty.into(),
            None => {
                let names = kind.accessors().iter().map(|accessor| accessor.name);
                self.unknown_property(&one(kind.as_str()), name, names, position)
            }
        }
    }

    fn unknown_property<'n>(
        &self,
        of: &str,
        name: &str,
        known: impl Iterator<Item = &'n str>,
        position: Position,
    ) -> Ty {
        let message = format!("{of} has no property `{name}`{}", suggestion(name, known));
        self.report(Code::Policy020, position, message, "see `runmill rules schema`");
        Ty::Unknown
    }

    fn index(&mut self, of: &Ty, right: &Expr, position: Position) -> Ty {
        let (index, rest) = match right {
            Expr::Dot(sides, ..) => (&sides.lhs, Some(&sides.rhs)),
            other => (other, None),
        };
        let at = self.expression(index);
        if !matches!(at, Ty::Int | Ty::Unknown) {
            let message = format!("a place in a list is a number, and this is {at}");
            self.report(Code::Policy021, index.start_position(), message, "write a number; 0 is the first");
        }
        let item = self.item_of(of.clone(), position, "an index");
        match rest {
            Some(rest) => self.chain_from(None, item, rest, position),
            None => item,
        }
    }

    /// The type of the items of a list expression.
    pub(super) fn items(&mut self, list: &Expr, user: &str) -> Ty {
        let ty = self.expression(list);
        let ty = self.there(ty, list.start_position(), || shown(list));
        self.item_of(ty, list.start_position(), user)
    }

    pub(super) fn item_of(&self, list: Ty, position: Position, user: &str) -> Ty {
        match list {
            Ty::List(of) => *of,
            Ty::Unknown => Ty::Unknown,
            other => {
                let message = format!("{user} is for lists, and this is {other}");
                self.report(Code::Policy021, position, message, "use a list, such as `cx.facts(\"check\")`");
                Ty::Unknown
            }
        }
    }
}

/// An expression as a message names it.
pub(super) fn shown(expression: &Expr) -> String {
    match (path_of(expression), expression) {
        (Some(path), _) => format!("`{path}`"),
        (None, Expr::FnCall(call, _)) => format!("what `{}` gives", call.name),
        (None, _) => "this".to_owned(),
    }
}

/// The question that makes a value safe to read.
fn asking(shown: &str) -> String {
    match shown.strip_prefix('`').and_then(|path| path.strip_suffix('`')) {
        Some(path) => format!("`{path} == ()`"),
        None => "whether it is `()`, in a variable of its own,".to_owned(),
    }
}

/// A word with its article.
fn one(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}
