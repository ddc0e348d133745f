//! Real repositories, hermetic runs of the binary, and assertions on its documents.

#[cfg(feature = "real-world")]
mod browser;
mod command;
mod container;
mod document;
mod evidence;
mod fixture;
mod forge;
mod gates;
mod pack;
mod process;
mod receipt;
mod recorded;
mod redact;
mod remote;
mod repo;
mod schema;
mod state;
mod terminal;
mod user;

#[cfg(feature = "real-world")]
pub use browser::{Browser, View};
pub use command::{Output, Runmill, path};
pub use document::{ErrorDocument, Verdict};
pub use evidence::{Evidence, reported};
pub use fixture::{RUNNER, listed, listed_with, manifest, shell};
pub use forge::{Forge, Reply, State};
pub use gates::Gates;
pub use pack::PackDir;
pub use process::{alive, process_with_argument, unique_seconds};
pub use receipt::{Receipt, open_rules};
pub use recorded::{Recorded, ended};
pub use redact::{screen, snapshot};
pub use remote::Remote;
pub use repo::Repo;
pub use schema::{faults, fits, printed};
pub use state::files;
pub use terminal::Terminal;
pub use user::User;
