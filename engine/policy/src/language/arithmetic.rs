//! What the host itself registers: comparison, which never crosses types, and whole-number arithmetic, which never
//! wraps.

use std::{any::TypeId, rc::Rc};

use rhai::{Dynamic, ImmutableString, Module};
use runmill_model::{Type, Value};

use super::{
    functions::{Outcome, fault, native, weight, with_values},
    tokens::ABSENT,
    values::{Fact, Tests, type_of},
};
use crate::{Fault, Function, session::Session};

const INTS: &[Type] = &[Type::Int, Type::Int];
const TEXTS: &[Type] = &[Type::Text, Type::Text];

macro_rules! functions {
    ($($name:literal $params:expr => $returns:expr, $doc:literal, $body:expr;)*) => {
        /// Arithmetic and order.
        pub(crate) const FUNCTIONS: &[Function] = &[$(
            Function { name: $name, params: $params, returns: $returns, doc: $doc, body: $body },
        )*];
    };
}

functions! {
    "<" INTS => Type::Bool, "Whether the first number is smaller.", |_, args| ints(args).map(|(a, b)| Value::Bool(a < b));
    "<=" INTS => Type::Bool, "Whether the first number is not greater.",
        |_, args| ints(args).map(|(a, b)| Value::Bool(a <= b));
    ">" INTS => Type::Bool, "Whether the first number is greater.", |_, args| ints(args).map(|(a, b)| Value::Bool(a > b));
    ">=" INTS => Type::Bool, "Whether the first number is not smaller.",
        |_, args| ints(args).map(|(a, b)| Value::Bool(a >= b));
    "<" TEXTS => Type::Bool, "Whether the first text comes first, byte by byte.",
        |_, args| texts(args).map(|(a, b)| Value::Bool(a < b));
    "<=" TEXTS => Type::Bool, "Whether the first text does not come second, byte by byte.",
        |_, args| texts(args).map(|(a, b)| Value::Bool(a <= b));
    ">" TEXTS => Type::Bool, "Whether the first text comes second, byte by byte.",
        |_, args| texts(args).map(|(a, b)| Value::Bool(a > b));
    ">=" TEXTS => Type::Bool, "Whether the first text does not come first, byte by byte.",
        |_, args| texts(args).map(|(a, b)| Value::Bool(a >= b));
    "+" INTS => Type::Int, "The sum; a fault when it does not fit.", |_, args| checked(args, i64::checked_add, "+");
    "-" INTS => Type::Int, "The difference; a fault when it does not fit.", |_, args| checked(args, i64::checked_sub, "-");
    "*" INTS => Type::Int, "The product; a fault when it does not fit.", |_, args| checked(args, i64::checked_mul, "*");
    "/" INTS => Type::Int, "The quotient, cut towards zero; a fault when dividing by zero.",
        |_, args| checked(args, i64::checked_div, "/");
    "%" INTS => Type::Int, "The remainder of a division cut towards zero; a fault when dividing by zero.",
        |_, args| checked(args, i64::checked_rem, "%");
    "+" TEXTS => Type::Text, "Both texts, joined.", |_, args| texts(args).map(|(a, b)| Value::Text(format!("{a}{b}").into()));
    "-" &[Type::Int] => Type::Int, "The number, negated.", |_, args| match args {
        [Value::Int(a)] => a.checked_neg().map(Value::Int).ok_or_else(|| Fault::new("the negated number does not fit")),
        _ => Err(arguments()),
    };
    "!" &[Type::Bool] => Type::Bool, "The opposite.", |_, args| match args {
        [Value::Bool(a)] => Ok(Value::Bool(!a)),
        _ => Err(arguments()),
    };
}

fn ints(args: &[Value]) -> Result<(i64, i64), Fault> {
    match args {
        [Value::Int(a), Value::Int(b)] => Ok((*a, *b)),
        _ => Err(arguments()),
    }
}

fn texts(args: &[Value]) -> Result<(&str, &str), Fault> {
    match args {
        [Value::Text(a), Value::Text(b)] => Ok((a, b)),
        _ => Err(arguments()),
    }
}

fn checked(args: &[Value], operation: fn(i64, i64) -> Option<i64>, sign: &str) -> Result<Value, Fault> {
    let (a, b) = ints(args)?;
    operation(a, b).map(Value::Int).ok_or_else(|| Fault::new(format!("`{a} {sign} {b}` has no whole number as value")))
}

fn arguments() -> Fault {
    Fault::new("the arguments are not of the declared types")
}

/// Registers `==` and `!=`: between values of one type, or with `()` on the right.
pub(crate) fn register_equality(module: &mut Module, session: &Rc<Session>) {
    let asked = [
        TypeId::of::<()>(),
        TypeId::of::<Fact>(),
        TypeId::of::<ImmutableString>(),
        TypeId::of::<i64>(),
        TypeId::of::<Tests>(),
    ];
    // What is compared most is found at the first look, the rest among the combinations of types.
    let absence = asked.map(|of| [of, TypeId::of::<char>()]);
    let same = asked.map(|of| [of, of]);
    let any = [TypeId::of::<Dynamic>(); 2];
    for sign in [Sign::Equal, Sign::Unequal] {
        for types in absence.iter().chain(&same).chain([&any]) {
            let session = Rc::clone(session);
            native(module, sign.as_str(), types, move |_, arguments| compare(&session, sign, arguments));
        }
    }
}

#[derive(Clone, Copy)]
enum Sign {
    Equal,
    Unequal,
}

impl Sign {
    fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
        }
    }

    fn of(self, equal: bool) -> Dynamic {
        match self {
            Self::Equal => equal.into(),
            Self::Unequal => (!equal).into(),
        }
    }
}

fn compare(session: &Session, sign: Sign, arguments: &mut [&mut Dynamic]) -> Outcome {
    if let [value, asked] = arguments
        && asked.as_char() == Ok(ABSENT)
    {
        return Ok(sign.of(is_absent(value)));
    }
    if let [a, b] = &*arguments
        && let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref())
    {
        return Ok(sign.of(*a == *b));
    }
    with_values(sign.as_str(), arguments, |values| {
        session.charge(values.iter().map(weight).sum())?;
        let [a, b] = values else { return Err(fault(&Fault::new("a comparison is between two values"))) };
        let equal = equal(a, b).map_err(|error| fault(&Fault::new(format!("`{}` {error}", sign.as_str()))))?;
        Ok(sign.of(equal))
    })
}

fn is_absent(value: &Dynamic) -> bool {
    let value = value.flatten_clone();
    value.is_unit() || value.as_char() == Ok(ABSENT)
}

/// Whether two values of one type are equal: facts by reference, sets by their tests, lists item by item.
pub(crate) fn equal(a: &Value, b: &Value) -> Result<bool, Fault> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
        (Value::Int(a), Value::Int(b)) => Ok(a == b),
        (Value::Text(a), Value::Text(b)) => Ok(a == b),
        (Value::Fact(a), Value::Fact(b)) if a.kind == b.kind => Ok(a == b),
        (Value::Tests(a), Value::Tests(b)) => Ok(a.difference(b).is_empty() && b.difference(a).is_empty()),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                if !equal(a, b)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Unit, _) | (_, Value::Unit) => Err(Fault::new(format!(
            "compares {} with {}: one of them is absent; ask `x == ()` or `x != ()` first",
            type_of(a),
            type_of(b)
        ))),
        _ => Err(Fault::new(format!("compares {} with {}", type_of(a), type_of(b)))),
    }
}
