//! Lists: of texts, numbers or facts.

use std::collections::HashSet;

use runmill_model::{Type, Value};
use runmill_policy::{Call, Fault};

use crate::{
    arguments::{count, functions, length, list, text, texts},
    sets::in_words,
};

const TEXTS: Type = Type::List(&Type::Text);
const INTS: Type = Type::List(&Type::Int);
const FACTS: Type = Type::List(&Type::AnyFact);

functions! {
    "len" [TEXTS] => Type::Int, "The number of items.", |_, args| Ok(length(list(args, 0)?.len()));
    "len" [INTS] => Type::Int, "The number of items.", |_, args| Ok(length(list(args, 0)?.len()));
    "len" [FACTS] => Type::Int, "The number of items.", |_, args| Ok(length(list(args, 0)?.len()));
    "is_empty" [TEXTS] => Type::Bool, "Whether there is no item.", |_, args| Ok(Value::Bool(list(args, 0)?.is_empty()));
    "is_empty" [INTS] => Type::Bool, "Whether there is no item.", |_, args| Ok(Value::Bool(list(args, 0)?.is_empty()));
    "is_empty" [FACTS] => Type::Bool, "Whether there is no item.", |_, args| Ok(Value::Bool(list(args, 0)?.is_empty()));
    "contains" [TEXTS, Type::Text] => Type::Bool, "Whether the text is an item; also written `text in list`.", contains;
    "contains" [INTS, Type::Int] => Type::Bool, "Whether the number is an item.", contains;
    "contains" [FACTS, Type::AnyFact] => Type::Bool, "Whether the fact is an item.", contains;
    "without" [TEXTS, TEXTS] => TEXTS, "The items of the first list that are not in the second.", without;
    "sample" [TEXTS, Type::Int] => TEXTS, "The first so many items.", sample;
    "sample" [FACTS, Type::Int] => FACTS, "The first so many items.", sample;
    "names" [TEXTS, Type::Int] => Type::Text,
        "The first so many items as words: `a`, `b` and 3 more. `none` for an empty list.", names;
    "join" [TEXTS, Type::Text] => Type::Text, "The items as one text, with the second text between them.", join;
}

fn contains(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let wanted = args.get(1);
    Ok(Value::Bool(list(args, 0)?.iter().any(|item| Some(item) == wanted)))
}

fn without(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let others: HashSet<&str> = texts(args, 1)?.collect();
    let kept = texts(args, 0)?.filter(|item| !others.contains(item));
    Ok(Value::List(kept.map(|item| Value::Text(item.into())).collect()))
}

fn sample(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::List(list(args, 0)?.iter().take(count(args, 1)?).cloned().collect()))
}

fn names(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let shown = texts(args, 0)?.take(count(args, 1)?).collect();
    Ok(Value::Text(in_words(list(args, 0)?.len(), shown).into()))
}

fn join(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Text(texts(args, 0)?.collect::<Vec<_>>().join(text(args, 1)?).into()))
}
