//! The report: written in place, or replaced where that is allowed, and read as one plain file.

use std::fs;

use runmill_host::sandbox::{Irregular, PreExisting, Replace, ReportFile};

use crate::{
    Case,
    fixture::{Fixture, out, passed, report_bytes},
};

pub const CASES: &[Case] = &[
    ("reports::every_way_of_writing_in_place_works", in_place),
    ("reports::an_unwritten_one_is_untouched", untouched),
    ("reports::a_replaced_one_is_untouched_with_a_hint", replaced),
    ("reports::atomic_ones_may_be_replaced", atomic),
    ("reports::atomic_ones_admit_no_other_change", atomic_others),
    ("reports::atomic_ones_at_the_root_admit_no_other_change", atomic_root),
    ("reports::one_of_the_commit_is_pre_existing", pre_existing),
    ("reports::modes_mean_nothing", modes),
    ("reports::large_and_sparse_ones_are_too_large", too_large),
    ("reports::in_scratch_they_are_found", in_scratch),
    ("reports::in_scratch_only_plain_files_count", irregular),
    ("reports::nothing_is_shared_between_runs", not_shared),
    ("reports::one_written_before_a_failure_is_kept", kept),
];

const IN_PLACE: Replace = Replace::InPlace;

fn in_place() {
    for (script, expect) in [
        ("echo x > out/report.xml", "x\n"),
        ("printf a >> out/report.xml; printf b >> out/report.xml", "ab"),
        ("mkdir -p out && echo x > out/report.xml", "x\n"),
        ("echo long > out/report.xml; : > out/report.xml; echo s > out/report.xml", "s\n"),
        ("echo x > /tmp/r && cp /tmp/r out/report.xml", "x\n"),
        ("echo x > /tmp/r && cat /tmp/r | tee out/report.xml", "x\n"),
    ] {
        let exited = Fixture::new().report("out/report.xml", IN_PLACE).sh(script);
        passed(&exited);
        assert_eq!(report_bytes(&exited), expect, "{script}");
    }
    let exited = Fixture::new().report("report.xml", IN_PLACE).sh("echo x > report.xml");
    assert_eq!(report_bytes(&exited), "x\n");
    let mut fixture = Fixture::new().report("sub/report.xml", IN_PLACE);
    assert_eq!(report_bytes(&fixture.sh("cat sub/kept.txt > sub/report.xml")), "kept");
    assert!(!fixture.tree().join("sub/report.xml").exists());
}

fn untouched() {
    let exited = Fixture::new().report("out/report.xml", IN_PLACE).sh("stat -c '%a %s' out/report.xml");
    assert_eq!(out(&exited), "600 0\n");
    assert_eq!(exited.report, ReportFile::Untouched { hint: None });
    assert_eq!(Fixture::new().sh("true").report, ReportFile::NotDeclared);
}

fn replaced() {
    for script in [
        "echo x > /tmp/r; mv -f /tmp/r out/report.xml",
        "echo x > out/report.xml.tmp",
        "rm out/report.xml",
        "cp --remove-destination kept.txt out/report.xml",
    ] {
        let exited = Fixture::new().report("out/report.xml", IN_PLACE).sh(script);
        let ReportFile::Untouched { hint: Some(hint) } = &exited.report else {
            panic!("{script}: {:?} {}", exited.report, exited.stderr.text())
        };
        assert!(hint.contains("atomic: true"), "{hint}");
    }
}

fn atomic() {
    for path in ["out/report.xml", "sub/report.xml", "report.xml", "a:b,c/d\"e/report.xml"] {
        for script in [
            "echo x > R.tmp && mv R.tmp R",
            "echo x > R",
            "echo y > R; rm R; echo x > R",
            "echo x > /tmp/r; mv /tmp/r R",
        ] {
            let script = script.replace('R', &format!("'{path}'"));
            let mut fixture = Fixture::new().git_dir().scratch("target").report(path, Replace::Atomic);
            let exited = fixture.sh(&script);
            passed(&exited);
            assert_eq!(report_bytes(&exited), "x\n", "{script}");
            assert!(!fixture.tree().join(path).exists());
        }
        let exited = Fixture::new().report(path, Replace::Atomic).sh("cat sub/kept.txt");
        assert_eq!((out(&exited).as_str(), exited.report), ("kept", ReportFile::Untouched { hint: None }));
    }
}

fn atomic_others() {
    for (script, other) in [
        ("echo x > sub/other", "other"),
        ("rm sub/kept.txt", "kept.txt"),
        ("echo x > sub/kept.txt; echo kept > sub/kept.txt", "kept.txt"),
        ("mkdir sub/d", "d"),
    ] {
        let exited =
            Fixture::new().report("sub/report.xml", Replace::Atomic).sh(&format!("echo x > sub/report.xml; {script}"));
        passed(&exited);
        assert_eq!(exited.report, ReportFile::Irregular(Irregular::Others(vec![other.into()])), "{script}");
    }
    let exited = Fixture::new().report("sub/report.xml", Replace::Atomic).sh("ln -s kept.txt sub/report.xml");
    assert_eq!(exited.report, ReportFile::Irregular(Irregular::Symlink));
    // Only its own directory is writable.
    let exited = Fixture::new().report("sub/report.xml", Replace::Atomic).sh("echo x > kept.txt");
    assert_ne!(exited.ended, runmill_host::sandbox::Ended::Exit(0));
}

