//! What is looked at, each part of it found once and kept, with what went wrong where it could not be found.

use std::{cell::OnceCell, collections::BTreeMap, fs};

use camino::Utf8PathBuf;
use runmill_host::git::{PrivateDir, Repository, Target};
use runmill_manifest::{Check, ChecksManifest, OperatorPolicy, checks, policy};
use runmill_model::{CommitId, Problem, Problems, RepoPath};
use runmill_pipeline::{Machine, PolicyFile, Silent, checks_at};
use runmill_store::Store;

use crate::{args::Global, command::session};

/// A repository and the machine it is on.
pub struct Patient<'g> {
    global: &'g Global,
    base: Option<&'g str>,
    environment: BTreeMap<String, String>,
    repository: Result<Repository, Problem>,
    target: OnceCell<Result<Target, Problem>>,
    policy: OnceCell<Result<Policy, Problems>>,
    manifest: OnceCell<Result<Option<Manifest>, Problems>>,
    next: OnceCell<Result<Next, Problem>>,
}

/// The commit that checks are tried on.
pub struct Next {
    /// The repository, with the commit in it.
    pub repository: Repository,
    /// The one that is checked out; with what `init` writes on top, where that is not committed yet.
    pub commit: CommitId,
    /// Where a commit that nobody made yet is kept.
    _room: Option<PrivateDir>,
}

/// The operator's policy and where it is from.
pub struct Policy {
    /// The file; none for the built-in defaults.
    pub file: Option<PolicyFile>,
    /// What holds.
    pub policy: OperatorPolicy,
}

/// The manifest that the next change carries.
pub struct Manifest {
    /// Its checks.
    pub checks: ChecksManifest,
    /// Whether it is committed as it is in the work tree.
    pub state: ManifestState,
}

/// How the manifest of the work tree stands to the commit that is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestState {
    /// The same.
    Committed,
    /// Changed, or new.
    Uncommitted,
}

impl<'g> Patient<'g> {
    /// Finds the repository; the rest is looked for when it is asked for.
    pub fn admit(global: &'g Global, base: Option<&'g str>) -> Self {
        let found =
            session::start(global).and_then(|start| Repository::discover(&start).map_err(|error| error.problem()));
        Self {
            global,
            base,
            environment: session::environment(),
            repository: found,
            target: OnceCell::new(),
            policy: OnceCell::new(),
            manifest: OnceCell::new(),
            next: OnceCell::new(),
        }
    }

    /// The environment of this process.
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// The repository.
    pub fn repository(&self) -> Result<&Repository, &Problem> {
        self.repository.as_ref()
    }

