//! What the tools for rules show.

pub mod check;
pub mod coverage;
pub mod diff;
pub mod explain;
pub mod laws;
pub mod new;
pub mod review;
pub mod schema;
pub mod test;
