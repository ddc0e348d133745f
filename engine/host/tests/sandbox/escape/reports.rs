//! The report: swapped for something else while the check runs, so that reading it reads or changes something outside.

use std::{fs, os::unix::fs::PermissionsExt};

use runmill_host::sandbox::{Irregular, Isolation, Replace, ReportFile};

use super::{Attempt, Stop};
use crate::fixture::{Fixture, out, passed, report_bytes};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::whole(
        "report/symlink",
        "put a symbolic link to a secret in the report's place",
        Stop::Mounts,
        |isolation| {
            swapped(isolation, "ln -sf SECRET R");
        },
    ),
    Attempt::whole(
        "report/hard-link",
        "put a hard link to a secret in the report's place",
        Stop::Mounts,
        |isolation| {
            swapped(isolation, "ln -f SECRET R");
        },
    ),
    Attempt::whole(
        "report/fifo",
        "put a pipe in the report's place, which blocks whoever reads it",
        Stop::Mounts,
        |isolation| {
            swapped(isolation, "rm -f R; mkfifo R");
        },
    ),
    Attempt::whole("report/race", "swap the report for a link again and again", Stop::Mounts, |isolation| {
        swapped(isolation, "n=0; while [ $n -lt 200 ]; do ln -sf SECRET R.x; mv -f R.x R; n=$((n+1)); done");
    }),
    Attempt::whole(
        "report/link-in-scratch",
        "leave a symbolic link as report in a scratch directory",
        Stop::Harvest,
        |isolation| {
            in_scratch(isolation, "ln -s SECRET R", Irregular::Symlink);
        },
    ),
    Attempt::whole(
        "report/linked-parent",
        "swap the directory above the report for a symbolic link",
        Stop::Harvest,
        |isolation| {
            in_scratch(isolation, "rmdir target/r; ln -s ABOVE target/r", Irregular::Symlink);
        },
    ),
    Attempt::whole("report/hard-link-in-scratch", "give the report a second name", Stop::Harvest, |isolation| {
        in_scratch(isolation, "echo x > R; ln R target/other", Irregular::HardLinked);
    }),
    Attempt::whole("report/fifo-in-scratch", "leave a pipe as report", Stop::Harvest, |isolation| {
        in_scratch(isolation, "mkfifo R", Irregular::Special);
    }),
    Attempt::whole("report/directory-in-scratch", "leave a directory as report", Stop::Harvest, |isolation| {
        in_scratch(isolation, "mkdir R", Irregular::Directory);
    }),
    Attempt::whole(
        "report/others-beside",
        "change a file of the commit beside an atomic report",
        Stop::Harvest,
        others_beside,
    ),
    Attempt::whole("report/set-user-id", "make the report a set-user-id program", Stop::Harvest, set_user_id),
    Attempt::whole(
        "report/hard-link-to-outside",
        "give the report a name outside the checkout",
        Stop::Mounts,
        named_elsewhere,
    ),
    Attempt::whole("report/sparse", "write a sparse report of 10 GiB", Stop::Limits, sparse),
    Attempt::whole("report/large", "write a report larger than is read", Stop::Harvest, large),
];

/// A secret beside the tree, of the same user.
fn secret(fixture: &Fixture) -> String {
    let directory = fixture.beside("secret");
    fs::write(directory.join("id"), "secret").unwrap();
    directory.join("id").into_string()
}

fn swapped(isolation: Isolation, script: &str) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("out/report.xml", Replace::InPlace);
    let secret = secret(&fixture);
    let script = script.replace("SECRET", &secret).replace('R', "out/report.xml");
    let exited = fixture.sh(&format!("{script}; exit 0"));
    passed(&exited);
    assert!(matches!(exited.report, ReportFile::Untouched { .. }), "{:?}", exited.report);
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
}

fn in_scratch(isolation: Isolation, script: &str, what: Irregular) {
    let mut fixture = Fixture::new().isolated_by(isolation).scratch("target").report("target/r/id", Replace::InPlace);
    let secret = secret(&fixture);
    let above = secret.trim_end_matches("/id");
    let script = script.replace("SECRET", &secret).replace("ABOVE", above).replace('R', "target/r/id");
    let exited = fixture.sh(&format!("mkdir target/r; {script}"));
    passed(&exited);
    assert_eq!(exited.report, ReportFile::Irregular(what));
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
}

/// Without namespaces the directory is that of the commit: the hash of the tree tells what was changed and not what came and went.
fn others_beside(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("sub/report.xml", Replace::Atomic);
    let exited = fixture.sh("echo x > sub/report.xml; echo y > sub/kept.txt; echo z > sub/new.txt");
    passed(&exited);
    let expect = match isolation {
        Isolation::Namespaces => ["kept.txt", "new.txt"].map(String::from).to_vec(),
        Isolation::Landlock => vec!["new.txt".to_owned()],
    };
    assert_eq!(exited.report, ReportFile::Irregular(Irregular::Others(expect)));
    let kept = fs::read_to_string(fixture.tree().join("sub/kept.txt")).unwrap();
    assert_eq!(kept, if isolation == Isolation::Namespaces { "kept" } else { "y\n" });
}

/// Nothing but bytes leaves the sandbox. Without namespaces there is no way to change a mode at all.
fn set_user_id(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("report.xml", Replace::InPlace);
    let exited =
        fixture.sh("cat /bin/sh > report.xml; chmod 6777 report.xml 2> /dev/null; stat -c %a report.xml; exit 0");
    passed(&exited);
    let mode = if isolation == Isolation::Namespaces { "6777\n" } else { "600\n" };
    assert_eq!(out(&exited), mode);
    assert!(!fixture.tree().join("report.xml").exists());
    let left = fs::read_dir(fixture.tree()).unwrap().flatten();
    assert!(left.into_iter().all(|entry| entry.metadata().unwrap().permissions().mode() & 0o6000 == 0));
}

fn named_elsewhere(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("report.xml", Replace::InPlace);
    let exited = fixture.sh(
        "echo x > report.xml; ln report.xml $TMPDIR/r && echo through; ln report.xml $HOME/r && echo through; exit 0",
    );
    passed(&exited);
    assert_eq!((out(&exited).as_str(), report_bytes(&exited).as_str()), ("", "x\n"));
}

fn sparse(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("report.xml", Replace::InPlace);
    let exited = fixture.sh("truncate -s 10G report.xml && echo through; exit 0");
    assert!(!out(&exited).contains("through"));
    let exited = fixture.sh("echo x > $TMPDIR/x; truncate -s 10G $TMPDIR/x && echo through; exit 0");
    assert!(!out(&exited).contains("through"));
}

fn large(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation).report("report.xml", Replace::InPlace);
    let exited = fixture.sh("truncate -s 900M report.xml");
    passed(&exited);
    assert_eq!(exited.report, ReportFile::TooLarge { bytes: 900 << 20 });
}
