//! What the tools for rules show.

pub mod check;
pub mod coverage;
pub mod diff;
pub mod laws;
pub mod test;
