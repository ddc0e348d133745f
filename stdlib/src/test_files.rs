//! Test files and the tests that reports list: which files the ids name, and which files are named alike.
//!
//! Reporters write a file's path with `/`, `.` or `::` between its parts, with or without its extension, and from some
//! directory on; so names are compared word by word, and an id names the files whose ends fit it best.

use std::collections::{BTreeSet, HashMap, HashSet};

use runmill_model::{Graph, TestSet, Type, Value};
use runmill_policy::{Call, Fault};

use crate::arguments::{functions, tests, text, texts};

const TEXTS: Type = Type::List(&Type::Text);

functions! {
    "naming" [Type::Tests, TEXTS] => TEXTS,
        "The files that the shown id of a test names: it holds the file's name without its extension, as whole words; of \
         several files of that name those whose directories stand before it too.", naming;
    "alike" [Type::Text, TEXTS] => TEXTS,
        "The files that are named like a file: same extension, and `test`, `spec` and the like in the same place; in the \
         same directory where no such word is in the name.", alike;
}

fn naming(call: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let paths: Vec<&str> = texts(args, 1)?.collect();
    let files = Files::of(&paths);
    let named: BTreeSet<usize> =
        shown_parts(call.graph, tests(args, 0)?).iter().flat_map(|part| files.named_in(part)).collect();
    Ok(list(named.into_iter().filter_map(|at| paths.get(at).copied())))
}

fn alike(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let file = Shape::of(text(args, 0)?);
    Ok(list(texts(args, 1)?.filter(|other| Shape::of(other) == file)))
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::List(items.map(|item| Value::Text(item.into())).collect())
}

/// Groups and names, each once: many tests share a class.
fn shown_parts<'a>(graph: &'a Graph, tests: &TestSet) -> HashSet<&'a str> {
    let arena = graph.tests();
    let mut parts = HashSet::new();
    for test in tests.iter() {
        let (shown, group) = (arena.shown(test), arena.group(test));
        parts.extend(group);
        parts.insert(shown.get(group.map_or(0, str::len)..).unwrap_or_default());
    }
    parts
}

/// Runs of letters, digits, `_` and `-`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|word| !word.is_empty())
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Files, found by the first word of their names.
struct Files<'a> {
    by_word: HashMap<&'a str, Vec<(usize, File<'a>)>>,
}

struct File<'a> {
    directories: Vec<&'a str>,
    /// The name without its extension.
    name: Vec<&'a str>,
}

impl<'a> Files<'a> {
    fn of(paths: &[&'a str]) -> Self {
        let mut by_word: HashMap<&str, Vec<_>> = HashMap::new();
        for (at, path) in paths.iter().enumerate() {
            let (directory, name) = split(path);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let file = File { directories: words(directory).collect(), name: words(stem).collect() };
            if let Some(first) = file.name.first() {
                by_word.entry(first).or_default().push((at, file));
            }
        }
        Self { by_word }
    }

    /// The places of the files that a part of an id names.
    fn named_in(&self, part: &str) -> Vec<usize> {
        let part: Vec<&str> = words(part).collect();
        let mut named = Vec::new();
        for (start, word) in part.iter().enumerate() {
            let Some(files) = self.by_word.get(word) else { continue };
            let (before, here) = part.split_at(start);
            let fitting = files.iter().filter(|(_, file)| here.starts_with(&file.name));
            let fits: Vec<(usize, usize)> = fitting.map(|(at, file)| (*at, file.directories_before(before))).collect();
            let best = fits.iter().map(|(_, depth)| *depth).max();
            named.extend(fits.iter().filter(|(_, depth)| Some(*depth) == best).map(|(at, _)| *at));
        }
        named
    }
}

impl File<'_> {
    /// How many of its directories stand right before its name.
    fn directories_before(&self, words: &[&str]) -> usize {
        self.directories.iter().rev().zip(words.iter().rev()).take_while(|(own, word)| own == word).count()
    }
}

/// What the names of files have in common.
#[derive(PartialEq, Eq)]
struct Shape<'a> {
    extension: &'a str,
    /// Words of tests; `*` stands for one or more others.
    words: Vec<String>,
    /// Where no word of tests says what the file is, its place does.
    directory: Option<&'a str>,
}

const OF_TESTS: [&str; 8] = ["test", "tests", "spec", "specs", "testcase", "cy", "e2e", "it"];

impl<'a> Shape<'a> {
    fn of(path: &'a str) -> Self {
        let (directory, name) = split(path);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let mut words: Vec<String> =
            parts(stem).map(|word| if OF_TESTS.contains(&word.as_str()) { word } else { "*".to_owned() }).collect();
        words.dedup_by(|word, before| word == "*" && before == "*");
        let directory = words.iter().all(|word| word == "*").then_some(directory);
        Self { extension, words, directory }
    }
}

/// The words of a name in small letters: split at marks and where a capital follows a small letter.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut small_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small_before) {
            parts.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
        small_before = c.is_lowercase() || c.is_ascii_digit();
    }
    parts.into_iter().filter(|part| !part.is_empty())
}
