//! Rule metadata: a literal map, read from the syntax tree without running anything.

use rhai::{Expr, Position};
use runmill_model::{Code, Kind, Level, RequirementSource, RuleId, Stage};

use super::{file::File, gate::RuleForm, text::suggestion};
use crate::pack::On;

const KEYS: [&str; 9] = ["stage", "on", "code", "level", "why", "fix", "may_be_empty", "strict_level", "source"];

/// What a rule says of itself, checked.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    pub(crate) id: RuleId,
    pub(crate) id_position: Position,
    pub(crate) on: On,
    pub(crate) code: Code,
    pub(crate) level: Level,
    pub(crate) strict_level: Option<Level>,
    pub(crate) why: String,
    pub(crate) fix: String,
    pub(crate) may_be_empty: Option<String>,
    pub(crate) source: Option<RequirementSource>,
    pub(crate) doc: String,
    pub(crate) line: u32,
}

struct Entries<'a> {
    file: &'a mut File,
    found: Vec<(String, String, Position)>,
    /// Keys that are there and wrong, so that they are not also reported as missing.
    wrong: Vec<String>,
    rule: Position,
}

/// Reads and checks the metadata of a rule. Problems go to the file; the result is there only without any.
pub(crate) fn read(file: &mut File, rule: &RuleForm<'_>, stage: Stage, doc: &str) -> Option<Described> {
    let id = match RuleId::new(rule.id) {
        Ok(id) => Some(id),
        Err(error) => {
            let help = error.rule().to_owned();
            file.report(Code::Policy004, rule.id_position, format!("`{}` is not {}", rule.id, error.what()), help);
            None
        }
    };
    let Expr::Map(map, _) = rule.metadata else {
        let position = rule.metadata.start_position();
        file.report(Code::Policy004, position, "the metadata is no literal map", "write `#{ stage: \"..\", .. }`");
        return None;
    };
    let mut entries = Entries { file, found: Vec::new(), wrong: Vec::new(), rule: rule.position };
    for (key, value) in &map.0 {
        entries.take(&key.name, key.pos, value);
    }
    let described = describe(&mut entries, id?, stage)?;
    let line = rule.position.line().and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
    Some(Described { id_position: rule.id_position, doc: plain_doc(doc), line, ..described })
}

fn describe(entries: &mut Entries<'_>, id: RuleId, stage: Stage) -> Option<Described> {
    let discovery = stage == Stage::Discovery;
    let said =
        entries.required("stage", Stage::from_text, &Stage::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>());
    if let (Some(said), Some(position)) = (said, entries.position("stage"))
        && said != stage
    {
        let message = format!("the stage is `{said}`, and the file stands in `{stage}/`");
        entries.file.report(Code::Policy005, position, message, "move the file, or correct the stage");
    }
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).chain(["run"]).collect();
    let on = entries.required("on", on_from, &kinds);
    let levels: Vec<&str> = Level::ALL.iter().map(|word| word.as_str()).collect();
    let why = entries.required_text("why");
    let may_be_empty = entries.optional("may_be_empty", |text| Some(text.to_owned()), &[]);
    let base = Described {
        id,
        id_position: Position::NONE,
        on: on.unwrap_or(On::Run),
        code: Code::Verify001,
        level: Level::Block,
        strict_level: None,
        why: why.clone().unwrap_or_default(),
        fix: String::new(),
        may_be_empty,
        source: None,
        doc: String::new(),
        line: 1,
    };
    if discovery {
        for key in ["code", "level", "strict_level", "fix"] {
            entries.out_of_place(key, "rules of stage `discovery` add requirements and have no findings");
        }
        let sources: Vec<&str> = RequirementSource::ALL.iter().map(|word| word.as_str()).collect();
        let source = entries.required("source", RequirementSource::from_text, &sources);
        return (entries.wrong.is_empty() && source.is_some()).then_some(Described { source, ..base });
    }
    entries.out_of_place("source", "only rules of stage `discovery` record where a requirement is from");
    let codes: Vec<&str> = Code::ALL.iter().filter(|code| is_finding(**code)).map(|code| code.as_str()).collect();
    let code = entries.required("code", |text| Code::from_text(text).filter(|code| is_finding(*code)), &codes);
    let level = entries.required("level", Level::from_text, &levels);
    let fix = entries.required_text("fix");
    let strict_level = entries.optional("strict_level", Level::from_text, &levels);
    if !entries.wrong.is_empty() {
        return None;
    }
    Some(Described { code: code?, level: level?, fix: fix?, strict_level, ..base })
}

