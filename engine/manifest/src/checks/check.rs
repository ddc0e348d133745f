//! A check and its definition.

use std::collections::BTreeSet;

use runmill_model::{CheckId, Digest, RepoPath, canonical};
use serde::Serialize;

use super::{DeclaredSkip, LimitSettings, Limits, ReportSpec};
use crate::{Argv, Environment, InvalidValue, TimeSpan, words::words};

/// The time limit of a check that names none.
pub const DEFAULT_TIMEOUT: TimeSpan = TimeSpan::minutes(10);

words! {
    /// Whose dependencies are prepared for a check.
    Ecosystem {
        /// npm, from package-lock.json.
        Npm = "npm",
        /// pnpm.
        Pnpm = "pnpm",
        /// Yarn.
        Yarn = "yarn",
        /// Cargo.
        Cargo = "cargo",
        /// Go modules.
        Go = "go",
        /// Python distributions.
        Python = "python",
    }
}

/// A named command that must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    parts: Parts,
    digest: Digest,
}

/// The members of a check, before [`Check::new`] held them against each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) id: CheckId,
    pub(crate) description: Option<String>,
    pub(crate) argv: Argv,
    pub(crate) required: bool,
    pub(crate) timeout: TimeSpan,
    pub(crate) cwd: RepoPath,
    pub(crate) env: Environment,
    pub(crate) report: Option<ReportSpec>,
    pub(crate) declared_skips: Vec<DeclaredSkip>,
    pub(crate) scratch: Vec<RepoPath>,
    pub(crate) dependencies: BTreeSet<Ecosystem>,
    pub(crate) limits: LimitSettings,
    /// The folder whose manifest defines it.
    pub(crate) folder: RepoPath,
}

/// What an invocation of a check depends on, and nothing else. Its canonical JSON is what the definition digest covers.
///
/// Left out on purpose: `required`, `description` and the manifest's folder, which change no execution, and `declared_skips`, which are held
/// against results afterwards. Were they part of it, writing down a skip would make every recorded base inventory
/// one of another definition, and a change could not retire its own exception.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Definition<'a> {
    id: &'a CheckId,
    argv: &'a Argv,
    cwd: &'a RepoPath,
    timeout_ms: u64,
    env: &'a Environment,
    report: Option<&'a ReportSpec>,
    scratch: &'a [RepoPath],
    dependencies: &'a BTreeSet<Ecosystem>,
    limits: Limits,
}

impl Check {
    pub(crate) fn new(parts: Parts) -> Result<Self, InvalidValue> {
        let digest = canonical::digest(&parts.definition())
            .map_err(|error| InvalidValue::new(error.to_string(), "write plain texts and numbers"))?;
        Ok(Self { parts, digest })
    }

    /// Its members, to make another check of.
    pub(crate) fn into_parts(self) -> Parts {
        self.parts
    }

    /// The folder whose manifest defines it; the root for most.
    pub fn folder(&self) -> &RepoPath {
        &self.parts.folder
    }

    /// The same check with another command and without a report: a question to the place where it would run.
    ///
    /// # Errors
    /// The words have no canonical form.
    pub fn asking(&self, argv: Argv) -> Result<Self, InvalidValue> {
        Self::new(Parts { argv, report: None, declared_skips: Vec::new(), ..self.parts.clone() })
    }

    /// The same check, whose report may be replaced by renaming another file onto it; none when it has no report.
    ///
    /// # Errors
    /// It has no canonical form.
    pub fn with_atomic_report(&self) -> Result<Option<Self>, InvalidValue> {
        let Some(report) = self.report().cloned() else { return Ok(None) };
        Self::new(Parts { report: Some(report.replaced()), ..self.parts.clone() }).map(Some)
    }

    /// Its id, unique in its document.
    pub fn id(&self) -> &CheckId {
        &self.parts.id
    }

    /// What it is, for people.
    pub fn description(&self) -> Option<&str> {
        self.parts.description.as_deref()
    }

    /// What is executed.
    pub fn argv(&self) -> &Argv {
        &self.parts.argv
    }

    /// Whether it is required without anything else asking for it.
    pub fn is_required(&self) -> bool {
        self.parts.required
    }

    /// How long an invocation may take.
    pub fn timeout(&self) -> TimeSpan {
        self.parts.timeout
    }

    /// The working directory, inside the checkout.
    pub fn cwd(&self) -> &RepoPath {
        &self.parts.cwd
    }

    /// Variables beyond those every invocation has.
    pub fn env(&self) -> &Environment {
        &self.parts.env
    }

    /// The report it writes.
    pub fn report(&self) -> Option<&ReportSpec> {
        self.parts.report.as_ref()
    }

    /// Exceptions from the test inventory, each test once; empty without a report.
    pub fn declared_skips(&self) -> &[DeclaredSkip] {
        &self.parts.declared_skips
    }

    /// Private writable directories, sorted, none inside another.
    pub fn scratch(&self) -> &[RepoPath] {
        &self.parts.scratch
    }

    /// Prepared dependencies it needs.
    pub fn dependencies(&self) -> &BTreeSet<Ecosystem> {
        &self.parts.dependencies
    }

    /// Its limits, with the defaults where it names none.
    pub fn limits(&self) -> Limits {
        self.parts.limits.with_defaults()
    }

    /// Its limits as they were written, for [`LimitSettings::under`].
    pub fn limit_settings(&self) -> &LimitSettings {
        &self.parts.limits
    }

    /// What an invocation depends on.
    pub fn definition(&self) -> Definition<'_> {
        self.parts.definition()
    }

    /// SHA-256 over the canonical JSON of [`Self::definition`]: the members `id`, `argv`, `cwd`, `timeout_ms`,
    /// `env` {`allow` sorted, `set`}, `report` (null, or `path`, `format`, `identity`, `duplicates`, `atomic`),
    /// `scratch` sorted, `dependencies` in the order of [`Ecosystem::ALL`], `limits` (`memory`, `processes`, `output`,
    /// `file_size`; sizes in bytes) with every default filled in.
    /// How the file spells it (`run` or `argv`, `10m` or `600s`) makes no difference.
    pub fn definition_digest(&self) -> Digest {
        self.digest
    }
}

impl Parts {
    fn definition(&self) -> Definition<'_> {
        Definition {
            id: &self.id,
            argv: &self.argv,
            cwd: &self.cwd,
            timeout_ms: self.timeout.as_millis(),
            env: &self.env,
            report: self.report.as_ref(),
            scratch: &self.scratch,
            dependencies: &self.dependencies,
            limits: self.limits.with_defaults(),
        }
    }
}
