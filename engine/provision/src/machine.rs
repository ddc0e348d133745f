//! What of the machine decides which dependencies fit: platform, interpreters, and where package managers keep what they
//! installed.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RepoPath;

/// The machine a check will run on, as runmill was started there.
#[derive(Debug)]
pub struct Machine {
    work_dir: Utf8PathBuf,
    environment: BTreeMap<String, String>,
    node: OnceLock<Result<Node, String>>,
}

/// The Node.js of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// As in `process.platform`.
    pub(crate) platform: String,
    /// As in `process.arch`.
    pub(crate) arch: String,
    /// As in `process.versions.modules`.
    pub(crate) abi: String,
}

impl Machine {
    /// The work tree whose installed dependencies are meant, absolute and without links, and the environment runmill has.
    pub fn new(work_dir: impl Into<Utf8PathBuf>, environment: BTreeMap<String, String>) -> Self {
        Self { work_dir: work_dir.into(), environment, node: OnceLock::new() }
    }

    /// The work tree.
    pub fn work_dir(&self) -> &Utf8Path {
        &self.work_dir
    }

    /// A path of the checkout, in the work tree.
    pub(crate) fn at(&self, path: &RepoPath) -> Utf8PathBuf {
        if path.is_root() { self.work_dir.clone() } else { self.work_dir.join(path.as_str()) }
    }

    /// Operating system, processor and C library, as a key has them.
    pub(crate) fn platform(&self) -> String {
        format!("{}-{}-{}", std::env::consts::OS, std::env::consts::ARCH, self.libc())
    }

    /// `glibc` or `musl`, as packages name it.
    pub(crate) fn libc(&self) -> &'static str {
        let loaders = ["/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];
        let has_glibc = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
        let exists = |paths: &[&str]| paths.iter().any(|path| Utf8Path::new(path).exists());
        if exists(&loaders) && !exists(&has_glibc) { "musl" } else { "glibc" }
    }

    /// A directory that a variable names, or one below the home directory.
    pub(crate) fn directory(&self, variable: &str, default: &str) -> Utf8PathBuf {
        self.named(variable).unwrap_or_else(|| self.home().join(default))
    }

    /// The directory that a variable names.
    pub(crate) fn named(&self, variable: &str) -> Option<Utf8PathBuf> {
        self.environment.get(variable).filter(|value| value.starts_with('/')).map(Utf8PathBuf::from)
    }

    fn home(&self) -> Utf8PathBuf {
        self.environment
            .get("HOME")
            .filter(|home| home.starts_with('/'))
            .map_or("/nonexistent".into(), Utf8PathBuf::from)
    }

    /// The first program of this name in PATH that is not part of the work tree.
    pub(crate) fn program(&self, name: &str) -> Option<Utf8PathBuf> {
        let path = self.environment.get("PATH").map_or("", String::as_str);
        let directories = path.split(':').filter(|directory| directory.starts_with('/')).map(Utf8Path::new);
        directories
            .filter(|directory| !directory.starts_with(&self.work_dir))
            .map(|directory| directory.join(name))
            .find(|program| program.is_file())
    }

    /// What the `node` of PATH is. Asked once; nothing of the repository is run.
    pub(crate) fn node(&self) -> Result<&Node, &str> {
        self.node.get_or_init(|| self.ask_node()).as_ref().map_err(String::as_str)
    }

    fn ask_node(&self) -> Result<Node, String> {
        let program = self.program("node").ok_or("there is no `node` in PATH")?;
        let words = "[process.platform, process.arch, process.versions.modules].join(' ')";
        let text = self.ask(&program, &["-p", words])?;
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            [platform, arch, abi] => {
                Ok(Node { platform: (*platform).into(), arch: (*arch).into(), abi: (*abi).into() })
            }
            _ => Err(format!("`{program}` does not say what it is")),
        }
    }

    /// What a program of the machine prints, in a directory without a project and with an environment of its own.
    pub(crate) fn ask(&self, program: &Utf8Path, args: &[&str]) -> Result<String, String> {
        let kept = ["PATH", "HOME", "NVM_DIR", "PYENV_ROOT", "VOLTA_HOME", "FNM_DIR", "ASDF_DATA_DIR", "GOROOT"];
        let environment = self.environment.iter().filter(|(name, _)| kept.contains(&name.as_str()));
        let output = Command::new(program)
            .args(args)
            .env_clear()
            .envs(environment)
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start `{program}`: {error}"))?;
        if !output.status.success() {
            return Err(format!("`{program}` does not run: {}", output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    #[cfg(test)]
    pub(crate) fn with_node(self, node: Node) -> Self {
        let _first = self.node.set(Ok(node));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_of_the_work_tree_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        for place in ["tree/bin", "outside"] {
            std::fs::create_dir_all(root.join(place)).unwrap();
            std::fs::write(root.join(place).join("node"), "").unwrap();
        }
        let path = format!("relative:{root}/tree/bin:{root}/outside");
        let machine = Machine::new(root.join("tree"), BTreeMap::from([("PATH".to_owned(), path)]));
        assert_eq!(machine.program("node"), Some(root.join("outside/node")));
        assert_eq!(machine.program("absent"), None);
    }

    #[test]
    fn a_node_that_fails_is_none_whatever_it_prints() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        std::fs::write(root.join("node"), "#!/bin/sh\necho linux x64 115\nexit 3\n").unwrap();
        std::fs::set_permissions(root.join("node"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let machine =
            Machine::new("/work-tree", BTreeMap::from([("PATH".to_owned(), format!("{root}:/usr/bin:/bin"))]));
        assert!(machine.node().unwrap_err().contains("does not run: exit status: 3"), "{:?}", machine.node());
    }

    #[test]
    fn a_machine_without_node_says_so() {
        let machine = Machine::new("/work-tree", BTreeMap::new());
        assert_eq!(machine.node(), Err("there is no `node` in PATH"));
    }
}
