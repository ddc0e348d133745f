//! The types of expressions.

use std::fmt;

use runmill_model::{Kind, Type, Value};

/// What an expression can be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ty {
    /// Nothing is known, or a problem was reported already: everything fits.
    Unknown,
    /// `()`.
    Absent,
    Bool,
    Int,
    Text,
    Fact(KindName),
    AnyFact,
    Tests,
    Result,
    List(Box<Ty>),
    /// The type, or `()`.
    Optional(Box<Ty>),
    /// `cx`.
    Cx,
    /// `cx.params`.
    Params,
}

/// A fact kind, ordered by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KindName(pub(crate) Kind);

impl PartialOrd for KindName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KindName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.as_str().cmp(other.0.as_str())
    }
}

impl Ty {
    pub(crate) fn fact(kind: Kind) -> Self {
        Self::Fact(KindName(kind))
    }

    pub(crate) fn list(of: Self) -> Self {
        Self::List(Box::new(of))
    }

    /// The type, or `()`; what may be absent already stays as it is.
    pub(crate) fn optional(of: Self) -> Self {
        match of {
            Self::Optional(_) | Self::Unknown | Self::Absent => of,
            of => Self::Optional(Box::new(of)),
        }
    }

    /// The type of a value that is there.
    pub(crate) fn present(self) -> Self {
        match self {
            Self::Optional(of) => *of,
            other => other,
        }
    }

    pub(crate) fn may_be_absent(&self) -> bool {
        matches!(self, Self::Optional(_) | Self::Absent)
    }

    /// What is one or the other.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Absent, b) => Self::optional(b),
            (a, Self::Absent) => Self::optional(a),
            (Self::Optional(a), b) | (b, Self::Optional(a)) => Self::optional(a.or(b.present())),
            (Self::Fact(_) | Self::AnyFact, Self::Fact(_) | Self::AnyFact) => Self::AnyFact,
            (Self::List(a), Self::List(b)) => Self::list(a.or(*b)),
            _ => Self::Unknown,
        }
    }

    /// Whether a value of this type is one that a parameter takes, as far as can be told.
    pub(crate) fn fits(&self, wanted: Type) -> bool {
        match (self, wanted) {
            (Self::Unknown, _)
            | (Self::Bool, Type::Bool)
            | (Self::Int, Type::Int)
            | (Self::Text, Type::Text)
            | (Self::Tests, Type::Tests)
            | (Self::Result, Type::Result)
            | (Self::Fact(_) | Self::AnyFact, Type::AnyFact)
            | (Self::AnyFact, Type::Fact(_))
            | (Self::Absent, Type::Optional(_)) => true,
            (Self::Fact(kind), Type::Fact(wanted)) => kind.0 == wanted,
            (Self::List(of), Type::List(wanted)) => of.fits(*wanted),
            (Self::Optional(of), Type::Optional(wanted)) => of.fits(*wanted),
            (other, Type::Optional(wanted)) => other.fits(*wanted),
            _ => false,
        }
    }

    /// Whether two values of these types can be compared: they are of one type.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Fact(a), Self::Fact(b)) => a == b,
            (Self::Fact(_) | Self::AnyFact, Self::Fact(_) | Self::AnyFact) => true,
            (Self::List(a), Self::List(b)) => a.is_comparable(b),
            (Self::Result | Self::Cx | Self::Params, _) => false,
            (a, b) => a == b,
        }
    }
}

impl From<Type> for Ty {
    fn from(ty: Type) -> Self {
        match ty {
            Type::Bool => Self::Bool,
            Type::Int => Self::Int,
            Type::Text => Self::Text,
            Type::Fact(kind) => Self::fact(kind),
            Type::AnyFact => Self::AnyFact,
            Type::Tests => Self::Tests,
            Type::Result => Self::Result,
            Type::List(of) => Self::list((*of).into()),
            Type::Optional(of) => Self::optional((*of).into()),
        }
    }
}

impl From<&Value> for Ty {
    fn from(value: &Value) -> Self {
        match value {
            Value::Unit => Self::Absent,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Text(_) => Self::Text,
            Value::Fact(fact) => Self::fact(fact.kind),
            Value::Tests(_) => Self::Tests,
            Value::Result(_) => Self::Result,
            // Parameters have lists of texts only, and an empty one is one of those.
            Value::List(items) => Self::list(items.first().map_or(Self::Text, Self::from)),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("something"),
            Self::Absent => f.write_str("()"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Text => f.write_str("text"),
            Self::Fact(kind) => f.write_str(kind.0.as_str()),
            Self::AnyFact => f.write_str("fact"),
            Self::Tests => f.write_str("test set"),
            Self::Result => f.write_str("result"),
            Self::List(of) => write!(f, "list of {of}"),
            Self::Optional(of) => write!(f, "{of} or ()"),
            Self::Cx => f.write_str("cx"),
            Self::Params => f.write_str("cx.params"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_what_is_one_or_the_other() {
        let (check, run) = (Ty::fact(Kind::Check), Ty::fact(Kind::Invocation));
        for (a, b, expect) in [
            (Ty::Text, Ty::Text, "text"),
            (Ty::Text, Ty::Absent, "text or ()"),
            (Ty::optional(Ty::Text), Ty::Text, "text or ()"),
            (check.clone(), run.clone(), "fact"),
            (Ty::list(check.clone()), Ty::list(run), "list of fact"),
            (Ty::Text, Ty::Int, "something"),
            (Ty::Absent, Ty::Absent, "()"),
        ] {
            assert_eq!(a.clone().or(b.clone()).to_string(), expect);
            assert_eq!(b.or(a).to_string(), expect);
        }
    }

    #[test]
    fn an_optional_value_fits_only_where_absence_is_taken() {
        let maybe = Ty::optional(Ty::Text);
        assert!(!maybe.fits(Type::Text) && maybe.fits(Type::Optional(&Type::Text)));
        assert!(Ty::Text.fits(Type::Optional(&Type::Text)) && Ty::Absent.fits(Type::Optional(&Type::Text)));
        assert!(Ty::fact(Kind::Check).fits(Type::AnyFact) && !Ty::fact(Kind::Check).fits(Type::Fact(Kind::Report)));
    }
}
