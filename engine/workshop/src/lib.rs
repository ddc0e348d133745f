//! The author's tools: writing, checking and testing rules; what a code means, why a rule spoke as it did, and what would
//! have to be otherwise.
//!
//! Purpose: put what the engine knows into words that a person can act on. Non-goals: judging (every answer is re-judged
//! by the same rules), effects (callers bring graphs and packs), showing anything (the binary does). Place in the line:
//! after the pipeline, before the binary.

pub mod cases;
pub mod catalogue;
pub mod change;
mod checked;
pub mod codes;
pub mod coverage;
pub mod diff;
pub mod explained_rule;
pub mod explanation;
pub mod grounds;
pub mod laws;
mod pack_files;
pub mod replayed;
pub mod scaffold;
pub mod schema;
pub mod snapshots;
pub mod tested;
pub mod words;

pub use catalogue::{Catalogue, catalogue};
pub use change::{Change, Search, Smallest};
pub use checked::{CheckedPack, check};
pub use codes::CodePage;
pub use coverage::{CoverageOutcome, CoveredPacks, coverage};
pub use diff::RulesDiff;
pub use explained_rule::{ExplainedRule, explain_rule};
pub use explanation::{ExplainedFinding, ExplainedRun, Reproduced, explain};
pub use grounds::{Grounds, grounds};
pub use laws::{LawsOutcome, TriedPacks, laws};
pub use pack_files::{Home, PackFiles};
pub use replayed::{ReplayedRun, ReplayedRuns};
pub use tested::{Asked, Tested, TestedPacks, TestsOutcome, test};
