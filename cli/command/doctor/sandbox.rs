//! Whether the sandbox can be had and holds.

use runmill_host::sandbox::{Config, Sandbox};
use runmill_model::Problem;

use super::{finding::Finding, patient::Patient};

/// Attacks a sandbox as the first check would.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let home = patient.environment().get("HOME").map(String::as_str).unwrap_or_default();
    let hide = patient.repository().map(|repository| repository.private_dirs()).unwrap_or_default();
    vec![match Sandbox::probe(Config::new(home, hide)) {
        Ok(_) => Finding::ok("namespaces, Landlock and system call filter hold against every probe"),
        Err(error) => Finding::problem(&Problem::from(error)),
    }]
}
