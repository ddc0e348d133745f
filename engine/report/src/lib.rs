//! Report bytes to a test set.
//!
//! Purpose: reads JUnit, TAP 12 to 14 and `go test -json` in one bounded pass, or rejects the whole report with one
//! reason, a place and what to change ([`parse`]); reads what runners say about themselves in their output
//! ([`text`]); and finds focus markers in test sources ([`focus`]). Non-goals: no files, no judgement, no comparison
//! of two reports; rules do that with set operations. Place in the line: the executor hands bytes in, the fact graph
//! takes the sets; this crate depends on the model alone.

mod format;
mod go_json;
mod input;
mod inventory;
mod junit;
mod options;
mod rejection;
mod tap;
mod volatile;

pub mod focus;
pub mod reporter;
pub mod text;

pub use format::{Format, UnknownWord, guess, parse};
pub use inventory::{TestReport, Warning, WarningKind};
pub use options::{Duplicates, Identity, Limits, Options};
pub use rejection::{Reason, Rejection};
