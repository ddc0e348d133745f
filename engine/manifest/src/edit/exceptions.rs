//! An operator's exceptions for one candidate, added to the text of `policy.yaml`.

use std::str::FromStr;

use runmill_model::{CheckId, Code, CommitId, Problem, Problems};
use yaml_edit::{Mapping, Sequence, YamlFile};

use super::quote;
use crate::policy::{self, OperatorPolicy, OperatorSkip, SkipScope};

/// A test that may be skipped or missing at one candidate, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// The check whose inventory it is about.
    pub check: CheckId,
    /// The test's identity as reports show it; not blank.
    pub test_id: String,
    /// Why; not blank.
    pub cause: String,
    /// The candidate.
    pub commit: CommitId,
}

/// A policy with exceptions added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text; the text that was given when nothing was added.
    pub text: String,
    /// What was added, in the order given.
    pub added: Vec<Exception>,
    /// What was declared already, for the same candidate or for every change.
    pub known: Vec<Exception>,
}

/// Adds exceptions to the end of `verification.declared_skips`, making what is not there yet. `name` is what a person
/// knows the policy by; `text` is all of it. No exception may be given twice.
///
/// # Errors
/// The problems of the policy (see [`policy::parse`]). RM-CONFIG-003: its autonomy lets a machine merge, so it takes no
/// exception for one candidate. RM-CONFIG-002: the text has a form to which nothing can be added without a risk for what
/// else it says.
pub fn add_exceptions(name: &str, text: &str, exceptions: Vec<Exception>) -> Result<Edited, Problems> {
    let old = policy::parse(name, text)?;
    if old.autonomy().is_unattended() {
        let message = format!("`{}` takes no exception for one candidate", old.autonomy());
        let help = "change the test, or choose `autonomy: pr-only`";
        let at = text.find("autonomy").unwrap_or(0);
        let problem = Problem::new(Code::Config003, message, help).in_source(name, text);
        return Err(problem.at(at, "autonomy".len(), "nobody looks before the merge").into());
    }
    let declared = |wanted: &Exception| {
        let skips = old.verification().declared_skips();
        skips.iter().any(|skip| is_about(skip, wanted) && counts_at(skip, &wanted.commit))
    };
    let (known, added): (Vec<_>, Vec<_>) = exceptions.into_iter().partition(declared);
    if added.is_empty() {
        return Ok(Edited { text: text.to_owned(), added, known });
    }
    let edited = insert(text, &added).filter(|edited| is_addition(text, edited) && says(name, edited, &old, &added));
    match edited {
        Some(text) => Ok(Edited { text, added, known }),
        None => Err(by_hand(name, text, &added).into()),
    }
}

fn is_about(skip: &OperatorSkip, wanted: &Exception) -> bool {
    *skip.check() == wanted.check && skip.declaration().test_id() == wanted.test_id
}

fn counts_at(skip: &OperatorSkip, commit: &CommitId) -> bool {
    match skip.scope() {
        SkipScope::Everywhere => true,
        SkipScope::Commit(scope) => scope == commit,
        // Which branch a commit is judged on, only a run knows.
        SkipScope::Branch(_) => false,
    }
}

const BOM: &str = "\u{feff}";

fn insert(text: &str, exceptions: &[Exception]) -> Option<String> {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let file = YamlFile::from_str(body).ok()?;
    let root = file.document()?.as_mapping()?;
    let new = YamlFile::from_str(&new_section(exceptions)).ok()?;
    let new_section = new.document()?.as_mapping()?.get_mapping(SECTION)?;
    let new_list = new_section.get_sequence(LIST)?;
    match (root.get_mapping(SECTION), root.get_mapping(SECTION).and_then(|section| section.get_sequence(LIST))) {
        (_, Some(list)) => append(&list, &new_list),
        (Some(section), None) => section.set(LIST, &new_list),
        (None, None) => root.set(SECTION, &new_section),
    }
    Some(format!("{}{file}", if body.len() < text.len() { BOM } else { "" }))
}

const SECTION: &str = "verification";
const LIST: &str = "declared_skips";

fn append(list: &Sequence, new: &Sequence) {
    let items: Vec<Mapping> = new.values().filter_map(|item| item.as_mapping().cloned()).collect();
    items.iter().for_each(|item| list.push(item));
}

