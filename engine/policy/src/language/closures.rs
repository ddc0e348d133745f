//! Closures in a syntax tree: the language keeps their bodies among a file's functions, and wraps a closure that reads
//! outer variables in a block that shares them.

use std::rc::Rc;

use rhai::{AST, ASTNode, Expr, FnPtr, Position, ScriptFuncDef, Stmt};

/// Functions that exist in the language, and that rules cannot have.
const FORBIDDEN: [&str; 15] = [
    "eval",
    "Fn",
    "curry",
    "call",
    "print",
    "debug",
    "exit",
    "sleep",
    "timestamp",
    "type_of",
    "is_shared",
    "is_def_var",
    "is_def_fn",
    "parse_json",
    "throw",
];

/// Whether a function is one that the language has and rules cannot have.
pub(crate) fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.contains(&name)
}

/// Whether a function's name is one that the language made up for a closure.
pub(crate) fn is_closure(name: &str) -> bool {
    name.starts_with("anon$")
}

/// A closure where it is written.
#[derive(Debug, Clone)]
pub(crate) struct Closure {
    function: String,
    /// The outer variables it reads.
    pub(crate) captured: Vec<(String, Position)>,
    /// Where it starts; not always known.
    pub(crate) position: Position,
}

impl Closure {
    /// The closure that an expression is.
    pub(crate) fn of(expression: &Expr) -> Option<Self> {
        match expression {
            Expr::DynamicConstant(value, position) => {
                let pointer = value.read_lock::<FnPtr>()?;
                let function = pointer.fn_name().to_owned();
                is_closure(&function).then(|| Self { function, captured: Vec::new(), position: *position })
            }
            Expr::Stmt(block) => {
                let mut statements = block.iter();
                let (Some(Stmt::Share(shared)), Some(last)) = (statements.next(), statements.next()) else {
                    return None;
                };
                let call = match last {
                    Stmt::FnCall(call, _) => call,
                    Stmt::Expr(expression) => match &**expression {
                        Expr::FnCall(call, _) => call,
                        _ => return None,
                    },
                    _ => return None,
                };
                let inner = Self::of(call.args.first()?)?;
                let captured = shared.iter().map(|(name, _)| (name.name.to_string(), name.pos)).collect();
                Some(Self { captured, ..inner })
            }
            _ => None,
        }
    }

    /// The name under which the language keeps its body.
    pub(crate) fn function(&self) -> &str {
        &self.function
    }
}

/// The functions and closures of a file, with the statements of their bodies.
///
/// The engine gives a body's place and, in one long row, every function's statements; which statement belongs to which
/// body follows from the places: the innermost body around it.
pub(crate) struct Bodies {
    bodies: Vec<Body>,
    /// Statements that no body was found for.
    stray: Vec<Position>,
}

struct Body {
    definition: Rc<ScriptFuncDef>,
    statements: Vec<Stmt>,
    span: (Place, Option<Place>),
}

type Place = (usize, usize);

fn place(position: Position) -> Place {
    (position.line().unwrap_or(0), position.position().unwrap_or(0))
}

impl Bodies {
    /// The bodies of a file.
    pub(crate) fn of(ast: &AST) -> Self {
        let functions = ast.shared_lib().iter_script_fn_info();
        let bodies = functions.map(|(.., definition)| {
            let end = Some(definition.body.end_position()).filter(|end| !end.is_none()).map(place);
            let span = (place(definition.body.start_position()), end);
            Body { definition: Rc::clone(definition), statements: Vec::new(), span }
        });
        let mut bodies = Self { bodies: bodies.collect(), stray: Vec::new() };
        let mut outside = ast.statements().len();
        ast.walk(&mut |path: &[ASTNode<'_>]| {
            if let [ASTNode::Stmt(statement)] = path {
                match outside.checked_sub(1) {
                    Some(left) => outside = left,
                    None => bodies.add(statement),
                }
            }
            true
        });
        bodies
    }

    fn add(&mut self, statement: &Stmt) {
        let at = place(statement.position());
        let around = self.bodies.iter_mut().filter(|body| match body.span {
            (start, Some(end)) => start <= at && at <= end,
            // A closure without braces is one statement.
            (start, None) => start == at,
        });
        let innermost = around.max_by_key(|body| (body.span.0, body.span.1.is_none()));
        match innermost {
            Some(body) => body.statements.push(statement.clone()),
            None => self.stray.push(statement.position()),
        }
    }

    /// Statements that no body was found for, and that nobody has checked therefore.
    pub(crate) fn stray(&self) -> &[Position] {
        &self.stray
    }

    /// The functions that have names.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&ScriptFuncDef, &[Stmt])> {
        let named = self.bodies.iter().filter(|body| !is_closure(&body.definition.name));
        named.map(|body| (&*body.definition, body.statements.as_slice()))
    }

    /// The body of a closure; captured variables are its first parameters.
    pub(crate) fn closure(&self, closure: &Closure) -> Option<(&ScriptFuncDef, &[Stmt])> {
        let body = self.bodies.iter().find(|body| body.definition.name == closure.function)?;
        Some((&*body.definition, body.statements.as_slice()))
    }
}

/// The variable that a chain starts with.
pub(crate) fn root_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Variable(variable, ..) => Some(&variable.1),
        Expr::Dot(sides, ..) | Expr::Index(sides, ..) => root_name(&sides.lhs),
        _ => None,
    }
}
