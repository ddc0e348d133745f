//! Calling every rule on every graph, and counting where the calls passed.

use std::collections::BTreeMap;

use runmill_model::{Level, RuleResult};

use super::{Coverage, Covering, Unit, points};
use crate::{
    On, Pack, RuleInfo,
    explain::{self, Asked, Marks, source::Sources},
    worker::Rulebook,
};

/// Counts what graphs reach.
pub(crate) fn count(book: &Rulebook, asked: &[Covering]) -> Coverage {
    let mut units = Vec::new();
    for pack in &book.packs {
        let mut shared: BTreeMap<(String, usize), Unit> = BTreeMap::new();
        for rule in pack.rules() {
            let Some(sources) = Sources::read(pack, rule, &book.limits) else { continue };
            let mut own = points::of_rule(pack, rule, &sources, &book.registry);
            points::of_functions(pack, rule, &sources, &book.registry, &mut shared);
            for covering in asked {
                let calls = Calls { book, pack, rule, sources: &sources, covering };
                calls.follow(|result, marks| {
                    own.note_result(result, covering.case);
                    own.note(marks, covering.case);
                    shared.values_mut().for_each(|unit| unit.note(marks, covering.case));
                });
            }
            units.push(own);
        }
        units.extend(shared.into_values());
    }
    Coverage { units }
}

/// One rule on one graph.
struct Calls<'a> {
    book: &'a Rulebook,
    pack: &'a Pack,
    rule: &'a RuleInfo,
    sources: &'a Sources,
    covering: &'a Covering,
}

impl Calls<'_> {
    fn follow(&self, mut each: impl FnMut(Option<&RuleResult>, &Marks)) {
        let graph = &self.covering.graph;
        let level = self.rule.level_in(graph.mode());
        if level == Level::Off {
            return;
        }
        let kind = match self.rule.on {
            On::Kind(kind) => kind,
            On::Run => runmill_model::Kind::Change,
        };
        for subject in graph.of_kind(kind) {
            let asked = Asked {
                graph,
                earlier: &self.covering.findings,
                registry: &self.book.registry,
                pack: self.pack,
                rule: self.rule,
                head: &self.rule.head,
                subject,
            };
            if let Some((explanation, marks)) = explain::follow(&asked, self.sources, &self.book.limits) {
                each(explanation.outcome.as_ref().ok(), &marks);
            }
        }
    }
}

impl Unit {
    fn note(&mut self, marks: &Marks, case: usize) {
        let at = |unit: &Self| (unit.place.line, unit.place.column);
        if !marks.has(&self.place.file, at(self), explain::Passed::Called) {
            return;
        }
        self.calls += 1;
        for point in &mut self.points {
            let place = (point.place.line, point.place.column);
            if marks.has(&point.place.file, place, points::passed(point.what)) {
                point.hits += 1;
                point.first.get_or_insert(case);
            }
        }
    }

    fn note_result(&mut self, result: Option<&RuleResult>, case: usize) {
        let word = match result {
            Some(RuleResult::Judged(judgement)) => judgement.word(),
            Some(RuleResult::Require { .. }) => "require",
            Some(RuleResult::Ignore { .. }) => "ignore",
            None => return,
        };
        if let Some(count) = self.outcomes.iter_mut().find(|count| count.outcome == word) {
            count.calls += 1;
            count.first.get_or_insert(case);
        }
    }
}
