//! Operators on test sets. Each is one pass over bits, so a rule over 100,000 tests stays a handful of steps.

use runmill_model::{TestSet, Type, Value};
use runmill_policy::{Call, Fault};

use crate::arguments::{count, functions, length, tests, text};

const TESTS: Type = Type::Tests;

functions! {
    "-" [TESTS, TESTS] => TESTS, "The tests in the first set and not in the second.",
        |_, args| combine(args, TestSet::difference);
    "&" [TESTS, TESTS] => TESTS, "The tests in both sets.", |_, args| combine(args, TestSet::intersection);
    "|" [TESTS, TESTS] => TESTS, "The tests in either set.", |_, args| combine(args, TestSet::union);
    "len" [TESTS] => Type::Int, "The number of tests.", |_, args| Ok(length(tests(args, 0)?.len()));
    "is_empty" [TESTS] => Type::Bool, "Whether there is none.", |_, args| Ok(Value::Bool(tests(args, 0)?.is_empty()));
    "contains" [TESTS, Type::Text] => Type::Bool, "Whether a test is there that is shown as the text.", contains;
    "is_subset" [TESTS, TESTS] => Type::Bool, "Whether every test of the first set is in the second.",
        |_, args| Ok(Value::Bool(tests(args, 0)?.difference(tests(args, 1)?).is_empty()));
    "sample" [TESTS, Type::Int] => Type::List(&Type::Text), "The shown ids of the first so many tests, sorted.", sample;
    "names" [TESTS, Type::Int] => Type::Text,
        "The first so many tests as words, sorted: `a`, `b` and 3 more. `none` for an empty set.",
        |call, args| Ok(Value::Text(in_words(tests(args, 0)?.len(), shown(call, args)?).into()));
}

fn combine(args: &[Value], operation: fn(&TestSet, &TestSet) -> TestSet) -> Result<Value, Fault> {
    Ok(Value::Tests(operation(tests(args, 0)?, tests(args, 1)?)))
}

fn contains(call: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let set = tests(args, 0)?;
    Ok(Value::Bool(call.graph.tests().shown_as(text(args, 1)?).any(|test| set.contains(test))))
}

fn sample(call: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let shown = shown(call, args)?;
    Ok(Value::List(shown.into_iter().map(|text| Value::Text(text.into())).collect()))
}

fn shown<'a>(call: &Call<'a>, args: &[Value]) -> Result<Vec<&'a str>, Fault> {
    let graph = call.graph;
    Ok(tests(args, 0)?.iter().take(count(args, 1)?).map(|test| graph.tests().shown(test)).collect())
}

/// The shown items in backticks, and how many there are beside them.
pub(crate) fn in_words(total: usize, shown: Vec<&str>) -> String {
    let more = total - shown.len().min(total);
    let mut items: Vec<String> = shown.into_iter().map(|item| format!("`{item}`")).collect();
    if more > 0 {
        items.push(if items.is_empty() { more.to_string() } else { format!("{more} more") });
    }
    match items.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
