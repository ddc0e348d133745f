//! The three files people write for runmill: `.runmill/checks.yaml` ([`checks`]), the operator's `policy.yaml`
//! ([`policy`]) and a rule pack's `pack.kdl` ([`pack`]).
//!
//! Purpose: text to valid values, or every problem at once, each with a code, a place and what to write instead.
//! What a key means is in the contract; a key it does not list is an error. Non-goals: reading files, merging the
//! documents of a change, judging. Place in the line: on top of `runmill-model`, under the pipeline.
//!
//! A document goes text -> raw -> valid. Raw is a tree of nodes with places, private to this crate: places come from
//! an event parser (saphyr-parser), values from serde_yaml, and a document on which the two disagree is refused, so
//! that no reader of the file can see another document than runmill does. Valid types have private fields and one
//! fallible constructor.

pub mod argv;
pub mod checks;
pub mod decode;
pub mod edit;
pub mod env;
mod faults;
#[cfg(test)]
mod hostile;
pub mod invalid;
pub mod kdl_text;
pub mod pack;
pub mod pattern;
pub mod policy;
pub mod quantity;
#[cfg(test)]
mod rendered;
pub mod schema;
pub mod version;
mod words;
mod yaml;

pub use argv::Argv;
pub use checks::{Check, ChecksManifest, DeclaredSkip, LimitSettings, Limits, PathRule, ReportSpec};
pub use env::{EnvClass, EnvName, Environment};
pub use invalid::InvalidValue;
pub use pack::PackManifest;
pub use pattern::PathPattern;
pub use policy::OperatorPolicy;
pub use quantity::{ByteSize, TimeSpan};
pub use version::Version;
