//! What rules may call: operators on test sets, path globs, constructors of results, text and lists.
//!
//! Purpose: fill the policy host's registry. Non-goals: no judgement, no effects. Place in the line: after `policy`,
//! before `rules`. The reference in `docs/stdlib.md` is generated from the declarations here.

use runmill_policy::Registry;

/// Everything that rules may call.
pub fn registry() -> Registry {
    Registry::new()
}
