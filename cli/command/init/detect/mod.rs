//! What a repository says about how it is tested, one module for each ecosystem.
//!
//! A command is taken from what is there: a script, a target, a build file. A flag is added only where it is one of those
//! that `docs/reporters.md` was tried with.

mod bats;
mod cargo;
mod go;
mod gradle;
mod just;
mod make;
mod maven;
mod node;
mod python;

use super::{draft::Draft, tree::Tree};

/// What was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// The checks to write.
    pub drafts: Vec<Draft>,
    /// Checks that are there too, and that a person may want.
    pub also: Vec<Draft>,
    /// What a person must decide or do, one line each.
    pub notes: Vec<String>,
}

/// Programs of this machine that change what is proposed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Programs {
    /// cargo-nextest.
    pub nextest: bool,
}

impl Findings {
    fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Whether a directory has tests already.
    fn tests(&self, dir: &str) -> bool {
        self.drafts.iter().any(|draft| draft.dir == dir && draft.name == "unit")
    }

    /// Takes a wrapper around the project's own tools where nothing else was found; else it is for a person.
    fn take_or_offer(&mut self, draft: Draft) {
        if self.tests(&draft.dir) { self.also.push(draft) } else { self.drafts.push(draft) }
    }
}

/// Looks at a work tree.
pub fn detect(tree: &Tree, programs: &Programs) -> Findings {
    let mut found = Findings::default();
    cargo::find(tree, programs, &mut found);
    node::find(tree, &mut found);
    python::find(tree, &mut found);
    go::find(tree, &mut found);
    gradle::find(tree, &mut found);
    maven::find(tree, &mut found);
    bats::find(tree, &mut found);
    // What runs the others comes last.
    make::find(tree, &mut found);
    just::find(tree, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::init::{manifest, tree::fixture::tree};

    /// The checks that are proposed for these files, one line each.
    #[track_caller]
    pub fn check(files: &[(&str, &str)], expect: &[&str]) -> Findings {
        check_with(files, &Programs::default(), expect)
    }

    #[track_caller]
    pub fn check_with(files: &[(&str, &str)], programs: &Programs, expect: &[&str]) -> Findings {
        let (_dir, tree) = tree(files);
        let found = detect(&tree, programs);
        let entries = manifest::entries(&tree, found.drafts.clone());
        let lines: Vec<_> = entries.iter().map(line).collect();
        assert_eq!(lines, expect);
        manifest::parsed(&manifest::text(&entries)).expect("a manifest that we read");
        found
    }

    fn line(entry: &manifest::Entry) -> String {
        let quoted = |word: &String| if word.contains(' ') { format!("'{word}'") } else { word.clone() };
        let words: Vec<_> = entry.draft.words.iter().map(quoted).collect();
        let mut line = format!("{}: {}", entry.id, words.join(" "));
        let mut add = |text: String| line.push_str(&format!(" | {text}"));
        if !entry.draft.dir.is_empty() {
            add(format!("in {}", entry.draft.dir));
        }
        if let (Some(path), Some(report)) = (&entry.report, &entry.draft.report) {
            let by = report.identity.map(|identity| format!(" by {identity}")).unwrap_or_default();
            add(format!("{} {path}{by}", report.format));
        }
        if !entry.draft.env.is_empty() {
            let set: Vec<_> = entry.draft.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
            add(format!("sets {}", set.join(" ")));
        }
        if !entry.scratch.is_empty() {
            add(format!("scratch {}", entry.scratch.join(" ")));
        }
        if !entry.draft.dependencies.is_empty() {
            add(format!("needs {}", entry.draft.dependencies.join(" ")));
        }
        line
    }

    #[test]
    fn finds_nothing_where_nothing_is() {
        let found = check(&[("README.md", "run `make test`"), ("src/main.c", "")], &[]);
        assert!(found.also.is_empty() && found.notes.is_empty());
    }
}
