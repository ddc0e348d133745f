//! `runmill explain CODE`: the page of a code.

use crate::harness::{Repo, User, snapshot};

#[test]
fn a_page_says_what_it_means_how_people_get_there_and_what_to_do() {
    let nowhere = Repo::bare_directories(User::Same);
    for (color, name) in [("never", "code"), ("always", "code-colour")] {
        let explain = nowhere.runmill(["explain", "rm-verify-006", "--color", color]).in_dir(nowhere.root());
        let output = explain.output();
        assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
        snapshot(&nowhere, "explain", name, &output.stdout.replace('\u{1b}', "␛"));
    }
}

#[test]
fn every_page_fits_the_terminal_and_is_a_document_too() {
    let nowhere = Repo::bare_directories(User::Same);
    for code in runmill_model::Code::ALL {
        let explain = || nowhere.runmill(["explain", code.as_str()]).in_dir(nowhere.root());
        let output = explain().output();
        assert_eq!(output.exit, 0, "{code}: {}", output.stderr);
        for line in output.stdout.lines() {
            assert!(line.chars().count() <= 80, "{code}: {} columns: {line}", line.chars().count());
        }
    }
    let document = nowhere.runmill(["explain", "RM-CI-004"]).in_dir(nowhere.root()).document();
    assert_eq!(document["schema"], "runmill.code/v1");
    assert_eq!(document["code"], "RM-CI-004");
    for list in ["meaning", "causes", "advice"] {
        assert!(!document[list].as_array().unwrap().is_empty(), "{list} in {document:#}");
    }
}

#[test]
fn an_unknown_code_is_a_wrong_command_line_and_suggests_the_closest() {
    let nowhere = Repo::bare_directories(User::Same);
    let explain = |code: &str| nowhere.runmill(["explain", code]).in_dir(nowhere.root()).error();
    explain("RM-VERFY-003").is("RM-CONFIG-004", 2).says("did you mean `RM-VERIFY-003`?");
    explain("RM-X").is("RM-CONFIG-004", 2).says("there is no code `RM-X`");
}
