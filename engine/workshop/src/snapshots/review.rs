//! What came out otherwise, grouped by cause: what has another meaning before what is only worded otherwise.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Snapshot;

/// What kind of change a group is of, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An outcome, code, level or set of tests, or what a rule speaks of.
    Meaning,
    /// A case that has no snapshot yet.
    New,
    /// What a judgement stands on, or how it came about.
    Explanation,
    /// Messages and advice.
    Wording,
}

/// Why snapshots came out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Cause {
    /// The kind of change.
    pub kind: Kind,
    /// The rule.
    pub rule: String,
    /// What changed, in words.
    pub what: String,
}

/// Snapshots that came out otherwise for one cause.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The cause.
    pub cause: Cause,
    /// The snapshots, in the order of their cases.
    pub snapshots: Vec<&'a Snapshot>,
    /// What changed in the first of them: lines that went, marked `-`, and lines that came, marked `+`.
    pub lines: Vec<String>,
}

/// The snapshots that do not match, by their cause.
pub fn groups<'a>(snapshots: impl Iterator<Item = &'a Snapshot>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<Cause, Group<'a>> = BTreeMap::new();
    for snapshot in snapshots.filter(|snapshot| !snapshot.matches()) {
        let cause = cause(snapshot);
        let group = groups.entry(cause.clone()).or_insert_with(|| {
            let lines = changed(snapshot.accepted.as_deref().unwrap_or_default(), &snapshot.found);
            Group { cause, snapshots: Vec::new(), lines }
        });
        group.snapshots.push(snapshot);
    }
    groups.into_values().collect()
}

fn cause(snapshot: &Snapshot) -> Cause {
    let after = calls(&snapshot.found);
    let first_rule = |calls: &Calls<'_>| calls.keys().next().map(|(rule, _)| (*rule).to_owned()).unwrap_or_default();
    let Some(accepted) = &snapshot.accepted else {
        return Cause { kind: Kind::New, rule: first_rule(&after), what: "a case without a snapshot".to_owned() };
    };
    let before = calls(accepted);
    let mut causes: Vec<Cause> = Vec::new();
    for call in before.keys().chain(after.keys()) {
        let (rule, _) = *call;
        let made = |kind, what: String| Cause { kind, rule: rule.to_owned(), what };
        match (before.get(call), after.get(call)) {
            (Some(_), None) => causes.push(made(Kind::Meaning, "nothing is said any more".to_owned())),
            (None, Some(_)) => causes.push(made(Kind::Meaning, "something is said now".to_owned())),
            (Some(before), Some(after)) => causes.extend(of_call(before, after).map(|(kind, what)| made(kind, what))),
            (None, None) => {}
        }
    }
    let unreadable = Cause { kind: Kind::Wording, rule: first_rule(&after), what: "the form of the text".to_owned() };
    causes.into_iter().min().unwrap_or(unreadable)
}

/// The weightiest change of one call.
fn of_call(before: &Fields<'_>, after: &Fields<'_>) -> Option<(Kind, String)> {
    let differs = |field: &&&str| before.get(**field) != after.get(**field);
    let shown = |fields: &Fields<'_>, field: &str| fields.get(field).map_or("none".to_owned(), |it| it.join(", "));
    let meaning: Vec<String> = ["outcome", "code", "level"]
        .iter()
        .filter(differs)
        .map(|field| format!("{field} {} → {}", shown(before, field), shown(after, field)))
        .chain(["test"].iter().filter(differs).map(|_| "other tests".to_owned()))
        .collect();
    if !meaning.is_empty() {
        return Some((Kind::Meaning, meaning.join(", ")));
    }
    let named = |fields: &[&str]| {
        let names: Vec<&str> = fields.iter().filter(differs).copied().collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let explanation = named(&["evidence", "read", "asked"]).map(|what| (Kind::Explanation, what));
    explanation.or_else(|| named(&["message", "fix"]).map(|what| (Kind::Wording, what)))
}

type Fields<'a> = BTreeMap<&'a str, Vec<&'a str>>;
type Calls<'a> = BTreeMap<(&'a str, &'a str), Fields<'a>>;

/// The calls of a snapshot's text, by rule and subject, each with its lines by their names.
fn calls(text: &str) -> Calls<'_> {
    let mut calls = Calls::new();
    for paragraph in text.split("\n\n") {
        let mut fields = Fields::new();
        for (name, value) in paragraph.lines().filter_map(|line| line.split_once(": ")) {
            fields.entry(name).or_default().push(value);
        }
        let first = |name: &str| fields.get(name).and_then(|values| values.first()).copied().unwrap_or_default();
        calls.insert((first("rule"), first("subject")), fields);
    }
    calls
}

