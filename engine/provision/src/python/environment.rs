//! A virtual environment: what it stands on, and every file in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::Digest;
use serde_json::{Value, json};

use super::{
    PYTHON,
    distribution::{Distribution, Unusable},
    lockfile::{Lock, Package, Source},
    marker::Here,
    wheel,
};
use crate::{
    Fault, Machine,
    fault::some,
    layout::{Layout, Part, resolved},
};

const PROOF: &str =
    "versions as locked, nothing else installed, every file with the digest of its distribution's RECORD";

/// Names an environment has in a work tree.
const NAMES: &[&str] = &[".venv", "venv"];

/// What makes environments brings along without locking it.
const SEEDS: &[&str] = &["pip", "setuptools", "wheel"];

/// Files of an environment that belong to no distribution and are laid over as they are: text that is read, not run.
const OWN: &[&str] = &["pyvenv.cfg"];

/// Files of an environment that belong to no distribution and are left out: notes, and code that nothing proves.
const LEFT_OUT: &[&str] = &[".gitignore", ".lock", "CACHEDIR.TAG"];

/// Programs in `bin` that only set a shell up.
const ACTIVATION: &[&str] = &["activate", "Activate.ps1", "deactivate.bat", "pydoc.bat"];

/// Start-up hooks that environment makers write for installers.
const HOOKS: &[&str] = &["_virtualenv.pth", "_virtualenv.py"];

/// An environment in a work tree.
#[derive(Debug, Clone)]
pub(super) struct Environment {
    path: Utf8PathBuf,
    /// The directory of the interpreter it was made with.
    home: Utf8PathBuf,
    /// The whole version of that interpreter.
    python: String,
    shares_packages: bool,
}

impl Environment {
    /// The environment of a directory, when it has one.
    pub(super) fn find(dir: &Utf8Path) -> Option<Self> {
        let is_directory = |path: &Utf8PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let path = NAMES.iter().map(|name| dir.join(name)).find(is_directory)?;
        let config = std::fs::read_to_string(path.join("pyvenv.cfg")).ok()?;
        let settings: BTreeMap<_, _> = config
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let home = Utf8PathBuf::from(*settings.get("home")?);
        let python = settings.get("version_info").or_else(|| settings.get("version"))?;
        let python = python.split('.').take(3).collect::<Vec<_>>().join(".");
        let shares_packages = settings.get("include-system-site-packages") == Some(&"true");
        Some(Self { path, home, python, shares_packages })
    }

    /// Where it is, absolute.
    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Its name in its directory.
    pub(super) fn name(&self) -> &str {
        self.path.file_name().unwrap_or(".venv")
    }

    /// What of it decides what a check gets.
    pub(super) fn material(&self) -> Value {
        json!({ "path": self.path, "home": self.home, "python": self.python })
    }

    /// Directories that must be visible for its interpreter to run: the installation it was made with.
    pub(super) fn interpreters(&self) -> Vec<Utf8PathBuf> {
        let real = self.home.join("python3").canonicalize_utf8().ok();
        let homes = [Some(self.home.clone()), real.and_then(|real| real.parent().map(Utf8Path::to_owned))];
        let prefixes = homes.into_iter().flatten().filter_map(|home| home.parent().map(Utf8Path::to_owned));
        // What belongs to the system is visible anyway.
        prefixes
            .filter(|prefix| prefix.as_str() != "/" && prefix != "/usr")
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Holds every file against the lock and the records.
    pub(super) fn inspect(&self, lock: &Lock, machine: &Machine) -> Result<Layout, Fault> {
        let mut inventory = Inventory {
            environment: self,
            lock,
            work_dir: machine.work_dir(),
            libc: machine.libc(),
            owned: BTreeMap::new(),
            layout: Layout::new(PYTHON, PROOF, lock.repair.clone()),
        };
        if self.shares_packages {
            let message = format!("`{}` shares the packages of the system, which nothing locks", self.path);
            return Err(inventory.mismatch(message));
        }
        inventory.has_interpreter()?;
        let packages = inventory.packages_directory()?;
        inventory.distributions(&packages)?;
        inventory.files(&self.path, Utf8Path::new("environment"))?;
        inventory.nothing_lost()?;
        Ok(inventory.layout)
    }
}

struct Inventory<'a> {
    environment: &'a Environment,
    lock: &'a Lock,
    work_dir: &'a Utf8Path,
    libc: &'static str,
    /// Files that a record names, and that were not met yet.
    owned: BTreeMap<Utf8PathBuf, Option<Digest>>,
    layout: Layout,
}

