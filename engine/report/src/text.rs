//! What a runner says about itself in its output: that nothing ran, that a selection ran, how many were skipped.
//!
//! The words are data: one entry a runner, see [`Table`]. Every pattern matches a whole line, so `10 passed` is never
//! `0 passed`, and nothing is found in the middle of what a test prints. What a test prints on a line of its own can
//! still look like a runner's words; a notice can only make a verdict worse.

mod pattern;
mod scan;
mod table;

pub use scan::{Notice, SILENCE, TextNotices, scan, scan_run};
pub use table::{Table, TableError};

#[cfg(test)]
mod tests;
