//! `runmill completions` and `runmill man`, which need no repository.

use std::fs;

use crate::harness::{Repo, User};

#[test]
fn a_shell_takes_its_completions() {
    let repo = Repo::bare_directories(User::Same);
    fs::create_dir(repo.path()).unwrap();
    for (shell, part) in
        [("bash", "complete -F _runmill"), ("zsh", "#compdef runmill"), ("fish", "complete -c runmill")]
    {
        let output = repo.runmill(["completions", shell]).output();
        assert!(output.exit == 0 && output.stdout.contains(part), "{shell}: {}", output.stderr);
    }
    assert_eq!(repo.runmill(["completions", "cmd"]).output().exit, 2);
}

#[test]
fn writes_a_manual_page_for_each_verb() {
    let repo = Repo::bare_directories(User::Same);
    fs::create_dir(repo.path()).unwrap();
    let page = repo.runmill(["man"]).output();
    assert!(page.exit == 0 && page.stdout.contains(".TH runmill 1"), "{}", page.stdout);
    let pages = repo.place("pages");
    let output = repo.runmill(["man", "--out"]).arg(&pages).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    for name in ["runmill.1", "runmill-init.1", "runmill-evidence-verify.1"] {
        let text = fs::read_to_string(pages.join(name)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(r"\-\-state\-dir"), "{name}: {text}");
    }
    fs::write(repo.place("file"), "").unwrap();
    repo.runmill(["man", "--out"]).arg(repo.place("file")).error().is("RM-CONFIG-004", 2);
}
