//! Why something is not reached: the nearest thing that stands in the way.

use super::{OutcomeCount, Point, Reason, Unit, UnitName, What};

impl Unit {
    /// Why a point was not reached; none for one that was.
    pub fn why(&self, point: &Point) -> Option<Reason> {
        if point.hits > 0 {
            return None;
        }
        if self.calls == 0 {
            return Some(self.uncalled());
        }
        if let Some(turned) = self.turned_away(point) {
            return Some(turned);
        }
        let around = point.within.and_then(|at| self.points.get(at));
        Some(match around.filter(|around| around.hits == 0) {
            Some(around) => self.why(around).unwrap_or_else(|| never(around)),
            None => never(point),
        })
    }

    /// Whether what stands around a point that was not reached was not reached either.
    pub fn follows(&self, point: &Point) -> bool {
        let around = point.within.and_then(|at| self.points.get(at));
        point.hits == 0 && around.is_some_and(|around| around.hits == 0)
    }

    /// Why a rule never came to an outcome; none for one that it did come to.
    pub fn why_not(&self, outcome: &OutcomeCount) -> Option<Reason> {
        if outcome.calls > 0 {
            return None;
        }
        let making = format!("{}(", outcome.outcome);
        let mut makes =
            self.points.iter().filter(|point| point.what == What::Result && point.text.starts_with(&making));
        let reached = makes.clone().any(|point| point.hits > 0);
        match makes.next() {
            Some(point) if !reached => self.why(point),
            _ if self.calls == 0 => Some(self.uncalled()),
            _ => Some(Reason { text: "no call made it in the function that can".to_owned(), place: None }),
        }
    }

    fn uncalled(&self) -> Reason {
        let text = match &self.name {
            UnitName::Rule { on: Some(kind), .. } => {
                format!("the rule is never called: no case has a `{}` fact, or its level is off", kind.as_str())
            }
            UnitName::Rule { on: None, .. } => {
                "the rule is never called: there is no case, or its level is off".to_owned()
            }
            UnitName::Function(_) => "no rule calls the function in any case".to_owned(),
        };
        Reason { text, place: None }
    }

    /// The point's own condition, where it was asked and always came out the other way.
    fn turned_away(&self, point: &Point) -> Option<Reason> {
        let (other, way) = match point.what {
            What::Branch(holds) => (What::Branch(!holds), !holds),
            What::Condition(holds) => (What::Condition(!holds), !holds),
            What::Statement | What::Body | What::Result => return None,
        };
        let asked = self.points.iter().find(|asked| asked.place == point.place && asked.what == other)?;
        let always = match asked.hits {
            0 => return None,
            1 => "in the one call that asked it".to_owned(),
            calls => format!("in all {calls} calls that asked it"),
        };
        Some(Reason { text: format!("`{}` was {way} {always}", point.text), place: Some(point.place.clone()) })
    }
}

fn never(point: &Point) -> Reason {
    let text = match point.what {
        What::Body => format!("`{}` had nothing to go through", point.text),
        What::Condition(_) => format!("`{}` was never asked: what stands before it had decided", point.text),
        What::Statement | What::Branch(_) | What::Result => "a call that came near it ended before".to_owned(),
    };
    Reason { text, place: Some(point.place.clone()) }
}
