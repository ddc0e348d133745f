//! The runs of a store, one a line; whether their records hold; what was removed of them.

use std::time::Duration;

use jiff::Timestamp;
use runmill_store::{Collected, RunKind, State, Summary, Verification};

use super::{
    flow::Flow,
    measure::{ago, count, size, span},
    paint::{Paint, Tone},
    plain,
};

/// Runs and faults that are named one by one.
const NAMED: usize = 20;

/// The word for what has become of a run.
pub fn state(state: &State) -> &'static str {
    match state {
        State::Ended(_) => "ended",
        State::Failed { .. } => "failed",
        State::Running => "running",
        State::Unfinished => "unfinished",
        State::Collected(_) => "collected",
    }
}

/// What a run came to; none unless it ended.
pub fn outcome(state: &State) -> Option<&str> {
    match state {
        State::Ended(outcome) | State::Collected(outcome) => Some(outcome),
        State::Failed { .. } | State::Running | State::Unfinished => None,
    }
}

/// How an outcome or a state is painted.
pub fn tone(word: &str) -> Tone {
    match word {
        "ready" | "VERIFIED" | "completed" | "PASS" | "passed" => Tone::Good,
        "blocked" | "FAILED" | "exhausted" | "failed" | "FAIL" | "REJECTED" | "exit" => Tone::Bad,
        "collected" => Tone::Faint,
        _ => Tone::Doubt,
    }
}

/// Which runs were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Every run there is.
    All,
    /// Those of a kind or an outcome.
    Chosen,
}

/// Runs to list.
pub struct List<'a> {
    /// Those that are listed, newest first.
    pub runs: &'a [&'a Summary],
    /// How many were asked for.
    pub total: usize,
    /// Which were asked for.
    pub of: Of,
    /// The present.
    pub now: Timestamp,
}

/// The widths of the columns of a list. What does not fit is left out, the least needed first.
struct Columns {
    state: usize,
    took: Option<usize>,
    candidate: Option<usize>,
    target: Option<usize>,
}

impl List<'_> {
    /// The list as a screen of text.
    pub fn screen(&self, paint: Paint, width: usize) -> String {
        if self.total == 0 {
            return match self.of {
                Of::All => "no run was recorded here yet",
                Of::Chosen => "no recorded run is like that",
            }
            .to_owned();
        }
        let columns = self.columns(width);
        let head = columns.row(
            ["state", "age", "took", "candidate", "target", "run, by its start in UTC"],
            paint,
            Tone::Faint,
        );
        let mut lines = vec![paint.text(Tone::Faint, head.trim_end())];
        lines.extend(self.runs.iter().map(|run| self.line(&columns, run, paint)));
        if self.total > self.runs.len() {
            let more = format!("{} of {} runs; `--limit {}` lists all", self.runs.len(), self.total, self.total);
            lines.push(paint.text(Tone::Faint, &more));
        }
        lines.join("\n")
    }

    fn columns(&self, width: usize) -> Columns {
        let widest = |texts: &mut dyn Iterator<Item = usize>, least: usize| texts.max().unwrap_or(0).max(least);
        let state = widest(&mut self.runs.iter().map(|run| word(&run.state).chars().count()), 5);
        let run = widest(&mut self.runs.iter().map(|run| run.run.as_str().chars().count()), 24);
        let room = width.saturating_sub(state + 2 + AGE + 2 + run);
        let column = |taken: usize, width: usize| (room >= taken + width + 2).then_some(width);
        let candidate = column(0, CANDIDATE);
        let took = candidate.and_then(|_| column(CANDIDATE + 2, TOOK));
        let taken = CANDIDATE + 2 + TOOK + 2;
        let target = took.map(|_| room.saturating_sub(taken + 2)).filter(|width| *width >= 4);
        Columns { state, took, candidate, target }
    }

    fn line(&self, columns: &Columns, run: &Summary, paint: Paint) -> String {
        let word = word(&run.state);
        let since = self.now.duration_since(run.at);
        let since = Duration::try_from(since).unwrap_or_default();
        let took = run.duration.map(span).unwrap_or_default();
        let (candidate, target) = about(run);
        columns.row([word, &ago(since), &took, &candidate, &target, run.run.as_str()], paint, tone(word))
    }
}

