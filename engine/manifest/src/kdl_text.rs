//! KDL text to a document, within bounds the KDL parser does not have.

use kdl::KdlDocument;
use runmill_model::{Code, Problems};

use crate::{
    faults::{Fault, Faults, Span},
    yaml::MAX_DEPTH,
};

/// Reads a KDL document of a pack: a fixture, a file of cases. `name` is what a person knows the file by, `code` is that of
/// its problems, `most` the largest text in KiB.
///
/// # Errors
/// The text is longer, nests too deep, or is no KDL: everything that the parser has to say, with places.
pub fn parse(name: &str, text: &str, code: Code, most: usize) -> Result<KdlDocument, Problems> {
    let mut faults = Faults::new(name, text, code);
    let document = document(text, most, &mut faults);
    faults.finish(document)
}

/// The document; none when the text is no KDL, which is reported. `most` is the largest text in KiB.
pub(crate) fn document(text: &str, most: usize, faults: &mut Faults) -> Option<KdlDocument> {
    if text.len() > most << 10 {
        faults.add(
            Fault::new(format!("the document has {} bytes, more than {most} KiB", text.len()), "shorten it")
                .at(Span::new(0, 0), "starts here"),
        );
        return None;
    }
    if let Some(at) = too_deep(text) {
        let fault =
            Fault::new(format!("the document nests deeper than {MAX_DEPTH} levels"), "flatten it; a pack needs three");
        faults.add(fault.at(Span::new(at, at + 1), "too deep"));
        return None;
    }
    match on_a_deep_stack(text.len(), || KdlDocument::parse(text)) {
        None => {
            faults.add(Fault::new("the KDL parser failed", "simplify the text").at(Span::new(0, 0), "somewhere here"));
            None
        }
        Some(Ok(document)) => Some(document),
        Some(Err(error)) => {
            for diagnostic in error.diagnostics {
                let message = diagnostic.message.unwrap_or_else(|| "it does not parse".to_owned());
                let help = diagnostic.help.unwrap_or_else(|| {
                    "write KDL 2: `name \"value\" key=\"value\" { .. }`, with #true and #false".to_owned()
                });
                let label = diagnostic.label.unwrap_or_else(|| "here".to_owned());
                let span = Span::new(diagnostic.span.offset(), diagnostic.span.offset() + diagnostic.span.len());
                faults.add(
                    Fault::new(format!("this is not KDL: {}", plain(&message)), plain_help(&help))
                        .at(span, plain(&label)),
                );
            }
            if faults.is_empty() {
                faults.add(
                    Fault::new("this is not KDL", "check quotes and braces").at(Span::new(0, 0), "somewhere here"),
                );
            }
            None
        }
    }
}

/// The KDL parser goes one call deeper for every character it cannot use, about 3 KiB of stack each without
/// optimisation. Only what is touched costs memory.
const STACK_PER_BYTE: usize = 4 << 10;

/// What every parse has.
const STACK: usize = 2 << 20;

/// What `parse` returns; none when it panicked or there was no thread to be had.
fn on_a_deep_stack<T: Send>(bytes: usize, parse: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let stack = STACK + bytes * STACK_PER_BYTE;
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, parse);
        thread.ok()?.join().ok()
    })
}

/// One line, lower case at the start, no full stop.
fn plain(text: &str) -> String {
    let line = plain_help(text);
    let mut characters = line.trim_end_matches('.').chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn plain_help(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where braces, parentheses, block comments and slashdashes nest too deep for a parser that recurses. Strings and
/// comments count too: a bound that is too strict for a text full of opening braces is better than a stack that ends.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut comments, mut skips) = (0_usize, 0_usize, 0_usize);
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let mut pairs_with = |second: u8| bytes.next_if(|(_, next)| *next == second).is_some();
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth = depth.saturating_sub(1),
            b'/' if pairs_with(b'*') => comments += 1,
            b'*' if pairs_with(b'/') => comments = comments.saturating_sub(1),
            b'/' if pairs_with(b'-') => skips += 1,
            byte if byte.is_ascii_alphanumeric() => skips = 0,
            _ => {}
        }
        if depth > MAX_DEPTH || comments > MAX_DEPTH || skips > MAX_DEPTH {
            return Some(at);
        }
    }
    None
}
