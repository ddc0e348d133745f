//! Toolchains outside the system's directories, found from PATH.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// What PATH needs from hidden directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchains {
    /// Shown read-only at their own paths. Absolute, sorted; they exist when found.
    pub visible: Vec<Utf8PathBuf>,
    /// Private, empty and writable at their own paths; `visible` paths below them are laid in.
    pub private: Vec<Utf8PathBuf>,
    /// Variables that tell programs where their toolchain is, such as RUSTUP_HOME.
    pub vars: BTreeMap<String, String>,
}

/// Version managers that keep everything in one directory: its variable, and where it is by default below the home directory.
const MANAGERS: &[(&str, &str)] = &[
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("FNM_DIR", ".local/share/fnm"),
    ("NODENV_ROOT", ".nodenv"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("RBENV_ROOT", ".rbenv"),
    ("GOENV_ROOT", ".goenv"),
    ("SDKMAN_DIR", ".sdkman"),
    ("BUN_INSTALL", ".bun"),
    ("DENO_INSTALL", ".deno"),
];

/// What of CARGO_HOME is shown. Not the credentials.
const CARGO_PARTS: &[&str] = &["bin", "registry", "git", "config.toml", "config"];

/// Finds what the programs in PATH need, from the host's environment, which is an argument.
pub fn find(host: &BTreeMap<String, String>) -> Toolchains {
    let mut search = Search::new(host);
    search.managers();
    search.cargo();
    search.go();
    search.java();
    search.prefixes();
    search.finish()
}

struct Search<'a> {
    host: &'a BTreeMap<String, String>,
    home: Utf8PathBuf,
    /// Directories of PATH that exist.
    path: Vec<Utf8PathBuf>,
    visible: BTreeSet<Utf8PathBuf>,
    found: Toolchains,
}

impl<'a> Search<'a> {
    fn new(host: &'a BTreeMap<String, String>) -> Self {
        let path = host.get("PATH").map_or("", String::as_str).split(':').map(Utf8PathBuf::from);
        let path: Vec<_> = path.filter(|directory| directory.is_absolute() && directory.is_dir()).collect();
        let home = host.get("HOME").map(Utf8PathBuf::from).filter(|home| home.is_absolute() && home != "/");
        let visible = path.iter().cloned().collect();
        Self { host, home: home.unwrap_or_else(|| "/nonexistent".into()), path, visible, found: Toolchains::default() }
    }

    /// The directory a variable names, or its default below the home directory, where it exists.
    fn directory(&self, variable: &str, default: &str) -> Option<Utf8PathBuf> {
        let named = self.host.get(variable).filter(|value| !value.is_empty()).map(Utf8PathBuf::from);
        Some(named.unwrap_or_else(|| self.home.join(default))).filter(|path| path.is_absolute() && path.is_dir())
    }

    /// The first file of this name in PATH.
    fn program(&self, name: &str) -> Option<Utf8PathBuf> {
        self.path.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
    }

    fn set(&mut self, variable: &str, directory: &Utf8Path) {
        self.found.vars.insert(variable.to_owned(), directory.to_string());
    }

    fn show(&mut self, variable: &str, directory: Utf8PathBuf) {
        self.set(variable, &directory);
        self.visible.insert(directory);
    }

    fn managers(&mut self) {
        for (variable, default) in MANAGERS {
            let Some(root) = self.directory(variable, default) else { continue };
            if self.path.iter().any(|directory| directory.starts_with(&root)) {
                self.show(variable, root);
            }
        }
    }

    /// Cargo writes locks to its home, and keeps credentials there: a private one, with parts of the host's laid in.
    fn cargo(&mut self) {
        if self.program("cargo").is_none() {
            return;
        }
        if let Some(rustup) = self.directory("RUSTUP_HOME", ".rustup") {
            self.show("RUSTUP_HOME", rustup);
        }
        if let Some(cargo) = self.directory("CARGO_HOME", ".cargo") {
            let parts = CARGO_PARTS.iter().map(|part| cargo.join(part));
            self.visible.extend(parts.filter(|part| part.exists() && !holds_token(part)));
            self.set("CARGO_HOME", &cargo);
            self.found.private.push(cargo);
        }
        self.found.vars.insert("CARGO_NET_OFFLINE".into(), "true".into());
    }

    fn go(&mut self) {
        let real = self.program("go").and_then(|go| go.canonicalize_utf8().ok());
        let Some(root) = real.as_deref().and_then(Utf8Path::parent).and_then(Utf8Path::parent) else { return };
        if root.join("VERSION").is_file() {
            self.show("GOROOT", root.to_owned());
        }
    }

    fn java(&mut self) {
        if let Some(java) = self.directory("JAVA_HOME", "").filter(|home| home.join("bin/java").is_file()) {
            self.show("JAVA_HOME", java);
        }
    }

