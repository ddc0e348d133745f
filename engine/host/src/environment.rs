//! The environment of an invocation, built from an allow-list (contract, "Environment of an invocation").

use std::collections::{BTreeMap, BTreeSet};

use crate::{redact::looks_secret, sandbox, toolchain::Toolchains};

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
    /// Names that the check asked for and did not get, sorted.
    pub refused: Vec<String>,
}

/// Passed through where the host has them.
const PASSED: &[&str] = &[
    "LANG",
    "LC_ALL",
    "TZ",
    "TERM",
    // Where certificates are.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
];

/// The same for every check.
const FIXED: &[(&str, &str)] = &[
    ("TMPDIR", sandbox::TMPDIR),
    ("HOME", sandbox::HOME),
    ("CI", "true"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("RUNMILL", "1"),
];

/// Names that make a loader or an interpreter run what it was not told to.
const INJECTION: &[&str] = &[
    "NODE_OPTIONS",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
];

/// The same, by how the name begins.
const INJECTION_PREFIXES: &[&str] = &["LD_", "DYLD_", "BASH_FUNC_"];

/// Names that lead to a process that holds keys or powers.
const AGENTS: &[&str] =
    &["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"];

/// Builds the environment of one check from the host's, which is an argument.
pub fn build(rules: &Rules, host: &BTreeMap<String, String>, toolchains: &Toolchains) -> Environment {
    let from_host = |name: &str| host.get(name).map(|value| (name.to_owned(), value.clone()));
    let permitted = |name: &str| !is_dangerous(name) || rules.operator.iter().any(|named| named == name);
    let mut vars = BTreeMap::from([("PATH".to_owned(), search_path(host))]);
    vars.extend(PASSED.iter().filter_map(|name| from_host(name)));
    vars.extend(FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    vars.extend(toolchains.vars.clone());
    vars.extend(rules.allow.iter().filter(|name| permitted(name)).filter_map(|name| from_host(name)));
    vars.extend(rules.operator.iter().filter_map(|name| from_host(name)));
    vars.extend(rules.set.clone().into_iter().filter(|(name, _)| permitted(name)));
    let asked: BTreeSet<_> = rules.allow.iter().chain(rules.set.keys()).collect();
    let refused = asked.into_iter().filter(|name| !permitted(name)).cloned().collect();
    Environment { vars, refused }
}

/// The host's PATH without relative and repeated directories.
fn search_path(host: &BTreeMap<String, String>) -> String {
    let mut seen = BTreeSet::new();
    let path = host.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
    let kept: Vec<_> =
        path.split(':').filter(|directory| directory.starts_with('/') && seen.insert(*directory)).collect();
    kept.join(":")
}

/// Whether a name is kept out unless the operator names it exactly. Case is ignored: some programs read both.
fn is_dangerous(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is = |list: &[&str]| list.contains(&upper.as_str());
    is(INJECTION)
        || is(AGENTS)
        || upper.ends_with("_ASKPASS")
        || INJECTION_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
        || looks_secret(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn has_the_names_of_the_contract_and_no_others() {
        let host = map(&[
            ("PATH", "/a/bin:rel::/a/bin:/b"),
            ("TZ", "UTC"),
            ("TMPDIR", "/x"),
            ("HOME", "/h"),
            ("EDITOR", "vi"),
            ("SSL_CERT_FILE", "/c"),
        ]);
        let toolchains = Toolchains { vars: map(&[("RUSTUP_HOME", "/h/.rustup")]), ..Toolchains::default() };
        let built = build(&Rules::default(), &host, &toolchains);
        let expect = map(&[
            ("PATH", "/a/bin:/b"),
            ("TZ", "UTC"),
            ("TMPDIR", "/tmp"),
            ("HOME", sandbox::HOME),
            ("CI", "true"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("RUNMILL", "1"),
            ("SSL_CERT_FILE", "/c"),
            ("RUSTUP_HOME", "/h/.rustup"),
        ]);
        assert_eq!(built, Environment { vars: expect, refused: Vec::new() });
    }

    #[test]
    fn the_check_may_add_harmless_names_only() {
        let host = map(&[
            ("EDITOR", "vi"),
            ("NPM_TOKEN", "t"),
            ("GIT_ASKPASS", "g"),
            ("LD_PRELOAD", "l"),
            ("SSH_AUTH_SOCK", "s"),
        ]);
        let rules = Rules {
            allow: names(&["EDITOR", "NPM_TOKEN", "GIT_ASKPASS", "LD_PRELOAD", "SSH_AUTH_SOCK", "ABSENT"]),
            set: map(&[("TZ", "Asia/Tokyo"), ("NODE_OPTIONS", "--require x"), ("env", "x")]),
            operator: Vec::new(),
        };
        let built = build(&rules, &host, &Toolchains::default());
        assert_eq!(built.refused, ["GIT_ASKPASS", "LD_PRELOAD", "NODE_OPTIONS", "NPM_TOKEN", "SSH_AUTH_SOCK", "env"]);
        assert_eq!((built.vars.get("EDITOR"), built.vars.get("TZ")), (Some(&"vi".into()), Some(&"Asia/Tokyo".into())));
        assert!(built.refused.iter().all(|name| !built.vars.contains_key(name)));
    }

    #[test]
    fn the_operator_names_exceptions_exactly() {
        let host = map(&[("NPM_TOKEN", "t"), ("OTHER_TOKEN", "o")]);
        let rules = Rules {
            allow: names(&["OTHER_TOKEN"]),
            set: map(&[("PYTHONPATH", "src")]),
            operator: names(&["NPM_TOKEN", "PYTHONPATH"]),
        };
        let built = build(&rules, &host, &Toolchains::default());
        assert_eq!(built.refused, ["OTHER_TOKEN"]);
        assert_eq!(
            (built.vars.get("NPM_TOKEN"), built.vars.get("PYTHONPATH")),
            (Some(&"t".into()), Some(&"src".into()))
        );
    }
}
