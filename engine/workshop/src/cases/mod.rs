//! Cases of rules, and the fixtures they are on.
//!
//! A fixture is a fact graph in KDL; fixtures extend one another. A case takes a fixture, changes it some more, and says
//! what rules must make of it.
//!
//! ```kdl
//! fixture "no report at the base" extends="ready" {
//!     remove "report" "unit@base"                    // and what hangs on it
//! }
//!
//! rule "skip/baseline-unusable"                      // the rule of the cases below
//!
//! case "a base without a report is no inventory" fixture="no report at the base" {
//!     set "invocation" "unit@candidate" { exit_code 3 }
//!     params skips="regressions" { frozen "payments/**"; }
//!     expect "refuted" subject="unit" { code "RM-VERIFY-003"; message "no report"; fix ".."; tests "a" "b" }
//!     open "skip/baseline-unusable" "outcome/check-failed"
//!     verdict "blocked"
//! }
//! ```
//!
//! `add`, `set` and `remove` name a fact by its kind and key, as findings do. What a fact does not say has the value of
//! `defaults`. Fields are those of the fact's declaration; test sets are lists of names, those with a group (a JUnit
//! classname, a Go package) in a child of the group's name: `passed "a" { "com.acme.Cart" "adds" "removes"; }`. `#null` is
//! an absent value, a commit may be one hex digit, a digest any word.
//!
//! `expect` gives the outcome (`nothing` when the rule is not called); the rule is the file's unless `rule` says
//! otherwise, `subject` is the key of the fact it is on and may be left out when there is one. Messages and advice need
//! to hold the text, tests are exact. `open` lists every rule of the pack that refutes or leaves something unproven.
//! `verdict` is that of a run, in which the contract judges too. `snapshot` keeps what the rule said, with evidence and
//! explanation, in `snapshots/<file>/<case>.snap`; it may name rules.

mod case;
mod defaults;
mod edit;
mod fixture;
mod judge;
mod nodes;
mod observations;
mod outcome;
mod params;
mod smaller;
pub(crate) mod suite;
#[cfg(test)]
mod tests;
mod written;

pub(crate) use fixture::of_text as fixture_of_text;

pub use case::{Case, CaseFile, Expect, OUTCOMES, Snapshotted};
pub use fixture::Fixture;
pub use judge::{Company, Judge, Judged, Said};
pub use nodes::MOST_KIB;
pub use observations::Observations;
pub use outcome::{Difference, Outcome};
pub use params::Params;
pub use suite::Suite;
pub(crate) use written::quoted;
