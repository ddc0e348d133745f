//! Calls: of the standard library, of a pack's own functions, of what takes a closure.

use rhai::{Expr, FnCallExpr, Position};
use runmill_model::{Code, Kind, Stage};

use super::{
    expressions::shown,
    known,
    types::Ty,
    walk::{Home, Walk},
};
use crate::{
    Function,
    language::{callbacks::CALLBACKS, scopes::Closure, text::suggestion},
};

impl Walk<'_> {
    pub(super) fn call(&mut self, call: &FnCallExpr, position: Position) -> Ty {
        let name = call.name.as_str();
        if !call.namespace.is_empty() {
            return self.lib_call(call);
        }
        if let (Some((list, rest)), true) = (call.args.split_first(), is_callback(name)) {
            let item = self.items(list, &format!("`{name}`"));
            return self.callback(name, item, rest, position);
        }
        let arguments: Vec<Ty> = call.args.iter().map(|argument| self.expression(argument)).collect();
        if self.home.source.function(name, arguments.len()).is_some() {
            return self.world.function(self.home, name, self.stage, arguments);
        }
        let places: Vec<_> = call.args.iter().map(|argument| (argument.start_position(), shown(argument))).collect();
        self.library(name, arguments, &places, position)
    }

    pub(super) fn method(&mut self, receiver: Ty, path: Option<String>, call: &FnCallExpr, position: Position) -> Ty {
        let name = call.name.as_str();
        let receiver_shown = path.map_or("this".to_owned(), |path| format!("`{path}`"));
        if is_callback(name) {
            let list = self.there(receiver, position, || receiver_shown.clone());
            let item = self.item_of(list, position, &format!("`{name}`"));
            return self.callback(name, item, &call.args, position);
        }
        if receiver == Ty::Cx {
            return self.of_context(call, position);
        }
        let mut arguments = vec![receiver];
        let mut places = vec![(position, receiver_shown)];
        for argument in &call.args {
            arguments.push(self.expression(argument));
            places.push((argument.start_position(), shown(argument)));
        }
        self.library(name, arguments, &places, position)
    }

    fn lib_call(&mut self, call: &FnCallExpr) -> Ty {
        let arguments: Vec<Ty> = call.args.iter().map(|argument| self.expression(argument)).collect();
        let file = call.namespace.root();
        let Some((name, source)) = self.world.sources.lib.get_key_value(file) else { return Ty::Unknown };
        self.world.function(Home { name, source }, &call.name, self.stage, arguments)
    }

    /// `cx.check`, `cx.facts`, `cx.findings`.
    fn of_context(&mut self, call: &FnCallExpr, position: Position) -> Ty {
        let arguments: Vec<Ty> = call.args.iter().map(|argument| self.expression(argument)).collect();
        let wanted: &[&str] = if call.name == "findings" { &["text", "fact"] } else { &["text"] };
        for ((argument, ty), wanted) in call.args.iter().zip(arguments).zip(wanted) {
            let ty = self.there(ty, argument.start_position(), || shown(argument));
            let fits = match *wanted {
                "text" => matches!(ty, Ty::Text | Ty::Unknown),
                _ => matches!(ty, Ty::Fact(_) | Ty::AnyFact | Ty::Unknown),
            };
            if !fits {
                let message = format!("`cx.{}` takes a {wanted} here, and this is {ty}", call.name);
                self.report(Code::Policy021, argument.start_position(), message, "see `runmill rules schema`");
            }
        }
        match call.name.as_str() {
            "check" => Ty::optional(Ty::fact(Kind::Check)),
            "facts" => Ty::list(self.kind_named(call)),
            "findings" => {
                if self.stage != Stage::Verdict {
                    let message = "only rules of stage `verdict` can read findings";
                    self.report(Code::Policy024, position, message, "move the rule to `verdict/`");
                }
                Ty::list(Ty::Text)
            }
            _ => Ty::Unknown,
        }
    }

    fn kind_named(&self, call: &FnCallExpr) -> Ty {
        let [Expr::StringConstant(name, position)] = call.args.as_slice() else { return Ty::AnyFact };
        match known::kind(name) {
            Some(kind) => Ty::fact(kind),
            None => {
                let close = suggestion(name, Kind::ALL.iter().map(|kind| kind.as_str()));
                let message = format!("there is no kind of fact called `{name}`{close}");
                self.report(Code::Policy020, *position, message, "see `runmill rules schema`");
                Ty::Unknown
            }
        }
    }

    fn library(&mut self, name: &str, arguments: Vec<Ty>, places: &[(Position, String)], position: Position) -> Ty {
        if let Some(why) = known::out_of_stage(name, self.stage) {
            let message = format!("`{name}` is no result of stage `{}`", self.stage);
            self.report(Code::Policy024, position, message, why);
        }
        let overloads = self.world.context.overloads(name, arguments.len());
        if overloads.is_empty() {
            return Ty::Unknown;
        }
        if let Some(returns) = chosen(&overloads, &arguments) {
            return returns;
        }
        // Absence is the likelier slip: the same arguments, all there, must fit.
        let all_there: Vec<Ty> = arguments.iter().cloned().map(Ty::present).collect();
        if let Some(returns) = chosen(&overloads, &all_there) {
            for (ty, (place, shown)) in arguments.into_iter().zip(places) {
                self.there(ty, *place, || shown.clone());
            }
            return returns;
        }
        self.misfit(name, &overloads, &arguments, places, position);
        match overloads.as_slice() {
            [only] => only.returns.into(),
            _ => Ty::Unknown,
        }
    }

    fn misfit(
        &self,
        name: &str,
        overloads: &[Function],
        arguments: &[Ty],
        places: &[(Position, String)],
        position: Position,
    ) {
        let is_sign = !name.starts_with(|mark: char| mark.is_ascii_alphabetic());
        let given: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let takes: Vec<String> = overloads.iter().map(signature).collect();
        let wrong = wrong_argument(overloads, arguments);
        let place = wrong.and_then(|at| places.get(at)).map_or(position, |(place, _)| *place);
        let place = if place.is_none() { position } else { place };
        let ordered = matches!(name, "<" | "<=" | ">" | ">=");
        let code = if ordered { Code::Policy022 } else { Code::Policy021 };
        let message = match given.as_slice() {
            [a, b] if is_sign => format!("`{name}` does not go between {a} and {b}"),
            _ => format!("`{name}` does not take ({})", given.join(", ")),
        };
        self.report(code, place, message, format!("it takes {}", takes.join(" or ")));
    }

    fn callback(&mut self, name: &str, item: Ty, arguments: &[Expr], position: Position) -> Ty {
        let [closure] = arguments else { return Ty::Unknown };
        let Some(closure) = Closure::of(closure) else { return Ty::Unknown };
        let source = self.home.source;
        let Some((definition, statements)) = source.closure(&closure) else { return Ty::Unknown };
        let value = self.closure(definition, statements, item.clone());
        if name != "map" && !matches!(value, Ty::Bool | Ty::Unknown) {
            let message = format!("the closure of `{name}` must give true or false, and gives {value}");
            self.report(Code::Policy021, position, message, "compare it with something, or ask `x != ()`");
        }
        match name {
            "filter" => Ty::list(item),
            "map" => Ty::list(value),
            "find" => Ty::optional(item),
            _ => Ty::Bool,
        }
    }
}

