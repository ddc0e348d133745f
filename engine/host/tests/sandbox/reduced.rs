//! Isolation without namespaces, in the imitation of a container.

use std::{fs, time::Duration};

use runmill_host::sandbox::{Config, Ended, Isolation, Overlay, Replace, ReportFile, Sandbox, SandboxError};

use crate::{
    Case,
    fixture::{Fixture, marker, out, passed, processes_with, refused, repo, report_bytes},
};

pub const CASES: &[Case] = &[
    ("reduced::namespaces_are_refused_in_a_container_and_the_help_names_the_option", namespaces),
    ("reduced::the_tree_can_be_read_and_not_changed", tree),
    ("reduced::what_was_laid_into_the_tree_is_gone_afterwards", laid),
    ("reduced::reports_come_by_every_way", reports),
    ("reduced::directories_of_ones_own_can_be_written_to", private),
    ("reduced::prepared_dependencies_are_linked", overlays),
    ("reduced::leftovers_are_counted_and_killed", leftovers),
    ("reduced::a_timeout_kills_the_tree_of_processes", timeout),
    ("reduced::there_is_no_network_at_all", network),
    ("reduced::a_socket_that_answers_keeps_everything_from_running", socket),
    ("reduced::programs_of_the_system_run", programs),
];

fn fixture() -> Fixture {
    Fixture::new().isolated_by(Isolation::Landlock)
}

fn namespaces() {
    let error = Sandbox::probe(Config::new("", Vec::new())).unwrap_err();
    assert!(matches!(&error, SandboxError::Unavailable { errno: libc::EPERM, .. }), "{error:?}");
    assert!(
        error.help().contains("--security-opt") && error.help().contains("isolation: landlock"),
        "{}",
        error.help()
    );
}

fn tree() {
    let mut fixture = fixture().git_dir();
    refused(&fixture.sh(
        "try() { \"$@\" 2>/dev/null && echo \"through: $*\"; }
        try sh -c 'echo x >> kept.txt'; try sh -c ': > kept.txt'; try sh -c 'echo x > new'; try mkdir sub/new; try rm kept.txt
        try chmod +x kept.txt; try mv kept.txt moved; try ln -s sub link; try ln kept.txt $TMPDIR/hard; try touch -d @0 kept.txt
        try truncate -s 0 kept.txt; try sh -c 'echo x > .git/config'; exit 0",
    ));
    let exited = fixture.sh("cat kept.txt sub/kept.txt .git/index; pwd");
    passed(&exited);
    assert_eq!(out(&exited), format!("keptkeptindex{}\n", fixture.tree()));
}

