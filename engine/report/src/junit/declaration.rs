//! The XML declaration: at the start, and UTF-8.

use super::{CUT, attributes};
use crate::{Reason, rejection::Fault};

/// Checks a declaration from its `<?` to its `?>`.
///
/// # Errors
/// Not at the start, malformed, or an encoding other than UTF-8.
pub(super) fn check(raw: &str, offset: usize) -> Result<(), Fault> {
    if offset > 0 {
        return Err(Fault::new(Reason::Malformed, offset, "an XML declaration that is not at the start", CUT));
    }
    let malformed = || Fault::new(Reason::Malformed, offset, "a malformed XML declaration", CUT);
    let inner = raw.strip_prefix("<?xml").and_then(|raw| raw.strip_suffix("?>")).ok_or_else(malformed)?;
    let mut rest = inner.trim_matches(attributes::is_space);
    let mut version = false;
    while !rest.is_empty() {
        let (name, value, after) = attributes::next(rest).ok_or_else(malformed)?;
        match name {
            "version" if !version && value.starts_with("1.") => version = true,
            "encoding" if version && is_utf8(value) => {}
            "encoding" if version => {
                let message = format!("the report declares the encoding `{value}`");
                return Err(Fault::new(Reason::UnsupportedEncoding, offset, message, "write the report as UTF-8"));
            }
            "standalone" if version => {}
            _ => return Err(malformed()),
        }
        rest = after.trim_start_matches(attributes::is_space);
    }
    if version { Ok(()) } else { Err(malformed()) }
}

fn is_utf8(name: &str) -> bool {
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}
