//! Prepared dependencies: installed trees that agree with the lockfiles of a commit, kept once by content and laid over a
//! check's view read-only.
//!
//! Purpose: let an honest project run offline in the sandbox. What a person installed with their own package manager is
//! held against the lockfile of the exact commit, copied into a cache keyed by what was locked, for which platform and
//! which interpreter, and read back whole before each use. Non-goals: installing anything. No package manager is started,
//! nothing a repository controls is run, nothing is fetched; what does not agree is a [`Fault`] that names the command
//! that repairs it, for a person to run. Place in the line: between the plan and the executor.
//!
//! # Whose lockfile
//!
//! Each side of a change runs with the dependencies its own commit locks. What target or base lock is trusted, and prepared
//! when it is needed. What only the candidate locks is new code nobody has agreed to: it has to be prepared by hand
//! (`runmill deps prepare --candidate REV`), which is what agreeing to it means. See [`for_change`].
//!
//! # What a cache entry is
//!
//! `dependencies/<ecosystem>/<key>/` in the state directory, with a `receipt.json` (`runmill.dependencies/v1`) and a `tree/`.
//! It is written in private, made read-only and renamed into its place; its key is a digest over everything that decides
//! what belongs into it. Whoever uses it holds a shared lock and has compared the digest of every file with the receipt.
#![expect(clippy::disallowed_methods, reason = "this crate is one of the five homes of effects")]

mod cache;
mod change;
mod commit;
mod ecosystem;
mod fault;
mod layout;
mod machine;
#[cfg(test)]
mod made_up;
mod prepared;
mod receipt;
mod status;
#[cfg(test)]
mod tests;
mod whose;
mod workspaces;

mod cargo;
mod go;
mod node;
mod npm;
mod operator;
mod pnpm;
mod python;
mod yarn;

pub use cache::{Cache, Collected};
pub use change::{ForChange, Sides, for_change, prepare};
pub use commit::{AtCommit, CommitFiles};
pub use ecosystem::Need;
pub use fault::{Fault, FaultKind};
pub use machine::Machine;
pub use operator::{fingerprint, operator_path, path_standing, prepare_path};
pub use prepared::Prepared;
pub use receipt::Receipt;
pub use status::{Standing, Status, status};
pub use whose::Whose;
