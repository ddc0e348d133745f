//! The vocabulary of runmill: identifiers, digests, canonical JSON, facts, the sealed fact graph, test sets,
//! findings, verdicts and error codes.
//!
//! Purpose: every other crate speaks in these types, and each fact kind is declared here once. Non-goals: no effects
//! (no files, clocks, processes), no judgement except the floor in [`verdict`]. Place in the line: first; this crate
//! depends on no other crate of the workspace.

mod blank;
pub mod canonical;
pub mod codes;
mod contexts;
mod declare;
mod derived;
pub mod digest;
#[cfg(test)]
mod example;
mod fact;
pub mod facts;
pub mod finding;
pub mod gates;
pub mod graph;
pub mod ids;
pub mod problem;
pub mod receipt;
pub mod session;
pub mod test_set;
pub mod value;
pub mod verdict;
pub mod words;

pub use codes::Code;
pub use digest::{Digest, Hasher};
pub use facts::Kind;
pub use finding::{Finding, Judgement, RuleHead, RuleResult, Subject, Waiting};
pub use graph::{FactRef, Graph, GraphBuilder};
pub use ids::*;
pub use problem::{Label, Problem, Problems};
pub use test_set::{ArenaFull, TestArena, TestId, TestSet};
pub use value::{Form, Type, Value};
pub use words::*;