const AGE: usize = 6;
const TOOK: usize = 6;
/// Ten digits of a commit.
const CANDIDATE: usize = 10;

impl Columns {
    fn row(&self, [state, age, took, candidate, target, run]: [&str; 6], paint: Paint, tone: Tone) -> String {
        let mut row = format!("{}  {age:>AGE$}  ", paint.text(tone, &format!("{state:0$}", self.state)));
        if let Some(width) = self.took {
            row.push_str(&format!("{took:>width$}  "));
        }
        // A candidate that is no commit, such as the code of a failure, reaches into the next column.
        let wide = candidate.chars().count() > CANDIDATE && target.is_empty();
        match (self.candidate, self.target) {
            (Some(first), Some(second)) if wide => {
                let both = first + 2 + second;
                row.push_str(&format!("{:both$}  ", cut(candidate, both)));
            }
            (Some(first), second) => {
                row.push_str(&format!("{:first$}  ", cut(candidate, first)));
                if let Some(second) = second {
                    row.push_str(&format!("{:second$}  ", cut(target, second)));
                }
            }
            (None, _) => {}
        }
        row.push_str(run);
        row
    }
}

/// The word in front of a run: its outcome while there is a record, what became of it otherwise.
fn word(run: &State) -> &str {
    match run {
        State::Ended(outcome) => outcome,
        other => state(other),
    }
}

/// What a run was about: candidate and target, or what kept it from an outcome.
fn about(run: &Summary) -> (String, String) {
    if let State::Failed { code, .. } = &run.state {
        return (code.as_str().to_owned(), String::new());
    }
    let name = |name: &Option<String>| plain::text(name.as_deref().unwrap_or_default());
    let candidate = run.candidate.as_ref().map(|commit| commit.short().to_owned());
    match run.kind {
        RunKind::Change => (candidate.unwrap_or_else(|| name(&run.names.candidate)), name(&run.names.target)),
        kind => (candidate.unwrap_or_else(|| kind.as_str().to_owned()), String::new()),
    }
}

/// A text that takes no more than `width` characters.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Whether the records hold.
pub fn verification(found: &Verification, paint: Paint, width: usize) -> String {
    let Verification { entries, runs, blobs, head, faults } = found;
    let mut lines = Vec::new();
    if faults.is_empty() {
        lines.push(format!("{}  every record is what it was", paint.text(Tone::Good, "WHOLE")));
    } else {
        let faults = count(faults.len(), "fault");
        lines.push(format!("{}  {faults}: these records cannot be relied on", paint.text(Tone::Bad, "DAMAGED")));
    }
    lines.push(String::new());
    for fault in faults.iter().take(NAMED) {
        let place = fault.seq.map_or_else(|| "store".to_owned(), |seq| format!("entry {seq}"));
        let run = fault.run.as_ref().map(|run| format!(", run {run}")).unwrap_or_default();
        lines.push(format!("{}{run}", paint.text(Tone::Strong, &place)));
        lines.extend(Flow::new(width).labelled("  ", &fault.what));
    }
    if faults.len() > NAMED {
        lines.push(format!("{} more; `--json` names all", faults.len() - NAMED));
    }
    if !faults.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!("entries  {entries}"));
    lines.push(format!("runs     {runs}"));
    lines.push(format!("blobs    {blobs}"));
    if let Some(head) = head {
        lines.push(format!("head     {head}"));
        if faults.is_empty() {
            let advice = "keep the head somewhere else: with it, `runmill runs verify --head` finds a ledger that was cut \
                          short or written anew as a whole";
            lines.push(String::new());
            lines.extend(Flow::new(width).lines("", "", advice).iter().map(|line| paint.text(Tone::Faint, line)));
        }
    }
    lines.join("\n")
}

/// Whether a collection took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It only would.
    Planned,
    /// It did.
    Removed,
}

