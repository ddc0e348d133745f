//! Expressions as text: on one line, with the parentheses that are needed and no others.

use rhai::{ASTFlags, Expr, FnCallExpr, Position, Stmt};

use super::source::Source;
use crate::language::{scopes::Closure, tokens::ABSENT};

/// The expression as text.
pub(crate) fn expression(source: &Source, expression: &Expr) -> String {
    let all = |parts: &[Expr], joint: &str, strength: u8| {
        let parts: Vec<String> = parts.iter().map(|part| operand(source, part, strength)).collect();
        parts.join(joint)
    };
    match expression {
        Expr::BoolConstant(value, _) => value.to_string(),
        Expr::IntegerConstant(value, _) => value.to_string(),
        Expr::StringConstant(text, _) => format!("\"{}\"", text.escape_debug()),
        Expr::CharConstant(ABSENT, _) | Expr::Unit(_) => "()".to_owned(),
        Expr::InterpolatedString(parts, _) => interpolated(source, parts),
        Expr::Array(items, _) => format!("[{}]", list(source, items)),
        Expr::And(parts, _) => all(parts, " && ", 60),
        Expr::Or(parts, _) => all(parts, " || ", 30),
        Expr::Variable(variable, ..) => variable.1.to_string(),
        Expr::FnCall(call, _) => function(source, call),
        Expr::Dot(sides, ..) => format!("{}{}", self::expression(source, &sides.lhs), link(source, &sides.rhs)),
        Expr::Index(sides, flags, _) => {
            format!("{}{}", self::expression(source, &sides.lhs), index(source, &sides.rhs, *flags))
        }
        Expr::Property(..) | Expr::MethodCall(..) => link(source, expression).trim_start_matches('.').to_owned(),
        Expr::Stmt(block) => match (Closure::of(expression), block.iter().next()) {
            (Some(of), _) => closure(source, &of),
            (None, Some(Stmt::Expr(only))) if block.len() == 1 => self::expression(source, only),
            (None, Some(Stmt::If(flow, _))) => format!("if {} {{ .. }}", self::expression(source, &flow.expr)),
            (None, _) => "{ .. }".to_owned(),
        },
        Expr::DynamicConstant(..) => Closure::of(expression).map_or("..".to_owned(), |of| closure(source, &of)),
        _ => "..".to_owned(),
    }
}

/// Where the text of an expression starts.
pub(crate) fn start(expression: &Expr) -> Position {
    match expression {
        Expr::FnCall(call, position) => match call.args.as_slice() {
            [first, _] if is_sign(&call.name) => start(first),
            _ if !call.namespace.is_empty() => call.namespace.position(),
            _ => *position,
        },
        Expr::Dot(sides, ..) | Expr::Index(sides, ..) => start(&sides.lhs),
        Expr::And(parts, _) | Expr::Or(parts, _) => parts.first().map_or(Position::NONE, start),
        other => other.start_position(),
    }
}

/// Where a statement starts.
pub(crate) fn start_of(statement: &Stmt) -> Position {
    match statement {
        Stmt::Expr(expression) => start(expression),
        Stmt::FnCall(call, position) => match call.args.as_slice() {
            [first, _] if is_sign(&call.name) => start(first),
            _ if !call.namespace.is_empty() => call.namespace.position(),
            _ => *position,
        },
        other => other.position(),
    }
}

/// Whether a part of `&&` or `||` is a condition of its own, and not made of others.
pub(crate) fn is_operand(part: &Expr) -> bool {
    !matches!(part, Expr::And(..) | Expr::Or(..))
}

/// Whether a function is an operator.
pub(crate) fn is_sign(name: &str) -> bool {
    !name.starts_with(|mark: char| mark.is_ascii_alphabetic() || mark == '_')
}

/// What follows a dot, with the dot.
pub(crate) fn link(source: &Source, right: &Expr) -> String {
    match right {
        Expr::Property(property, _) => format!(".{}", property.2),
        Expr::MethodCall(call, _) => format!(".{}({})", call.name, list(source, &call.args)),
        Expr::Dot(sides, ..) => format!("{}{}", link(source, &sides.lhs), link(source, &sides.rhs)),
        Expr::Index(sides, flags, _) => format!("{}{}", link(source, &sides.lhs), index(source, &sides.rhs, *flags)),
        other => format!(".{}", expression(source, other)),
    }
}

fn index(source: &Source, right: &Expr, flags: ASTFlags) -> String {
    match right {
        Expr::Dot(sides, ..) if !flags.contains(ASTFlags::BREAK) => {
            format!("[{}]{}", expression(source, &sides.lhs), link(source, &sides.rhs))
        }
        other => format!("[{}]", expression(source, other)),
    }
}

fn function(source: &Source, call: &FnCallExpr) -> String {
    match call.args.as_slice() {
        [of] if is_sign(&call.name) => format!("{}{}", call.name, operand(source, of, u8::MAX)),
        [left, right] if is_sign(&call.name) => {
            let strength = strength(&call.name);
            let right = operand(source, right, strength.saturating_add(1));
            format!("{} {} {right}", operand(source, left, strength), call.name)
        }
        arguments => {
            let file = if call.namespace.is_empty() { String::new() } else { format!("{}::", call.namespace.root()) };
            format!("{file}{}({})", call.name, list(source, arguments))
        }
    }
}

fn list(source: &Source, items: &[Expr]) -> String {
    items.iter().map(|item| expression(source, item)).collect::<Vec<_>>().join(", ")
}

/// An operand, in parentheses where it binds less than the operator it stands beside.
fn operand(source: &Source, of: &Expr, beside: u8) -> String {
    let text = expression(source, of);
    let own = match of {
        Expr::And(..) => 60,
        Expr::Or(..) => 30,
        Expr::FnCall(call, _) if is_sign(&call.name) && call.args.len() == 2 => strength(&call.name),
        _ => u8::MAX,
    };
    if own < beside { format!("({text})") } else { text }
}

/// How tightly an operator binds, as the language has it.
fn strength(sign: &str) -> u8 {
    match sign {
        "|" => 30,
        "&" => 60,
        "==" | "!=" => 90,
        "<" | "<=" | ">" | ">=" => 130,
        "+" | "-" => 150,
        _ => 180,
    }
}

fn interpolated(source: &Source, parts: &[Expr]) -> String {
    let parts = parts.iter().map(|part| match part {
        Expr::StringConstant(text, _) => text.replace('`', "``"),
        other => format!("${{{}}}", expression(source, other)),
    });
    format!("`{}`", parts.collect::<String>())
}

fn closure(source: &Source, of: &Closure) -> String {
    let Some((definition, statements)) = source.bodies.closure(of) else { return "|..| ..".to_owned() };
    let own: Vec<&str> = definition.params.iter().skip(of.captured.len()).map(|name| name.as_str()).collect();
    let body = match statements {
        [Stmt::Expr(only)] => expression(source, only),
        [Stmt::FnCall(call, _)] => function(source, call),
        _ => "{ .. }".to_owned(),
    };
    format!("|{}| {body}", own.join(", "))
}
