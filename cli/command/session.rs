//! What a verb that runs checks needs of this process: where it is, where it records, when it stops.

use std::{
    collections::BTreeMap,
    fs, io,
    time::{SystemTime, UNIX_EPOCH},
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::{clock::Clock, interrupt::Interrupt};
use runmill_model::{Code, Digest, Problem, RunId};
use runmill_pipeline::PolicyFile;

use crate::args::Global;

/// The environment of this process, as far as it is UTF-8.
pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The directory the repository is looked for from.
pub fn start(global: &Global) -> Result<Utf8PathBuf, Problem> {
    if let Some(repo) = &global.repo {
        return Ok(repo.clone());
    }
    let unusable = |what: String| Problem::new(Code::Repo001, what, "name the repository with `--repo`");
    let dir =
        std::env::current_dir().map_err(|error| unusable(format!("cannot tell the working directory: {error}")))?;
    Utf8PathBuf::from_path_buf(dir).map_err(|dir| unusable(format!("`{}` is not UTF-8", dir.display())))
}

/// The state directory of a repository: the given one, or `$XDG_STATE_HOME/runmill/projects/<project>`.
pub fn state_dir(
    global: &Global,
    environment: &BTreeMap<String, String>,
    repository: &Utf8Path,
) -> Result<Utf8PathBuf, Problem> {
    // An empty variable is as good as none; it must not make the working directory the store.
    if let Some(dir) = global.state_dir.as_ref().filter(|dir| !dir.as_str().is_empty()) {
        return Ok(absolute(dir));
    }
    let home = xdg(environment, "XDG_STATE_HOME", ".local/state").ok_or_else(|| {
        Problem::new(Code::State001, "neither XDG_STATE_HOME nor HOME is set", "name a directory with `--state-dir`")
    })?;
    Ok(home.join("runmill/projects").join(project(repository)))
}

/// The operator's policy: the named file, or the project's own where there is one.
pub fn policy(
    global: &Global,
    environment: &BTreeMap<String, String>,
    repository: &Utf8Path,
) -> Result<Option<PolicyFile>, Problem> {
    let Some(path) = policy_path(global, environment, repository) else { return Ok(None) };
    read_policy(path, global.policy.is_some())
}

/// The policy file that is named on the command line.
pub fn named_policy(global: &Global) -> Result<Option<PolicyFile>, Problem> {
    global.policy.clone().map_or(Ok(None), |path| read_policy(path, true))
}

fn read_policy(path: Utf8PathBuf, named: bool) -> Result<Option<PolicyFile>, Problem> {
    match fs::read(&path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| {
                Problem::new(Code::Config001, format!("`{path}` is not UTF-8"), "save the policy as UTF-8 text")
            })?;
            let trust = fs::read(path.with_file_name("trust.json")).ok();
            Ok(Some(PolicyFile { name: path.into_string(), text, trust }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !named => Ok(None),
        Err(error) => Err(Problem::new(
            Code::Config001,
            format!("cannot read the operator policy `{path}`: {error}"),
            "correct the path given to `--policy`, or make the file readable",
        )),
    }
}

/// Where the operator's policy is: the named file, or the project's own, whether or not it is there. None without a home.
pub fn policy_path(
    global: &Global,
    environment: &BTreeMap<String, String>,
    repository: &Utf8Path,
) -> Option<Utf8PathBuf> {
    let own = || {
        let home = xdg(environment, "XDG_CONFIG_HOME", ".config")?;
        Some(home.join("runmill/projects").join(project(repository)).join("policy.yaml"))
    };
    global.policy.clone().or_else(own)
}

/// A name for a run that starts now: `YYYYMMDDthhmmss-` and eight hex digits.
pub fn run_id(clock: Clock) -> Result<RunId, Problem> {
    let now = clock.now().to_string();
    let stamp: String = now.chars().take(19).filter(char::is_ascii_alphanumeric).collect();
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let salt = Digest::of(format!("{nanos} {}", std::process::id()).as_bytes()).hex();
    let id = format!("{}-{}", stamp.to_lowercase(), salt.get(..8).unwrap_or_default());
    RunId::new(id).map_err(|error| Problem::new(Code::Internal001, error.to_string(), "report this"))
}

/// The wish to stop, raised by Ctrl-C and its kin.
pub fn interrupt() -> Result<Interrupt, Problem> {
    Interrupt::from_signals().map_err(|error| {
        Problem::new(
            Code::Internal001,
            format!("cannot watch for interrupts: {error}"),
            "raise the limit on open files",
        )
    })
}

/// How many invocations run at once when nobody says.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn xdg(environment: &BTreeMap<String, String>, name: &str, below_home: &str) -> Option<Utf8PathBuf> {
    let absolute = |name| environment.get(name).filter(|dir| dir.starts_with('/')).map(Utf8PathBuf::from);
    absolute(name).or_else(|| absolute("HOME").map(|home| home.join(below_home)))
}

/// The folder's name, `-`, and ten hex digits of the digest of its real path.
fn project(repository: &Utf8Path) -> String {
    let real = repository.canonicalize_utf8().unwrap_or_else(|_| repository.to_owned());
    let digest = Digest::of(real.as_str().as_bytes()).hex();
    format!("{}-{}", real.file_name().unwrap_or("root"), digest.get(..10).unwrap_or_default())
}

fn absolute(dir: &Utf8Path) -> Utf8PathBuf {
    camino::absolute_utf8(dir).unwrap_or_else(|_| dir.to_owned())
}
