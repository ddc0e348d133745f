//! Control groups: the limits on processes and memory of a whole tree, where this user may make groups.

use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Limits, protocol::ProcessLimits};

/// Processes of ours in the group beside the check's: the outer helper and process 1.
const OURS: u64 = 2;

/// How often an emptied group is asked to go: the kernel may need a moment after its last process.
const ATTEMPTS: u32 = 50;
const MOMENT: Duration = Duration::from_millis(10);

/// The groups of one invocation; gone when dropped.
#[derive(Debug, Default)]
pub(super) struct Groups {
    directories: Vec<Utf8PathBuf>,
    /// Where the kernel counts processes that it killed for memory.
    kills: Option<Utf8PathBuf>,
    /// What no group enforces.
    pub(super) left: ProcessLimits,
    /// Notes for the record.
    pub(super) notes: Vec<String>,
}

/// A limited resource.
#[derive(Debug, Clone, Copy)]
struct Controller {
    name: &'static str,
    /// Limit file and count of kills, in version 2.
    unified: (&'static str, &'static str),
    /// The same in version 1.
    legacy: (&'static str, &'static str),
}

const PIDS: Controller = Controller { name: "pids", unified: ("pids.max", ""), legacy: ("pids.max", "") };
const MEMORY: Controller = Controller {
    name: "memory",
    unified: ("memory.max", "memory.events"),
    legacy: ("memory.limit_in_bytes", "memory.oom_control"),
};

impl Groups {
    /// Makes groups for these limits, as far as this user may.
    pub(super) fn make(limits: &Limits) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}{}-{}", prefix(), std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
        let mut groups = Self::default();
        if groups.limit(PIDS, &name, limits.processes.saturating_add(OURS)).is_none() {
            groups.left.processes = Some(limits.processes);
            groups.notes.extend(unlimited_processes());
        }
        if groups.limit(MEMORY, &name, limits.memory).is_none() {
            groups.left.memory = Some(limits.memory);
            groups.notes.push("memory limit: enforced per process only (no control group may be made here)".into());
        }
        groups
    }

    /// Removes groups of processes that were killed before they could.
    pub(super) fn sweep() {
        let Some(host) = Host::read() else { return };
        let prefix = prefix();
        let controllers = [PIDS, MEMORY];
        let parents = controllers
            .into_iter()
            .flat_map(|controller| [host.unified_parents(controller), host.legacy_parents(controller)]);
        for group in parents.flatten().filter_map(|parent| parent.read_dir_utf8().ok()).flatten().flatten() {
            let maker =
                group.file_name().strip_prefix(&prefix).and_then(|rest| rest.split_once('-')).map(|(pid, _)| pid);
            if maker.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
                let _ = fs::remove_dir(group.path());
            }
        }
    }

    /// Files the helper writes its process id to.
    pub(super) fn entries(&self) -> Vec<Utf8PathBuf> {
        self.directories.iter().map(|directory| directory.join("cgroup.procs")).collect()
    }

    /// Whether the kernel killed a process of the tree for memory.
    pub(super) fn killed_for_memory(&self) -> bool {
        let text = self.kills.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        text.lines().filter_map(|line| line.strip_prefix("oom_kill ")).any(|count| count.trim() != "0")
    }

    fn limit(&mut self, controller: Controller, name: &str, value: u64) -> Option<()> {
        let host = Host::read()?;
        let unified = host.unified_parents(controller).into_iter().map(|parent| (parent, controller.unified));
        let legacy = host.legacy_parents(controller).into_iter().map(|parent| (parent, controller.legacy));
        for (parent, (limit, kills)) in unified.chain(legacy) {
            let directory = parent.join(name);
            let made = !self.directories.contains(&directory);
            if made && fs::create_dir(&directory).is_err() {
                continue;
            }
            if may_enter(&parent, &directory) && write_limit(&directory.join(limit), value).is_ok() {
                self.kills = self.kills.take().or_else(|| (!kills.is_empty()).then(|| directory.join(kills)));
                if made {
                    self.directories.push(directory);
                }
                return Some(());
            }
            if made {
                let _ = fs::remove_dir(&directory);
            }
        }
        None
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for directory in &self.directories {
            for _ in 0..ATTEMPTS {
                match fs::remove_dir(directory) {
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(MOMENT),
                    _ => break,
                }
            }
        }
    }
}