    /// A `bin` beside a `lib` is useless alone: Python environments, Node.js prefixes, conda.
    fn prefixes(&mut self) {
        let local = self.home.join(".local");
        for directory in self.path.clone() {
            let Some(prefix) = directory.parent().filter(|_| directory.file_name() == Some("bin")) else { continue };
            let is_common = [self.home.as_path(), local.as_path(), "/".into(), "/usr".into(), "/usr/local".into()]
                .contains(&prefix);
            if !is_common && prefix.join("lib").is_dir() {
                self.visible.insert(prefix.to_owned());
            }
            if let Some(base) = base_of_virtual_environment(prefix) {
                self.visible.insert(base);
                self.found.vars.insert("VIRTUAL_ENV".into(), prefix.to_string());
            }
        }
    }

    fn finish(mut self) -> Toolchains {
        self.found.visible = self.visible.into_iter().collect();
        self.found
    }
}

/// Whether a configuration file holds a credential.
fn holds_token(path: &Utf8Path) -> bool {
    path.is_file() && fs::read_to_string(path).map_or(true, |text| text.to_lowercase().contains("token"))
}

/// The installation a Python virtual environment stands on.
fn base_of_virtual_environment(prefix: &Utf8Path) -> Option<Utf8PathBuf> {
    let config = fs::read_to_string(prefix.join("pyvenv.cfg")).ok()?;
    let home = config.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "home")?.1;
    Utf8Path::new(home.trim()).parent().filter(|base| base.is_absolute() && *base != "/").map(Utf8Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes files below a home directory, and finds toolchains for a PATH below it.
    fn check(files: &[(&str, &str)], path: &[&str], visible: &[&str], private: &[&str], vars: &[(&str, &str)]) {
        let directory = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(directory.path()).unwrap();
        for (file, text) in files {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), text).unwrap();
        }
        let below = |paths: &[&str]| paths.iter().map(|path| home.join(path)).collect::<Vec<_>>();
        let path = below(path).iter().map(|path| path.to_string()).collect::<Vec<_>>().join(":");
        let host = BTreeMap::from([("HOME".into(), home.to_string()), ("PATH".into(), path)]);
        let vars = vars.iter().map(|(name, value)| {
            let value = value.strip_prefix("~/").map_or((*value).to_owned(), |value| home.join(value).into_string());
            ((*name).to_owned(), value)
        });
        let expect = Toolchains { visible: below(visible), private: below(private), vars: vars.collect() };
        assert_eq!(find(&host), expect);
    }

    #[test]
    fn finds_cargo_without_its_credentials() {
        check(
            &[
                (".cargo/bin/cargo", ""),
                (".cargo/registry/x", ""),
                (".cargo/credentials.toml", ""),
                (".cargo/config.toml", "[build]"),
                (".rustup/settings.toml", ""),
            ],
            &[".cargo/bin"],
            &[".cargo/bin", ".cargo/config.toml", ".cargo/registry", ".rustup"],
            &[".cargo"],
            &[("CARGO_HOME", "~/.cargo"), ("RUSTUP_HOME", "~/.rustup"), ("CARGO_NET_OFFLINE", "true")],
        );
    }

    #[test]
    fn hides_a_cargo_configuration_with_a_token() {
        check(
            &[(".cargo/bin/cargo", ""), (".cargo/config.toml", "[registry]\ntoken = \"x\"")],
            &[".cargo/bin"],
            &[".cargo/bin"],
            &[".cargo"],
            &[("CARGO_HOME", "~/.cargo"), ("CARGO_NET_OFFLINE", "true")],
        );
    }

    #[test]
    fn finds_version_managers_that_path_uses() {
        check(
            &[(".pyenv/shims/python3", ""), (".nvm/versions/node/v1/bin/node", ""), (".volta/bin/x", "")],
            &[".pyenv/shims", ".nvm/versions/node/v1/bin"],
            &[".nvm", ".nvm/versions/node/v1/bin", ".pyenv", ".pyenv/shims"],
            &[],
            &[("PYENV_ROOT", "~/.pyenv"), ("NVM_DIR", "~/.nvm")],
        );
    }

    #[test]
    fn shows_prefixes_whole_but_not_the_users_own_data() {
        check(
            &[
                ("node/bin/node", ""),
                ("node/lib/x", ""),
                (".local/bin/x", ""),
                (".local/lib/x", ""),
                ("go/bin/go", ""),
                ("go/VERSION", ""),
            ],
            &["node/bin", ".local/bin", "go/bin"],
            &[".local/bin", "go", "go/bin", "node", "node/bin"],
            &[],
            &[("GOROOT", "~/go")],
        );
    }
}
