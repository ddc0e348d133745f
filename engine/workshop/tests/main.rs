//! Explanations and smallest changes on every case of the built-in packs.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, and clippy's leave for tests does not reach what they share"
)]

#[path = "../../../rules/tests/cases/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the cases are read for the rules' own tests, which ask more of them")]
mod cases;
mod explained;
