//! The one integration test binary: the `runmill` binary on real git repositories in temporary directories.
//!
//! `harness` builds repositories, runs the binary hermetically and reads its documents; `scenarios` holds the false
//! greens and the properties; `cli` holds what a person sees and every bad input; `tidy` holds the rules of this
//! repository.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and this binary drives real files and processes"
)]

mod cli;
mod harness;
mod scenarios;
mod tidy;
