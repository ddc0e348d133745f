//! What the tools for rules show.

pub mod test;
