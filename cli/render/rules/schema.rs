//! What rules can read and call, as a page.

use runmill_workshop::schema::{self, KindPage, PropertyPage};

use super::super::{
    flow::Flow,
    paint::{Paint, Tone},
};

/// The page.
pub fn text(paint: Paint, width: usize) -> String {
    let flow = Flow::new(width);
    let mut out = String::new();
    for KindPage { kind, doc, properties } in schema::kinds() {
        out.push_str(&format!("{}\n", paint.text(Tone::Strong, kind.as_str())));
        flow.push(&mut out, "  ", "  ", &doc);
        for PropertyPage { name, ty, doc } in properties {
            out.push_str(&format!(
                "  {}  {}\n",
                paint.text(Tone::Strong, name),
                paint.text(Tone::Faint, &ty.to_string())
            ));
            flow.push(&mut out, "      ", "      ", &doc);
        }
        out.push('\n');
    }
    let mut under = "";
    for offered in schema::functions() {
        if under != offered.section {
            let space = if under.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{space}{}\n", paint.text(Tone::Strong, &offered.section.replace('`', ""))));
            under = offered.section;
        }
        flow.push(&mut out, "  ", "      ", &offered.usage);
        flow.push(&mut out, "      ", "      ", offered.doc);
    }
    out
}
