//! A fact graph for people: how many facts of which kind, then each with what it says. Made from the declarations of the
//! kinds, so that no fact is left out.

use runmill_model::{Digest, FactRef, Graph, Kind, RunId, Value};

use super::{
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};

/// Facts of one kind that are shown when nobody asks for the kind.
const SHOWN: usize = 10;
/// Entries of one list that are shown.
const ENTRIES: usize = 20;
/// Tests of one set that are named.
const NAMED: usize = 5;

/// What is shown of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Every fact of a kind.
    Kind(Kind),
    /// Every test.
    Tests,
}

/// A graph on a screen of text.
pub struct Screen<'a> {
    /// The run it is of.
    pub run: &'a RunId,
    /// The graph.
    pub graph: &'a Graph,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
}

impl Screen<'_> {
    /// Everything, each kind up to a number of facts; or all of what was chosen.
    pub fn text(&self, chosen: Option<Chosen>) -> String {
        let mut lines = self.counts();
        match chosen {
            Some(Chosen::Kind(kind)) => lines.extend(self.kind(kind, usize::MAX)),
            Some(Chosen::Tests) => lines.extend(self.tests()),
            None => Kind::ALL.iter().for_each(|kind| lines.extend(self.kind(*kind, SHOWN))),
        }
        lines.join("\n")
    }

    fn counts(&self) -> Vec<String> {
        let mut lines = vec![
            format!("facts of run {}", self.run),
            self.paint.text(Tone::Faint, &self.graph.digest().to_string()),
            String::new(),
        ];
        for kind in Kind::ALL {
            let number = self.graph.facts().count(*kind);
            if number > 0 {
                lines.push(format!("{:18}  {number:>7}", kind.as_str()));
            }
        }
        lines.push(format!("{:18}  {:>7}", "test", self.graph.tests().len()));
        lines
    }

    fn kind(&self, kind: Kind, most: usize) -> Vec<String> {
        let number = self.graph.facts().count(kind);
        if number == 0 {
            return Vec::new();
        }
        let mut lines = vec![String::new(), self.paint.text(Tone::Strong, kind.as_str())];
        for (at, fact) in self.graph.of_kind(kind).take(most).enumerate() {
            if at > 0 {
                lines.push(String::new());
            }
            lines.extend(self.fact(fact));
        }
        if number > most {
            let more = format!("  {} more; `--kind {}` shows all", number - most, kind.as_str());
            lines.push(self.paint.text(Tone::Faint, &more));
        }
        lines
    }

    /// A fact: its key, then its properties. What is absent or empty is left out.
    fn fact(&self, fact: FactRef) -> Vec<String> {
        let accessors = fact.kind.accessors();
        let told: Vec<_> = accessors
            .iter()
            .filter_map(|accessor| Some((accessor.name, self.value(&(accessor.get)(self.graph, fact.index))?)))
            .collect();
        let column = told.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut lines = Vec::new();
        let key = self.graph.key(fact);
        if key != fact.kind.as_str() {
            lines.extend(self.wrapped("  ", &key));
        }
        for (name, value) in told {
            lines.extend(self.wrapped(&format!("    {name:column$}  "), &value));
        }
        lines
    }

    fn value(&self, value: &Value) -> Option<String> {
        match value {
            Value::Unit | Value::Result(_) => None,
            Value::Bool(it) => Some(if *it { "yes" } else { "no" }.to_owned()),
            Value::Int(it) => Some(it.to_string()),
            Value::Text(text) => (!text.is_empty()).then(|| shortened(text)),
            Value::List(values) => {
                let told: Vec<_> = values.iter().take(ENTRIES).filter_map(|value| self.value(value)).collect();
                let more = values.len().saturating_sub(ENTRIES);
                let more = (more > 0).then(|| format!("{more} more"));
                (!told.is_empty()).then(|| told.into_iter().chain(more).collect::<Vec<_>>().join(", "))
            }
            Value::Fact(fact) => Some(format!("→ {} {}", fact.kind.as_str(), self.graph.key(*fact))),
            Value::Tests(set) if set.is_empty() => Some("no tests".to_owned()),
            Value::Tests(set) => {
                let named: Vec<_> =
                    set.iter().take(NAMED).map(|test| format!("`{}`", self.graph.tests().shown(test))).collect();
                let more = if set.len() > NAMED { ", .." } else { "" };
                Some(format!("{}: {}{more}", count(set.len(), "test"), named.join(", ")))
            }
        }
    }

    fn tests(&self) -> Vec<String> {
        let tests = self.graph.tests();
        let names = tests.ids().map(|test| format!("  {}", plain::text(tests.shown(test))));
        [String::new(), self.paint.text(Tone::Strong, "test")].into_iter().chain(names).collect()
    }

    fn wrapped(&self, label: &str, text: &str) -> Vec<String> {
        Flow::new(self.width).labelled(label, text)
    }
}

/// A text as it is, but for a digest, of which ten digits tell enough.
fn shortened(text: &str) -> String {
    match text.parse::<Digest>() {
        Ok(digest) => format!("sha256:{:.10}…", digest.hex()),
        Err(_) => text.to_owned(),
    }
}
