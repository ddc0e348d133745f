//! The environment of an invocation, built from an allow-list.

use std::collections::BTreeMap;

use crate::toolchain::Toolchains;

/// Which variables a check gets beyond those every check has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Names the check passes through from the host.
    pub allow: Vec<String>,
    /// Names the check sets.
    pub set: BTreeMap<String, String>,
    /// Names the operator passes through; the only way for a name that looks like injection or like a credential.
    pub operator: Vec<String>,
}

/// An environment and what was kept out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The whole environment.
    pub vars: BTreeMap<String, String>,
    /// Names that were asked for and refused, sorted.
    pub refused: Vec<String>,
}

/// Builds the environment of one check from the host's, which is an argument.
pub fn build(rules: &Rules, host: &BTreeMap<String, String>, toolchains: &Toolchains) -> Environment {
    let _ = (rules, host, toolchains);
    Environment::default()
}
