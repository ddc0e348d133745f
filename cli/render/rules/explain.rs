//! What a rule makes of a fixture: one paragraph for each subject.

use runmill_workshop::{ExplainedRule, explained_rule::ExplainedCall};

use super::super::{
    explanation::because::Because,
    flow::Flow,
    paint::{Paint, Tone},
    plain,
};

/// So many properties that were read are listed.
const READ: usize = 20;

/// An explained rule as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub explained: &'a ExplainedRule,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
}

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let ExplainedRule { rule, place, fixture, why, calls, .. } = self.explained;
        let at = plain::text(&format!("{}:{}", place.file, place.line));
        let mut out = format!(
            "{}  {}  on fixture `{}`\n",
            self.paint.text(Tone::Strong, rule.as_str()),
            self.paint.text(Tone::Faint, &at),
            plain::text(fixture)
        );
        self.flow().push(&mut out, "", "", why);
        calls.iter().for_each(|call| self.call(&mut out, call));
        out
    }

    fn flow(&self) -> Flow {
        Flow::new(self.width)
    }

    fn call(&self, out: &mut String, call: &ExplainedCall) {
        let tone = match call.outcome.as_str() {
            "proven" | "require" => Tone::Good,
            "refuted" => Tone::Bad,
            "not_applicable" | "ignore" => Tone::Faint,
            _ => Tone::Doubt,
        };
        let code =
            call.code.filter(|_| tone as u8 != Tone::Good as u8).map_or(String::new(), |code| format!("  {code}"));
        let outcome = call.outcome.replace('_', " ");
        let subject = plain::text(&format!("{} `{}`", call.subject.kind, call.subject.key));
        out.push_str(&format!("\n{}  {subject}{code}\n", self.paint.text(tone, &outcome)));
        if !call.message.is_empty() {
            self.labelled(out, "says", &call.message);
        }
        if !call.tests.is_empty() {
            self.labelled(out, "tests", &call.tests.join(", "));
        }
        if !call.evidence.is_empty() {
            let evidence: Vec<String> = call.evidence.iter().map(|it| format!("{} `{}`", it.kind, it.key)).collect();
            self.labelled(out, "evidence", &evidence.join(", "));
        }
        for (at, read) in call.read.iter().take(READ).enumerate() {
            let told = format!("{} `{}` {} = {}", read.fact.kind, read.fact.key, read.property, read.value);
            self.labelled(out, if at == 0 { "read" } else { "" }, &told);
        }
        if call.read.len() > READ {
            self.labelled(out, "", &format!("and {} more", call.read.len() - READ));
        }
        self.conditions(out, call);
        match &call.flip {
            Some(flip) => {
                self.labelled(out, "otherwise", &format!("{} if {}", flip.outcome.replace('_', " "), flip.change));
            }
            None => self.labelled(out, "otherwise", "no single change of what it read makes it say something else"),
        }
    }

    fn conditions(&self, out: &mut String, call: &ExplainedCall) {
        let Some((decided, before)) = call.conditions.split_last() else { return };
        let because = Because { flow: self.flow(), paint: self.paint };
        self.labelled(out, "decided", &because.sentence(decided));
        because.values(out, decided);
        if !before.is_empty() {
            let asked: Vec<String> = before.iter().map(|condition| because.brief(condition)).collect();
            self.labelled(out, "before", &asked.join("; "));
        }
    }

    /// A text after a label of a fixed width.
    fn labelled(&self, out: &mut String, label: &str, text: &str) {
        let mut told = String::new();
        self.flow().push(&mut told, &format!("  {label:9}  "), "             ", text);
        out.push_str(&told.replacen(label, &self.paint.text(Tone::Faint, label), usize::from(!label.is_empty())));
    }
}
