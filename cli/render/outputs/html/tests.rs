//! Every test of every report, on both sides, to be searched. Without a script, the ones that something is to be said about.

use runmill_model::{Side, TestId, TestSet, facts::Report};
use serde_json::{Value, json};

use super::{
    Page,
    markup::{code, json, line, text, visible},
};

/// Rows that are there without a script.
const STATIC: usize = 100;

/// What the table can be narrowed down to, each with its bit.
const KINDS: [(&str, u32); 6] = [
    ("failed", FAILED),
    ("missing", MISSING),
    ("skipped", SKIPPED),
    ("flaky", FLAKY),
    ("new", NEW),
    ("passed", PASSED),
];
const FAILED: u32 = 1;
const MISSING: u32 = 2;
const SKIPPED: u32 = 4;
const FLAKY: u32 = 8;
const NEW: u32 = 16;
const PASSED: u32 = 32;
/// How a test came out on one side: not listed there, or as the report says.
const WORDS: [&str; 4] = ["–", "passed", "failed", "skipped"];

/// One test of one check.
struct Row<'a> {
    id: &'a str,
    check: usize,
    base: usize,
    candidate: usize,
    kinds: u32,
}

impl Page<'_> {
    pub(super) fn tests(&self, out: &mut String) {
        let (checks, rows) = self.rows();
        line(out, &format!("<section id=\"tests\"><h2>Tests <small>{}</small></h2>", rows.len()));
        if rows.is_empty() {
            line(out, "<p class=\"empty\">No report lists a test.</p></section>");
            return;
        }
        filter(out, &checks, &rows);
        let told = rows.iter().take(STATIC);
        line(
            out,
            &format!(
                "<p id=\"count\" role=\"status\">{} of {} tests, those first that did not simply pass. The search needs JavaScript.</p>",
                told.len(),
                rows.len()
            ),
        );
        line(
            out,
            "<table class=\"tests\"><caption>Tests at the base and at the candidate</caption><thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Base</th><th scope=\"col\">Candidate</th></tr></thead><tbody id=\"rows\">",
        );
        for row in told {
            let check = checks.get(row.check).copied().unwrap_or_default();
            let [base, candidate] = [row.base, row.candidate].map(|at| WORDS.get(at).copied().unwrap_or_default());
            let flaky = if row.kinds & FLAKY > 0 { ", flaky" } else { "" };
            line(
                out,
                &format!(
                    "<tr><td>{} <small>{}</small></td><td class=\"{base}\">{base}</td><td class=\"{candidate}\">{candidate}{flaky}</td></tr>",
                    code(row.id),
                    text(check)
                ),
            );
        }
        line(out, "</tbody></table>\n<p><button type=\"button\" id=\"more\" hidden>Show more</button></p>");
        let rows: Vec<Value> =
            rows.iter().map(|row| json!([visible(row.id), row.check, row.base, row.candidate, row.kinds])).collect();
        let checks: Vec<_> = checks.iter().map(|check| visible(check)).collect();
        let data = json!({ "checks": checks, "words": WORDS, "flaky": FLAKY, "tests": rows });
        line(out, &format!("<script type=\"application/json\" id=\"data\">{}</script>", json(&data)));
        line(out, "</section>");
    }

    /// The checks that have a report, and their tests: those first that did not simply pass, then by check and id.
    fn rows(&self) -> (Vec<&str>, Vec<Row<'_>>) {
        let (mut checks, mut rows) = (Vec::new(), Vec::new());
        for check in &self.graph.facts().checks {
            let sides = [Side::Base, Side::Candidate].map(|side| self.graph.report_of(&check.id, side));
            if sides.iter().all(Option::is_none) {
                continue;
            }
            rows.extend(self.rows_of(sides, checks.len()));
            checks.push(check.id.as_str());
        }
        rows.sort_by_key(|row| row.kinds == PASSED);
        (checks, rows)
    }

    fn rows_of(&self, [base, candidate]: [Option<&Report>; 2], check: usize) -> impl Iterator<Item = Row<'_>> {
        let listed = [base, candidate]
            .into_iter()
            .flatten()
            .flat_map(|report| [&report.passed, &report.failed, &report.skipped]);
        let all = listed.fold(TestSet::new(), |all, set| all.union(set));
        let rows: Vec<_> = all
            .iter()
            .map(|test| {
                let [was, is] = [base, candidate].map(|report| report.map_or(0, |report| state(report, test)));
                let flaky = candidate.is_some_and(|report| report.flaky.contains(test));
                let kinds = kinds(was, is, base.is_some()) | if flaky { FLAKY } else { 0 };
                Row { id: self.graph.tests().shown(test), check, base: was, candidate: is, kinds }
            })
            .collect();
        rows.into_iter()
    }
}

/// The place of a state in [`WORDS`].
fn state(report: &Report, test: TestId) -> usize {
    let sets = [&report.passed, &report.failed, &report.skipped];
    sets.iter().position(|set| set.contains(test)).map_or(0, |at| at + 1)
}

fn kinds(base: usize, candidate: usize, has_base: bool) -> u32 {
    let how = match candidate {
        0 => MISSING,
        1 => PASSED,
        2 => FAILED,
        _ => SKIPPED,
    };
    if base == 0 && has_base { how | NEW } else { how }
}

fn filter(out: &mut String, checks: &[&str], rows: &[Row<'_>]) {
    line(out, "<form id=\"filter\" role=\"search\" aria-label=\"Tests\" hidden>");
    line(
        out,
        "<p><label for=\"search\">Search</label><input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"part of a name\"></p>",
    );
    if checks.len() > 1 {
        let options: String = checks
            .iter()
            .enumerate()
            .map(|(at, check)| format!("<option value=\"{at}\">{}</option>", text(check)))
            .collect();
        line(
            out,
            &format!(
                "<p><label for=\"of\">Check</label><select id=\"of\"><option value=\"-1\">every check</option>{options}</select></p>"
            ),
        );
    }
    line(out, "<fieldset><legend>Show</legend>");
    let mut chip = |name: &str, bits: u32, many: usize, checked: &str| {
        line(
            out,
            &format!(
                "<label><input type=\"radio\" name=\"kind\" value=\"{bits}\"{checked}><span>{name} <b>{many}</b></span></label>"
            ),
        );
    };
    chip("all", u32::MAX, rows.len(), " checked");
    for (name, bit) in KINDS {
        let many = rows.iter().filter(|row| row.kinds & bit > 0).count();
        if many > 0 {
            chip(name, bit, many, "");
        }
    }
    line(out, "</fieldset></form>");
}