fn on_from(text: &str) -> Option<On> {
    if text == "run" {
        return Some(On::Run);
    }
    Kind::ALL.iter().find(|kind| kind.as_str() == text).map(|kind| On::Kind(*kind))
}

/// Findings are about a change and its merge, never about runmill itself.
fn is_finding(code: Code) -> bool {
    ["RM-VERIFY-", "RM-CI-", "RM-MERGE-"].iter().any(|area| code.as_str().starts_with(area))
}

impl Entries<'_> {
    fn take(&mut self, key: &str, position: Position, value: &Expr) {
        if !KEYS.contains(&key) {
            let message = format!("unknown metadata `{key}`{}", suggestion(key, KEYS.into_iter()));
            self.report(position, message, "see the form of a rule in the documentation of the policy language");
            self.wrong.push(key.to_owned());
            return;
        }
        match value {
            Expr::StringConstant(text, at) if text.trim().is_empty() => {
                self.report(*at, format!("metadata `{key}` is empty"), "say it in a few words");
                self.wrong.push(key.to_owned());
            }
            Expr::StringConstant(text, at) => self.found.push((key.to_owned(), text.to_string(), *at)),
            other => {
                let at = other.start_position();
                let at = if at.is_none() { position } else { at };
                self.report(at, format!("metadata `{key}` is no literal text"), "write a text in double quotes");
                self.wrong.push(key.to_owned());
            }
        }
    }

    fn position(&self, key: &str) -> Option<Position> {
        self.found.iter().find(|(found, ..)| found == key).map(|(.., position)| *position)
    }

    fn optional<T>(&mut self, key: &str, parse: impl Fn(&str) -> Option<T>, words: &[&str]) -> Option<T> {
        let (_, text, position) = self.found.iter().find(|(found, ..)| found == key)?.clone();
        let value = parse(&text);
        if value.is_none() {
            let close = suggestion(&text, words.iter().copied());
            let help = format!("it is one of {}", words.join(", "));
            self.report(position, format!("metadata `{key}` cannot be `{text}`{close}"), help);
            self.wrong.push(key.to_owned());
        }
        value
    }

    fn required<T>(&mut self, key: &str, parse: impl Fn(&str) -> Option<T>, words: &[&str]) -> Option<T> {
        let there = self.position(key).is_some() || self.wrong.iter().any(|wrong| wrong == key);
        if !there {
            let help = if words.is_empty() {
                "say it in a few words".to_owned()
            } else {
                format!("it is one of {}", words.join(", "))
            };
            self.report(self.rule, format!("metadata `{key}` is missing"), help);
            self.wrong.push(key.to_owned());
        }
        self.optional(key, parse, words)
    }

    fn required_text(&mut self, key: &str) -> Option<String> {
        self.required(key, |text| Some(text.to_owned()), &[])
    }

    fn out_of_place(&mut self, key: &str, why: &str) {
        if let Some(position) = self.position(key) {
            self.report(position, format!("metadata `{key}` has no meaning here"), why);
            self.wrong.push(key.to_owned());
        }
    }

    fn report(&mut self, position: Position, message: impl Into<String>, help: impl Into<String>) {
        self.file.report(Code::Policy004, position, message, help);
    }
}

/// The text of `//!` comments, without the marks.
fn plain_doc(doc: &str) -> String {
    let lines = doc.lines().map(|line| line.trim().trim_start_matches("//!").trim());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
