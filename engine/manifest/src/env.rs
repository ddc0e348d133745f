//! Names of environment variables, and which of them only the operator may name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize};

use crate::invalid::{InvalidValue, quoted};

/// The name of an environment variable: `^[A-Za-z_][A-Za-z0-9_]*$`, at most 255 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct EnvName(String);

/// What a variable could do inside an invocation, told from its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EnvClass {
    /// Nothing that needs the operator.
    Plain,
    /// Loads code into a program: `LD_*`, `DYLD_*`, `NODE_OPTIONS`, `PYTHONPATH`, `PYTHONSTARTUP`, `BASH_ENV`, `ENV`.
    Injection,
    /// Reaches an agent that holds keys: `SSH_AUTH_SOCK`, `*_ASKPASS`.
    Agent,
    /// Looks like a credential.
    Credential,
}

impl EnvName {
    /// Checks the name.
    ///
    /// # Errors
    /// It is not a letter or `_` followed by letters, digits and `_`, or longer than 255 bytes.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidValue> {
        let name = name.into();
        let valid = name.len() <= 255
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.as_bytes().first().is_some_and(|first| !first.is_ascii_digit());
        if valid {
            return Ok(Self(name));
        }
        let help = if name.contains('*') {
            "name each variable exactly; patterns are not supported"
        } else {
            "write letters, digits and `_`, not starting with a digit"
        };
        Err(InvalidValue::new(format!("{} is not the name of an environment variable", quoted(&name)), help))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the variable could do. Anything but [`EnvClass::Plain`] reaches an invocation only when operator policy
    /// names it exactly.
    pub fn class(&self) -> EnvClass {
        const LOADERS: [&str; 5] = ["NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV"];
        let name = self.0.to_ascii_uppercase();
        if name.starts_with("LD_") || name.starts_with("DYLD_") || LOADERS.contains(&name.as_str()) {
            EnvClass::Injection
        } else if name == "SSH_AUTH_SOCK" || name.ends_with("_ASKPASS") {
            EnvClass::Agent
        } else if looks_like_credential(&name) {
            EnvClass::Credential
        } else {
            EnvClass::Plain
        }
    }
}

/// Token, secret, password, api key, private key, access key, credential or auth, in any case, as words of the name.
fn looks_like_credential(upper: &str) -> bool {
    const WORDS: [&str; 11] = [
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "AUTH",
        "PAT",
    ];
    const JOINED: [&str; 9] =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "PRIVATEKEY", "ACCESSKEY", "SIGNINGKEY"];
    let joined: String = upper.chars().filter(|character| *character != '_').collect();
    upper.split('_').any(|word| WORDS.contains(&word)) || JOINED.iter().any(|word| joined.contains(word))
}

impl fmt::Display for EnvName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EnvName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for EnvName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// What a check asks for beyond the environment every invocation has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Environment {
    pub(crate) allow: BTreeSet<EnvName>,
    pub(crate) set: BTreeMap<EnvName, String>,
}

impl Environment {
    /// Variables passed on from the caller's environment when they are there.
    pub fn allow(&self) -> &BTreeSet<EnvName> {
        &self.allow
    }

    /// Variables with their values, without NUL. No name is also in [`Self::allow`].
    pub fn set(&self) -> &BTreeMap<EnvName, String> {
        &self.set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: EnvClass) {
        assert_eq!(EnvName::new(name).unwrap().class(), expect, "{name}");
    }

    #[test]
    fn tells_what_a_name_could_do() {
        for name in [
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "BASH_ENV",
            "ENV",
            "ld_preload",
        ] {
            check(name, EnvClass::Injection);
        }
        for name in ["SSH_AUTH_SOCK", "GIT_ASKPASS", "SSH_ASKPASS"] {
            check(name, EnvClass::Agent);
        }
        for name in [
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "api_key",
            "AWS_SECRET_ACCESS_KEY",
            "NPM_AUTH",
            "PRIVATE_KEY",
            "MYTOKEN",
            "npm_config__authToken",
        ] {
            check(name, EnvClass::Credential);
        }
        for name in ["CI", "TZ", "PATH", "AUTHOR", "KEYBOARD", "PATTERN", "OLD_LD", "PYTHONHASHSEED", "_"] {
            check(name, EnvClass::Plain);
        }
    }

    #[test]
    fn refuses_names_no_shell_could_write() {
        for wrong in ["", "1A", "A-B", "A B", "A=B", "É", "LD_*", "A\0"] {
            assert!(EnvName::new(wrong).is_err(), "{wrong}");
        }
    }
}
