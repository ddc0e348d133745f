//! Evidence: strict reading of bundles, trust and expectations, and the judgement of one bundle against both.
//!
//! Purpose: say whether a delivery bundle or a terminal cleanup bundle proves what somebody expects of it, in the order
//! schema, digest, trust, signature, binding, missing evidence. Non-goals: no files, clock, network or store; documents,
//! the clock and a reader of artifact bodies are arguments. Place in the line: after the verdict; needs only
//! `runmill-model`.
//!
//! A bundle is never believed about what it should contain: that comes from the expectations document, which its
//! reader writes from sources of their own.

pub mod artifacts;
pub mod audit;
mod delivery;
pub mod dsse;
mod envelope;
pub mod error;
mod expected;
pub mod json;
pub mod key;
mod pem;
pub mod report;
pub mod run;
mod shape;
mod signature;
mod terminal;
pub mod timestamp;
pub mod trust;
pub mod verify;

pub use artifacts::{Artifacts, BodyFault};
pub use audit::{Advisory, Check, CheckOutcome, FailureClass, Finding, Thoroughness};
pub use error::EvidenceError;
pub use key::{KeyError, SigningKey};
pub use report::{Report, ReportPaths};
pub use trust::Trust;
pub use verify::{Documents, Refusal, Strictness, Verification, Verified, Verifier};
