//! The built-in packs' snapshots, compared by insta: `cargo insta review` reads and writes the same files as
//! `runmill rules test`.

use std::collections::BTreeSet;

use runmill_rules::builtin_files;
use runmill_workshop::snapshots::{Header, contents, unreferenced, written};

use crate::builtin::every_pack;

#[test]
fn every_builtin_snapshot_is_as_it_was_accepted() {
    every_pack(|pack, suite| {
        let files = builtin_files(pack).unwrap();
        let root = format!("{}/../../rules/packs/{pack}", env!("CARGO_MANIFEST_DIR"));
        let mut referenced = BTreeSet::new();
        for (_, case) in suite.cases() {
            let Some(snapshot) = suite.run(case).unwrap().snapshot(case, &files) else { continue };
            let (folder, name) = snapshot.path.rsplit_once('/').unwrap();
            let mut settings = insta::Settings::new();
            settings.set_snapshot_path(format!("{root}/{folder}"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.set_description(&case.name);
            settings.bind(|| insta::assert_snapshot!(name.strip_suffix(".snap").unwrap(), snapshot.found));
            referenced.insert(snapshot.path);
        }
        let referenced: BTreeSet<&str> = referenced.iter().map(String::as_str).collect();
        assert_eq!(unreferenced(&files, &referenced), Vec::<String>::new(), "no case refers to these");
        let rules = suite.judge.rules().len();
        assert!(referenced.len() >= rules, "{} snapshots of {rules} rules", referenced.len());
    });
}

#[test]
fn insta_finds_what_rules_test_writes_to_be_a_snapshot_of_the_same_text() {
    let dir = std::env::temp_dir().join(format!("runmill-insta-{}", std::process::id()));
    let text = "rule: a/b\nsubject: check `x`\n\nrule: a/c\nmessage: \"---\" and: {more}";
    let header = Header { source: "tests/a.kdl".to_owned(), case: "says \"so\": yes # no".to_owned() };
    #[expect(clippy::disallowed_methods, reason = "a test looks at real files")]
    let put = || {
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("x.snap"), written(&header, text)).unwrap();
    };
    put();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(&dir);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("x", text));
    #[expect(clippy::disallowed_methods, reason = "a test looks at real files")]
    let (kept, gone) = (std::fs::read_to_string(dir.join("x.snap")).unwrap(), std::fs::remove_dir_all(&dir));
    gone.unwrap();
    assert_eq!(contents(&kept).unwrap(), text);
}
