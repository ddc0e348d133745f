//! The machine around the tree: hidden, fresh or read-only.

use std::{
    fs,
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
    process::Stdio,
};

use runmill_host::sandbox::{CHECKOUT, Config, HOME, Overlay, Sandbox};

use crate::{
    Case,
    fixture::{Fixture, out, own_binary, passed, refused, repo, utf8},
};

pub const CASES: &[Case] = &[
    ("machine::cannot_be_written_to_outside", outside),
    ("machine::modes_outside_cannot_be_changed_not_even_to_the_same", same_mode),
    ("machine::system_calls_that_undo_the_sandbox_are_refused", system_calls),
    ("machine::terminals_work_and_take_no_foreign_characters", terminal),
    ("machine::capabilities_are_none_and_privileges_stay", capabilities),
    ("machine::core_pattern_and_its_like_cannot_be_opened_for_writing", proc_writes),
    ("machine::devices_are_the_harmless_ones", devices),
    ("machine::home_is_private_and_empty", home),
    ("machine::temporary_directories_are_private", temporary),
    ("machine::named_directories_are_hidden", hidden),
    ("machine::pipes_of_the_host_cannot_be_written_to", host_pipe),
    ("machine::objects_of_a_hidden_repository_show", objects),
    ("machine::toolchains_show_through_what_is_hidden", toolchains),
    ("machine::the_hosts_loopback_and_the_world_are_out_of_reach", network),
    ("machine::own_loopback_works", own_loopback),
    ("machine::abstract_sockets_are_out_of_reach", abstract_sockets),
    ("machine::path_sockets_are_out_of_reach", path_sockets),
    ("machine::environments_of_others_cannot_be_read", environments),
    ("machine::process_1_cannot_be_watched_or_killed", process_1),
    ("machine::no_descriptor_is_inherited", descriptors),
];

fn outside() {
    let paths =
        ["/etc/passwd", "/usr/bin/env", "/sys/kernel/uevent_helper", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda"];
    refused(&Fixture::new().inside(&[&["open-for-writing"], paths.as_slice()].concat()));
    refused(&Fixture::new().sh("for at in / /etc /usr /var /opt /run /run/runmill /home /root /dev; do touch $at/x 2>/dev/null && echo through $at; done; exit 0"));
}

/// Landlock lets modes be changed: this is what the mounts stop.
fn same_mode() {
    let mut fixture = Fixture::new();
    let shown = fixture.beside("shown");
    fixture.spec.toolchains.visible.push(shown.clone());
    let paths = ["/", "/etc", "/etc/passwd", "/usr/bin", "/dev", "/run", "/run/runmill", "/proc/sys", "kept.txt", "."];
    refused(&fixture.inside(&[&["set-same-mode", shown.as_str()], paths.as_slice()].concat()));
}

fn system_calls() {
    let exited = Fixture::new().inside(&["system-calls"]);
    refused(&exited);
    assert!(out(&exited).lines().count() > 20, "{}", out(&exited));
}

fn terminal() {
    let exited = Fixture::new().inside(&["terminal"]);
    refused(&exited);
    assert!(out(&exited).contains("refused: TIOCSTI"));
}

fn capabilities() {
    let exited = Fixture::new().sh("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; umask");
    passed(&exited);
    let none = "0000000000000000";
    let expect = format!(
        "CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\nSeccomp:\t2\n0022\n"
    );
    assert_eq!(out(&exited), expect);
}

fn proc_writes() {
    let paths = [
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/proc/irq/default_smp_affinity",
        "/proc/sys/kernel/modprobe",
    ];
    refused(&Fixture::new().inside(&[&["open-for-writing"], paths.as_slice()].concat()));
    let exited = Fixture::new().inside(&["open-writable-in-proc"]);
    refused(&exited);
    assert!(!out(&exited).contains("tried 0"));
}

fn devices() {
    let exited = Fixture::new().sh(
        "ls /dev; echo x > /dev/null && echo x > /dev/shm/x && head -c 1 /dev/zero > /dev/null && head -c 1 /dev/urandom > /dev/null && echo good",
    );
    passed(&exited);
    let expect = "fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\ngood\n";
    assert_eq!(out(&exited), expect);
}

fn home() {
    let mut fixture = Fixture::new();
    fixture.spec.env.insert("HOME".into(), HOME.into());
    let script = "for at in \"$HOME\" /root /home; do ls -A $at; done; echo x > \"$HOME/x\" && cat \"$HOME/x\"";
    assert_eq!(out(&fixture.sh(script)), "x\n");
}

fn temporary() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("secret"), "").unwrap();
    let mut fixture = Fixture::new();
    for _ in 0..2 {
        let exited = fixture.sh(&format!(
            "test -e {} && echo through; test -e /tmp/mine && echo through; echo x > $TMPDIR/mine && mkdir -p /var/tmp/d && cat /tmp/mine",
            directory.path().join("secret").display()
        ));
        refused(&exited);
        assert_eq!(out(&exited), "x\n");
    }
}

fn hidden() {
    // A toolchain below a named directory stays hidden too.
    let mut fixture = Fixture::new();
    let repository = fixture.beside("repository");
    fs::create_dir(repository.join(".git")).unwrap();
    fs::write(repository.join(".git/config"), "token").unwrap();
    fixture.spec.toolchains.visible.extend([repository.join(".git"), fixture.beside("shown")]);
    fixture.spec.argv =
        ["sh", "-c", &format!("ls {}/shown && cat {repository}/.git/config", repository.parent().unwrap())]
            .map(String::from)
            .into();
    let run = |hide| {
        let sandbox = Sandbox::probe(Config::new("", hide)).unwrap();
        sandbox.run(&fixture.spec, &fixture.secrets, &fixture.interrupt).unwrap()
    };
    passed(&run(Vec::new()));
    let exited = run(vec![repository.clone()]);
    assert!(!out(&exited).contains("token"), "{}", out(&exited));
    // The tree itself may lie in a hidden directory.
    let exited = run(vec![fixture.tree()]);
    assert!(out(&exited).contains("token"));
}

