//! TAP 12 to 14 with one flat plan.

mod point;

use crate::{
    Identity, Options, Reason, Rejection,
    inventory::{Identified, Inventory},
    rejection::Fault,
};
use point::{Point, point};

const FLAT: &str = "use a reporter that writes flat TAP, or JUnit instead";

/// Whether a line is one of those that only TAP has.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    line.starts_with("TAP version ")
        || plan(line).is_some()
        || is_bail_out(line)
        || point(line).is_some_and(|point| point.number.is_some() || line.contains("ok - "))
}

/// Reads the points.
///
/// # Errors
/// Anything but one plan that counts the points, before or after them.
pub(crate) fn read(text: &str, options: &Options) -> Result<Inventory, Rejection> {
    let mut reader = Reader::new(options);
    reader.all(text, options).map(|()| reader.inventory).map_err(|fault| fault.in_text(text.as_bytes()))
}

struct Reader {
    inventory: Inventory,
    /// The number of points planned and where it says so.
    plan: Option<(u64, usize)>,
    /// Whether a point follows the plan.
    after_plan: bool,
    points: u64,
    numbered: Option<bool>,
    /// Where the last line stands towards a YAML block.
    yaml: Yaml,
}

#[derive(Clone, Copy)]
enum Yaml {
    /// A block may start: the line before was a point, or closed a block.
    May,
    /// No block may start.
    No,
    /// In a block that is indented by so many bytes and starts at an offset.
    In(usize, usize),
}

impl Reader {
    fn new(options: &Options) -> Self {
        Self {
            inventory: Inventory::new(options),
            plan: None,
            after_plan: false,
            points: 0,
            numbered: None,
            yaml: Yaml::No,
        }
    }

    fn all(&mut self, text: &str, options: &Options) -> Result<(), Fault> {
        if options.identity != Identity::Classname {
            let message = format!("TAP has no attribute for `identity: {}`", options.identity);
            return Err(Fault::new(Reason::MissingAttribute, 0, message, "say `identity: classname`, or write JUnit"));
        }
        let mut offset = 0;
        while offset < text.len() {
            let rest = text.get(offset..).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let line = rest.get(..end).unwrap_or_default();
            self.line(line.strip_suffix('\r').unwrap_or(line), offset)?;
            offset += end + 1;
        }
        self.end(text.len())
    }

    fn line(&mut self, line: &str, offset: usize) -> Result<(), Fault> {
        let inner = line.trim();
        if is_bail_out(inner) {
            let why = inner.get("Bail out!".len()..).unwrap_or_default().trim().trim_end_matches('.');
            let message =
                if why.is_empty() { "the run bailed out".to_owned() } else { format!("the run bailed out: {why}") };
            return Err(Fault::new(Reason::BailOut, offset, message, "repair what made the run give up"));
        }
        if let Yaml::In(indent, start) = self.yaml {
            return self.line_in_yaml(line, indent, start);
        }
        let indent = line.len() - line.trim_start().len();
        let may_start = matches!(self.yaml, Yaml::May);
        self.yaml = if may_start && inner.is_empty() { Yaml::May } else { Yaml::No };
        if indent > 0 {
            if may_start && inner == "---" {
                self.yaml = Yaml::In(indent, offset);
            } else if point(inner).is_some() || plan(inner).is_some() {
                let message = "an indented point or plan: the report has subtests";
                return Err(Fault::new(Reason::NestedPlan, offset + indent, message, FLAT));
            }
            return Ok(());
        }
        if let Some(planned) = plan(line) {
            return self.plan(planned, offset);
        }
        match point(line) {
            Some(point) => self.point(&point, offset),
            None => Ok(()),
        }
    }

    fn line_in_yaml(&mut self, line: &str, indent: usize, start: usize) -> Result<(), Fault> {
        let own = line.len() - line.trim_start().len();
        if own == indent && line.trim() == "..." {
            self.yaml = Yaml::May;
        } else if own == 0 && (point(line).is_some() || plan(line).is_some()) {
            return Err(unclosed(start));
        }
        Ok(())
    }

    fn plan(&mut self, planned: u64, offset: usize) -> Result<(), Fault> {
        if self.plan.is_some() {
            let fix = "write one run into the file, and keep test output out of it";
            return Err(Fault::new(Reason::MultiplePlans, offset, "a second plan", fix));
        }
        if planned == 0 {
            let fix = "point the runner at a directory that has tests; a file that is skipped whole is no evidence";
            return Err(Fault::new(Reason::ZeroTests, offset, "the plan `1..0` says that nothing ran", fix));
        }
        self.plan = Some((planned, offset));
        Ok(())
    }

    fn point(&mut self, point: &Point<'_>, offset: usize) -> Result<(), Fault> {
        self.yaml = Yaml::May;
        self.points += 1;
        if let Some((_, at)) = self.plan {
            if self.points > 1 && !self.after_plan {
                let fix = "write the plan before the first point or after the last";
                return Err(Fault::new(Reason::PlanMiddle, at, "the plan stands between points", fix));
            }
            self.after_plan = true;
        }
        self.number(point, offset)?;
        if point.id.is_empty() {
            let message = format!("point {} has no description", self.points);
            return Err(Fault::new(Reason::EmptyId, offset, message, "give each test a description"));
        }
        let who = Identified { group: None, exact_group: None, name: point.id };
        self.inventory.record(who, point.outcome, offset)
    }

    fn number(&mut self, point: &Point<'_>, offset: usize) -> Result<(), Fault> {
        let expected = self.points;
        let numbered = *self.numbered.get_or_insert(point.number.is_some());
        let message = match point.number {
            Some(number) if numbered && number == expected => return Ok(()),
            None if !numbered => return Ok(()),
            Some(number) if numbered => format!("point number {number} where {expected} was due"),
            Some(_) => "a numbered point after points without numbers".to_owned(),
            None => "a point without a number after numbered points".to_owned(),
        };
        let fix = "keep test output out of the report: a line that looks like a point counts as one";
        Err(Fault::new(Reason::NumberOrder, offset, message, fix))
    }

    fn end(&mut self, end: usize) -> Result<(), Fault> {
        if let Yaml::In(_, start) = self.yaml {
            return Err(unclosed(start));
        }
        let Some((planned, at)) = self.plan else {
            let fix = "check that the run ended, and that the file holds all of its TAP";
            return Err(Fault::new(Reason::NoPlan, end, "no plan", fix));
        };
        if planned != self.points {
            let message = format!("the plan says {planned} points, the report has {}", self.points);
            let fix = "check that the run ended: a crash leaves points out";
            return Err(Fault::new(Reason::PlanMismatch, at, message, fix));
        }
        Ok(())
    }
}

fn unclosed(start: usize) -> Fault {
    let fix = "check that the run ended, and that diagnostics are indented as a whole";
    Fault::new(Reason::Malformed, start, "a YAML block is not closed by `...`", fix)
}

/// The N of `1..N`, at the start of a line and followed by the end or white space.
fn plan(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("1..")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, after) = rest.split_at_checked(digits)?;
    if number.is_empty() || !(after.is_empty() || after.starts_with([' ', '\t', '#'])) {
        return None;
    }
    Some(number.parse().unwrap_or(u64::MAX))
}

fn is_bail_out(line: &str) -> bool {
    line.get(.."Bail out!".len()).is_some_and(|start| start.eq_ignore_ascii_case("Bail out!"))
}

#[cfg(test)]
mod tests;
