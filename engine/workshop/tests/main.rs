//! The built-in packs prove themselves; explanations and smallest changes on every one of their cases.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, and clippy's leave for tests does not reach what they share"
)]

mod builtin;
mod explained;
mod pages;
mod snapshots;
