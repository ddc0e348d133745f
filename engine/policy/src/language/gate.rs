//! The gate: what a file may hold, checked on its syntax tree before anything runs, all problems at once.

use std::collections::{BTreeMap, BTreeSet};

use rhai::{AST, ASTFlags, Expr, ParseErrorType, Position, Stmt};
use runmill_model::{Code, Stage};

use super::{
    engine,
    file::File,
    known::Known,
    metadata::{self, Described},
    scopes::{self, Bodies, Closure},
    text::one_line,
    tokens::{self, Notes},
};
use crate::Limits;

/// A file that was read, and what was noted of it.
pub(crate) struct Read {
    ast: AST,
    notes: Notes,
}

impl Read {
    /// The syntax tree.
    pub(crate) fn ast(&self) -> &AST {
        &self.ast
    }

    /// The functions that the file defines, where they are defined.
    pub(crate) fn functions(&self) -> Vec<(String, Position)> {
        self.notes.borrow().functions.clone()
    }
}

/// Reads a file. A file that does not parse has one problem, its first.
pub(crate) fn read(file: &mut File, limits: &Limits) -> Option<Read> {
    let (length, most) = (file.text().len(), limits.file);
    if length > most {
        let message = format!("the file has {length} bytes, more than {} KiB", most >> 10);
        file.report(Code::Policy005, Position::NONE, message, "split it: one rule a file, shared functions in `lib/`");
        return None;
    }
    let mut engine = engine::reading(limits);
    let notes = tokens::watch(&mut engine);
    match engine.compile(file.text()) {
        Ok(ast) => Some(Read { ast, notes }),
        Err(error) => {
            let help = match *error.0 {
                ParseErrorType::Reserved(_) => "this word is reserved by the language; use another name",
                ParseErrorType::ExprTooDeep => "split the expression into smaller ones with `let`",
                _ => "see the form of a rule in the documentation of the policy language",
            };
            file.report(Code::Policy002, error.1, one_line(&error.0.to_string()), help);
            None
        }
    }
}

/// Checks a rule file. The result is there only when its metadata says enough.
pub(crate) fn check_rule(file: &mut File, read: &Read, known: &Known, stage: Stage) -> Option<Described> {
    let own = functions(file, read, known);
    let mut rules = Vec::new();
    for statement in read.ast.statements() {
        match rule_of(statement) {
            Some(rule) => rules.push(rule),
            None => top_level(file, statement, TopLevel::Rule),
        }
    }
    for extra in rules.iter().skip(1) {
        file.report(Code::Policy005, extra.position, "a second rule in one file", "give each rule a file of its own");
    }
    let closures: Vec<Closure> = rules.iter().filter_map(|rule| rule.body.clone()).collect();
    let bodies = Bodies::of(&read.ast);
    scopes::check(file, &bodies, known, &own, &closures);
    let Some(rule) = rules.first() else {
        file.report(Code::Policy005, Position::NONE, "no rule in a rule file", "write one rule, or move it to `lib/`");
        return None;
    };
    let Some(body) = &rule.body else {
        file.refuse(rule.position, "the rule's body is no closure", "write `when |subject, cx| { .. }`");
        return None;
    };
    let params = bodies.closure(body).map(|(definition, _)| definition.params.len() - body.captured.len());
    if params != Some(2) {
        file.refuse(rule.position, "the rule's closure must have two parameters", "write `when |subject, cx| { .. }`");
    }
    metadata::read(file, rule, stage, read.ast.doc())
}

/// Checks a file of shared functions: their names and numbers of parameters.
pub(crate) fn lib_functions(file: &mut File, read: &Read, known: &Known) -> BTreeMap<String, BTreeSet<usize>> {
    for statement in read.ast.statements() {
        match rule_of(statement) {
            Some(rule) => {
                let help = "move it to the folder of its stage";
                file.report(Code::Policy005, rule.position, "a rule among shared functions", help);
            }
            None => top_level(file, statement, TopLevel::Lib),
        }
    }
    functions(file, read, known)
}

/// Checks the bodies of a file of shared functions, once all files' functions are known.
pub(crate) fn check_lib(file: &mut File, read: &Read, known: &Known, own: &BTreeMap<String, BTreeSet<usize>>) {
    scopes::check(file, &Bodies::of(&read.ast), known, own, &[]);
}

/// The rule form, taken apart.
pub(crate) struct RuleForm<'a> {
    pub(crate) id: &'a str,
    pub(crate) id_position: Position,
    pub(crate) metadata: &'a Expr,
    pub(crate) body: Option<Closure>,
    pub(crate) position: Position,
}

/// The rule that a statement is.
pub(crate) fn rule_of(statement: &Stmt) -> Option<RuleForm<'_>> {
    let Stmt::Expr(expression) = statement else { return None };
    let Expr::Custom(custom, position) = &**expression else { return None };
    let [Expr::StringConstant(id, id_position), metadata, body] = custom.inputs.as_slice() else { return None };
    let body = Closure::of(body);
    Some(RuleForm { id, id_position: *id_position, metadata, body, position: *position })
}

#[derive(Clone, Copy)]
enum TopLevel {
    Rule,
    Lib,
}

fn top_level(file: &mut File, statement: &Stmt, place: TopLevel) {
    let holds = match place {
        TopLevel::Rule => "a rule file holds one `rule`, and `fn` and `const` as it needs them",
        TopLevel::Lib => "a file of `lib/` holds `fn` and `const`",
    };
    match statement {
        Stmt::Noop(_) => {}
        Stmt::Var(variable, flags, position) if flags.contains(ASTFlags::CONSTANT) => {
            let (name, value, _) = &**variable;
            if flags.contains(ASTFlags::EXPORTED) {
                file.refuse(*position, "`export` is not part of the policy language", holds);
            }
            let shouted =
                name.name.chars().all(|mark| mark.is_ascii_uppercase() || mark.is_ascii_digit() || mark == '_');
            if !shouted {
                let help = format!("call it `{}`", name.name.to_uppercase());
                file.refuse(name.pos, format!("the constant `{}` is not in capitals", name.name), help);
            }
            let literal =
                matches!(value, Expr::StringConstant(..) | Expr::IntegerConstant(..) | Expr::BoolConstant(..));
            if !literal {
                let help = "a constant is a text, a whole number or a truth value; use a `fn` for anything else";
                file.refuse(value.start_position(), format!("the constant `{}` is not literal", name.name), help);
            }
        }
        other => {
            let what = scopes::forbidden_statement(other).unwrap_or("a statement outside of a function");
            file.refuse(other.position(), format!("{what} at the top of a file"), holds);
        }
    }
}

/// The functions a file defines, by name; refuses names that are taken.
fn functions(file: &mut File, read: &Read, known: &Known) -> BTreeMap<String, BTreeSet<usize>> {
    for (name, position) in &read.notes.borrow().functions {
        if known.is_taken(name) {
            let message = format!("the function `{name}` would replace one that rules rely on");
            file.refuse(*position, message, "give it another name");
        }
    }
    let mut own: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (_, _, name, arity, definition) in read.ast.shared_lib().iter_script_fn_info() {
        if scopes::is_closure(name) {
            continue;
        }
        if definition.this_type.is_some() {
            let position = definition.body.start_position();
            file.refuse(position, format!("the function `{name}` is bound to a type"), "give it one more parameter");
        }
        own.entry(name.to_owned()).or_default().insert(arity);
    }
    own
}
