//! The outside that is attacked, and how it looks.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    net::{TcpListener, UdpSocket},
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt,
        unix::{
            fs::MetadataExt,
            net::{SocketAddr, UnixListener},
        },
    },
    path::Path,
    process::{Child, Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};

use runmill_host::sandbox::Overlay;

use super::system;
use crate::fixture::{Fixture, repo, utf8};

/// What the attacker knows of the outside; more than a check would.
pub struct Ground {
    variables: BTreeMap<String, String>,
}

impl Ground {
    pub fn from_environment() -> Self {
        Self { variables: std::env::vars().collect() }
    }

    fn get(&self, name: &str) -> &str {
        self.variables.get(&format!("GROUND_{name}")).expect("a place of the ground")
    }

    /// A directory that stays in sight, of this user: `file`, `pipe`, `socket`.
    pub fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.get("SHOWN"))
    }

    /// The same directory, laid over the checkout.
    pub fn laid_over(&self, name: &str) -> String {
        format!("laid-over/{name}")
    }

    /// A directory that is hidden: `home/.ssh/id`, `state/run.json`, `repository/.git/config`, `socket`.
    pub fn hidden(&self, name: &str) -> String {
        format!("{}/{name}", self.get("HIDDEN"))
    }

    /// The process outside.
    pub fn victim(&self) -> i64 {
        self.get("VICTIM").parse().unwrap()
    }

    /// A word in its environment, and nowhere else.
    pub fn secret(&self) -> String {
        // In two parts, so that the attacker's own environment does not have it.
        ["sesame", self.get("VICTIM")].join("-")
    }

    pub fn tcp_port(&self) -> u16 {
        self.get("TCP").parse().unwrap()
    }

    pub fn udp_port(&self) -> u16 {
        self.get("UDP").parse().unwrap()
    }

    pub fn abstract_name(&self) -> &str {
        self.get("ABSTRACT")
    }

    pub fn shared_memory(&self) -> i64 {
        self.get("SHM").parse().unwrap()
    }
}

/// The outside.
pub struct Outside {
    root: tempfile::TempDir,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    /// In sight, and hidden.
    named: Option<[UnixListener; 2]>,
    abstract_name: String,
    abstract_listener: UnixListener,
    shared_memory: i64,
    /// Left open, and inherited by whoever does not close it.
    _left: OwnedFd,
}

