//! `runmill rules`: the tools of people who write rules.

mod broken;
mod hostile;
mod test;
