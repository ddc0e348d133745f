//! Whether the sandbox can be had and holds.

use runmill_host::sandbox::{Config, Sandbox};
use runmill_model::{Isolation, Problem};

use super::{finding::Finding, patient::Patient};

/// Attacks a sandbox as the first check would.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let home = patient.environment().get("HOME").map(String::as_str).unwrap_or_default();
    let hide = patient.repository().map(|repository| repository.private_dirs()).unwrap_or_default();
    let isolation = patient.policy().map_or(Isolation::Namespaces, |found| found.policy.verification().isolation());
    vec![match Sandbox::probe(Config::new(home, hide).isolated_by(isolation.into())) {
        Ok(_) if isolation == Isolation::Landlock => {
            Finding::ok("Landlock and system call filter hold against every probe, reduced as the policy chose")
        }
        Ok(_) => Finding::ok("namespaces, Landlock and system call filter hold against every probe"),
        Err(error) => Finding::problem(&Problem::from(error)),
    }]
}
