//! The line: calls the stages in order and holds no judgement of its own.
//!
//! Purpose: one straight run from a request to a verdict: resolve the change, read what is configured, let the discovery
//! rules build the manifest, execute, observe, seal, let the judging rules speak, fold, record. Non-goals: deciding
//! anything (rules and the floor do), effects (the host has them), showing anything (the binary does). Place in the
//! line: it *is* the line; every other engine crate is a stage of it.

mod boundaries;
pub mod bundle;
mod change;
mod check;
mod compare;
mod configured;
mod dependencies;
mod discover;
pub mod document;
mod dry_run;
mod execute;
pub mod gates;
mod judge;
mod live;
mod manifests;
mod observe;
mod packs;
mod progress;
mod recall;
pub mod receipt;
mod recording;
mod remote;
pub mod replay;
mod repository_packs;
mod request;
mod runners;
pub mod session;
mod shelves;
pub mod signed_pack;
mod test_files;
mod views;
mod watch;
mod without_secrets;

pub use check::{Preview, Run, check};
pub use compare::{Compared, Reports, compare};
pub use document::VerdictDocument;
pub use dry_run::{DryRun, Times, Tried, TriedReport, dry_run};
pub use manifests::checks_at;
pub use packs::{PackFolder, load as load_pack};
pub use progress::{Progress, Silent, Upcoming};
pub use repository_packs::{RULES_FOLDER, pack_at};
pub use request::{CheckRequest, Judged, Machine, PolicyFile, Reuse};
pub use watch::Watch;
