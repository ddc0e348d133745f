//! The reference of what rules can call, as Markdown.

use std::fmt::Write;

use crate::{
    language::{arithmetic, callbacks::CALLBACKS, context},
    registry::{Function, Offered, Section},
};

/// The sections in order: the registered ones, then what the host itself brings.
pub(crate) fn offered(sections: &[Section]) -> Vec<Offered> {
    let mut all = Vec::new();
    let mut add = |section, usage: &str, doc| all.push(Offered { section, usage: usage.to_owned(), doc });
    for section in sections {
        section.functions.iter().for_each(|function| add(section.title, &signature(function), function.doc));
    }
    CALLBACKS.iter().for_each(|callback| add("Closures over lists", callback.usage, callback.doc));
    context::MEMBERS.iter().for_each(|(usage, doc)| add("`cx`", usage, doc));
    let title = "Comparison and arithmetic";
    add(title, "x == ()", "Whether an optional value is absent; `x != ()` whether it is there.");
    add(
        title,
        "x == y",
        "Whether two values of one type are equal; facts by reference, sets by their tests. Any \
        other pair is a fault, an absent value too.",
    );
    arithmetic::FUNCTIONS.iter().for_each(|function| add(title, &signature(function), function.doc));
    all
}

/// All of it as Markdown.
pub(crate) fn render(sections: &[Section]) -> String {
    let (mut page, mut under) = (String::new(), "");
    for Offered { section, usage, doc } in offered(sections) {
        if under != section {
            let space = if page.is_empty() { "" } else { "\n" };
            // Writing to a text cannot fail.
            let _ = write!(page, "{space}## {section}\n\n");
            under = section;
        }
        let _ = writeln!(page, "- `{usage}`: {doc}");
    }
    page
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