/// How names of groups begin: process ids mean something in their own PID namespace only.
fn prefix() -> String {
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let number: String = namespace.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    format!("runmill-{number}-")
}

/// User 0 of the machine is above RLIMIT_NPROC.
fn unlimited_processes() -> Option<String> {
    rustix::process::geteuid()
        .is_root()
        .then(|| "process limit: not enforced (no control group may be made here)".into())
}

/// Moving a process needs write access to the group it enters and to the one above both.
fn may_enter(parent: &Utf8Path, directory: &Utf8Path) -> bool {
    [parent, directory]
        .iter()
        .all(|group| rustix::fs::access(group.join("cgroup.procs").as_std_path(), rustix::fs::Access::WRITE_OK).is_ok())
}

fn write_limit(file: &Utf8Path, value: u64) -> io::Result<()> {
    // Create would make a plain file where the directory is no control group.
    let mut file = fs::File::options().write(true).open(file)?;
    io::Write::write_all(&mut file, value.to_string().as_bytes())
}

/// Where this process is in the control groups of the host.
struct Host {
    /// Lines of `/proc/self/cgroup`.
    memberships: String,
    /// Lines of `/proc/self/mountinfo`.
    mounts: String,
}

impl Host {
    fn read() -> Option<Self> {
        let read = |path: &str| fs::read_to_string(Path::new(path)).ok();
        Some(Self { memberships: read("/proc/self/cgroup")?, mounts: read("/proc/self/mountinfo")? })
    }

    /// Groups of version 2 whose children may have this controller: this process's own group and those above it.
    fn unified_parents(&self, controller: Controller) -> Vec<Utf8PathBuf> {
        let Some(own) = self.directory("", "cgroup2") else { return Vec::new() };
        let mount = self.mount("cgroup2", "").map(|(at, _)| at).unwrap_or_default();
        let gives = |group: &&Utf8Path| {
            let given = fs::read_to_string(group.join("cgroup.subtree_control")).unwrap_or_default();
            group.starts_with(&mount) && given.split_whitespace().any(|name| name == controller.name)
        };
        own.ancestors().filter(gives).map(Utf8Path::to_owned).collect()
    }

    /// The group of version 1 of this process.
    fn legacy_parents(&self, controller: Controller) -> Vec<Utf8PathBuf> {
        self.directory(controller.name, "cgroup").into_iter().collect()
    }

    /// The directory of this process's group in the hierarchy with this controller; version 2 has the empty name.
    fn directory(&self, controller: &str, kind: &str) -> Option<Utf8PathBuf> {
        let path = self.memberships.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            controllers.split(',').any(|name| name == controller).then_some(path)
        })?;
        let (at, root) = self.mount(kind, controller)?;
        let below = Utf8Path::new(path).strip_prefix(root).ok()?;
        Some(if below.as_str().is_empty() { at } else { at.join(below) })
    }

    /// Where a hierarchy is mounted, and which of its groups is there.
    fn mount(&self, kind: &str, controller: &str) -> Option<(Utf8PathBuf, &str)> {
        self.mounts.lines().find_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let (mut before, mut after) = (before.split(' ').skip(3), after.split(' '));
            let (root, at) = (before.next()?, before.next()?);
            let (found, options) = (after.next()?, after.nth(1)?);
            let fits =
                found == kind && (controller.is_empty() || options.split(',').any(|option| option == controller));
            fits.then(|| (at.into(), root))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_own_group_in_both_versions() {
        let host = Host {
            memberships: "8:pids:/a\n4:memory,x:/m/own\n0::/user.slice/s.scope\n".into(),
            mounts: "30 25 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                     31 25 0:27 /m /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory,x\n\
                     32 25 0:28 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
                .into(),
        };
        let found =
            [host.directory("pids", "cgroup"), host.directory("memory", "cgroup"), host.directory("", "cgroup2")];
        let expect =
            ["/sys/fs/cgroup/pids/a", "/sys/fs/cgroup/memory/own", "/sys/fs/cgroup/unified/user.slice/s.scope"];
        assert_eq!(found.map(|path| path.unwrap().into_string()), expect);
        assert_eq!(host.directory("cpu", "cgroup"), None);
    }
}