fn is_callback(name: &str) -> bool {
    CALLBACKS.iter().any(|callback| callback.name == name)
}

/// What the fitting overloads give; none when no overload fits. A list keeps the type of its items where a function gives
/// back a list of facts.
fn chosen(overloads: &[Function], arguments: &[Ty]) -> Option<Ty> {
    let fits = |function: &&Function| function.params.iter().zip(arguments).all(|(wanted, ty)| ty.fits(*wanted));
    let fitting: Vec<Ty> = overloads.iter().filter(fits).map(|function| function.returns.into()).collect();
    let returns = fitting.into_iter().reduce(Ty::or)?;
    match (&returns, arguments.first()) {
        (Ty::List(of), Some(list @ Ty::List(_))) if **of == Ty::AnyFact => Some(list.clone()),
        _ => Some(returns),
    }
}

/// The first argument that no overload takes there.
fn wrong_argument(overloads: &[Function], arguments: &[Ty]) -> Option<usize> {
    let taken = |at: usize, ty: &Ty| {
        overloads.iter().any(|function| function.params.get(at).is_some_and(|wanted| ty.fits(*wanted)))
    };
    arguments.iter().enumerate().find(|(at, ty)| !taken(*at, ty)).map(|(at, _)| at)
}

fn signature(function: &Function) -> String {
    let params: Vec<String> = function.params.iter().map(ToString::to_string).collect();
    format!("({})", params.join(", "))
}