fn laid() {
    let mut fixture =
        fixture().git_dir().scratch("target").scratch("new/cache").report("out/deep/report.xml", Replace::InPlace);
    fs::create_dir(fixture.tree().join(".git")).unwrap();
    fs::create_dir(fixture.tree().join("target")).unwrap();
    fs::write(fixture.tree().join("target/committed"), "x").unwrap();
    let exited = fixture.sh(
        "test ! -e target/committed && echo x > target/a && mkdir -m 0 new/cache/d && echo x > out/deep/report.xml",
    );
    passed(&exited);
    assert_eq!(report_bytes(&exited), "x\n");
    let names = |directory: &str| {
        let mut names: Vec<_> =
            fs::read_dir(fixture.tree().join(directory)).unwrap().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(
        (names("."), names("target"), names(".git").len()),
        ([".git", "kept.txt", "sub", "target"].map(Into::into).into(), vec!["committed".into()], 0)
    );
    assert!(fixture.beside("git").join("index").exists());
    // The private directory beside the tree is gone too.
    let beside = fs::read_dir(fixture.tree().parent().unwrap()).unwrap().flatten().count();
    assert_eq!(beside, 2);
}

fn reports() {
    for (path, replace, script) in [
        ("report.xml", Replace::InPlace, "echo x > report.xml"),
        (
            "out/report.xml",
            Replace::InPlace,
            "echo y > $TMPDIR/r; cat $TMPDIR/r > out/report.xml; echo x > out/report.xml",
        ),
        ("out/report.xml", Replace::Atomic, "echo x > out/r; mv out/r out/report.xml"),
        ("sub/report.xml", Replace::Atomic, "echo x > sub/r; mv sub/r sub/report.xml"),
        ("target/report.xml", Replace::InPlace, "echo x > target/report.xml"),
    ] {
        let mut fixture = fixture().scratch("target").report(path, replace);
        let exited = fixture.sh(script);
        passed(&exited);
        assert_eq!(report_bytes(&exited), "x\n", "{script}");
        assert!(!fixture.tree().join(path).exists());
    }
    assert_eq!(fixture().report("r.xml", Replace::InPlace).sh("true").report, ReportFile::Untouched { hint: None });
    let exited = fixture().report("kept.txt", Replace::InPlace).sh("true");
    assert!(matches!(exited.report, ReportFile::PreExisting(_)), "{:?}", exited.report);
}

fn private() {
    let mut fixture = fixture().scratch("target");
    fixture.spec.env.insert("HOME".into(), runmill_host::sandbox::HOME.into());
    let script = "for at in $TMPDIR $HOME target; do test -z \"$(ls -A $at)\" && echo x > $at/x && mv $at/x $at/y && cat $at/y; done";
    for _ in 0..2 {
        let exited = fixture.sh(script);
        passed(&exited);
        assert_eq!(out(&exited), "x\nx\nx\n");
    }
}

fn overlays() {
    let mut fixture = fixture();
    let prepared = fixture.beside("prepared");
    fs::write(prepared.join("index.js"), "prepared").unwrap();
    fixture.spec.overlays = vec![Overlay { host: prepared, at: repo("node_modules") }];
    let exited = fixture.sh("cat node_modules/index.js; echo x > node_modules/x && echo through; exit 0");
    refused(&exited);
    assert_eq!(out(&exited), "prepared");
    assert!(!fixture.tree().join("node_modules").exists());
}

fn leftovers() {
    let marker = marker();
    let exited = fixture().sh(&format!("(setsid sleep {marker} &); sleep {marker} > /dev/null 2>&1 & exit 0"));
    passed(&exited);
    assert!(exited.leftovers >= 1, "{:?}", exited.notes);
    assert_eq!(processes_with(&marker), 0);
}

fn timeout() {
    let marker = marker();
    let mut fixture = fixture();
    fixture.spec.limits.timeout = Duration::from_secs(2);
    let exited = fixture.sh(&format!("echo before; setsid sleep {marker} & sleep {marker}"));
    assert_eq!((exited.ended.clone(), out(&exited).as_str()), (Ended::Timeout, "before\n"));
    assert_eq!(processes_with(&marker), 0);
}

fn network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    refused(&fixture().inside(&["connect", &listener.local_addr().unwrap().to_string()]));
    refused(&fixture().inside(&["connect", "192.0.2.1:80"]));
}

/// Also where it could not be opened, and where nobody listens any more everything runs.
fn socket() {
    let fixture = fixture();
    let path = fixture.beside("hidden").join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let config = || Config::new("", vec![fixture.beside("hidden")]).isolated_by(Isolation::Landlock);
    let error = Sandbox::probe(config()).unwrap_err();
    assert!(matches!(&error, SandboxError::SocketsInSight { paths } if *paths == [path.clone()]), "{error:?}");
    assert!(error.to_string().contains(path.as_str()), "{error}");
    drop(listener);
    Sandbox::probe(config()).unwrap();
}

fn programs() {
    let exited = fixture().git_dir().sh("ls /usr/bin > /dev/null && cat /etc/passwd > /dev/null && echo $((1 + 1)) > /dev/stderr && env | sort | head -1 && test -c /dev/null");
    passed(&exited);
}
