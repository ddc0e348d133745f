//! A person's directories, made up for a test: a work tree, a home, a state directory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;

use crate::{
    Cache, Fault, FaultKind, ForChange, Machine, Need, Prepared, Sides, commit::made_up::Commit, for_change,
    machine::Node, prepare,
};

/// The directories.
pub(crate) struct Site {
    directory: tempfile::TempDir,
    pub(crate) node: Node,
}

impl Site {
    pub(crate) fn new() -> Self {
        let site = Self {
            directory: tempfile::Builder::new().prefix("runmill-site-").tempdir().unwrap(),
            node: Node { platform: "linux".into(), arch: "x64".into(), abi: "115".into() },
        };
        ["work", "home", "state"].iter().for_each(|name| fs::create_dir(site.root().join(name)).unwrap());
        site
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().canonicalize_utf8().unwrap()
    }

    pub(crate) fn work(&self, path: &str) -> Utf8PathBuf {
        self.root().join("work").join(path)
    }

    pub(crate) fn home(&self, path: &str) -> Utf8PathBuf {
        self.root().join("home").join(path)
    }

    /// Writes a file, whatever was in its place.
    pub(crate) fn write(&self, path: &Utf8Path, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn link(&self, path: &Utf8Path, target: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    pub(crate) fn machine(&self) -> Machine {
        let environment = BTreeMap::from([("HOME".to_owned(), self.home("").to_string())]);
        Machine::new(self.work("").as_str().trim_end_matches('/'), environment).with_node(self.node.clone())
    }

    pub(crate) fn cache(&self) -> Cache {
        Cache::open(&self.root().join("state")).unwrap()
    }

    pub(crate) fn prepare(&self, ecosystem: Ecosystem, commit: &Commit) -> Result<Prepared, Fault> {
        prepare(&need(ecosystem), commit, &self.machine(), &self.cache())
    }

    /// What a check of a change needs, with these commits as target, base and candidate.
    pub(crate) fn change(&self, ecosystem: Ecosystem, commits: [&Commit; 3]) -> Result<ForChange, Fault> {
        let [target, base, candidate] = commits;
        let sides = Sides { target, base, candidate };
        let needs = BTreeSet::from([need(ecosystem)]);
        for_change(&needs, &needs, sides, &self.machine(), &self.cache()).map_err(|faults| faults[0].clone())
    }
}

/// In the directory of the checkout.
pub(crate) fn need(ecosystem: Ecosystem) -> Need {
    Need { ecosystem, cwd: RepoPath::root() }
}

/// The fault has this kind, says this, and its help says that.
#[track_caller]
pub(crate) fn refused<T>(result: Result<T, Fault>, kind: FaultKind, message: &str, help: &str) {
    let fault = result.err().expect("a fault");
    let problem = fault.problem();
    assert_eq!(fault.kind(), kind, "{}", problem.message);
    assert!(problem.message.contains(message), "{}", problem.message);
    assert!(problem.help.contains(help), "{}", problem.help);
    assert!(!problem.message.contains('\n') && !problem.message.ends_with('.'), "{}", problem.message);
}

/// Everything below a directory: files with their text, links with their target.
pub(crate) fn listing(dir: &Utf8Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in next.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(dir).unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                pending.push(entry.path().to_owned());
            } else if kind.is_symlink() {
                all.push(format!("{name} -> {}", entry.path().read_link_utf8().unwrap()));
            } else {
                all.push(name.to_string());
            }
        }
    }
    all.sort();
    all
}
