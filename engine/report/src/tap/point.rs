//! One TAP point: `ok 1 - description # SKIP reason`.

use crate::inventory::Outcome;

/// A point, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Point<'a> {
    /// Its number, where it has one.
    pub number: Option<u64>,
    /// The description without a leading `- `, without its directive and one trailing `# time=..`; escapes stay.
    pub id: &'a str,
    /// A directive means skipped, `ok` or `not ok` alike.
    pub outcome: Outcome,
}

/// Reads a line that starts with `ok` or `not ok`; none when it is no point. Capital letters count only where a
/// number or a dash follows: `OK` alone is what other runners print.
pub(super) fn point(line: &str) -> Option<Point<'_>> {
    let (passed, rest, plain) = start(line)?;
    if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, after) = rest.split_at_checked(digits)?;
    let numbered = !number.is_empty() && (after.is_empty() || after.starts_with([' ', '\t']));
    let (number, description) =
        if numbered { (Some(number.parse().unwrap_or(u64::MAX)), after.trim_start()) } else { (None, rest) };
    if !plain && number.is_none() && !description.starts_with("- ") {
        return None;
    }
    let description = match description.strip_prefix('-') {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => description,
    };
    let (id, directive) = match directive(description) {
        Some(at) => (description.get(..at).unwrap_or_default(), true),
        None => (description, false),
    };
    let outcome = match (directive, passed) {
        (true, _) => Outcome::Skipped,
        (false, true) => Outcome::Passed,
        (false, false) => Outcome::Failed,
    };
    Some(Point { number, id: without_time(id.trim()), outcome })
}

/// Whether it is `ok`, what follows, and whether it is in small letters.
fn start(line: &str) -> Option<(bool, &str, bool)> {
    for (word, passed) in [("ok", true), ("not ok", false)] {
        if let Some(head) = line.get(..word.len())
            && head.eq_ignore_ascii_case(word)
        {
            return Some((passed, line.get(word.len()..)?, head == word));
        }
    }
    None
}

/// Where the first hash that starts a directive is. A hash after an odd number of backslashes is text; a hash that
/// stands without space before it, or after another hash, may be meant as one and is taken as one.
fn directive(description: &str) -> Option<usize> {
    memchr::memchr_iter(b'#', description.as_bytes()).find(|at| {
        let before = description.as_bytes().get(..*at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        backslashes % 2 == 0 && description.get(at + 1..).is_some_and(starts_with_directive)
    })
}

fn starts_with_directive(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..word)
        .is_some_and(|word| ["skip", "skipped", "todo"].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn without_time(id: &str) -> &str {
    match id.rsplit_once("# time=") {
        Some((before, time)) if !time.contains(char::is_whitespace) && !before.ends_with('\\') => before.trim_end(),
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, number: Option<u64>, id: &str, outcome: Outcome) {
        assert_eq!(point(line), Some(Point { number, id, outcome }), "{line}");
    }

    #[test]
    fn reads_number_description_and_outcome() {
        check("ok 1 - a", Some(1), "a", Outcome::Passed);
        check("not ok 02 b", Some(2), "b", Outcome::Failed);
        check("ok - a - b", None, "a - b", Outcome::Passed);
        check("ok 5items", None, "5items", Outcome::Passed);
        check("ok 3 -x", Some(3), "-x", Outcome::Passed);
        check("ok", None, "", Outcome::Passed);
        check("OK 1 - a", Some(1), "a", Outcome::Passed);
        check("ok 1 - a # time=1.25ms", Some(1), "a", Outcome::Passed);
        check("ok 1 - a #42", Some(1), "a #42", Outcome::Passed);
    }

    #[test]
    fn directives_mean_skipped() {
        for line in [
            "ok 1 - a # SKIP",
            "ok 1 - a # skip why",
            "not ok 1 - a # TODO",
            "ok 1 - a # Skipped: why",
            "ok 1 a #skip",
            "ok 1 - a# todo",
            "ok 1 - a # skip one # todo two",
            "ok 1 - a # time=1ms # SKIP",
            "ok 1 - a # SKIP # time=0ms",
        ] {
            check(line, Some(1), "a", Outcome::Skipped);
        }
        check("ok 1 - b # c # skip", Some(1), "b # c", Outcome::Skipped);
        check("ok 1 - b \\\\# skip", Some(1), "b \\\\", Outcome::Skipped);
    }

    #[test]
    fn escaped_hashes_and_longer_words_are_text() {
        check("ok 1 - a \\# TODO b", Some(1), "a \\# TODO b", Outcome::Passed);
        check("not ok 1 H # TODOORNOTTODO", Some(1), "H # TODOORNOTTODO", Outcome::Failed);
        check("ok 1 - a # skip_me", Some(1), "a # skip_me", Outcome::Passed);
    }

    #[test]
    fn other_lines_are_no_points() {
        for line in ["okay 1 - a", "ok-ish", "not  ok 1", "OK", "OK all good", "notok 1", " ok 1", "ok: true", ""] {
            assert_eq!(point(line), None, "{line}");
        }
    }
}