    /// What a change would merge into.
    pub fn target(&self) -> Result<&Target, &Problem> {
        let find = || {
            let repository = self.repository().map_err(Clone::clone)?;
            let found = match self.base {
                Some(base) => repository.resolve(base).map(|commit| Target { name: base.to_owned(), commit }),
                None => repository.default_target(),
            };
            found.map_err(|error| error.problem())
        };
        self.target.get_or_init(find).as_ref()
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Result<CommitId, Problem> {
        let repository = self.repository().map_err(Clone::clone)?;
        repository.resolve("HEAD").map_err(|error| error.problem())
    }

    /// The commit that checks are tried on.
    pub fn next(&self) -> Result<&Next, &Problem> {
        self.next.get_or_init(|| self.find_next()).as_ref()
    }

    fn find_next(&self) -> Result<Next, Problem> {
        let found = self.repository().map_err(Clone::clone)?;
        let mut repository = Repository::discover(found.work_dir()).map_err(|error| error.problem())?;
        let head = self.head()?;
        let files = self.written_files(&head);
        if files.is_empty() {
            return Ok(Next { repository, commit: head, _room: None });
        }
        let store = Store::open(&self.state_dir()?).map_err(|error| error.problem())?;
        let room = PrivateDir::create_and_sweep(&store.work()).map_err(|error| error.problem())?;
        let commit = repository.draft(&head, &files, room.path()).map_err(|error| error.problem())?;
        Ok(Next { repository, commit, _room: Some(room) })
    }

    /// What is written beside the manifest and into `.gitignore` and not committed as it is.
    fn written_files(&self, head: &CommitId) -> Vec<(RepoPath, Vec<u8>)> {
        let (Ok(repository), Ok(policy)) = (self.repository(), self.policy()) else { return Vec::new() };
        let manifest = policy.policy.verification().manifest();
        let beside = manifest.as_str().rsplit_once('/').map(|(dir, _)| repository.work_dir().join(dir));
        let entries = beside.and_then(|dir| dir.read_dir_utf8().ok()).into_iter().flatten().filter_map(Result::ok);
        let found = entries.map(|entry| entry.path().to_owned());
        let found = found.chain([manifest.as_str(), ".gitignore"].map(|path| repository.work_dir().join(path)));
        let changed = found.filter_map(|path| {
            let name = RepoPath::new(path.strip_prefix(repository.work_dir()).ok()?.as_str()).ok()?;
            let text = path.symlink_metadata().ok()?.is_file().then(|| fs::read(&path).ok())??;
            let committed = repository.read_file(head, &name).ok().flatten();
            (committed.as_ref() != Some(&text)).then_some((name, text))
        });
        changed.collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    /// The operator's policy.
    pub fn policy(&self) -> Result<&Policy, &Problems> {
        let read = || -> Result<Policy, Problems> {
            let repository = self.repository().map_err(Clone::clone)?;
            let file = session::policy(self.global, &self.environment, repository.work_dir())?;
            let parsed = file.as_ref().map(|file| policy::parse(&file.name, &file.text)).transpose()?;
            Ok(Policy { policy: parsed.unwrap_or_default(), file })
        };
        self.policy.get_or_init(read).as_ref()
    }

    /// The manifest in the work tree, or the one of the commit that is checked out; none where there is neither.
    pub fn manifest(&self) -> Result<Option<&Manifest>, &Problems> {
        let read = || -> Result<Option<Manifest>, Problems> {
            let repository = self.repository().map_err(Clone::clone)?;
            let path = self.policy().map_err(Clone::clone)?.policy.verification().manifest();
            let written = fs::read(repository.work_dir().join(path.as_str())).ok();
            let head = self.head().ok();
            let committed = head.as_ref().and_then(|head| repository.read_file(head, path).ok().flatten());
            if let Some(written) = written.filter(|written| committed.as_ref() != Some(written)) {
                let text = String::from_utf8_lossy(&written);
                let checks = checks::parse(path.as_str(), &text)?;
                return Ok(Some(Manifest { checks, state: ManifestState::Uncommitted }));
            }
            let Some(head) = head else { return Ok(None) };
            let found = checks_at(repository, &head, path, "HEAD")?;
            Ok(found.map(|checks| Manifest { checks, state: ManifestState::Committed }))
        };
        self.manifest.get_or_init(read).as_ref().map(Option::as_ref)
    }

    /// Every check by the definition that governs it: the operator's, then the manifest's.
    pub fn checks(&self) -> Vec<Check> {
        let operator = self.policy().map(|policy| policy.policy.verification().commands()).unwrap_or_default();
        let own = self.manifest().ok().flatten().map(|manifest| manifest.checks.checks()).unwrap_or_default();
        let mut all: BTreeMap<_, _> = own.iter().map(|check| (check.id(), check)).collect();
        all.extend(operator.iter().map(|check| (check.id(), check)));
        all.into_values().cloned().collect()
    }

    /// The state directory.
    pub fn state_dir(&self) -> Result<Utf8PathBuf, Problem> {
        let repository = self.repository().map_err(Clone::clone)?;
        session::state_dir(self.global, &self.environment, repository.work_dir())
    }

    /// A path as a person would write it: `~` for the home directory.
    pub fn shown(&self, path: &str) -> String {
        let home = self.environment.get("HOME").filter(|home| home.len() > 1).map(|home| home.trim_end_matches('/'));
        match home.and_then(|home| path.strip_prefix(home)) {
            Some(rest) if rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }

    /// Runs something with a machine that records nothing.
    pub fn with_machine<T>(&self, run: impl FnOnce(Machine<'_>) -> Result<T, Problems>) -> Result<T, Problems> {
        let store = Store::open(&self.state_dir()?).map_err(|error| error.problem())?;
        let clock = runmill_host::clock::Clock::System;
        let id = session::run_id(clock)?;
        let interrupt = runmill_host::interrupt::Interrupt::new();
        let interrupt = interrupt.map_err(|error| {
            let message = format!("cannot make an interrupt: {error}");
            Problem::new(runmill_model::Code::Internal001, message, "raise the limit on open files")
        })?;
        run(Machine {
            store: &store,
            environment: &self.environment,
            clock,
            run: &id,
            interrupt: &interrupt,
            progress: &Silent,
        })
    }
}
