//! What stands in nobody's way, rule by rule, and the facts that every finding was read from.

use std::collections::BTreeMap;

use super::{
    Page,
    findings::meaning,
    markup::{code, codes, line, prose, row, text},
};
use crate::render::{measure::count, outputs::told::Finding};

/// The findings of one rule, with their places in the verdict.
type Group<'a> = BTreeMap<(&'a str, &'a str), Vec<(usize, &'a Finding)>>;

impl Page<'_> {
    pub(super) fn settled(&self, out: &mut String) {
        line(out, "<section id=\"facts\"><h2>Facts read <small>by every rule, on every subject</small></h2>");
        line(
            out,
            "<p class=\"faint\">A rule sees the sealed facts of the run and nothing else: no file, no clock, no network.</p>",
        );
        let mut rules: Group<'_> = BTreeMap::new();
        for (at, finding) in self.told.findings.iter().enumerate() {
            rules.entry((&finding.pack, &finding.rule)).or_default().push((at, finding));
        }
        for ((pack, rule), findings) in &rules {
            let open = findings.iter().filter(|(_, finding)| finding.is_open()).count();
            self.rule(out, pack, rule, findings, open);
        }
        line(out, "</section>");
    }

    fn rule(&self, out: &mut String, pack: &str, rule: &str, findings: &[(usize, &Finding)], open: usize) {
        let Some((at, first)) = findings.first() else { return };
        let many = |word: &str| findings.iter().filter(|(_, finding)| finding.outcome == word).count();
        let told = [("proven", many("proven")), ("not applicable", many("not_applicable")), ("open", open)];
        let told: Vec<_> =
            told.iter().filter(|(_, many)| *many > 0).map(|(word, many)| format!("{many} {word}")).collect();
        let class = if open > 0 { "open" } else { "quiet" };
        line(
            out,
            &format!(
                "<details class=\"rule {class}\"><summary>{} <span class=\"faint\">{}</span></summary>",
                code(rule),
                told.join(", ")
            ),
        );
        line(out, "<dl class=\"facts\">");
        row(out, "Code", &meaning(&first.code));
        row(out, "Pack", &code(pack));
        row(out, "Counts as", &text(&first.level));
        if let Some(grounds) = self.grounds.get(*at) {
            row(out, "Why it is there", &prose(&grounds.why));
        }
        row(out, "If it is not met", &prose(&first.fix));
        line(out, "</dl>");
        line(
            out,
            &format!(
                "<ul class=\"judged-list\" aria-label=\"{} of {}\">",
                count(findings.len(), "finding"),
                text(rule)
            ),
        );
        findings.iter().for_each(|(at, finding)| self.judged_once(out, *at, finding, first));
        line(out, "</ul></details>");
    }

    fn judged_once(&self, out: &mut String, at: usize, finding: &Finding, first: &Finding) {
        let word = finding.outcome.replace('_', " ");
        let said = if finding.message.is_empty() { String::new() } else { format!(": {}", prose(&finding.message)) };
        let class = text(&finding.outcome);
        line(
            out,
            &format!(
                "<li><p><span class=\"outcome {class}\">{}</span> {}{said}</p>",
                text(&word),
                self.link(&finding.subject)
            ),
        );
        let mut more = Vec::new();
        if let Some(grounds) = self.grounds.get(at) {
            let facts = grounds.read.iter().map(|read| {
                let fact = self.fact(read.fact.kind, &read.fact.key);
                format!("{fact} ({})", codes(read.properties.iter().copied()))
            });
            let facts: Vec<_> = facts.collect();
            more.push(if facts.is_empty() { "read nothing".to_owned() } else { format!("read {}", facts.join(", ")) });
        }
        if !finding.evidence.is_empty() {
            let evidence: Vec<_> = finding.evidence.iter().map(|fact| self.link(fact)).collect();
            more.push(format!("stands on {}", evidence.join(", ")));
        }
        if finding.code != first.code || finding.level != first.level {
            more.push(format!("{}, counts as {}", code(&finding.code), text(&finding.level)));
        }
        if finding.fix != first.fix {
            more.push(prose(&finding.fix));
        }
        more.push(format!("fingerprint {}", code(&finding.fingerprint)));
        line(out, &format!("<p class=\"faint\">{}</p></li>", more.join("; ")));
    }
}
