//! Texts of others as HTML.
//!
//! Test names, messages and paths come from the change that is judged. Nothing of them becomes markup, and what a reader
//! would not see, or would see turned around, is spelled out.

use std::fmt::Write;

use crate::render::plain;

/// A text with everything that hides in it spelled out, as plain text.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for mark in text.chars() {
        if hides(mark) {
            // Writing to a text cannot fail.
            let _ = write!(out, "⟨U+{:04X}⟩", u32::from(mark));
        } else {
            out.push(mark);
        }
    }
    out
}

/// A text, as content of an element or in the quotes of an attribute.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for mark in visible(text).chars() {
        match mark {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            mark => out.push(mark),
        }
    }
    out
}

/// A text of ours with parts of somebody else's: what stands between backticks is code.
pub fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // One backtick alone would swallow the rest of the line.
    if parts.len().is_multiple_of(2) {
        return self::text(text);
    }
    let spans = parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { code(part) } else { self::text(part) });
    spans.collect()
}

/// A name, a digest, a command.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", self::text(text))
}

/// Several of them.
pub fn codes<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// JSON as the content of a `script` element that is data: nothing in it ends the element.
pub fn json(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// One row of a list of names and values; nothing where the value is empty.
pub fn row(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        line(out, &format!("<div><dt>{name}</dt><dd>{value}</dd></div>"));
    }
}

/// A line of markup.
pub fn line(out: &mut String, markup: &str) {
    out.push_str(markup);
    out.push('\n');
}

/// What a browser acts on or does not show: controls, marks of direction, characters without a width, tags.
fn hides(mark: char) -> bool {
    plain::is_harmful(mark)
        || matches!(
            mark,
            '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup_and_nothing_hides() {
        assert_eq!(
            text("</script><b a='x' c=\"y\">&amp;"),
            "&lt;/script&gt;&lt;b a=&#39;x&#39; c=&quot;y&quot;&gt;&amp;amp;"
        );
        assert_eq!(visible("a\u{202e}b\u{200b}c\nd\u{0}é👩‍👧"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+000A⟩d⟨U+0000⟩é👩‍👧");
        assert_eq!(prose("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(prose("a ` <b>"), "a ` &lt;b&gt;");
        let data = json(&serde_json::json!(["</script><!--", "&"]));
        assert_eq!(data, r#"["\u003c/script\u003e\u003c!--","\u0026"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&data).unwrap(), ["</script><!--", "&"]);
    }
}
