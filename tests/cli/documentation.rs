//! What documentation tells people to type: every verb and flag is one of the program's.

use std::{collections::BTreeSet, fs, path::Path};

use crate::harness::{Repo, User};

/// The commands of a page: in code spans, and at the beginning of lines of code.
fn commands(page: &str) -> BTreeSet<String> {
    let spans = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let lines = page.lines().map(|line| line.trim_start().trim_start_matches("$ "));
    let mut inside = false;
    let lines = lines.filter(move |line| {
        inside ^= line.starts_with("```");
        inside
    });
    let starts = |text: &&str| text.starts_with("runmill ");
    let without_comment = |text: &str| text.split("  #").next().unwrap_or(text).trim().to_owned();
    spans.chain(lines).filter(starts).map(without_comment).collect()
}

fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let codes = fs::read_dir(root.join("docs/codes")).unwrap().map(|entry| entry.unwrap().path());
    let all = docs.chain(codes).chain([root.join("README.md"), root.join("CHANGELOG.md")]);
    let pages = all.filter(|path| path.extension().is_some_and(|it| it == "md"));
    pages.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// The longest chain of verbs that the words begin with, and its help.
fn help(repo: &Repo, words: &[&str]) -> Result<String, String> {
    let mut help = repo.runmill(["--help"]).output().stdout;
    for (at, word) in words.iter().enumerate() {
        let lists = |line: &str| line.strip_prefix("  ").and_then(|line| line.split_whitespace().next()) == Some(*word);
        let Some((_, verbs)) = help.split_once("Commands:\n") else { break };
        let verbs = verbs.split("\n\n").next().unwrap_or_default();
        if !verbs.lines().any(lists) {
            // `runs` is a verb by itself too.
            return if at > 0 && help.contains("[COMMAND]") { Ok(help) } else { Err(format!("no verb `{word}`")) };
        }
        help = repo.runmill(words[..=at].iter().copied()).arg("--help").output().stdout;
    }
    Ok(help)
}

#[test]
fn every_command_that_is_shown_exists() {
    let repo = Repo::bare_directories(User::Same);
    fs::create_dir(repo.path()).unwrap();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (page, text) in pages() {
        for command in commands(&text) {
            let words: Vec<_> = command.split_whitespace().skip(1).collect();
            let verbs: Vec<_> = words.iter().take_while(|word| is_verb(word)).copied().collect();
            seen += 1;
            match help(&repo, &verbs) {
                Err(what) => wrong.push(format!("{page}: `{command}`: {what}")),
                Ok(help) => {
                    let flags = words.iter().filter(|word| word.starts_with("--"));
                    let flags = flags.map(|flag| flag.split(['=', ']', '|', ',']).next().unwrap_or(flag));
                    let unknown = flags.filter(|flag| !help.contains(flag));
                    wrong.extend(unknown.map(|flag| format!("{page}: `{command}`: no flag `{flag}`")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "{seen} commands");
}

/// A word of the program's, not of the person's.
fn is_verb(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
}

#[test]
fn commands_are_found_in_spans_and_in_code() {
    let page = "Type `runmill check --base x`.\n\n```sh\nrunmill runs   # all\necho\n```\nrunmill is a gate.\n";
    let found = commands(page);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["runmill check --base x", "runmill runs"]);
}
