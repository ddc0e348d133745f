//! The reference of what rules can call, as Markdown.

use std::fmt::Write;

use crate::registry::{Function, Section};

/// Renders all sections.
pub(crate) fn render(sections: &[Section]) -> String {
    let mut page = String::new();
    for section in sections {
        // Writing to a text cannot fail.
        let _ = write!(page, "## {}\n\n", section.title);
        for function in &section.functions {
            let _ = writeln!(page, "- `{}`: {}", signature(function), function.doc);
        }
        page.push('\n');
    }
    page
}

fn signature(function: &Function) -> String {
    let params: Vec<String> = function.params.iter().map(ToString::to_string).collect();
    format!("{}({}) -> {}", function.name, params.join(", "), function.returns)
}
