//! The tutorial of `docs/rules.md`: every command is typed, every file written, and what is shown is what comes.

use std::path::Path;

use crate::harness::{Repo, Terminal};

/// A fenced block: its language and words, and its text.
struct Block {
    words: Vec<String>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(head), None) => {
                let words = head.split(' ').map(str::to_owned).collect();
                open = Some(Block { words, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

impl Block {
    fn is(&self, language: &str) -> bool {
        self.words[0] == language
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Types a command at a terminal and answers what it asks; what was drawn.
fn answered(repo: &Repo, args: &[String], keys: &str) -> (i32, String) {
    let mut terminal = Terminal::new();
    let child = terminal.start(repo.runmill(args.iter().map(String::as_str)));
    terminal.until("[a]ccept, [r]eject, [s]kip, [q]uit?");
    terminal.press(&format!("{keys}\n"));
    let exit = terminal.exit(child).unwrap();
    (exit, terminal.drawn().to_owned())
}

#[test]
fn the_tutorial_comes_out_as_it_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md")).unwrap();
    let tutorial = page.split("\n## Reference\n").next().unwrap();
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
    let (mut typed, mut shown) = (0, String::new());
    for block in blocks(tutorial) {
        if let Some(path) = block.value("file") {
            repo.file(path, &block.text);
        } else if block.is("sh") {
            for line in block.text.lines() {
                let words = shell_words::split(line).unwrap();
                assert_eq!(words[0], "runmill", "{line}");
                let expected: i32 = block.value("exit").map_or(0, |exit| exit.parse().unwrap());
                let (exit, output) = match block.value("keys") {
                    Some(keys) => answered(&repo, &words[1..], keys),
                    None => {
                        let output = repo.runmill(words[1..].iter().map(String::as_str)).output();
                        (output.exit, format!("{}{}", output.stdout, output.stderr))
                    }
                };
                assert_eq!(exit, expected, "{line}\n{output}");
                (typed, shown) = (typed + 1, output);
            }
        } else if block.words.iter().any(|word| word == "shown") {
            for line in block.text.lines() {
                assert!(shown.lines().any(|known| known == line), "`{line}` is not shown:\n{shown}");
            }
        } else {
            panic!("a block of the tutorial that nobody looks at: {:?}", block.words);
        }
    }
    assert!(typed >= 15, "only {typed} commands");
}
