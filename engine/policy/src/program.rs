//! A pack compiled for one worker: an engine of its own, its shared functions, and the bodies of its rules.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, Module, Scope, Shared};
use runmill_model::FactRef;

use crate::{
    Limits, Pack, Registry,
    language::{
        arithmetic, callbacks,
        context::{self, Cx},
        engine,
        engine::Folding,
        file::without_mark,
        functions, gate, properties, shown, tokens,
        values::Fact,
    },
    session::Session,
    source::PackSource,
};

/// Everything that rules may call, over one session's graph. Made once for each worker and shared by its engines.
pub(crate) fn library(registry: &Registry, session: &Rc<Session>) -> Shared<Module> {
    let mut module = Module::new();
    functions::register(&mut module, registry.functions().chain(arithmetic::FUNCTIONS), session);
    arithmetic::register_equality(&mut module, session);
    callbacks::register(&mut module);
    context::register(&mut module, session);
    properties::register(&mut module, session);
    shown::register(&mut module, session);
    module.into()
}

/// One pack, ready to be called by one worker.
pub(crate) struct Program {
    engine: Engine,
    notes: tokens::Notes,
    rules: RefCell<HashMap<usize, Rc<Body>>>,
}

struct Body {
    ast: AST,
    function: String,
}

impl Program {
    /// Compiles the shared functions of a pack; rules are compiled when they are first called.
    ///
    /// # Errors
    /// A file that the judging engine does not read, in words. The gate has read all of them, so this is a fault of
    /// the host.
    pub(crate) fn new(
        source: &PackSource,
        library: Option<Shared<Module>>,
        limits: &Limits,
        folding: Folding,
    ) -> Result<Self, String> {
        let mut engine = engine::judging(limits, folding);
        let notes = tokens::watch(&mut engine);
        if let Some(library) = library {
            engine.register_global_module(library);
        }
        for file in &source.lib {
            // Files may call one another, whatever their order.
            engine.register_static_module(&file.name, Module::new().into());
        }
        for file in &source.lib {
            *notes.borrow_mut() = tokens::Noted::default();
            let mut ast =
                engine.compile(without_mark(&file.text)).map_err(|error| format!("{}: {error}", file.path))?;
            ast.set_source(file.path.as_str());
            let module = Module::eval_ast_as_new(Scope::new(), &ast, &engine);
            engine
                .register_static_module(&file.name, module.map_err(|error| format!("{}: {error}", file.path))?.into());
        }
        Ok(Self { engine, notes, rules: RefCell::default() })
    }

    /// Makes every step use the session's fuel.
    pub(crate) fn with_fuel(mut self, session: &Rc<Session>) -> Self {
        let session = Rc::clone(session);
        self.engine.on_progress(move |_| if session.step() { None } else { Some(Dynamic::UNIT) });
        self
    }

    /// Compiles a rule, when it is not yet.
    ///
    /// # Errors
    /// The judging engine does not read it, in words.
    pub(crate) fn compile(&self, pack: &Pack, at: usize) -> Result<(), String> {
        self.body(pack, at).map(|_| ())
    }

    fn body(&self, pack: &Pack, at: usize) -> Result<Rc<Body>, String> {
        if let Some(body) = self.rules.borrow().get(&at) {
            return Ok(Rc::clone(body));
        }
        let rule = pack.rules().get(at).ok_or("there is no such rule")?;
        let (path, text) = (rule.path.as_str(), pack.text_of(rule));
        *self.notes.borrow_mut() = tokens::Noted::default();
        let mut ast = self.engine.compile(without_mark(text)).map_err(|error| format!("{path}: {error}"))?;
        ast.set_source(path);
        let closure = ast.statements().iter().find_map(gate::rule_of).and_then(|rule| rule.body);
        let function = closure.ok_or_else(|| format!("{path}: no rule"))?.function().to_owned();
        let body = Rc::new(Body { ast, function });
        self.rules.borrow_mut().insert(at, Rc::clone(&body));
        Ok(body)
    }

    /// Calls a rule on one subject. Its steps use the fuel that the session was given.
    ///
    /// # Errors
    /// The engine's error, or the words of [`Program::compile`].
    pub(crate) fn call(&self, pack: &Pack, at: usize, subject: FactRef) -> Result<Called, String> {
        let body = self.body(pack, at)?;
        let arguments = (Fact(subject), Cx);
        let options = CallFnOptions::new().eval_ast(false);
        Ok(self.engine.call_fn_with_options(options, &mut Scope::new(), &body.ast, &body.function, arguments))
    }
}

/// What the engine gives back.
pub(crate) type Called = Result<Dynamic, Box<EvalAltResult>>;