/// What was removed.
pub fn collection(collected: &Collected, done: Done, paint: Paint, width: usize) -> String {
    let Collected { runs, blobs, bytes, kept_runs, kept_bytes } = collected;
    let verb = if done == Done::Planned { "would remove" } else { "removed" };
    let records = count(runs.len(), "record");
    let kept = format!("{} and {} stay", count(*kept_runs, "record"), size(*kept_bytes));
    let text = if runs.is_empty() && *blobs == 0 {
        format!("nothing to remove; {kept}")
    } else {
        format!("{verb} {records} and {}, {}; {kept}", count(*blobs, "blob"), size(*bytes))
    };
    let mut lines = Flow::new(width).lines("", "", &text);
    lines.extend(runs.iter().take(NAMED).map(|run| paint.text(Tone::Faint, &format!("  {run}"))));
    if runs.len() > NAMED {
        lines.push(paint.text(Tone::Faint, &format!("  {} more; `--json` names all", runs.len() - NAMED)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use runmill_model::{Code, CommitId, RunId};
    use runmill_store::Names;

    use super::*;

    fn run(id: &str, state: State, ago: i64, target: &str) -> Summary {
        let commit = |digit: char| CommitId::new(String::from(digit).repeat(40)).unwrap();
        let ended = outcome(&state).is_some();
        Summary {
            run: RunId::new(format!("20240102t030405-{id:0>8}")).unwrap(),
            kind: RunKind::Change,
            at: Timestamp::from_second(1_700_000_000 - ago).unwrap(),
            duration: (!matches!(state, State::Running | State::Unfinished)).then(|| Duration::from_millis(45_678)),
            target: ended.then(|| commit('a')),
            base: ended.then(|| commit('b')),
            candidate: ended.then(|| commit('c')),
            names: Names { target: Some(target.to_owned()), candidate: Some("HEAD".to_owned()) },
            state,
        }
    }

    fn every_state() -> Vec<Summary> {
        let failed = State::Failed { code: Code::Sandbox001, message: "no".to_owned() };
        vec![
            run("1", State::Running, -5, "main"),
            run("2", State::Ended("ready".to_owned()), 59, "origin/main"),
            run("3", State::Ended("indeterminate".to_owned()), 3_599, "refs/remotes/origin/a-long\u{1b}[2J-name"),
            run("4", failed, 86_399, "main"),
            run("5", State::Unfinished, 172_800, "main"),
            run("6", State::Collected("blocked".to_owned()), 40 * 86_400, "main"),
            Summary { kind: RunKind::Session, candidate: None, ..run("7", State::Ended("open".to_owned()), 1, "main") },
        ]
    }

    fn listed(width: usize) -> String {
        let (runs, now) = (every_state(), Timestamp::from_second(1_700_000_000).unwrap());
        let runs: Vec<&Summary> = runs.iter().collect();
        List { runs: &runs, total: 9, of: Of::All, now }.screen(Paint::when(false), width)
    }

    #[test]
    fn lists_every_state_at_80_columns() {
        insta::assert_snapshot!(listed(80), @r"
        state             age    took  candidate   target       run, by its start in UTC
        running           0 s          HEAD        main         20240102t030405-00000001
        ready            59 s  45.7 s  cccccccccc  origin/main  20240102t030405-00000002
        indeterminate  59 min  45.7 s  cccccccccc  refs/remot…  20240102t030405-00000003
        failed           23 h  45.7 s  RM-SANDBOX-001           20240102t030405-00000004
        unfinished        2 d          HEAD        main         20240102t030405-00000005
        collected        40 d  45.7 s  cccccccccc  main         20240102t030405-00000006
        open              1 s  45.7 s  session                  20240102t030405-00000007
        7 of 9 runs; `--limit 9` lists all
        ");
    }

    #[test]
    fn leaves_out_what_does_not_fit_and_keeps_the_run() {
        for width in 60..=100 {
            for line in listed(width).lines() {
                assert!(line.chars().count() <= width && !line.contains('\u{1b}'), "{width}: {line}");
            }
            assert!(listed(width).contains("20240102t030405-00000003"), "{width}");
        }
    }

    #[test]
    fn says_of_an_empty_list_why_it_is_empty() {
        let now = Timestamp::UNIX_EPOCH;
        let list = |of| List { runs: &[], total: 0, of, now }.screen(Paint::when(false), 80);
        assert_eq!(list(Of::All), "no run was recorded here yet");
        assert_eq!(list(Of::Chosen), "no recorded run is like that");
    }
}
