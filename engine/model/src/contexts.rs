//! Which observations of a forge are about a required context, and which replace others.

use crate::facts::{RemoteCheck, RemoteRequirement};

impl RemoteRequirement {
    /// Whether something observed bears the required name. Only the operator writes wildcards: what a forge requires is
    /// the name itself.
    pub fn is_about(&self, check: &RemoteCheck) -> bool {
        let (required, name) = (self.context.as_str(), check.context.as_str());
        required == name || (self.in_policy && matches(required, name))
    }
}

impl RemoteCheck {
    /// Whether it replaces another one: the same name, commit, app, workflow and suite, and started later. What does not
    /// say when it started is replaced by nothing.
    pub(crate) fn is_newer_than(&self, other: &Self) -> bool {
        self.context == other.context
            && self.head_sha == other.head_sha
            && (&self.app, &self.workflow, &self.suite) == (&other.app, &other.workflow, &other.suite)
            && self.started_after(other)
    }

    fn started_after(&self, other: &Self) -> bool {
        match (&self.started_at, &other.started_at) {
            (None, started) => started.is_some(),
            (Some(_), None) => false,
            // One form, one precision: the order of the texts is the order of the times.
            (Some(mine), Some(others)) if mine != others => mine > others,
            (Some(_), Some(_)) => self.number.zip(other.number).is_some_and(|(mine, others)| mine > others),
        }
    }
}

/// Whether a text is what a pattern says: `*` stands for any text, `?` for any one character.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut in_text) = (0, 0);
    // Where the last `*` stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                star = Some((at, in_text));
                at += 1;
            }
            (Some(mark), _) if *mark == '?' || Some(mark) == text.get(in_text) => {
                at += 1;
                in_text += 1;
            }
            (_, Some((star_at, taken))) => {
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                in_text = taken + 1;
            }
            (_, None) => return false,
        }
    }
    pattern.iter().skip(at).all(|mark| *mark == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        let matching =
            [("*", ""), ("*", "ci / build"), ("ci / *", "ci / build (linux)"), ("a?c", "abc"), ("a*b*c", "axbxbyc")];
        for (pattern, text) in matching {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a?c", "ac"), ("ci / *", "CI / build"), ("a*b", "abc"), ("[ab]", "a")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