/// A read-only mount does not stop a writer of a pipe; Landlock does, where the kernel has it.
fn host_pipe() {
    let mut fixture = Fixture::new();
    let directory = fixture.beside("pipes");
    let pipe = directory.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open for both, so that a writer need not wait for a reader.
    let _reader = fs::File::options().read(true).write(true).open(&pipe).unwrap();
    fixture.spec.overlays.push(Overlay { host: directory, at: repo("laid-over") });
    let exited = fixture.inside(&["open-for-writing", "laid-over/pipe"]);
    let unprotected = exited.notes.iter().any(|note| note.starts_with("landlock: not enforced"));
    assert_eq!(out(&exited).contains("through"), unprotected, "{}", out(&exited));
}

fn objects() {
    let mut fixture = Fixture::new().git_dir();
    let repository = fixture.beside("repository");
    fs::create_dir_all(repository.join(".git/objects/ab")).unwrap();
    fs::write(repository.join(".git/config"), "token").unwrap();
    let info = fixture.beside("git").join("objects/info");
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("alternates"), format!("{repository}/.git/objects\n")).unwrap();
    let script =
        format!("cat .git/objects/info/alternates; ls -A {repository} {repository}/.git {repository}/.git/objects");
    fixture.spec.argv = ["sh", "-c", &script].map(String::from).into();
    let sandbox = Sandbox::probe(Config::new("", vec![repository.clone()])).unwrap();
    let exited = sandbox.run(&fixture.spec, &fixture.secrets, &fixture.interrupt).unwrap();
    let expect = format!("{0}/.git/objects\n{0}:\n.git\n\n{0}/.git:\nobjects\n\n{0}/.git/objects:\nab\n", repository);
    assert_eq!(out(&exited), expect, "{:?}", exited.notes);
}

fn toolchains() {
    let mut fixture = Fixture::new();
    let cargo = fixture.beside("cargo");
    for part in ["bin/tool", "credentials"] {
        fs::create_dir_all(cargo.join(part).parent().unwrap()).unwrap();
        fs::write(cargo.join(part), "#!/bin/sh\necho tool").unwrap();
    }
    fs::set_permissions(cargo.join("bin/tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fixture.spec.toolchains.private.push(cargo.clone());
    fixture.spec.toolchains.visible.extend([cargo.join("bin"), cargo.join("absent")]);
    fixture.spec.env.insert("PATH".into(), format!("{cargo}/bin:/usr/bin:/bin"));
    let exited = fixture
        .sh(&format!("tool; ls {cargo}; touch {cargo}/lock; touch {cargo}/bin/x 2>/dev/null && echo through; exit 0"));
    refused(&exited);
    assert_eq!(out(&exited), "tool\nbin\n");
    assert!(exited.notes.iter().any(|note| note.contains("absent")), "{:?}", exited.notes);
}

fn network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    refused(&Fixture::new().inside(&["connect", &address]));
    refused(&Fixture::new().inside(&["connect", "192.0.2.1:80"]));
}

fn own_loopback() {
    passed(&Fixture::new().inside(&["own-loopback"]));
}

fn abstract_sockets() {
    let name = format!("runmill-test-{}", std::process::id());
    let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    refused(&Fixture::new().inside(&["connect-abstract", &name]));
}

fn path_sockets() {
    // In a temporary directory, and where that is possible in one that stays in sight.
    for directory in [Some(std::env::temp_dir()), own_binary().parent().map(|path| path.as_std_path().to_owned())]
        .into_iter()
        .flatten()
    {
        let Ok(directory) = tempfile::tempdir_in(directory) else { continue };
        let path = directory.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        let mut fixture = Fixture::new();
        refused(&fixture.inside(&["connect-path", path.to_str().unwrap()]));
        assert!(utf8(&path) != CHECKOUT);
    }
}

/// A process of the host that ends with its test, however that ends.
struct Ending(std::process::Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn environments() {
    let secret = format!("open-sesame-{}", std::process::id());
    let mut neighbour = std::process::Command::new("sleep");
    neighbour.arg("600").env("NEIGHBOUR", &secret).stdout(Stdio::null()).stderr(Stdio::null());
    let _neighbour = Ending(neighbour.spawn().unwrap());
    let exited = Fixture::new().inside(&["find-in-environments", "open-sesame-"]);
    let lonely = Fixture::new().sh("ls /proc | grep -c '^[0-9]*$'");
    refused(&exited);
    assert!(out(&lonely).trim().parse::<u32>().unwrap() < 6, "{}", out(&lonely));
}

fn process_1() {
    let exited = Fixture::new().inside(&["spy-on-process-1"]);
    refused(&exited);
    assert!(out(&exited).ends_with("still here\n"), "{}", out(&exited));
}

fn descriptors() {
    // What runmill itself was left with by whoever started it.
    let _left = rustix::io::dup(fs::File::open("/dev/null").unwrap()).unwrap();
    let exited = Fixture::new().inside(&["descriptors"]);
    passed(&exited);
    let lines: Vec<_> =
        out(&exited).lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect();
    // The fourth is the directory that is being read.
    assert_eq!(lines, ["0", "1", "2", "3"], "{}", out(&exited));
    assert!(out(&exited).starts_with("0 /dev/null\n"));
}
