//! Bytes to text: the rules that all formats share.

use memchr::memmem;

use crate::{Options, Reason, Rejection, rejection::Fault};

/// The byte order mark of UTF-8. One at the start is fine.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The text of a report without its byte order mark.
///
/// # Errors
/// Too large, empty, not UTF-8, a NUL byte, or a byte order mark that is not at the start.
pub(crate) fn decode<'a>(bytes: &'a [u8], options: &Options) -> Result<&'a str, Rejection> {
    check(bytes, options).map_err(|fault| fault.in_text(bytes))
}

fn check<'a>(bytes: &'a [u8], options: &Options) -> Result<&'a str, Fault> {
    let limit = options.limits.bytes;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        let message = format!("the report is {} bytes long, the limit is {limit} bytes", bytes.len());
        return Err(Fault::new(Reason::TooLarge, 0, message, "leave captured output out of the report"));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Fault::new(Reason::UnsupportedEncoding, 0, "the report is UTF-16", "write the report as UTF-8"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = bytes.len() - text.len();
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let offset = at + skipped;
        let message = format!("a NUL byte at byte offset {offset}");
        return Err(Fault::new(Reason::Malformed, offset, message, "keep binary output out of the report"));
    }
    if let Some(at) = memmem::find(text.as_bytes(), BOM) {
        let offset = at + skipped;
        let message = format!("a byte order mark inside the report, at byte offset {offset}");
        return Err(Fault::new(
            Reason::Malformed,
            offset,
            message,
            "write one report into the file, not several joined",
        ));
    }
    if text.trim().is_empty() {
        let fix = "check that the command writes its report to this path, and that it ran to its end";
        return Err(Fault::new(Reason::EmptyReport, 0, "the report is empty", fix));
    }
    Ok(text)
}

fn not_utf8(offset: usize) -> Fault {
    let message = format!("bytes that are not UTF-8 at byte offset {offset}");
    Fault::new(Reason::InvalidUtf8, offset, message, "write the report as UTF-8, without raw binary output")
}

/// The 1-based line and column of a byte offset.
pub(crate) fn place(bytes: &[u8], offset: usize) -> (u64, u64) {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let on_line = before.get(start..).unwrap_or_default();
    let column = std::str::from_utf8(on_line).map_or(on_line.len(), |text| text.chars().count()) + 1;
    (u64::try_from(line).unwrap_or(u64::MAX), u64::try_from(column).unwrap_or(u64::MAX))
}
