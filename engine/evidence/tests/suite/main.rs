//! Evidence against bundles that other programs made, and against attacks on them.

#[path = "../../../../cli/command/evidence/foreign.rs"]
#[allow(dead_code, reason = "the command line uses the whole module")]
mod command;

#[allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test says what is wrong by panicking, and makes the files it needs"
)]
mod cases;
