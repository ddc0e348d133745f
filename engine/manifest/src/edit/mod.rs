//! Writing for people: additions to a file that a person keeps, and blocks for them to finish.
//!
//! What a person wrote stays as it is: comments, order, quotes, indentation, line ends. An addition is made on a lossless
//! syntax tree (yaml-edit) and believed only after our own parser reads the old values and the new ones in the result, and
//! the old text is all still there.

mod exceptions;
mod proposal;
mod quote;

#[cfg(test)]
mod tests;

pub use exceptions::{Edited, Exception, add_exceptions};
pub use proposal::undecided_skips;