impl Outside {
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("runmill-outside").tempdir().unwrap();
        for (file, text) in [
            ("shown/file", "outside"),
            ("hidden/home/.ssh/id", "key"),
            ("hidden/state/run.json", "{}"),
            ("hidden/repository/.git/config", "token"),
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let pipe = root.path().join("shown/pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        // It knows its own id, once it is there.
        let script = "read -r id; exec env SECRET=\"sesame-$id\" sleep 600";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
        let victim = shell.spawn().unwrap();
        { writer }.write_all(format!("{}\n", victim.id()).as_bytes()).unwrap();
        let abstract_name = format!("runmill-outside-{}", victim.id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let listeners = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        listeners.0.set_nonblocking(true).unwrap();
        listeners.1.set_nonblocking(true).unwrap();
        let listen = |path: &str| {
            let listener = UnixListener::bind(root.path().join(path)).unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        };
        let named = Some(["shown/socket", "hidden/socket"].map(listen));
        let abstract_listener = UnixListener::bind_addr(&address).unwrap();
        abstract_listener.set_nonblocking(true).unwrap();
        let left = fs::File::open(root.path().join("hidden/home/.ssh/id")).unwrap();
        let key = i64::from(victim.id());
        let shared_memory = system::call(libc::SYS_shmget, [key, 4096, i64::from(libc::IPC_CREAT | 0o600)]).unwrap();
        crate::fixture::eventually("the victim is asleep", || {
            fs::read_to_string(format!("/proc/{}/comm", victim.id())).is_ok_and(|name| name == "sleep\n")
        });
        Self {
            victim,
            tcp: listeners.0,
            udp: listeners.1,
            named,
            abstract_name,
            abstract_listener,
            shared_memory,
            _left: rustix::io::dup(left).unwrap(),
            root,
        }
    }

    /// Nobody listens on its named sockets any more; the files are still there.
    pub fn without_listeners() -> Self {
        let mut outside = Self::new();
        outside.named = None;
        outside
    }

    fn place(&self, name: &str) -> Utf8PathBuf {
        utf8(self.root.path()).join(name)
    }

    pub fn home(&self) -> Utf8PathBuf {
        self.place("hidden/home")
    }

    pub fn hidden(&self) -> Vec<Utf8PathBuf> {
        vec![self.place("hidden")]
    }

    /// Tells the attacker where everything is, and shows the directory that stays in sight.
    pub fn show_to(&self, fixture: &mut Fixture) {
        fixture.spec.toolchains.visible.push(self.place("shown"));
        fixture.spec.overlays.push(Overlay { host: self.place("shown"), at: repo("laid-over") });
        let port = |address: std::io::Result<std::net::SocketAddr>| address.unwrap().port().to_string();
        let ground = [
            ("SHOWN", self.place("shown").to_string()),
            ("HIDDEN", self.place("hidden").to_string()),
            ("VICTIM", self.victim.id().to_string()),
            ("TCP", port(self.tcp.local_addr())),
            ("UDP", port(self.udp.local_addr())),
            ("ABSTRACT", self.abstract_name.clone()),
            ("SHM", self.victim.id().to_string()),
        ];
        fixture.spec.env.extend(ground.map(|(name, value)| (format!("GROUND_{name}"), value)));
    }

    /// Everything that an escape would change.
    pub fn look(&self, fixture: &Fixture) -> BTreeMap<String, String> {
        let mut seen = BTreeMap::new();
        for directory in [self.root.path(), fixture.tree().as_std_path(), &fixture.beside("git").into_std_path_buf()] {
            look_at(directory, &mut seen);
        }
        let pid = self.victim.id();
        for file in ["limits", "oom_score_adj", "cgroup", "comm"] {
            seen.insert(format!("victim {file}"), read(&format!("/proc/{pid}/{file}")));
        }
        // Whether it is there, process group, session, terminal; priority and niceness.
        let stat = read(&format!("/proc/{pid}/stat"));
        let state = |field: &str| if matches!(field, "R" | "S" | "D") { "alive".to_owned() } else { field.to_owned() };
        let fields: Vec<_> = stat.rsplit_once(") ").unwrap_or_default().1.split(' ').map(state).collect();
        let fields = [0, 2, 3, 4, 15, 16].map(|at| fields.get(at).map_or("gone", String::as_str)).join(" ");
        seen.insert("victim".into(), fields);
        for file in [
            "/proc/self/mountinfo",
            "/proc/sys/kernel/core_pattern",
            "/proc/sys/kernel/hostname",
            "/proc/swaps",
            "/proc/modules",
        ] {
            seen.insert(file.into(), read(file));
        }
        for path in ["/", "/etc", "/etc/passwd", "/usr/bin"] {
            let found = fs::metadata(path).unwrap();
            seen.insert(path.into(), format!("{:o} {} {}", found.mode(), found.uid(), found.mtime()));
        }
        let visits = [
            ("tcp", self.tcp.accept().is_ok()),
            ("udp", self.udp.recv(&mut [0; 64]).is_ok()),
            ("named sockets", self.named.iter().flatten().any(|listener| listener.accept().is_ok())),
            ("abstract socket", self.abstract_listener.accept().is_ok()),
        ];
        seen.extend(visits.map(|(name, visited)| (name.to_owned(), visited.to_string())));
        seen
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = system::call(libc::SYS_shmctl, [self.shared_memory, i64::from(libc::IPC_RMID), 0]);
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| error.to_string())
}

fn look_at(directory: &Path, seen: &mut BTreeMap<String, String>) {
    let Ok(found) = fs::symlink_metadata(directory) else { return };
    let text = if found.is_file() { fs::read_to_string(directory).unwrap_or_default() } else { String::new() };
    let path = Utf8Path::from_path(directory).unwrap();
    let links = if found.is_dir() { 0 } else { found.nlink() };
    let times = if found.is_dir() { 0 } else { found.mtime() };
    seen.insert(path.to_string(), format!("{:o} {} {links} {times} {text}", found.mode(), found.uid()));
    if found.is_dir() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            look_at(&entry.path(), seen);
        }
    }
}