/// The lines that went and came, in their order; the lines of the call they belong to stand before them.
fn changed(before: &str, after: &str) -> Vec<String> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = common(&before, &after);
    let (mut lines, mut a, mut b) = (Vec::new(), 0, 0);
    for (at, bt) in same.into_iter().chain([(before.len(), after.len())]) {
        lines.extend(before.get(a..at).unwrap_or_default().iter().map(|line| format!("- {line}")));
        lines.extend(after.get(b..bt).unwrap_or_default().iter().map(|line| format!("+ {line}")));
        if let Some(line) = before.get(at).filter(|line| line.starts_with("rule: ") || line.starts_with("subject: ")) {
            lines.push(format!("  {line}"));
        }
        (a, b) = (at + 1, bt + 1);
    }
    lines
}

/// So many lines are compared with one another; of longer texts, all lines went and came.
const COMPARED: usize = 400;

/// The longest common lines, as places in both texts.
fn common(before: &[&str], after: &[&str]) -> Vec<(usize, usize)> {
    if before.len() > COMPARED || after.len() > COMPARED {
        return Vec::new();
    }
    // `longest[a][b]`: how many lines the texts from `a` and from `b` on have in common.
    let mut longest = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    let at = |table: &[Vec<usize>], a: usize, b: usize| table.get(a).and_then(|row| row.get(b)).copied().unwrap_or(0);
    for a in (0..before.len()).rev() {
        for b in (0..after.len()).rev() {
            let value = match before.get(a) == after.get(b) {
                true => at(&longest, a + 1, b + 1) + 1,
                false => at(&longest, a + 1, b).max(at(&longest, a, b + 1)),
            };
            if let Some(cell) = longest.get_mut(a).and_then(|row| row.get_mut(b)) {
                *cell = value;
            }
        }
    }
    let (mut pairs, mut a, mut b) = (Vec::new(), 0, 0);
    while a < before.len() && b < after.len() {
        if before.get(a) == after.get(b) {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if at(&longest, a + 1, b) >= at(&longest, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::Header;
    use super::*;

    const SAID: &str = "rule: a/b\nsubject: check `x`\noutcome: refuted\ncode: C\nlevel: block\nmessage: it is so\nfix: mend\nread: check `x` id: \"x\"\n";

    fn snapshot(path: &str, accepted: Option<&str>, found: &str) -> Snapshot {
        let header = Header { source: "tests/a.kdl".to_owned(), case: path.to_owned() };
        let (path, accepted) = (path.to_owned(), accepted.map(|text| text.trim_end().to_owned()));
        Snapshot { path, header, accepted, found: found.trim_end().to_owned() }
    }

    #[test]
    fn what_means_something_else_comes_first_and_one_cause_is_one_group() {
        let other = SAID.replace("`x`", "`y`");
        let snapshots = [
            snapshot("worded", Some(SAID), &SAID.replace("it is so", "so it is")),
            snapshot("same", Some(SAID), SAID),
            snapshot("read", Some(SAID), &SAID.replace("\"x\"", "\"z\"")),
            snapshot("new", None, SAID),
            snapshot("one", Some(SAID), &SAID.replace("refuted", "proven").replace("it is so", "")),
            snapshot("two", Some(&other), &other.replace("refuted", "proven")),
            snapshot("gone", Some(&format!("{SAID}\n{other}")), SAID),
        ];
        let told: Vec<_> = groups(snapshots.iter())
            .iter()
            .map(|group| format!("{:?} {} {}", group.cause.kind, group.cause.what, group.snapshots.len()))
            .collect();
        assert_eq!(
            told,
            [
                "Meaning nothing is said any more 1",
                "Meaning outcome refuted → proven 2",
                "New a case without a snapshot 1",
                "Explanation read 1",
                "Wording message 1",
            ]
        );
    }

    #[test]
    fn changed_lines_are_told_with_the_call_they_belong_to() {
        assert_eq!(
            changed(SAID, &SAID.replace("refuted", "proven")),
            ["  rule: a/b", "  subject: check `x`", "- outcome: refuted", "+ outcome: proven"]
        );
    }
}
