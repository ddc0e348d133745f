//! The run store from outside: what a run does with it, what others see meanwhile, and what happens when somebody or something
//! interferes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and clippy's leave for tests does not reach their harness"
)]

mod blobs;
mod chain;
mod collection;
mod harness;
mod ledger;
mod lifecycle;
mod processes;
mod recall;
