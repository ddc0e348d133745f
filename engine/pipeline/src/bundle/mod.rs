//! Evidence of recorded runs: what is signed of one, what is expected of one, and how a bundle is judged again.

mod differences;
mod expect;
mod rejudge;
mod statement;

pub use expect::{Expecting, TargetTip, expectations};
pub use rejudge::Rejudger;
pub use statement::{Bodies, Signable, signable};
