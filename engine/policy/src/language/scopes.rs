//! The walk over function bodies: which names are in scope, and what the language does not offer.

use std::collections::{BTreeMap, BTreeSet};

use rhai::{ASTFlags, Expr, FlowControl, FnCallExpr, Position, ScriptFuncDef, Stmt, StmtBlock};

use super::{callbacks::CALLBACKS, closures, file::File, known::Known, text::suggestion, tokens::ABSENT};
pub(crate) use closures::{Bodies, Closure, is_closure};

type Functions = BTreeMap<String, BTreeSet<usize>>;

/// Checks every function of a file, and the closures that are rules' bodies.
pub(crate) fn check(file: &mut File, bodies: &Bodies, known: &Known, own: &Functions, rules: &[Closure]) {
    for rule in rules {
        for (name, position) in &rule.captured {
            let help = "a rule sees its two parameters, constants and functions, and nothing else";
            file.refuse(*position, format!("unknown name `{name}`"), help);
        }
        if let Some((definition, statements)) = bodies.closure(rule) {
            Walk::new(file, bodies, known, own).function(definition, statements, rule.captured.len());
        }
    }
    for position in bodies.stray() {
        file.refuse(*position, "a statement that cannot be placed", "write the function it belongs to more plainly");
    }
    for (definition, statements) in bodies.named() {
        Walk::new(file, bodies, known, own).function(definition, statements, 0);
    }
}

/// What a name in scope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Parameter,
    Local,
    Constant,
    Loop,
    Captured,
}

struct Walk<'a> {
    file: &'a mut File,
    bodies: &'a Bodies,
    known: &'a Known,
    own: &'a Functions,
    scope: Vec<(String, Name)>,
    captured: BTreeSet<String>,
    assigned: Vec<(String, Position)>,
    loops: usize,
}

impl<'a> Walk<'a> {
    fn new(file: &'a mut File, bodies: &'a Bodies, known: &'a Known, own: &'a Functions) -> Self {
        let (scope, captured, assigned) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { file, bodies, known, own, scope, captured, assigned, loops: 0 }
    }

    fn function(&mut self, definition: &ScriptFuncDef, statements: &[Stmt], captured: usize) {
        let outer = std::mem::take(&mut self.loops);
        let depth = self.scope.len();
        for (at, parameter) in definition.params.iter().enumerate() {
            let name = if at < captured { Name::Captured } else { Name::Parameter };
            self.scope.push((parameter.to_string(), name));
        }
        self.body(statements);
        self.scope.truncate(depth);
        self.loops = outer;
        for (name, position) in std::mem::take(&mut self.assigned) {
            if self.captured.contains(&name) {
                let help = "give the closure a variable that is never assigned again";
                self.file.refuse(position, format!("`{name}` changes although a closure reads it"), help);
            }
        }
    }

    /// A function's own block, whose last expression is what it gives.
    fn body(&mut self, statements: &[Stmt]) {
        let depth = self.scope.len();
        let last = statements.len().saturating_sub(1);
        for (at, statement) in statements.iter().enumerate() {
            match statement {
                Stmt::Expr(value) if at == last => self.value_or_absent(value),
                statement => self.statement(statement),
            }
        }
        self.scope.truncate(depth);
    }

