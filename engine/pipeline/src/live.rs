//! Commands on the live working tree: the executor of receipts and sessions. The same sandbox as for a commit, with another tree.

use std::{collections::BTreeSet, time::Duration};

use runmill_host::{
    environment,
    git::{LiveView, PrivateDir, Repository},
    redact::{self, Secrets},
    sandbox::{self, Exited, Keep, Sandbox, SandboxError, Spec},
    toolchain::{self, Toolchains},
};
use runmill_manifest::{EnvName, LimitSettings, OperatorPolicy};
use runmill_model::{Code, Isolation, Problem, RepoPath, SandboxMode};

use crate::Machine;

/// A working tree that commands can run on.
pub(crate) struct Live<'a> {
    repository: &'a Repository,
    policy: &'a OperatorPolicy,
    machine: Machine<'a>,
    secrets: &'a Secrets,
    toolchains: Toolchains,
    sandbox: Sandbox,
    view: LiveView,
    room: PrivateDir,
}

/// One command.
pub(crate) struct Order<'a> {
    /// What is executed, exactly.
    pub(crate) argv: &'a [String],
    /// How long it may take.
    pub(crate) timeout: Duration,
    /// Variables that the operator passes on from the caller's environment.
    pub(crate) env: &'a BTreeSet<EnvName>,
    /// What it may write.
    pub(crate) mode: SandboxMode,
    /// How much of each stream is kept.
    pub(crate) keep: Keep,
    /// How many bytes both streams may have together at least, whatever the limit is otherwise.
    pub(crate) output: u64,
}

/// What a command did, and with which environment, secrets replaced.
pub(crate) struct Ran {
    pub(crate) exited: Exited,
    pub(crate) environment: Vec<(String, String)>,
}

/// The values to keep out of everything that is shown or kept.
pub(crate) fn secrets(machine: Machine<'_>) -> Secrets {
    Secrets::from_env(machine.environment, &[])
}

/// Refuses a state directory that a command could reach through the working tree.
pub(crate) fn refuse_state_in(repository: &Repository, machine: Machine<'_>) -> Result<(), Problem> {
    let root = machine.store.root();
    let real = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
    if !real.starts_with(repository.work_dir()) {
        return Ok(());
    }
    let message =
        format!("the state directory `{root}` lies in the working tree, where a command could read and change it");
    Err(Problem::new(Code::State001, message, "name a directory outside of it with `--state-dir`"))
}

impl<'a> Live<'a> {
    /// Proves the sandbox and lays out what a view of the working tree needs beside it.
    pub(crate) fn open(
        repository: &'a Repository,
        policy: &'a OperatorPolicy,
        machine: Machine<'a>,
        secrets: &'a Secrets,
    ) -> Result<Self, Problem> {
        refuse_state_in(repository, machine)?;
        if policy.verification().isolation() == Isolation::Landlock {
            let message =
                "`isolation: landlock` needs a private copy of the tree, and commands on the working tree have none";
            let help = "run where namespaces are available, and take `isolation` out of the policy";
            return Err(Problem::new(Code::Sandbox001, message, help));
        }
        let home = machine.environment.get("HOME").map(String::as_str).unwrap_or_default();
        let mut hide = repository.private_dirs();
        hide.push(machine.store.root().to_owned());
        let sandbox = Sandbox::probe(sandbox::Config::new(home, hide)).map_err(SandboxError::whole)?;
        let room = PrivateDir::create_and_sweep(&machine.store.work()).map_err(|error| error.problem())?;
        let view = repository.live_view(room.path()).map_err(|error| error.problem())?;
        let toolchains = toolchain::find(machine.environment);
        Ok(Self { repository, policy, machine, secrets, toolchains, sandbox, view, room })
    }

    /// Runs one command to its end.
    pub(crate) fn run(&self, order: &Order<'_>, hear: &dyn Fn(&[u8])) -> Result<Ran, SandboxError> {
        let spec = self.spec(order);
        let environment = spec.env.iter().map(|(name, value)| (name.clone(), self.shown(name, value))).collect();
        let heard = (hear as sandbox::Hear<'_>, order.keep);
        let exited = self.sandbox.run_keeping(&spec, self.secrets, self.machine.interrupt, heard)?;
        Ok(Ran { exited, environment })
    }

    /// Removes what was laid out.
    pub(crate) fn close(self) -> Result<(), Problem> {
        self.room.remove().map_err(|error| error.problem())
    }

    fn shown(&self, name: &str, value: &str) -> String {
        if redact::looks_secret(name) {
            redact::REPLACEMENT.to_owned()
        } else {
            self.secrets.redact(value).into_owned()
        }
    }

    fn spec(&self, order: &Order<'_>) -> Spec {
        let operator = order.env.iter().map(|name| name.as_str().to_owned()).collect();
        let rules = environment::Rules { operator, ..environment::Rules::default() };
        let limits = LimitSettings::default().under(self.policy.verification().limits());
        let tree = match order.mode {
            SandboxMode::ReadOnly => sandbox::Tree::Live,
            SandboxMode::WorkspaceWrite => sandbox::Tree::LiveWritable,
        };
        let LiveView { tree: lower, git_dir, object_dirs } = &self.view;
        let mut toolchains = self.toolchains.clone();
        toolchains.visible.extend(object_dirs.iter().cloned());
        Spec {
            view: sandbox::View { lower: lower.clone(), tree, git_dir: Some(git_dir.clone()) },
            cwd: RepoPath::root(),
            argv: order.argv.to_vec(),
            env: environment::build(&rules, self.machine.environment, &self.toolchains).vars,
            report: None,
            scratch: Vec::new(),
            overlays: Vec::new(),
            mounts: Vec::new(),
            // Environments beside the sources name themselves by their absolute path.
            checkout_at: Some(self.repository.work_dir().to_owned()),
            toolchains,
            limits: sandbox::Limits {
                timeout: order.timeout,
                memory: limits.memory().bytes(),
                processes: limits.processes().into(),
                output: limits.output().bytes().max(order.output),
                file_size: limits.file_size().bytes(),
            },
        }
    }
}
