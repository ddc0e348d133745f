//! Reports as real reporters write them.
