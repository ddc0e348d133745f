//! Programs: found, or said to be missing; with the environment they were given.

use std::{fs, os::unix::fs::PermissionsExt};

use runmill_host::{environment, sandbox::Ended, toolchain};

use crate::{
    Case,
    fixture::{Fixture, out, passed, repo, utf8},
};

pub const CASES: &[Case] = &[
    ("programs::a_missing_one_says_where_it_was_looked_for", missing),
    ("programs::one_in_the_checkout_is_found_from_the_working_directory", in_checkout),
    ("programs::the_environment_is_exactly_the_one_given", environment_given),
    ("programs::a_shim_of_a_version_manager_works", shim),
    ("programs::cargo_test_works_with_a_scratch_target", cargo_test),
];

#[track_caller]
fn reason(ended: Ended) -> String {
    let Ended::NotStarted { reason } = ended else { panic!("{ended:?}") };
    reason
}

fn missing() {
    let mut fixture = Fixture::new().file("plain", "x").file("odd", "#!/no/such/interpreter\n");
    fs::set_permissions(fixture.tree().join("odd"), fs::Permissions::from_mode(0o755)).unwrap();
    let exited = fixture.argv(&["no-such-program", "x"]);
    assert_eq!(
        reason(exited.ended),
        "program `no-such-program` is in no directory of PATH `/usr/local/bin:/usr/bin:/bin`"
    );
    assert!(reason(fixture.argv(&["./absent"]).ended).starts_with("program `./absent` cannot be found"));
    assert!(reason(fixture.argv(&["./plain"]).ended).ends_with("which may not be executed"));
    assert!(reason(fixture.argv(&["./odd"]).ended).ends_with("whose interpreter or loader is missing"));
    assert_eq!(reason(fixture.argv(&[]).ended), "there is no program to run");
}

fn in_checkout() {
    let mut fixture = Fixture::new().file("sub/run", "#!/bin/sh\necho \"$0 $1\"\n");
    fs::set_permissions(fixture.tree().join("sub/run"), fs::Permissions::from_mode(0o755)).unwrap();
    fixture.spec.cwd = repo("sub");
    let exited = fixture.argv(&["./run", "a b"]);
    passed(&exited);
    assert_eq!(out(&exited), "./run a b\n");
}

fn environment_given() {
    let mut fixture = Fixture::new();
    fixture.spec.env = [("PATH", "/bin"), ("ONE", "1 =\n")].map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(out(&fixture.inside(&["environment"])), "ONE=1 =\n\nPATH=/bin\n");
}

/// The way pyenv works: a script in PATH that runs another by its absolute path.
fn shim() {
    let mut fixture = Fixture::new();
    let home = fixture.beside("home");
    let script = |path: &str, text: String| {
        fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        fs::write(home.join(path), text).unwrap();
        fs::set_permissions(home.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(".pyenv/shims/python9", format!("#!/bin/sh\nexec {home}/.pyenv/versions/9/bin/python9 \"$@\"\n"));
    script(".pyenv/versions/9/bin/python9", "#!/bin/sh\necho \"python $PYENV_ROOT $1\"\n".into());
    script(".netrc", "secret".into());
    let host = [("HOME", home.to_string()), ("PATH", format!("{home}/.pyenv/shims:/usr/bin:/bin"))];
    let host = host.map(|(name, value)| (name.to_owned(), value)).into();
    fixture.spec.toolchains = toolchain::find(&host);
    fixture.spec.env = environment::build(&environment::Rules::default(), &host, &fixture.spec.toolchains).vars;
    let exited = fixture.argv(&["python9", "x"]);
    passed(&exited);
    assert_eq!(out(&exited), format!("python {home}/.pyenv x\n"));
    assert_eq!(out(&fixture.sh(&format!("ls -A {home}"))), ".pyenv\n");
}

/// With the cargo that runs these tests. An ordinary user may have none of their own: then its toolchain is found by the system's PATH,
/// and where that has none either, it is said to be missing.
fn cargo_test() {
    let mut fixture = Fixture::new()
        .file("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .file("Cargo.lock", "version = 3\n\n[[package]]\nname = \"tiny\"\nversion = \"0.1.0\"\n")
        .file("src/lib.rs", "#[test]\nfn adds() { assert_eq!(1 + 1, 2) }\n")
        .scratch("target");
    let host = std::env::vars().collect();
    fixture.spec.toolchains = toolchain::find(&host);
    fixture.spec.env = environment::build(&environment::Rules::default(), &host, &fixture.spec.toolchains).vars;
    let exited = fixture.argv(&["cargo", "test", "--locked"]);
    if std::env::var_os("CARGO").is_none()
        && !fixture.spec.env["PATH"].split(':').any(|path| utf8(path.as_ref()).join("cargo").exists())
    {
        assert!(reason(exited.ended).starts_with("program `cargo` is in no directory of PATH"));
        return;
    }
    passed(&exited);
    assert!(out(&exited).contains("test adds ... ok"), "{}", out(&exited));
    assert_eq!(fs::read_dir(fixture.tree()).unwrap().count(), 5);
}
