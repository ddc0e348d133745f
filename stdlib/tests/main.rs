//! Tests of the standard library: every function through a rule, and the generated reference.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and clippy's leave for tests does not reach their harness"
)]

mod functions;
mod harness;
mod reference;