/// The exceptions as a policy of their own.
fn new_section(exceptions: &[Exception]) -> String {
    let mut text = format!("{SECTION}:\n  {LIST}:\n");
    for Exception { check, test_id, cause, commit } in exceptions {
        let lines = [
            format!("    - check: {}\n", quote::word(check.as_str())),
            format!("      test_id: {}\n", quote::double(test_id)),
            format!("      cause: {}\n", quote::double(cause)),
            format!("      commit: {}\n", quote::double(commit.as_str())),
        ];
        text.extend(lines);
    }
    text
}

/// Whether nothing was done to the old text but putting something into it at one place, with a line break where the last
/// line had none.
fn is_addition(old: &str, new: &str) -> bool {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    new.len() > old.len() && before + after >= old.len()
}

/// Whether the new text says what the old policy said, the exceptions, and nothing else.
fn says(name: &str, text: &str, old: &OperatorPolicy, added: &[Exception]) -> bool {
    let Ok(new) = policy::parse(name, text) else { return false };
    let Some(more) = new.verification().declared_skips().strip_prefix(old.verification().declared_skips()) else {
        return false;
    };
    let same = |(skip, wanted): (&OperatorSkip, &Exception)| {
        let declaration = skip.declaration();
        is_about(skip, wanted)
            && declaration.cause() == wanted.cause
            && declaration.renamed_to().is_none()
            && *skip.scope() == SkipScope::Commit(wanted.commit.clone())
    };
    more.len() == added.len()
        && more.iter().zip(added).all(same)
        && new.without_exceptions() == old.without_exceptions()
}

fn by_hand(name: &str, text: &str, exceptions: &[Exception]) -> Problem {
    let first = exceptions.first().map_or_else(String::new, |Exception { check, test_id, cause, commit }| {
        let (test_id, cause) = (quote::double(test_id), quote::double(cause));
        format!(
            "{{ check: {}, test_id: {test_id}, cause: {cause}, commit: \"{commit}\" }}",
            quote::word(check.as_str())
        )
    });
    let more = if exceptions.len() > 1 { " and so on" } else { "" };
    let message = "nothing can be added to this policy without a risk for what else it says";
    let help = format!("write it by hand under `verification.declared_skips`: `- {first}`{more}");
    let section = text.find(SECTION).map_or((0, 0), |at| (at, SECTION.len()));
    Problem::new(Code::Config002, message, help).in_source(name, text).at(section.0, section.1, "left as it is")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "1234567890123456789012345678901234567890";

    #[test]
    fn an_edit_that_touches_what_was_there_is_no_addition() {
        assert!(is_addition("a\nb\n", "a\nx\nb\n") && is_addition("a", "a\nb"));
        for edited in ["a\n", "a\nc\nb", "x\na\ny\nb\n", "a\nb\n"] {
            assert!(!is_addition("a\nb\n", edited), "{edited:?}");
        }
    }

    #[test]
    fn an_edit_that_says_anything_else_is_not_believed() {
        let (old, good) = ("version: 1\nwaivers: []\n", new_section(&[exception()]));
        let parsed = policy::parse("p", old).unwrap();
        let believed = |text: &str| says("p", &format!("{old}{text}"), &parsed, &[exception()]);
        assert!(believed(&good));
        for wrong in [
            String::new(),
            good.replace(COMMIT, &COMMIT.replace('1', "2")),
            good.replace("unit", "lint"),
            good.replace("\"b\"", "\"c\""),
            good.replace("why", "who"),
            good.replace("cause:", "renamed_to: x\n      cause:"),
            good.replace(&format!("commit: \"{COMMIT}\""), "branch: main"),
            format!("{good}  checkout: fresh-worktree\n"),
            format!("{good}autonomy: observe\n"),
            format!("{good}    - {{ check: unit, test_id: more, cause: c }}\n"),
            format!("{good}: :\n"),
        ] {
            assert!(!believed(&wrong), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_added_is_shown_as_a_line_to_write() {
        let problem = by_hand("p", "version: 1\n", &[exception(), exception()]);
        let line = format!("`- {{ check: unit, test_id: \"b\", cause: \"why\", commit: \"{COMMIT}\" }}` and so on");
        assert!(problem.help.ends_with(&line), "{}", problem.help);
    }

    fn exception() -> Exception {
        let (check, commit) = ("unit".parse().unwrap(), COMMIT.parse().unwrap());
        Exception { check, test_id: "b".to_owned(), cause: "why".to_owned(), commit }
    }
}
