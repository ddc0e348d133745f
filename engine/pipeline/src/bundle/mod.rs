//! Evidence of recorded runs: what is signed of one, what is expected of one, and how a bundle is judged again.

mod baseline;
mod differences;
mod expect;
mod export;
mod rejudge;
mod statement;

pub(crate) use baseline::Attested;
pub use baseline::Baseline;
pub use expect::{Expecting, TargetTip, expectations};
pub use export::{Exported, Format, Unsayable, export};
pub use rejudge::Rejudger;
pub use statement::{Bodies, Signable, signable};
