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
//!     params skips="regressions"
//!     expect "refuted" subject="unit" { code "RM-VERIFY-003"; message "no report"; fix ".."; tests "a" "b" }
//!     open "skip/baseline-unusable" "outcome/check-failed"
//!     verdict "blocked"
//! }
//! ```
//!
//! `add`, `set` and `remove` name a fact by its kind and key, as findings do. What a fact does not say has the value of
//! `defaults`. Fields are those of the fact's declaration; test sets are lists of names, `#null` is an absent value, a
//! commit may be one hex digit, a digest any word.
//!
//! `expect` gives the outcome (`nothing` when the rule is not called); the rule is the file's unless `rule` says
//! otherwise, `subject` is the key of the fact it is on and may be left out when there is one. Messages and advice need
//! to hold the text, tests are exact. `open` lists every rule that refutes or leaves something unproven at its level.

mod case;
mod defaults;
mod edit;
mod fixture;
mod judge;
mod nodes;
mod observations;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use case::{Case, CaseFile, Expect};
pub use judge::{Judge, Judged};
pub use observations::Observations;

/// The fixtures and case files of a pack.
#[derive(Debug)]
pub struct Cases {
    pub fixtures: BTreeMap<String, Observations>,
    pub files: Vec<CaseFile>,
}

impl Cases {
    /// Reads `fixtures/*.kdl` and `tests/*.kdl` of a pack's files.
    ///
    /// # Errors
    /// Everything that is wrong with them, a line each.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, Vec<String>> {
        let kdl = |folder: &'static str| {
            files.iter().filter(move |(path, _)| path.starts_with(folder) && path.ends_with(".kdl"))
        };
        let mut problems = Vec::new();
        let fixtures = fixture::read(kdl("fixtures/"), &mut problems);
        let files = kdl("tests/").filter_map(|(path, text)| case::read(path, text, &fixtures, &mut problems)).collect();
        if problems.is_empty() { Ok(Self { fixtures, files }) } else { Err(problems) }
    }

    /// Every case, with the file it is in.
    pub fn all(&self) -> impl Iterator<Item = (&CaseFile, &Case)> {
        self.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)))
    }
}
