//! The view: it is the commit, and nothing changes it.

use std::fs;

use runmill_host::sandbox::{Ended, Mount, Overlay};

use crate::{
    Case,
    fixture::{Fixture, out, passed, refused, repo},
};

pub const CASES: &[Case] = &[
    ("tree::shows_the_bytes_of_the_commit_at_the_same_path_always", shows_the_bytes),
    ("tree::cannot_be_changed_in_any_way", cannot_be_changed),
    ("tree::cannot_be_changed_where_places_were_laid_in", cannot_be_changed_with_skeleton),
    ("tree::git_directory_is_shown_and_cannot_be_changed", git_directory),
    ("tree::times_cannot_be_set", times),
    ("tree::scratch_is_writable_private_and_gone_afterwards", scratch),
    ("tree::scratch_in_the_way_of_a_file_is_the_checks_fault", scratch_blocked),
    ("tree::prepared_dependencies_are_laid_over_read_only", overlays),
    ("tree::prepared_directories_appear_at_absolute_paths_read_only", mounts),
    ("tree::the_checkout_appears_where_something_prepared_looks_for_it", checkout_elsewhere),
    ("tree::scratch_may_lie_in_prepared_dependencies_where_they_have_the_place", scratch_in_overlay),
    ("tree::working_directory_is_inside_the_checkout", working_directory),
];

/// Every way to change a tree, each followed by the word that tells it worked.
const CHANGES: &str = r#"
try() { "$@" 2>/dev/null && echo "through: $*"; }
try sh -c 'echo x >> kept.txt'
try sh -c ': > kept.txt'
try sh -c 'echo x > new.txt'
try sh -c 'echo x > sub/new.txt'
try mkdir sub/new
try rm kept.txt
try chmod +x kept.txt
try chmod 777 sub
try mv kept.txt moved.txt
try ln -s sub link
try ln -sf sub kept.txt
try ln kept.txt hard.txt
try touch kept.txt
try touch -d @0 sub
try truncate -s 0 kept.txt
try mkfifo pipe
try rmdir sub
exit 0
"#;

fn shows_the_bytes() {
    let exited =
        Fixture::new().file("x/y.sh", "abc").sh("pwd; cat kept.txt sub/kept.txt x/y.sh; ls -A; stat -c %a x/y.sh");
    passed(&exited);
    assert_eq!(out(&exited), "/run/runmill/checkout\nkeptkeptabckept.txt\nsub\nx\n644\n");
}

fn cannot_be_changed() {
    let mut fixture = Fixture::new();
    refused(&fixture.sh(CHANGES));
    assert_eq!(fs::read_to_string(fixture.tree().join("kept.txt")).unwrap(), "kept");
    assert_eq!(fs::read_dir(fixture.tree()).unwrap().count(), 2);
}

fn cannot_be_changed_with_skeleton() {
    let mut fixture = Fixture::new()
        .git_dir()
        .scratch("sub/target")
        .report("sub/deep/report.xml", runmill_host::sandbox::Replace::InPlace);
    refused(&fixture.sh(CHANGES));
    refused(&fixture.sh(
        "cd sub/deep && for file in other report.xml.tmp; do echo x > $file && echo through; done 2>/dev/null; exit 0",
    ));
    assert_eq!(fs::read_dir(fixture.tree()).unwrap().count(), 2);
    passed(&fixture.sh("cat kept.txt sub/kept.txt; test -d sub/target"));
}

fn git_directory() {
    let mut fixture = Fixture::new().git_dir();
    let script =
        "cat .git/index; touch .git/index 2>/dev/null && echo through; echo x > .git/config && echo through; exit 0";
    let exited = fixture.sh(script);
    refused(&exited);
    assert_eq!(out(&exited), "index");
}

fn times() {
    refused(&Fixture::new().inside(&["set-times", "kept.txt"]));
}