    fn block(&mut self, block: &StmtBlock) {
        let depth = self.scope.len();
        for statement in block.iter() {
            self.statement(statement);
        }
        self.scope.truncate(depth);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Noop(_) => {}
            Stmt::Expr(expression) => self.expression(expression),
            Stmt::FnCall(call, position) => self.call(call, *position),
            Stmt::Block(block) => self.block(block),
            Stmt::If(flow, _) => self.branches(flow),
            Stmt::For(parts, _) => {
                let (name, counter, flow) = &**parts;
                self.expression(&flow.expr);
                let depth = self.scope.len();
                self.declare(&name.name, Name::Loop, name.pos);
                if let Some(counter) = counter {
                    self.declare(&counter.name, Name::Loop, counter.pos);
                }
                self.loops += 1;
                self.block(&flow.body);
                self.loops -= 1;
                self.scope.truncate(depth);
            }
            Stmt::Var(variable, flags, position) => {
                let (name, value, _) = &**variable;
                if flags.contains(ASTFlags::EXPORTED) {
                    self.refuse_word(*position, "`export`");
                }
                self.expression(value);
                let kind = if flags.contains(ASTFlags::CONSTANT) { Name::Constant } else { Name::Local };
                self.declare(&name.name, kind, name.pos);
            }
            Stmt::Assignment(parts) => {
                let (operator, sides) = &**parts;
                if operator.is_op_assignment() {
                    let help = "write `x = x + y`";
                    self.file.refuse(operator.position(), "assignment with an operator", help);
                }
                self.assignment(&sides.lhs);
                self.expression(&sides.rhs);
            }
            Stmt::Return(value, flags, position) => {
                if flags.contains(ASTFlags::BREAK) {
                    self.refuse_word(*position, "`throw`");
                }
                if let Some(value) = value {
                    self.value_or_absent(value);
                }
            }
            Stmt::BreakLoop(value, _, position) => {
                if value.is_some() || self.loops == 0 {
                    self.file.refuse(*position, "`break` with a value or outside of `for`", "use `return`");
                }
            }
            other => {
                let what = forbidden_statement(other).unwrap_or("this statement");
                self.refuse_word(other.position(), what);
            }
        }
    }

    fn branches(&mut self, flow: &FlowControl) {
        self.expression(&flow.expr);
        self.block(&flow.body);
        self.block(&flow.branch);
    }

    fn declare(&mut self, name: &str, kind: Name, position: Position) {
        if self.scope.iter().any(|(known, _)| known == name) {
            self.file.refuse(position, format!("`{name}` hides another `{name}`"), "use a name of its own");
        }
        self.scope.push((name.to_owned(), kind));
    }

    fn named(&self, name: &str) -> Option<Name> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, kind)| *kind)
    }

    fn assignment(&mut self, target: &Expr) {
        let position = target.start_position();
        let Expr::Variable(variable, _, _) = target else {
            let help = "facts and lists never change; make a new value with `let`";
            self.file.refuse(position, "assignment to a part of a value", help);
            return;
        };
        let name = variable.1.as_str();
        let (what, help) = match self.named(name) {
            Some(Name::Local) => {
                self.assigned.push((name.to_owned(), position));
                return;
            }
            Some(Name::Parameter) => ("a parameter", "make a variable of its own with `let`"),
            Some(Name::Captured) => ("a variable outside of the closure", "let the closure give a value instead"),
            Some(Name::Loop) => ("the variable of a loop", "make a variable of its own with `let`"),
            Some(Name::Constant) => ("a constant", "use `let`"),
            None => ("a name that is not there", "declare it with `let`"),
        };
        self.file.refuse(position, format!("assignment to {what}, `{name}`"), help);
    }

    /// What a function gives may be absence.
    fn value_or_absent(&mut self, value: &Expr) {
        if !matches!(value, Expr::CharConstant(ABSENT, _)) {
            self.expression(value);
        }
    }

    fn expression(&mut self, expression: &Expr) {
        let position = expression.start_position();
        match expression {
            Expr::BoolConstant(..) | Expr::IntegerConstant(..) | Expr::StringConstant(..) => {}
            Expr::InterpolatedString(parts, _) | Expr::Array(parts, _) => {
                for part in parts.iter() {
                    self.expression(part);
                }
            }
            Expr::And(parts, _) | Expr::Or(parts, _) => {
                for part in parts.iter() {
                    self.expression(part);
                }
            }
            Expr::Variable(variable, _, position) => {
                if !variable.2.is_empty() {
                    let help = "only functions of `lib/` are reached with `::`";
                    self.file.refuse(*position, format!("unknown name `{}::{}`", variable.2, variable.1), help);
                } else {
                    self.variable(&variable.1, *position);
                }
            }
            Expr::FnCall(call, position) => self.call(call, *position),
            Expr::Dot(sides, flags, at) => {
                if flags.contains(ASTFlags::NEGATED) {
                    self.refuse_word(*at, "`?.`");
                }
                self.expression(&sides.lhs);
                self.chain(&sides.lhs, &sides.lhs, &sides.rhs);
            }
            Expr::Index(sides, flags, at) => {
                if flags.contains(ASTFlags::NEGATED) {
                    self.refuse_word(*at, "`?[`");
                }
                self.expression(&sides.lhs);
                self.expression_of_index(&sides.lhs, &sides.lhs, &sides.rhs);
            }
            Expr::Stmt(block) => match Closure::of(expression) {
                Some(closure) => self.stored(&closure, position),
                None => self.block(block),
            },
            Expr::DynamicConstant(..) => match Closure::of(expression) {
                Some(closure) => self.stored(&closure, position),
                None => self.refuse_word(position, "this constant"),
            },
            other => {
                let what = forbidden_expression(other);
                self.refuse_word(position, what);
            }
        }
    }

    fn variable(&mut self, name: &str, position: Position) {
        if self.named(name).is_some() {
            return;
        }
        if self.own.contains_key(name) || self.known.arities(name).is_some() {
            let help = "call it, or write a closure where it is needed";
            self.file.refuse(position, format!("the function `{name}` is used as a value"), help);
            return;
        }
        let close = suggestion(name, self.scope.iter().map(|(name, _)| name.as_str()));
        self.file.refuse(position, format!("unknown name `{name}`{close}"), "declare it with `let`");
    }

    /// What stands right of a dot. `root` is where the chain starts, `left` what stands left of this dot.
    fn chain(&mut self, root: &Expr, left: &Expr, right: &Expr) {
        match right {
            Expr::Property(property, position) => self.property(left, &property.2, *position),
            Expr::MethodCall(call, position) => self.method(root, call, *position),
            Expr::Dot(sides, flags, at) => {
                if flags.contains(ASTFlags::NEGATED) {
                    self.refuse_word(*at, "`?.`");
                }
                self.chain(root, left, &sides.lhs);
                self.chain(root, &sides.lhs, &sides.rhs);
            }
            Expr::Index(sides, flags, at) => {
                if flags.contains(ASTFlags::NEGATED) {
                    self.refuse_word(*at, "`?[`");
                }
                self.chain(root, left, &sides.lhs);
                self.expression_of_index(root, &sides.lhs, &sides.rhs);
            }
            other => self.expression(other),
        }
    }

    /// What stands right of a `[`: an index, or an index and the rest of the chain.
    fn expression_of_index(&mut self, root: &Expr, left: &Expr, right: &Expr) {
        match right {
            Expr::Dot(sides, _, _) => {
                self.expression(&sides.lhs);
                self.chain(root, left, &sides.rhs);
            }
            other => self.expression(other),
        }
    }

    fn property(&mut self, left: &Expr, name: &str, position: Position) {
        if let Expr::Property(of, _) = left
            && of.2 == "params"
        {
            if !self.known.params.contains(name) {
                let close = suggestion(name, self.known.params.iter().map(String::as_str));
                let help = "declare the parameter in `pack.kdl`";
                self.file.refuse(position, format!("the pack has no parameter `{name}`{close}"), help);
            }
        } else if !self.known.has_property(name) {
            let close = suggestion(name, self.known.property_names());
            let help = "the reference of facts lists every property";
            self.file.refuse(position, format!("no fact has a property `{name}`{close}"), help);
        }
    }

    fn method(&mut self, root: &Expr, call: &FnCallExpr, position: Position) {
        if CALLBACKS.iter().any(|callback| callback.name == call.name) {
            self.callback(root, call, position, &call.args);
            return;
        }
        if self.exists(&call.name, call.args.len() + 1, position) {
            self.arguments(call);
        }
    }

    fn call(&mut self, call: &FnCallExpr, position: Position) {
        if call.capture_parent_scope {
            self.refuse_word(position, "`!` after the name of a function");
        }
        if !call.namespace.is_empty() {
            self.lib_call(call, position);
            return;
        }
        let name = call.name.as_str();
        if let ("==" | "!=", [left, Expr::CharConstant(ABSENT, _)]) = (name, call.args.as_slice()) {
            self.expression(left);
            return;
        }
        if let ("==" | "!=", [Expr::CharConstant(ABSENT, at), right]) = (name, call.args.as_slice()) {
            self.file.refuse(*at, "`()` on the left of a comparison", "write `x == ()` or `x != ()`");
            self.expression(right);
            return;
        }
        if let (Some(list), true) = (call.args.first(), CALLBACKS.iter().any(|callback| callback.name == name)) {
            self.expression(list);
            let rest = call.args.get(1..).unwrap_or_default();
            self.callback(list, call, position, rest);
            return;
        }
        if self.own.get(name).is_some_and(|arities| arities.contains(&call.args.len()))
            || self.exists(name, call.args.len(), position)
        {
            self.arguments(call);
        }
    }

    fn lib_call(&mut self, call: &FnCallExpr, position: Position) {
        let file = call.namespace.root();
        let functions = if call.namespace.path.len() == 1 { self.known.lib.get(file) } else { None };
        let Some(functions) = functions else {
            let close = suggestion(file, self.known.lib.keys().map(String::as_str));
            let message = format!("there is no `lib/{file}.rhai` in this pack{close}");
            self.file.refuse(
                call.namespace.position(),
                message,
                "functions of `lib/` are reached by their file's name",
            );
            return;
        };
        match functions.get(call.name.as_str()) {
            None => {
                let close = suggestion(&call.name, functions.keys().map(String::as_str));
                let message = format!("`lib/{file}.rhai` has no function `{}`{close}", call.name);
                self.file.refuse(position, message, "define it there, or call another");
            }
            Some(arities) if !arities.contains(&call.args.len()) => {
                let message = format!("`{file}::{}` does not take {} arguments", call.name, call.args.len());
                self.file.refuse(position, message, takes(arities));
            }
            Some(_) => {}
        }
        self.arguments(call);
    }

    fn arguments(&mut self, call: &FnCallExpr) {
        for argument in &call.args {
            self.expression(argument);
        }
    }

    /// Whether a function that is not the file's own exists; says what is wrong when it does not.
    fn exists(&mut self, name: &str, arity: usize, position: Position) -> bool {
        match self.known.arities(name) {
            Some(arities) if arities.contains(&arity) => true,
            Some(arities) => {
                let help = takes(arities);
                self.file.refuse(position, format!("`{name}` does not take {arity} arguments"), help);
                false
            }
            None if closures::is_forbidden(name) => {
                self.refuse_word(position, &format!("`{name}`"));
                false
            }
            None => {
                let own = self.own.keys().map(String::as_str);
                let close = suggestion(name, self.known.function_names().chain(own));
                let help = "the reference of the standard library lists every function";
                self.file.refuse(position, format!("unknown function `{name}` with {arity} arguments{close}"), help);
                false
            }
        }
    }

    fn callback(&mut self, root: &Expr, call: &FnCallExpr, position: Position, arguments: &[Expr]) {
        let name = &call.name;
        let closure = match arguments {
            [one] => Closure::of(one),
            _ => None,
        };
        let Some(closure) = closure else {
            let help = format!("write `list.{name}(|item| ..)`");
            self.file.refuse(position, format!("`{name}` takes one closure, written in place"), help);
            return;
        };
        for (captured, at) in &closure.captured {
            self.variable(captured, *at);
            if closures::root_name(root).is_some_and(|root| root == captured) {
                let help = "store the list in a variable of its own first";
                self.file.refuse(*at, format!("the closure reads `{captured}`, which `{name}` is called on"), help);
            }
        }
        self.captured.extend(closure.captured.iter().map(|(name, _)| name.clone()));
        let Some((definition, statements)) = self.bodies.closure(&closure) else { return };
        if definition.params.len() != closure.captured.len() + 1 {
            let help = format!("write `list.{name}(|item| ..)`");
            self.file.refuse(position, format!("the closure of `{name}` takes one parameter"), help);
        }
        let mut inner = Walk::new(self.file, self.bodies, self.known, self.own);
        inner.function(definition, statements, closure.captured.len());
    }

    fn stored(&mut self, closure: &Closure, position: Position) {
        let position = if position.is_none() { closure.position } else { position };
        let help = "closures stand directly in the call of `filter`, `map`, `any`, `all` or `find`";
        self.file.refuse(position, "a closure that is stored, returned or passed on", help);
    }

    fn refuse_word(&mut self, position: Position, what: &str) {
        self.file.refuse(position, format!("{what} is not part of the policy language"), help_for(what));
    }
}

