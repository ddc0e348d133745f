//! What is open: each finding with why it is one, what to do, and what it stands on.

use runmill_workshop::{ExplainedFinding, codes};

use super::{
    Page,
    markup::{code, line, prose, row, text},
};
use crate::render::outputs::told::{Finding, Standing, Subject};

/// Tests that are named at once.
const NAMED: usize = 12;
/// Tests that are named at all; the table of tests has every one.
const MOST: usize = 200;

impl Page<'_> {
    pub(super) fn findings(&self, out: &mut String) {
        let open = self.told.open();
        line(out, &format!("<section id=\"findings\"><h2>Findings <small>{} open</small></h2>", open.len()));
        if open.is_empty() {
            line(
                out,
                "<p class=\"empty\">Nothing stands in the way. What was proven is listed under <a href=\"#facts\">facts read</a>.</p>",
            );
        }
        for (at, (standing, finding)) in open.iter().enumerate() {
            self.finding(out, at, *standing, finding);
        }
        line(out, "</section>");
    }

    fn finding(&self, out: &mut String, at: usize, standing: Standing, finding: &Finding) {
        let (class, word) = match standing {
            Standing::Blocks => ("blocks", "blocks"),
            Standing::Open if finding.waiting => ("waits", "waits"),
            Standing::Open => ("fault", "fault"),
            Standing::Waived => ("waived", "waived"),
            Standing::Warns => ("warns", "warning"),
        };
        line(out, &format!("<article class=\"finding {class}\" aria-labelledby=\"finding-{at}\">"));
        let head =
            format!("<span class=\"badge\">{word}</span> <code>{}</code> {}", text(&finding.code), text(&finding.rule));
        line(out, &format!("<h3 id=\"finding-{at}\">{head}</h3>"));
        let said = if finding.message.is_empty() { "the rule gave no reason" } else { &finding.message };
        line(out, &format!("<p class=\"message\">{}</p>", prose(said)));
        // A message that names them all says enough.
        if !finding.tests.iter().all(|test| finding.message.contains(&format!("`{test}`"))) {
            named_tests(out, &finding.tests);
        }
        let explained = self.explained(finding);
        line(out, "<dl class=\"facts\">");
        row(out, "What to do", &prose(&finding.fix));
        if let Some(waiver) = self.told.waiver(finding) {
            let by = format!("by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason);
            row(out, "Waived", &text(&by));
        }
        if let Some(explained) = explained {
            row(out, "Why it matters", &prose(&explained.why));
            row(out, "What decided", &decided(explained));
            row(out, "It would pass", &would_pass(explained));
        }
        row(out, "About", &self.link(&finding.subject));
        let evidence: Vec<_> = finding.evidence.iter().map(|fact| self.link(fact)).collect();
        row(out, "Evidence", &evidence.join(", "));
        line(out, "</dl>");
        if let Some(explained) = explained {
            read(out, self, explained);
        }
        line(out, "<details><summary>What identifies it</summary><dl class=\"facts\">");
        row(out, "Code", &meaning(&finding.code));
        row(out, "Rule", &format!("{} of {}", code(&finding.rule), code(&finding.pack)));
        let fault = if finding.fault { ", because the rule did not judge" } else { "" };
        row(out, "Judgement", &format!("{}{fault}, counts as {}", text(&finding.outcome), text(&finding.level)));
        row(out, "Fingerprint", &code(&finding.fingerprint));
        line(out, "</dl></details></article>");
    }

    fn explained(&self, finding: &Finding) -> Option<&ExplainedFinding> {
        let same = |it: &&ExplainedFinding| {
            it.fingerprint.to_string() == finding.fingerprint && it.rule.as_str() == finding.rule
        };
        self.explained.findings.iter().find(same)
    }

    /// A fact, with a link to where the page shows it.
    pub(super) fn link(&self, fact: &Subject) -> String {
        self.fact(&fact.kind, &fact.key)
    }

    pub(super) fn fact(&self, kind: &str, key: &str) -> String {
        let words = match kind {
            "change" | "policy" | "run" | "forge" => format!("the {}", text(kind)),
            _ => format!("{} {}", text(kind), code(key)),
        };
        match self.anchor(kind, key) {
            Some(anchor) => format!("<a href=\"#{anchor}\">{words}</a>"),
            None => words,
        }
    }

    fn anchor(&self, kind: &str, key: &str) -> Option<String> {
        if matches!(kind, "change" | "policy" | "run") {
            return Some("record".to_owned());
        }
        let about = Subject { kind: kind.to_owned(), key: key.to_owned() };
        let at = self.told.manifest.checks.iter().position(|check| about.is_about(check))?;
        Some(format!("check-{at}"))
    }
}

/// The meaning of a code beside it.
pub fn meaning(name: &str) -> String {
    let page = runmill_model::Code::from_text(name).and_then(codes::page);
    page.map_or_else(|| code(name), |page| format!("{}: {}", code(name), text(page.title)))
}

/// Tests by name: a few, then more on request.
pub fn named_tests(out: &mut String, tests: &[String]) {
    if tests.is_empty() {
        return;
    }
    let item = |test: &String| format!("<li>{}</li>", code(test));
    let first: String = tests.iter().take(NAMED).map(item).collect();
    line(out, &format!("<ul class=\"named\">{first}</ul>"));
    let rest: String = tests.iter().take(MOST).skip(NAMED).map(item).collect();
    if rest.is_empty() {
        return;
    }
    let more = tests.len().saturating_sub(MOST);
    let further = if more == 0 {
        String::new()
    } else {
        format!("<li>and {more} more, in the <a href=\"#tests\">table of tests</a></li>")
    };
    let left = tests.len() - NAMED;
    line(
        out,
        &format!("<details><summary>{left} more tests</summary><ul class=\"named\">{rest}{further}</ul></details>"),
    );
}

fn decided(explained: &ExplainedFinding) -> String {
    let last = explained.conditions.last().map(|step| {
        let place = format!("{}:{}", step.place.file, step.place.line);
        format!("{} is {} <span class=\"faint\">{}</span>", code(&step.text), text(&step.value), text(&place))
    });
    last.unwrap_or_default()
}

fn would_pass(explained: &ExplainedFinding) -> String {
    match (&explained.smallest_change, &explained.no_change) {
        (Some(change), _) => {
            let all = change.changes.iter().map(|it| prose(it)).collect::<Vec<_>>().join(" and ");
            let others: String = change.other_ways.iter().map(|it| format!("<br>or if {}", prose(it))).collect();
            format!("if {all}{others}")
        }
        (None, Some(why)) => format!("<span class=\"faint\">{}</span>", prose(why)),
        (None, None) => String::new(),
    }
}

fn read(out: &mut String, page: &Page<'_>, explained: &ExplainedFinding) {
    if explained.read.is_empty() {
        return;
    }
    let many = explained.read.len();
    line(out, &format!("<details><summary>Facts read <small>{many}</small></summary>"));
    line(
        out,
        "<table class=\"read\"><thead><tr><th scope=\"col\">Fact</th><th scope=\"col\">Property</th><th scope=\"col\">Value</th></tr></thead><tbody>",
    );
    for entry in &explained.read {
        let fact = page.fact(entry.fact.kind, &entry.fact.key);
        line(
            out,
            &format!("<tr><td>{fact}</td><td>{}</td><td>{}</td></tr>", code(entry.property), prose(&entry.value)),
        );
    }
    line(out, "</tbody></table></details>");
}
