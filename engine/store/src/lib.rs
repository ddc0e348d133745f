//! The run store: where the record of each run is kept, whole or not at all.
//!
//! Purpose: a private state directory with a ledger of runs, the bytes they stand on, and a place for the checkouts of runs
//! in progress. Non-goals: no judgement, no choice of what to keep. Place in the line: after the verdict, before anything is
//! shown.
//!
//! Layout: `ledger.db`, a chain of entries that each name the digest of the one before; `blobs/ab/<62 hex digits>`, bytes by
//! their SHA-256; `work/` for private directories of a run in progress, and its claim, `run-<run>`, locked while it lives.
//!
//! A run is entered when it begins and again when it ends. What its record names is on the disk before the one transaction
//! that enters its end, so that a process may be killed at any moment: a run without an end reads as unfinished.
#![expect(clippy::disallowed_methods, reason = "the store is one of the homes of effects")]

mod blobs;
pub mod boundary;
mod chain;
mod claims;
mod error;
mod event;
mod gc;
mod index;
mod ledger;
mod listing;
mod lookup;
mod notes;
mod recall;
mod record;
mod schema;
mod store;
mod verify;

pub use error::StoreError;
pub use event::Began;
pub use gc::{Collected, Retention};
pub use listing::{Filter, State, Summary};
pub use notes::{Hold, Note, Noted};
pub use recall::{Prior, PriorQuery, RecordedQuery, ReuseQuery};
pub use record::{Names, RunKind, RunRecord, RunSchema, StoredInvocation, StoredPack, StoredReport};
pub use store::Store;
pub use verify::{Fault, Verification};
