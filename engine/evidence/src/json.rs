//! Strict JSON: one meaning per document, or none.

mod parse;
mod value;

pub(crate) use parse::parse_up_to;
pub(crate) use parse::shown;
pub use parse::{DOCUMENT_LIMIT, JsonError, NESTING_LIMIT, Parsed, parse};
pub use value::{Json, Object};
