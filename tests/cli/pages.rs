//! The pages that show commands: what they show is what happens.

use std::{fs, process::Command};

use crate::harness::{Output, Repo};

/// The fenced blocks of a page in a language.
pub fn blocks(page: &str, language: &str) -> Vec<String> {
    let path = format!("{}/docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let fence = format!("\n```{language}\n");
    let parts = text.split(&fence).skip(1);
    parts.map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect()
}

/// Runs every `console` block of a page in a repository, under the page's first `yaml` block as policy. A line after `$` is a
/// command, with the exit it must have; the lines after it are in what it prints.
pub fn run(page: &str, repo: &Repo) {
    let policy = blocks(page, "yaml").remove(0);
    let mut shown: Option<Output> = None;
    for line in blocks(page, "console").iter().flat_map(|block| block.lines()) {
        let Some(command) = line.strip_prefix("$ ") else {
            let output = shown.as_ref().expect("a command before its output");
            let told = format!("{}{}", output.stdout, output.stderr);
            assert!(told.contains(line.trim()), "`{line}` is not in {told}");
            continue;
        };
        let (command, exit) = command.split_once("# exit ").unwrap_or((command, "0"));
        let words = shell_words::split(command).unwrap();
        shown = if words[0] == "runmill" {
            let run = repo.runmill(words[1..].iter().map(String::as_str)).policy(&policy);
            Some(run.output())
        } else {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).current_dir(repo.path()).env("HOME", repo.place("home"));
            for who in ["AUTHOR", "COMMITTER"] {
                shell.env(format!("GIT_{who}_NAME"), "A Person").env(format!("GIT_{who}_EMAIL"), "person@example.com");
            }
            assert!(shell.status().unwrap().success(), "{command}");
            None
        };
        if let Some(output) = &shown {
            let exit: i32 = exit.trim().parse().unwrap();
            assert_eq!(output.exit, exit, "{command}: {}{}", output.stdout, output.stderr);
        }
    }
}

#[test]
fn the_page_of_receipts_shows_what_happens() {
    let repo = Repo::new();
    repo.file("words.txt", "a\n").commit("base");
    run("receipts.md", &repo);
}

#[test]
fn plain_git_comes_to_the_digest_as_the_page_of_receipts_says() {
    let repo = Repo::new();
    repo.file("words.txt", "a\n").file("gone.txt", "x").commit("base");
    repo.file("words.txt", "b\nno end")
        .file("a new/b i n", [0, 255, 10])
        .remove("gone.txt")
        .symlink("link", "words.txt");
    let recipe = blocks("receipts.md", "sh").remove(0);
    let said = Command::new("sh").args(["-ec", &recipe]).current_dir(repo.path()).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let listed = repo.runmill(["verify", "--list"]).document();
    assert_eq!(listed["worktree"]["diff_sha256"], format!("sha256:{}", said.split(' ').next().unwrap()), "{said}");
}

#[test]
fn the_page_of_agents_shows_what_happens() {
    let repo = Repo::new();
    repo.file("words.txt", "a\n").commit("base");
    run("agents.md", &repo);
}
