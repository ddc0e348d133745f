//! What a person should know beside the verdict, which run it was, and what to type next.

use runmill_model::{RequirementSource, Verdict, facts};

use super::{Screen, check_of, line};
use crate::render::{Detail, measure::count, paint::Tone};

/// Relaxations told one by one.
const RELAXATIONS: usize = 5;
/// Notes told one by one.
const NOTES: usize = 6;
/// Invocations named for one note.
const NAMES: usize = 3;

impl Screen<'_> {
    pub(super) fn footer(&self, out: &mut String, detail: Detail) {
        let limit = |most: usize, all: usize| if detail == Detail::All { all } else { most.min(all) };
        out.push('\n');
        let relaxations = &self.run.document.relaxations;
        let (told, rest) = relaxations.split_at(limit(RELAXATIONS, relaxations.len()));
        told.iter().for_each(|relaxation| self.wrapped(out, "relaxed: ", "  ", relaxation));
        if !rest.is_empty() {
            line(out, &format!("relaxed: {} more", rest.len()));
        }
        let notes = self.notes(detail);
        let (told, rest) = notes.split_at(limit(NOTES, notes.len()));
        told.iter().for_each(|note| self.wrapped(out, "note: ", "  ", note));
        if !rest.is_empty() {
            line(out, &format!("note: {}", count(rest.len(), "more note")));
        }
        self.next(out);
    }

    /// The run, and the commands that say more about it.
    fn next(&self, out: &mut String) {
        let run = &self.run.id;
        line(out, &self.paint.text(Tone::Faint, &format!("run {run}")));
        if self.run.verdict == Verdict::Ready {
            return;
        }
        line(out, &format!("next: runmill explain {run}"));
        let results = &self.run.document.results;
        let ran = |check: &str| results.iter().any(|result| result.check.as_str() == check);
        if let Some(check) = self.lead(self.blocking()).into_iter().map(check_of).find(|check| ran(check)) {
            line(out, &format!("      runmill inspect {run} {check}"));
        }
    }

    fn notes(&self, detail: Detail) -> Vec<String> {
        let document = &self.run.document;
        let mut notes = self.result_notes(detail);
        let redefined = self.run.graph.facts().checks.iter().filter(|check| check.redefined_by_candidate);
        notes.extend(redefined.map(redefinition));
        let proposed = document.manifest.checks.iter().filter(|check| check.sources == [RequirementSource::Agent]);
        notes.extend(proposed.map(|check| format!("`{}` is required because an agent proposed it", check.id)));
        let ignored = document.manifest.ignored_proposals.iter();
        notes.extend(ignored.map(|ignored| format!("proposal `{}` ignored: {}", ignored.id, ignored.reason)));
        if self.run.uncommitted > 0 {
            let paths = count(self.run.uncommitted, "uncommitted path");
            notes.push(format!("{paths} in the working tree: not part of the candidate"));
        }
        notes
    }

    /// What results say, each thing once, with the invocations it is said of.
    fn result_notes(&self, detail: Detail) -> Vec<String> {
        let mut said: Vec<(&str, Vec<String>)> = Vec::new();
        for result in &self.run.document.results {
            let name = format!("{} ({})", result.check, result.side);
            for note in &result.notes {
                match said.iter_mut().find(|(text, _)| text == note) {
                    Some((_, names)) => names.push(name.clone()),
                    None => said.push((note, vec![name.clone()])),
                }
            }
        }
        let all = self.run.document.results.len();
        let of = |names: Vec<String>| {
            let (told, rest) = names.split_at(if detail == Detail::All { names.len() } else { NAMES.min(names.len()) });
            match rest.len() {
                _ if names.len() == all => "every check".to_owned(),
                0 => told.join(", "),
                more => format!("{} and {more} more", told.join(", ")),
            }
        };
        said.into_iter().map(|(note, names)| format!("{}: {note}", of(names))).collect()
    }
}

fn redefinition(check: &facts::Check) -> String {
    let what = if check.in_candidate { "redefines" } else { "removes" };
    format!("the change {what} `{}`; the target's definition was used", check.id)
}
