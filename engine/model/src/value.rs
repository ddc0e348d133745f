//! Neutral values and types: what accessors give and what rule functions take, without naming any policy language.

use std::{fmt, sync::Arc};

use crate::{FactRef, Kind, RuleResult, TestSet};

/// A value a rule can see.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Absence.
    Unit,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Vec<Value>),
    /// A fact of the graph.
    Fact(FactRef),
    /// A set of tests of the graph.
    Tests(TestSet),
    /// What a rule returns.
    Result(Box<RuleResult>),
}

/// The type of a value, as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Texts.
    Text,
    /// Facts of one kind.
    Fact(Kind),
    /// Facts of any kind.
    AnyFact,
    /// Sets of tests.
    Tests,
    /// What a rule returns.
    Result,
    /// A list.
    List(&'static Type),
    /// A value, or `()` when absent.
    Optional(&'static Type),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Text => f.write_str("text"),
            Self::Fact(kind) => f.write_str(kind.as_str()),
            Self::AnyFact => f.write_str("fact"),
            Self::Tests => f.write_str("test set"),
            Self::Result => f.write_str("result"),
            Self::List(of) => write!(f, "list of {of}"),
            Self::Optional(of) => write!(f, "{of} or ()"),
        }
    }
}

/// How a field is written in JSON, as far as its type does not say it. Of a list or an optional value: how each value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As its type.
    Plain,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A git commit: 40 lower-case hex digits.
    Commit,
    /// `sha256:` and 64 lower-case hex digits.
    Digest,
    /// `{"test": place, "times": number}`.
    Repeat,
}

/// A Rust type that a fact field can have.
pub trait Field {
    /// Its declared type.
    const TYPE: Type;
    /// How it is written.
    const FORM: Form = Form::Plain;
    /// Its value.
    fn value(&self) -> Value;
}

macro_rules! fields {
    ($($rust:ty: $type:expr $(, $form:path)?, |$it:ident| $value:expr;)*) => {$(
        impl Field for $rust {
            const TYPE: Type = $type;
            $(const FORM: Form = $form;)?
            fn value(&self) -> Value {
                let $it = self;
                $value
            }
        }
    )*};
}

fields! {
    bool: Type::Bool, |it| Value::Bool(*it);
    u32: Type::Int, |it| Value::Int(i64::from(*it));
    i32: Type::Int, |it| Value::Int(i64::from(*it));
    u64: Type::Int, |it| Value::Int(i64::try_from(*it).unwrap_or(i64::MAX));
    Arc<str>: Type::Text, |it| Value::Text(Arc::clone(it));
    String: Type::Text, |it| Value::Text(it.as_str().into());
    TestSet: Type::Tests, |it| Value::Tests(it.clone());
    crate::CheckId: Type::Text, |it| Value::Text(it.as_str().into());
    crate::CommitId: Type::Text, Form::Commit, |it| Value::Text(it.as_str().into());
    crate::ContextName: Type::Text, |it| Value::Text(it.as_str().into());
    crate::RunId: Type::Text, |it| Value::Text(it.as_str().into());
    crate::RepoPath: Type::Text, |it| Value::Text(it.as_str().into());
    crate::Digest: Type::Text, Form::Digest, |it| Value::Text(it.to_string().into());
    crate::Code: Type::Text, |it| Value::Text(it.as_str().into());
}

impl<T: Field> Field for Option<T> {
    const TYPE: Type = Type::Optional(&T::TYPE);
    const FORM: Form = T::FORM;
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Unit, Field::value)
    }
}

impl<T: Field> Field for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);
    const FORM: Form = T::FORM;
    fn value(&self) -> Value {
        Value::List(self.iter().map(Field::value).collect())
    }
}
