use super::super::{
    detect::{Programs, detect},
    tree::fixture::tree,
};
use super::*;

fn make(files: &[(&str, &str)], answers: &[bool]) -> (tempfile::TempDir, Plan) {
    let (dir, tree) = tree(files);
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let wish = Wish { ci: None, policy: None, findings: detect(&tree, &Programs::default()) };
    let plan = Plan::make(root, &tree, wish, &mut Asker::scripted(answers));
    (dir, plan)
}

const CRATE: (&str, &str) = ("Cargo.toml", "[package]\nname = \"a\"\n");
const TEST: (&str, &str) = ("src/lib.rs", "#[test]\nfn a() {}\n");
const MAKEFILE: (&str, &str) = ("Makefile", "test:\n\tcargo test\n");

#[test]
fn asks_about_what_is_there_twice() {
    let ids = |answer| {
        let (_dir, plan) = make(&[CRATE, MAKEFILE, TEST, ("Cargo.lock", "")], &[answer]);
        let ids: Vec<_> = plan.checks().map(|entry| entry.id.clone()).collect();
        (ids, plan.decisions().iter().any(|text| text.contains("the target `test` of `Makefile` is not required")))
    };
    assert_eq!(ids(true), (vec!["cargo-unit".to_owned(), "make-unit".to_owned()], false));
    assert_eq!(ids(false), (vec!["unit".to_owned()], true));
}

#[test]
fn asks_before_a_job_is_written_into_a_ci_that_is_there() {
    let workflow = (".github/workflows/ci.yml", "");
    for answer in [true, false] {
        let (_dir, plan) = make(&[workflow], &[answer]);
        assert_eq!(plan.preview().iter().any(|file| file.path == ".github/workflows/runmill.yml"), answer);
    }
}

#[test]
fn asks_nothing_about_a_manifest_that_is_there() {
    let (_dir, plan) = make(&[CRATE, MAKEFILE, (".runmill/checks.yaml", "checks: []\n")], &[]);
    assert_eq!((plan.checks().count(), plan.decisions().len()), (0, 0));
    let kept = plan.preview();
    assert_eq!((kept[0].path.as_str(), kept[0].action), (".runmill/checks.yaml", Action::Kept));
}

#[test]
fn writes_over_nothing_that_came_to_be_there() {
    let (dir, plan) = make(&[CRATE, TEST, ("Cargo.lock", "")], &[]);
    fs::create_dir(dir.path().join(".runmill")).unwrap();
    fs::write(dir.path().join(".runmill/checks.yaml"), "mine\n").unwrap();
    assert!(plan.write().is_err());
    assert_eq!(fs::read_to_string(dir.path().join(".runmill/checks.yaml")).unwrap(), "mine\n");
}
