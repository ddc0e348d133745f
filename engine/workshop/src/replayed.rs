//! `runmill.replay/v1`: what comes out otherwise when runs are judged again, and the line of the rule that did it.

use runmill_model::{Code, Finding, Level, Outcome, PackName, RuleId, RunId, Verdict};
use runmill_pipeline::replay::{Flip, Recorded, Rejudged, Side, flips};
use runmill_policy::Question;
use serde::Serialize;
use serde_json::Value as Json;

use crate::explanation::{Named, Spot, entry, followed};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.replay/v1";

/// At most so many places of a document that differ are named.
const NAMED: usize = 20;

/// Runs that were judged again.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayedRuns {
    /// `runmill.replay/v1`.
    pub schema: &'static str,
    /// The runs, in the order they were asked for.
    pub runs: Vec<ReplayedRun>,
}

/// A run that was judged again.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayedRun {
    /// Its name in the record.
    pub run: RunId,
    /// The version of runmill that recorded it.
    pub engine: String,
    /// Whether the recorded packs gave the recorded document again, byte for byte.
    pub reproduced: bool,
    /// Where the documents differ, as JSON pointers, the first few; empty when it was reproduced.
    pub differs: Vec<String>,
    /// The verdict as it was judged again with the recorded packs.
    pub before: Verdict,
    /// The verdict under what was given; the same when nothing was given.
    pub after: Verdict,
    /// The findings that come out otherwise.
    pub flips: Vec<FlipEntry>,
}

/// A finding that comes out otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct FlipEntry {
    /// The rule.
    pub rule: RuleId,
    /// Its pack.
    pub pack: PackName,
    /// What it is about.
    pub subject: Named,
    /// As it was; absent when nothing was said.
    pub before: Option<SaidEntry>,
    /// As it is; absent when nothing is said any more.
    pub after: Option<SaidEntry>,
    /// Why, in words.
    pub because: &'static str,
    /// The condition that decides now, or decided where nothing is said any more; absent when none did.
    pub responsible: Option<Responsible>,
}

/// What a rule said.
#[derive(Debug, Clone, Serialize)]
pub struct SaidEntry {
    /// The judgement.
    pub outcome: Outcome,
    /// The code.
    pub code: Code,
    /// How it counts.
    pub level: Level,
    /// Whether the rule failed to judge.
    pub fault: bool,
    /// Whether a waiver lets it pass.
    pub waived: bool,
    /// Whether it keeps the run from being ready.
    pub stands_in_the_way: bool,
    /// What was found.
    pub message: String,
}

/// A condition that decided.
#[derive(Debug, Clone, Serialize)]
pub struct Responsible {
    /// Where it stands.
    pub place: Spot,
    /// The condition, on one line; empty where a rule asks none.
    pub text: String,
    /// What it came to, in words.
    pub value: String,
}

impl ReplayedRun {
    /// A run, judged again by the recorded packs, and by others where those were given.
    pub fn new(recorded: &Recorded, before: &Rejudged, after: Option<&Rejudged>) -> Self {
        let again = before.bytes().unwrap_or_default();
        let reproduced = again == recorded.verdict;
        let read = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).unwrap_or(Json::Null);
        let mut differs = Vec::new();
        if !reproduced {
            differences(&read(&recorded.verdict), &read(&again), "", &mut differs);
            differs.truncate(NAMED);
        }
        let now = after.unwrap_or(before);
        let flips = after.map(|after| flips(before, after).findings).unwrap_or_default();
        Self {
            run: recorded.record.run.clone(),
            engine: recorded.record.engine.clone(),
            reproduced,
            differs,
            before: before.verdict,
            after: now.verdict,
            flips: flips.iter().filter_map(|flip| flipped(before, now, flip)).collect(),
        }
    }

    /// Whether something comes out otherwise under what was given.
    pub fn is_flipped(&self) -> bool {
        self.before != self.after || !self.flips.is_empty()
    }
}

impl ReplayedRuns {
    /// The document of some runs.
    pub fn new(runs: Vec<ReplayedRun>) -> Self {
        Self { schema: SCHEMA, runs }
    }
}

/// What comes out otherwise, with the line that did it.
pub(crate) fn flipped(before: &Rejudged, after: &Rejudged, flip: &Flip<'_>) -> Option<FlipEntry> {
    let judged = if flip.after.is_some() { after } else { before };
    let finding = flip.after.or(flip.before)?.finding;
    let (kind, key) = finding.subject_key(&judged.graph);
    Some(FlipEntry {
        rule: finding.head.rule.clone(),
        pack: finding.head.pack.clone(),
        subject: Named { kind, key },
        before: flip.before.map(said),
        after: flip.after.map(said),
        because: because(flip),
        responsible: responsible(judged, finding),
    })
}

fn said(side: Side<'_>) -> SaidEntry {
    let finding = side.finding;
    SaidEntry {
        outcome: finding.judgement.outcome,
        code: finding.code,
        level: finding.head.level,
        fault: finding.fault,
        waived: side.waived,
        stands_in_the_way: side.stands_in_the_way(),
        message: finding.judgement.message.to_string(),
    }
}

fn because(flip: &Flip<'_>) -> &'static str {
    let (Some(before), Some(after)) = (flip.before, flip.after) else {
        return if flip.after.is_some() {
            "the rule speaks of this now"
        } else {
            "the rule does not speak of this any more"
        };
    };
    let (was, is) = (before.finding, after.finding);
    if was.judgement.outcome != is.judgement.outcome || was.fault != is.fault {
        "the rule comes to another result"
    } else if was.head.level != is.head.level {
        "it counts at another level"
    } else if after.waived {
        "a waiver lets it pass"
    } else {
        "no waiver lets it pass any more"
    }
}

/// The condition that decided a finding; the rule's own line when it asks none; none for what the floor found.
fn responsible(judged: &Rejudged, finding: &Finding) -> Option<Responsible> {
    let question = Question::of(finding);
    let rule = judged.host.rule(&question)?;
    let explanation = followed(judged, finding)?;
    let Some(decided) = explanation.decided() else {
        let place = Spot { file: rule.path.clone(), line: rule.line as usize, column: 1 };
        return Some(Responsible { place, text: String::new(), value: String::new() });
    };
    let entry = entry(&judged.graph, decided);
    Some(Responsible { place: entry.place, text: entry.text, value: entry.value })
}

/// Where two documents differ, as JSON pointers.
fn differences(a: &Json, b: &Json, at: &str, found: &mut Vec<String>) {
    match (a, b) {
        _ if a == b => {}
        (Json::Object(a), Json::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let (a, b) = (a.get(name).unwrap_or(&Json::Null), b.get(name).unwrap_or(&Json::Null));
                differences(a, b, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{at}/{place}"), found);
            }
        }
        _ => found.push(if at.is_empty() { "/".to_owned() } else { at.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_by_their_places() {
        let told = |a: Json, b: Json| {
            let mut found = Vec::new();
            differences(&a, &b, "", &mut found);
            found
        };
        let a = json!({ "a": [1, { "b": 2 }], "c/d": 1 });
        assert_eq!(told(a.clone(), json!({ "a": [1, { "b": 3 }], "c/d": 2 })), ["/a/1/b", "/c~1d"]);
        assert_eq!(told(a.clone(), json!({ "a": [1], "c/d": 1 })), ["/a"]);
        assert_eq!(told(a.clone(), a), Vec::<String>::new());
        assert_eq!(told(json!(1), json!(2)), ["/"]);
    }
}
