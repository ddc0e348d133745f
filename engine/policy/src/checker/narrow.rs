//! What is known to be there, or not, at one place of a function.
//!
//! Facts never change, so what was asked of `check.base` once holds until its first name is assigned again.

use std::collections::BTreeMap;

use rhai::Expr;

use crate::language::tokens::ABSENT;

/// What is known of a value that may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Absent,
}

/// A variable and the properties read from it, such as `check.base.report`.
pub(crate) type Path = String;

/// What is known at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Knowledge(BTreeMap<Path, Presence>);

impl Knowledge {
    pub(crate) fn of(&self, path: &str) -> Option<Presence> {
        self.0.get(path).copied()
    }

    /// Adds what holds once a condition has come out as `truth`.
    pub(crate) fn learn(&mut self, condition: &Expr, truth: bool) {
        self.0.extend(implied(condition, truth));
    }

    /// Forgets what was known of a variable that is assigned.
    pub(crate) fn forget(&mut self, name: &str) {
        self.0.retain(|path, _| path.split('.').next() != Some(name));
    }

    /// Keeps what both know.
    pub(crate) fn both(mut self, other: &Self) -> Self {
        self.0.retain(|path, presence| other.0.get(path) == Some(presence));
        self
    }
}

/// What a condition that came out as `truth` says about absence.
fn implied(condition: &Expr, truth: bool) -> Vec<(Path, Presence)> {
    match condition {
        Expr::FnCall(call, _) => match (call.name.as_str(), call.args.as_slice()) {
            ("!", [of]) => implied(of, !truth),
            (sign @ ("==" | "!="), [left, Expr::CharConstant(ABSENT, _)]) => {
                let absent = (sign == "==") == truth;
                let presence = if absent { Presence::Absent } else { Presence::There };
                path_of(left).map(|path| (path, presence)).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Expr::And(parts, _) if truth => parts.iter().flat_map(|part| implied(part, true)).collect(),
        Expr::Or(parts, _) if !truth => parts.iter().flat_map(|part| implied(part, false)).collect(),
        _ => Vec::new(),
    }
}

/// The path that an expression is; none for calls, indexes and everything else.
pub(crate) fn path_of(expression: &Expr) -> Option<Path> {
    match expression {
        Expr::Variable(variable, ..) => Some(variable.1.to_string()),
        Expr::Dot(sides, ..) => Some(format!("{}.{}", path_of(&sides.lhs)?, properties(&sides.rhs)?)),
        _ => None,
    }
}

/// The names right of a dot, when they are all properties.
fn properties(right: &Expr) -> Option<String> {
    match right {
        Expr::Property(property, _) => Some(property.2.to_string()),
        Expr::Dot(sides, ..) => Some(format!("{}.{}", properties(&sides.lhs)?, properties(&sides.rhs)?)),
        _ => None,
    }
}
