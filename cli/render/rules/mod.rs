//! What the tools for rules show.

pub mod check;
pub mod test;