fn scratch() {
    let mut fixture = Fixture::new().scratch("target").scratch("sub/cache").scratch("target/nested");
    let script = "ls -A target sub/cache | grep -v :; echo x > target/a && mkdir sub/cache/d && mv target/a sub/cache/d/b && cat sub/cache/d/b";
    for _ in 0..2 {
        let exited = fixture.sh(script);
        passed(&exited);
        assert_eq!(out(&exited).trim(), "x");
    }
    assert_eq!(fs::read_dir(fixture.tree()).unwrap().count(), 2);
}

fn scratch_blocked() {
    let exited = Fixture::new().scratch("kept.txt").sh("true");
    let expect = "a file of the commit is in the way of the scratch directory `kept.txt`";
    assert_eq!(exited.ended, Ended::NotStarted { reason: expect.into() });
    let exited = Fixture::new().symlink("link", "/etc").scratch("link/x").sh("true");
    assert!(matches!(exited.ended, Ended::NotStarted { .. }), "{:?}", exited.ended);
}

fn overlays() {
    let mut fixture = Fixture::new().git_dir().scratch("target");
    let prepared = fixture.beside("prepared");
    fs::write(prepared.join("index.js"), "prepared").unwrap();
    let at = ["node_modules", ".git/objects", "target/vendor"];
    fixture.spec.overlays = at.map(|at| Overlay { host: prepared.clone(), at: repo(at) }).into();
    let exited = fixture.sh("for at in node_modules .git/objects target/vendor; do cat $at/index.js; touch $at/x && echo through; done 2>/dev/null; exit 0");
    refused(&exited);
    assert_eq!(out(&exited), "preparedpreparedprepared");
}

fn mounts() {
    let mut fixture = Fixture::new();
    let prepared = fixture.beside("prepared");
    fs::write(prepared.join("file"), "prepared").unwrap();
    let hidden = prepared.parent().unwrap().join("not-there/yet");
    let at = ["/run/runmill/crates", hidden.as_str()];
    fixture.spec.mounts = at.map(|at| Mount { host: prepared.clone(), at: at.into() }).into();
    let script =
        format!("for at in {}; do cat $at/file; touch $at/x && echo through; done 2>/dev/null; exit 0", at.join(" "));
    assert_eq!(out(&fixture.sh(&script)), "preparedprepared");
}

fn checkout_elsewhere() {
    let mut fixture = Fixture::new().scratch("target");
    let at = fixture.beside("work-tree");
    fixture.spec.checkout_at = Some(at.clone());
    let script =
        format!("cat {at}/kept.txt; echo here > target/x; cat {at}/target/x; touch {at}/y && echo through; exit 0");
    assert_eq!(out(&fixture.sh(&format!("({script}) 2>/dev/null"))), "kepthere\n");
}

fn scratch_in_overlay() {
    let mut fixture = Fixture::new().scratch("node_modules/.cache");
    let prepared = fixture.beside("prepared");
    fs::create_dir(prepared.join(".cache")).unwrap();
    fixture.spec.overlays = vec![Overlay { host: prepared.clone(), at: repo("node_modules") }];
    let exited = fixture.sh("echo yes > node_modules/.cache/x; cat node_modules/.cache/x; touch node_modules/y 2>/dev/null && echo through; exit 0");
    assert_eq!(out(&exited), "yes\n");
    fs::remove_dir(prepared.join(".cache")).unwrap();
    let Ended::NotStarted { reason } = fixture.sh("true").ended else { panic!() };
    assert!(reason.contains("`node_modules/.cache` is not there in the prepared dependencies"), "{reason}");
}

fn working_directory() {
    let mut fixture = Fixture::new();
    fixture.spec.cwd = repo("sub");
    assert_eq!(out(&fixture.sh("pwd")), "/run/runmill/checkout/sub\n");
    fixture.spec.cwd = repo("absent");
    let Ended::NotStarted { reason } = fixture.sh("pwd").ended else { panic!() };
    assert!(reason.contains("`absent`"), "{reason}");
}
