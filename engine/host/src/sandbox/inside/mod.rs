//! The helper: everything that happens between the start of this binary as helper and the start of the check.

/// The whole life of the helper. Call it before anything else in `main` when the first argument is [`super::VERB`];
/// the value is the exit status of the process.
pub fn helper_main() -> i32 {
    125
}
