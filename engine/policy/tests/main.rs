//! Tests of the policy host. They see what everybody sees: packs as texts, graphs, findings. The holes of the language
//! are shown on a bare engine first, so that an upgrade that changes one is noticed.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, and clippy's leave for tests does not reach their harness"
)]

mod checker;
mod coverage;
mod evaluation;
mod explaining;
mod false_greens;
mod features;
mod gate;
mod harness;
mod holes;
mod metadata;
mod workers;
