//! The reference of what rules can call, as Markdown.

use std::fmt::Write;

use crate::{
    language::{arithmetic, callbacks::CALLBACKS, context},
    registry::{Function, Section},
};

/// Renders all sections: the registered ones, then what the host itself brings.
pub(crate) fn render(sections: &[Section]) -> String {
    let mut page = String::new();
    for section in sections {
        heading(&mut page, section.title);
        functions(&mut page, &section.functions);
    }
    heading(&mut page, "Closures over lists");
    for callback in CALLBACKS {
        entry(&mut page, callback.usage, callback.doc);
    }
    heading(&mut page, "`cx`");
    for (usage, doc) in context::MEMBERS {
        entry(&mut page, usage, doc);
    }
    heading(&mut page, "Comparison and arithmetic");
    entry(&mut page, "x == ()", "Whether an optional value is absent; `x != ()` whether it is there.");
    entry(
        &mut page,
        "x == y",
        "Whether two values of one type are equal; facts by reference, sets by their tests. Any \
        other pair is a fault, an absent value too.",
    );
    functions(&mut page, arithmetic::FUNCTIONS);
    page
}

fn heading(page: &mut String, title: &str) {
    let space = if page.is_empty() { "" } else { "\n" };
    // Writing to a text cannot fail.
    let _ = write!(page, "{space}## {title}\n\n");
}

fn functions(page: &mut String, functions: &[Function]) {
    for function in functions {
        entry(page, &signature(function), function.doc);
    }
}

fn entry(page: &mut String, usage: &str, doc: &str) {
    let _ = writeln!(page, "- `{usage}`: {doc}");
}

fn signature(function: &Function) -> String {
    let params: Vec<String> = function.params.iter().map(ToString::to_string).collect();
    let returns = function.returns;
    let is_sign = !function.name.starts_with(|mark: char| mark.is_ascii_alphabetic());
    match params.as_slice() {
        [left, right] if is_sign => format!("{left} {} {right} -> {returns}", function.name),
        [of] if is_sign => format!("{}{of} -> {returns}", function.name),
        _ => format!("{}({}) -> {returns}", function.name, params.join(", ")),
    }
}
