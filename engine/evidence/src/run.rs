//! Our own evidence: a signed run of runmill.
//!
//! The statement carries everything the verdict stands on: sealed facts, packs, and the document of the verdict with its
//! manifest, relaxations, waivers and findings. Who signed may have lied about what was observed, but not about what
//! follows from it: that is judged again.

mod bindings;
mod bodies;
mod expectations;
mod material;
mod pack;
mod report;
mod seal;
mod signers;
mod statement;
mod trust;
mod verify;
mod written;

pub use expectations::{ExpectedCheck, ExpectedPack, RunExpectations};
pub use material::{Material, PackMaterial, Rejudge, ReplayFault};
pub use pack::{PackRefusal, PackStatement};
pub use report::{RunReport, SCHEMA as REPORT_SCHEMA};
pub use seal::{Sealed, is_ours, open};
pub use trust::{KeyEntry, RunTrust};
pub use verify::{RunDocuments, RunRefusal, RunVerification, RunVerified, RunVerifier};
pub use written::{About, Body, Pack, Predicate, RunPart, VerdictBody, statement};

/// The most bytes a bundle of ours may have: 64 MiB.
pub const BUNDLE_LIMIT: u64 = 64 * 1024 * 1024;

/// The type of our predicate.
pub const PREDICATE_TYPE: &str = "https://runmill.dev/attestations/run/v1";
