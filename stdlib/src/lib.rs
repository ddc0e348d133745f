//! What rules may call: constructors of results, operators on test sets, path globs, text and lists.
//!
//! Purpose: fill the policy host's registry. Non-goals: no judgement, no effects. Place in the line: after `policy`,
//! before `rules`. The reference in `docs/stdlib.md` is generated from the declarations here.

mod arguments;
mod lists;
mod paths;
mod results;
mod sets;
mod test_files;
mod texts;

use runmill_policy::Registry;

/// Everything that rules may call.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add("Results", results::FUNCTIONS.iter().copied());
    registry.add("Test sets", sets::FUNCTIONS.iter().copied());
    registry.add("Test files", test_files::FUNCTIONS.iter().copied());
    registry.add("Paths", paths::FUNCTIONS.iter().copied());
    registry.add("Lists", lists::FUNCTIONS.iter().copied());
    registry.add("Texts", texts::FUNCTIONS.iter().copied());
    registry
}
