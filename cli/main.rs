//! The `runmill` binary.
fn main() {}