fn takes(arities: &BTreeSet<usize>) -> String {
    let counts: Vec<String> = arities.iter().map(ToString::to_string).collect();
    format!("it takes {} of them, a method's receiver included", counts.join(" or "))
}

fn help_for(what: &str) -> &'static str {
    match what {
        "`try`" | "`throw`" => "a fault ends the rule and is shown; give `unproven` for what cannot be told",
        "`while` or `loop`" | "`do`" => "use set operators, `filter` and friends, or `for`",
        "`import`" | "`export`" => "functions of `lib/` are reached as `file::function`",
        "`?.`" | "`??`" | "`?[`" => "ask `x == ()` first",
        "`switch`" => "use `if` and `else if`",
        "a character" => "use a text",
        _ => "write it with what the reference of the policy language offers",
    }
}

/// The name of a statement that no file may hold.
pub(crate) fn forbidden_statement(statement: &Stmt) -> Option<&'static str> {
    match statement {
        Stmt::While(..) => Some("`while` or `loop`"),
        Stmt::Do(..) => Some("`do`"),
        Stmt::Switch(..) => Some("`switch`"),
        Stmt::TryCatch(..) => Some("`try`"),
        Stmt::Import(..) => Some("`import`"),
        Stmt::Export(..) => Some("`export`"),
        _ => None,
    }
}

fn forbidden_expression(expression: &Expr) -> &'static str {
    match expression {
        Expr::FloatConstant(..) => "a fraction",
        Expr::CharConstant(ABSENT, _) | Expr::Unit(_) => "`()` outside of `== ()`, `!= ()` and `return ()`",
        Expr::CharConstant(..) => "a character",
        Expr::Map(..) => "a map",
        Expr::ThisPtr(_) => "`this`",
        Expr::Coalesce(..) => "`??`",
        Expr::Custom(..) => "`rule` inside of a function",
        _ => "this expression",
    }
}
