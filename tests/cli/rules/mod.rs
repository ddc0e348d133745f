//! `runmill rules`: the tools of people who write rules.

mod test;