fn atomic_root() {
    let exited = Fixture::new()
        .report("report.xml", Replace::Atomic)
        .sh("echo x > kept.txt; echo x > report.xml; printf kept > kept.txt");
    assert_eq!(exited.report, ReportFile::Irregular(Irregular::Others(vec!["kept.txt".into()])));
}

fn pre_existing() {
    for replace in [IN_PLACE, Replace::Atomic] {
        for (path, what) in [
            ("kept.txt", PreExisting::File),
            ("sub", PreExisting::Directory),
            ("link", PreExisting::Symlink),
            ("link/report.xml", PreExisting::BlockedParent),
            ("kept.txt/report.xml", PreExisting::BlockedParent),
        ] {
            let mut fixture = Fixture::new().symlink("link", "sub").report(path, replace);
            let exited = fixture.sh(&format!("echo x > {path}; exit 0"));
            passed(&exited);
            assert_eq!(exited.report, ReportFile::PreExisting(what), "{path}");
            assert_eq!(fs::read_to_string(fixture.tree().join("kept.txt")).unwrap(), "kept");
        }
    }
}

fn modes() {
    for mode in ["0", "4755", "7777", "111"] {
        for (path, replace) in
            [("out/report.xml", IN_PLACE), ("out/report.xml", Replace::Atomic), ("target/report.xml", IN_PLACE)]
        {
            let script = format!("echo x > {path} && chmod {mode} {path}");
            let exited = Fixture::new().scratch("target").report(path, replace).sh(&script);
            passed(&exited);
            assert_eq!(report_bytes(&exited), "x\n", "{script}");
        }
    }
}

fn too_large() {
    let mut fixture = Fixture::new().report("report.xml", IN_PLACE);
    let exited = fixture.sh("head -c 1048577 /dev/zero > report.xml");
    assert_eq!(exited.report, ReportFile::TooLarge { bytes: 1_048_577 });
    let exited = fixture.sh("truncate -s 900M report.xml");
    assert_eq!(exited.report, ReportFile::TooLarge { bytes: 900 << 20 });
    // Ten gibibytes are more than any file may have.
    let exited = fixture.sh("truncate -s 10G report.xml && echo through; exit 0");
    assert!(!out(&exited).contains("through"));
}

fn in_scratch() {
    let mut fixture = Fixture::new().scratch("target").report("target/reports/report.xml", IN_PLACE);
    let exited = fixture.sh("test ! -e target/reports && mkdir target/reports && echo x > target/t && mv target/t target/reports/report.xml");
    passed(&exited);
    assert_eq!(report_bytes(&exited), "x\n");
    assert_eq!(fixture.sh("true").report, ReportFile::Untouched { hint: None });
}

fn irregular() {
    for (script, what) in [
        ("ln -s /etc/passwd R", Irregular::Symlink),
        ("mkdir R", Irregular::Directory),
        ("mkfifo R", Irregular::Special),
        ("echo x > R; ln R target/other", Irregular::HardLinked),
        ("ln -s /etc target/reports.link; rmdir target/reports; ln -s /etc target/reports", Irregular::Symlink),
    ] {
        let script = format!("mkdir target/reports; {}", script.replace('R', "target/reports/passwd"));
        let exited = Fixture::new().scratch("target").report("target/reports/passwd", IN_PLACE).sh(&script);
        passed(&exited);
        assert_eq!(exited.report, ReportFile::Irregular(what), "{script}");
    }
}

fn not_shared() {
    let mut fixture = Fixture::new().scratch("target").report("report.xml", IN_PLACE);
    passed(
        &fixture
            .sh("echo x | tee report.xml target/report.xml /tmp/report.xml /dev/shm/report.xml /var/tmp/report.xml"),
    );
    let exited =
        fixture.sh("cat target/report.xml /tmp/report.xml /dev/shm/report.xml /var/tmp/report.xml > report.xml");
    assert!(
        matches!(&exited.report, ReportFile::Untouched { .. }) || report_bytes(&exited).is_empty(),
        "{:?}",
        exited.report
    );
}

fn kept() {
    let exited = Fixture::new().report("report.xml", IN_PLACE).sh("echo x > report.xml; exit 3");
    assert_eq!(report_bytes(&exited), "x\n");
    let exited = Fixture::new().report("report.xml", IN_PLACE).sh("echo x > report.xml; sleep 600 & exit 0");
    assert_eq!((report_bytes(&exited).as_str(), exited.leftovers), ("x\n", 1));
}