impl Inventory<'_> {
    fn mismatch(&self, message: String) -> Fault {
        self.layout.mismatch(message)
    }

    /// The interpreter it was made with is still there.
    fn has_interpreter(&self) -> Result<(), Fault> {
        let program = self.environment.path.join("bin/python");
        if program.is_file() {
            return Ok(());
        }
        let home = &self.environment.home;
        Err(self.mismatch(format!("`{program}` leads to no interpreter: that of `{home}` is gone")))
    }

    /// `lib/python3.x/site-packages`.
    fn packages_directory(&self) -> Result<Utf8PathBuf, Fault> {
        let minor = self.environment.python.split('.').take(2).collect::<Vec<_>>().join(".");
        let directory = self.environment.path.join(format!("lib/python{minor}/site-packages"));
        if directory.is_dir() {
            return Ok(directory);
        }
        Err(self.mismatch(format!("`{}` says Python {minor} and has no `{directory}`", self.environment.path)))
    }

    fn distributions(&mut self, packages: &Utf8Path) -> Result<(), Fault> {
        let mut names = BTreeSet::new();
        for path in self.list(packages)? {
            let name = path.file_name().unwrap_or_default();
            if name.ends_with(".egg-info") || name.ends_with(".egg-link") || name.ends_with(".egg") {
                return Err(self.mismatch(format!("`{path}` was installed without a record")));
            }
            if !name.ends_with(".dist-info") {
                continue;
            }
            let found = Distribution::read(&path).map_err(|unusable| match unusable {
                Unusable::Fault(fault) => fault,
                Unusable::Mismatch(message) => self.mismatch(message),
            })?;
            self.is_locked(&found)?;
            let here =
                wheel::Here { python: &self.environment.python, machine: std::env::consts::ARCH, libc: self.libc };
            if let Some(tags) = wheel::foreign(&path, here) {
                let message = format!("`{path}` was built for {tags}, here is Python {}", self.environment.python);
                return Err(self.mismatch(format!("{message} on {} with {}", here.machine, here.libc)));
            }
            if !names.insert(found.name.clone()) {
                return Err(self.mismatch(format!("`{}` is installed twice in `{packages}`", found.name)));
            }
            let what = if found.is_editable() { "editable".to_owned() } else { found.version.clone() };
            self.layout.packages.insert(format!("{}@{what}", found.name));
            self.owned.extend(found.files);
        }
        let machine = std::env::consts::ARCH.to_owned();
        let here = Here { python: self.environment.python.clone(), machine };
        let installed = names.iter().map(String::as_str).collect();
        let missing = self.lock.missing(&here, &installed);
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "locked and not installed in `{}`: {}",
            self.environment.path,
            some(missing.iter().map(String::as_str))
        );
        Err(self.mismatch(message))
    }

    /// Holds one distribution against the lock.
    fn is_locked(&self, found: &Distribution) -> Result<(), Fault> {
        let shown = format!("{}@{}", found.name, found.version);
        if found.is_editable() {
            return self.is_of_the_project(found);
        }
        let Some(versions) = self.lock.packages.get(&found.name) else {
            let is_seed = SEEDS.contains(&found.name.as_str()) && found.origin.is_none();
            let message = format!("`{shown}` is installed in `{}` and not locked", self.environment.path);
            return if is_seed { Ok(()) } else { Err(self.mismatch(message)) };
        };
        if versions.iter().any(|package| package.source == Source::Project) {
            let message =
                format!("`{shown}` is installed as a copy, so a check would test the copy and not the commit");
            let help = "install it editable: `uv sync --frozen`, or `pip install --no-deps --editable .`";
            return Err(Fault::new(PYTHON, crate::FaultKind::Mismatch, message, help));
        }
        if versions.iter().any(|package| is_the_one(package, found)) {
            return Ok(());
        }
        let locked: Vec<_> = versions.iter().filter_map(|package| package.version.as_deref()).collect();
        Err(self.mismatch(format!("`{shown}` is installed, locked is {}", some(locked))))
    }

    /// An editable installation must be of a directory of this work tree.
    fn is_of_the_project(&self, found: &Distribution) -> Result<(), Fault> {
        let url = found.origin.as_ref().map(|origin| origin.url.as_str()).unwrap_or_default();
        let place = url.strip_prefix("file://").map(Utf8Path::new);
        if place.is_some_and(|place| place.starts_with(self.work_dir)) {
            return Ok(());
        }
        Err(self.mismatch(format!("`{}` is an editable installation of `{url}`, outside the work tree", found.name)))
    }

    /// Every file below a directory of the environment.
    fn files(&mut self, directory: &Utf8Path, at: &Utf8Path) -> Result<(), Fault> {
        self.layout.parts.push(Part::Directory { at: at.to_owned() });
        for path in self.list(directory)? {
            let name = path.file_name().unwrap_or_default().to_owned();
            let below = at.join(&name);
            let kind =
                path.symlink_metadata().map_err(|error| Fault::io(PYTHON, "look at", &path, &error))?.file_type();
            if kind.is_dir() {
                // Byte code is proven by nothing.
                if name != "__pycache__" {
                    self.files(&path, &below)?;
                }
            } else if kind.is_symlink() {
                self.link(&path, below)?;
            } else if let Some(expect) = self.owned.remove(&path) {
                self.layout.parts.push(Part::Copy { from: path, at: below, expect });
            } else if !kind.is_file() || !self.is_left_out(&path, &name) {
                return Err(self.mismatch(format!("`{path}` belongs to no installed distribution")));
            } else if OWN.contains(&name.as_str()) {
                self.layout.parts.push(Part::Copy { from: path, at: below, expect: None });
            }
        }
        Ok(())
    }

    /// Whether a file without an owner is one that an environment has of itself.
    fn is_left_out(&self, path: &Utf8Path, name: &str) -> bool {
        let parent = path.parent().unwrap_or(path);
        let environment = &self.environment.path;
        let at_top = parent == environment && (OWN.contains(&name) || LEFT_OUT.contains(&name));
        let stem = name.split('.').next().unwrap_or_default();
        let activates = parent == environment.join("bin")
            && (ACTIVATION.contains(&name) || matches!(stem, "activate" | "activate_this"));
        let is_hook = parent.ends_with("site-packages") && HOOKS.contains(&name);
        at_top || activates || is_hook || name.ends_with(".pyc")
    }

    /// Links: the interpreter, and one library directory by two names.
    fn link(&mut self, path: &Utf8Path, at: Utf8PathBuf) -> Result<(), Fault> {
        let target = path.read_link_utf8().map_err(|error| Fault::io(PYTHON, "read", path, &error))?;
        let (environment, name) = (&self.environment.path, path.file_name().unwrap_or_default());
        let in_bin = path.parent() == Some(&environment.join("bin"));
        let is_interpreter = in_bin && name.starts_with("python") && {
            let outside = target.is_absolute()
                && !target.starts_with(self.work_dir)
                && target.parent() == Some(&self.environment.home);
            outside || resolved(path, &target).is_some_and(|to| to.parent() == path.parent())
        };
        let is_library = path == environment.join("lib64") && target == "lib";
        if !is_interpreter && !is_library {
            return Err(self.mismatch(format!("`{path}` is a link to `{target}`, which belongs to no distribution")));
        }
        self.layout.parts.push(Part::Link { at, target: target.into_string() });
        Ok(())
    }

    fn nothing_lost(&self) -> Result<(), Fault> {
        let lost: Vec<_> = self.owned.keys().map(|path| path.as_str()).collect();
        if lost.is_empty() { Ok(()) } else { Err(self.mismatch(format!("installed files are gone: {}", some(lost)))) }
    }

    /// What is in a directory, sorted.
    fn list(&self, directory: &Utf8Path) -> Result<Vec<Utf8PathBuf>, Fault> {
        let read = directory.read_dir_utf8().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = read.map_err(|error| Fault::io(PYTHON, "list", directory, &error))?;
        let mut all: Vec<_> = entries.into_iter().map(|entry| entry.path().to_owned()).collect();
        all.sort();
        Ok(all)
    }
}

/// Whether an installed distribution is this locked one.
fn is_the_one(package: &Package, found: &Distribution) -> bool {
    if package.version.as_deref().map(normal_version) != Some(normal_version(&found.version)) {
        return false;
    }
    match &package.source {
        Source::Git { commit } => {
            let vcs = found.origin.as_ref().and_then(|origin| origin.vcs_info.as_ref());
            vcs.is_some_and(|vcs| vcs.commit_id == *commit)
        }
        Source::Archive(_) | Source::Project => true,
    }
}

/// A version as locks write it: lower case, numbers without leading zeros.
fn normal_version(version: &str) -> String {
    let part = |part: &str| match part.trim_start_matches('0') {
        "" => "0".to_owned(),
        rest if part.bytes().all(|byte| byte.is_ascii_digit()) => rest.to_owned(),
        _ => part.to_lowercase(),
    };
    version.split('.').map(part).collect::<Vec<_>>().join(".")
}
