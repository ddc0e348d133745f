//! What cases reach: a table of rules and functions, and what is missing with its reason.

use runmill_workshop::{
    CoverageOutcome, CoveredPacks,
    coverage::{CoveredPack, CoveredUnit, Missing, Share, Why},
};

use super::super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};
use super::pack_head;

/// Covered packs as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub covered: &'a CoveredPacks,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
    /// How much is said.
    pub detail: Detail,
}

/// The width of a figure, such as `100 % (12/12)`.
const FIGURE: usize = 11;

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.headline());
        if self.detail == Detail::Verdict {
            return out;
        }
        for pack in &self.covered.packs {
            self.pack(&mut out, pack);
        }
        out
    }

    fn headline(&self) -> String {
        let min = self.covered.min.map_or(String::new(), |min| format!(" {min} % of branches and outcomes"));
        match self.covered.outcome {
            CoverageOutcome::Covered if min.is_empty() => {
                let lowest = |share: fn(&CoveredPack) -> Share| {
                    self.covered.packs.iter().map(|pack| share(pack).percent()).min().unwrap_or_default()
                };
                let (branches, outcomes) = (lowest(|pack| pack.figures.branches), lowest(|pack| pack.figures.outcomes));
                let conditions = lowest(|pack| pack.figures.conditions);
                let word = self.paint.text(Tone::Strong, "COVERAGE");
                format!("{word}  {branches} % of branches, {conditions} % of conditions, {outcomes} % of outcomes")
            }
            CoverageOutcome::Covered => format!("{}  the cases reach{min}", self.paint.text(Tone::Good, "COVERED")),
            CoverageOutcome::Below => format!("{}  the cases do not reach{min}", self.paint.text(Tone::Bad, "BELOW")),
            CoverageOutcome::NothingRan => {
                format!("{}  a pack has no case", self.paint.text(Tone::Doubt, "NOTHING RAN"))
            }
        }
    }

    fn pack(&self, out: &mut String, pack: &CoveredPack) {
        let cases = count(pack.cases, "case");
        out.push_str(&format!("\n{}  {cases}\n", pack_head(&pack.name, &pack.place, self.paint)));
        let units = || pack.rules.iter().chain(&pack.functions);
        let widest = units().map(|unit| unit.name.chars().count()).max().unwrap_or_default();
        let room = widest.min(self.width.saturating_sub(3 * FIGURE + 4)).max(8);
        let heads = ["branches", "conditions", "outcomes"].map(|head| format!("{head:>FIGURE$}"));
        let head = format!("  {:room$}{}", "", heads.concat());
        out.push_str(&format!("{}\n", self.paint.text(Tone::Faint, head.trim_end())));
        for unit in units() {
            self.row(out, &unit.name, room, [unit.figures.branches, unit.figures.conditions, unit.figures.outcomes]);
        }
        self.row(out, "all", room, [pack.figures.branches, pack.figures.conditions, pack.figures.outcomes]);
        for unit in units() {
            self.missing(out, pack, unit);
        }
    }

    fn row(&self, out: &mut String, name: &str, room: usize, shares: [Share; 3]) {
        let whole = shares.iter().all(|share| share.reached == share.all);
        let cells = shares.map(|share| match (share.reached, share.all) {
            (_, 0) => format!("{:>FIGURE$}", "-"),
            (reached, all) => {
                let cell = format!("{:>FIGURE$}", format!("{reached}/{all}"));
                if reached == all { cell } else { self.paint.text(Tone::Doubt, &cell) }
            }
        });
        let mut name: String = plain::text(name);
        if name.chars().count() > room {
            name = name.chars().take(room.saturating_sub(2)).chain("..".chars()).collect();
        }
        let name = format!("{name:room$}");
        let name = if whole { name } else { self.paint.text(Tone::Strong, &name) };
        out.push_str(&format!("  {name}{}\n", cells.concat()));
    }

    fn missing(&self, out: &mut String, pack: &CoveredPack, unit: &CoveredUnit) {
        let outcomes = unit.outcomes.iter().filter_map(|outcome| Some((&outcome.outcome, outcome.why.as_ref()?)));
        let outcomes: Vec<_> = outcomes.collect();
        let points: Vec<_> =
            unit.missing.iter().filter(|missing| self.detail == Detail::All || !missing.follows).collect();
        if outcomes.is_empty() && points.is_empty() {
            return;
        }
        out.push_str(&format!("\n{}\n", self.paint.text(Tone::Strong, &plain::text(&unit.name))));
        let flow = Flow::new(self.width);
        if unit.calls == 0 {
            let why = unit.missing.first().map(|missing| &missing.why).or(outcomes.first().map(|(_, why)| *why));
            flow.push(out, "  ", "    ", why.map_or("it is never called", |why| &why.text));
            return;
        }
        for (outcome, why) in &outcomes {
            flow.push(
                out,
                "  ",
                "    ",
                &format!("never {} in any case: {}", outcome.replace('_', " "), self.why(pack, why)),
            );
        }
        // What an outcome's own reason says is not said again.
        let said = |missing: &Missing| outcomes.iter().any(|(_, why)| why.place.as_ref() == Some(&missing.place));
        let tells = |missing: &&&Missing| self.detail == Detail::All || !(missing.what == "result" || said(missing));
        for missing in points.iter().filter(tells) {
            let place =
                format!("{}:{}:{}", in_pack(pack, &missing.place.file), missing.place.line, missing.place.column);
            out.push_str(&format!("  {}\n", self.paint.text(Tone::Faint, &plain::text(&place))));
            flow.push(out, "    ", "      ", &sentence(missing));
        }
    }

    fn why(&self, pack: &CoveredPack, why: &Why) -> String {
        let place = why.place.as_ref().map_or(String::new(), |place| {
            format!(" ({}:{}:{})", in_pack(pack, &place.file), place.line, place.column)
        });
        format!("{}{place}", why.text)
    }
}

/// A file of a pack as a person would open it.
fn in_pack(pack: &CoveredPack, file: &str) -> String {
    if pack.place == pack.name.as_str() { file.to_owned() } else { format!("{}/{file}", pack.place) }
}

fn sentence(missing: &Missing) -> String {
    let what = match (missing.what, missing.value) {
        ("branch", Some(true)) => "the branch where it holds is not reached",
        ("branch", _) => "the branch where it does not hold is not reached",
        ("body", _) => "its body is not reached",
        ("condition", Some(true)) => "it is never true",
        ("condition", _) => "it is never false",
        _ => "it is not reached",
    };
    format!("{what}: {}", missing.why.text)
}
