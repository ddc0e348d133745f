//! What a check executes: a program and its arguments, never a shell string.

use std::{fmt, ops::Range};

use serde::{Deserialize, Deserializer, Serialize};

use crate::invalid::{InvalidValue, quoted};

/// A program and its arguments: at least one word, the first not empty, none with NUL, at most 128 KiB together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Argv(Vec<String>);

/// The most bytes of all words together; Linux takes at most 128 KiB in one.
const MAX_BYTES: usize = 128 << 10;

impl Argv {
    /// Checks the words.
    ///
    /// # Errors
    /// There is no word, the first is blank, one holds NUL, or they are too long together.
    pub fn new(words: Vec<String>) -> Result<Self, InvalidValue> {
        const HELP: &str = "write a program and its arguments, such as `[npm, test]`";
        if words.is_empty() {
            return Err(InvalidValue::new("there is nothing to run", HELP));
        }
        if words.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(InvalidValue::new("the program's name is blank", HELP));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(InvalidValue::new(
                "an argument holds a NUL character",
                "remove it; no program can be given one",
            ));
        }
        if words.iter().map(|word| word.len() + 1).sum::<usize>() > MAX_BYTES {
            return Err(InvalidValue::new(
                "the arguments are longer than 128 KiB together",
                "put them into a script of the repository",
            ));
        }
        Ok(Self(words))
    }

    /// Splits a command line by the word rules of POSIX, without a shell: quotes and backslashes group, nothing
    /// expands. Line breaks at the end are dropped.
    ///
    /// # Errors
    /// A quote is not closed, there is no word, or an unquoted character would mean something to a shell.
    pub fn split(line: &str) -> Result<Self, SplitError> {
        let line = line.trim_end_matches(['\n', '\r']);
        if let Some((range, problem)) = shell_syntax(line) {
            return Err(SplitError { range, problem });
        }
        let whole = |problem| SplitError { range: 0..line.len(), problem };
        let words = shell_words::split(line).map_err(|_| {
            whole(InvalidValue::new(
                format!("a quote in {} is not closed", quoted(line)),
                "close it, or write `argv` as a list of words",
            ))
        })?;
        Self::new(words).map_err(whole)
    }

    /// The words; the first is the program.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// The program: a name to look up, or a path.
    pub fn program(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }
}

impl fmt::Display for Argv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shell_words::join(&self.0))
    }
}

impl<'de> Deserialize<'de> for Argv {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A command line that is no list of words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SplitError {
    range: Range<usize>,
    problem: InvalidValue,
}

impl SplitError {
    /// The bytes of the line at fault.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// What is wrong with them.
    pub fn problem(&self) -> &InvalidValue {
        &self.problem
    }
}

/// The first unquoted piece that a shell would act on, and why it is refused.
fn shell_syntax(line: &str) -> Option<(Range<usize>, InvalidValue)> {
    let mut quote = None;
    let mut word_start = true;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let starts_word = std::mem::replace(&mut word_start, false);
        match (quote, character) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (_, '\\') => drop(characters.next()),
            (Some(_), _) => {}
            (None, ' ' | '\t') => word_start = true,
            (None, '|' | '&' | ';' | '<' | '>' | '$' | '`') => {
                let end = match characters.peek() {
                    Some((next, twin)) if *twin == character => next + twin.len_utf8(),
                    _ => at + 1,
                };
                let operator = line.get(at..end).unwrap_or_default();
                return Some((at..end, needs_a_shell(line, &format!("an unquoted {}", shown(operator)))));
            }
            (None, '\n' | '\r') => return Some((at..at + 1, needs_a_shell(line, "an unquoted line break"))),
            (None, '#') if starts_word => {
                let help = format!("write `argv: {}` to pass it on, or quote it", flow_list(line.split_whitespace()));
                let what = "an unquoted `#` would hide the rest of the line from a shell";
                return Some((at..line.len(), InvalidValue::new(what, help)));
            }
            _ => {}
        }
    }
    assignment(line)
}

/// The operator in backticks; a backtick itself is named.
fn shown(operator: &str) -> String {
    if operator.starts_with('`') { "backtick".to_owned() } else { quoted(operator) }
}

fn needs_a_shell(line: &str, what: &str) -> InvalidValue {
    InvalidValue::new(
        format!("{what} needs a shell, and no shell is involved"),
        format!(
            "quote it if it is meant literally; if a shell is meant, write `argv: {}`",
            flow_list(["sh", "-c", line.trim()])
        ),
    )
}

/// A first word such as `CI=1`, which only a shell takes as an assignment.
fn assignment(line: &str) -> Option<(Range<usize>, InvalidValue)> {
    let start = line.len() - line.trim_start().len();
    let word = line.get(start..)?.split_whitespace().next()?;
    let (name, value) = word.split_once('=')?;
    let name = crate::EnvName::new(name).ok()?;
    let problem = InvalidValue::new(
        format!("{} is an assignment, and no shell is involved", quoted(word)),
        format!("write `env: {{ set: {{ {name}: {} }} }}` and leave it out of the command", yaml_text(value)),
    );
    Some((start..start + word.len(), problem))
}

/// Words as a YAML flow list.
fn flow_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.into_iter().map(yaml_text).collect();
    format!("[{}]", words.join(", "))
}

/// A text as a YAML scalar inside a flow list: plain where nobody can mistake it, else quoted.
fn yaml_text(text: &str) -> String {
    let plain = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    let flag = text.starts_with('-') && text.len() > 1 && text.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic());
    if plain || flag {
        text.to_owned()
    } else if text.chars().any(char::is_control) {
        serde_json::Value::from(text).to_string()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &str) {
        let shown = match Argv::split(line) {
            Ok(argv) => serde_json::to_string(argv.words()).unwrap(),
            Err(error) => {
                let range = error.range();
                format!("{}..{} {} | {}", range.start, range.end, error.problem().message(), error.problem().help())
            }
        };
        assert_eq!(shown, expect, "{line}");
    }

    #[test]
    fn splits_by_posix_word_rules() {
        check("npm test -- --reporter=junit", r#"["npm","test","--","--reporter=junit"]"#);
        check("  a\t'b c' \"d e\"f\\ g\n", r#"["a","b c","d ef g"]"#);
        check(r#"grep 'a|b' "x && y" \; \$HOME '' "$x""#, r#"["grep","a|b","x && y",";","$HOME","","$x"]"#);
        check("a#b c\\#", r#"["a#b","c#"]"#);
        check("make VAR=1 * ? ~ (x) {a,b}", r#"["make","VAR=1","*","?","~","(x)","{a,b}"]"#);
        check(r#"a "b\"c""#, r#"["a","b\"c"]"#);
    }

    #[test]
    fn refuses_what_only_a_shell_understands_and_shows_the_argv_form() {
        let sh = "quote it if it is meant literally; if a shell is meant, write `argv: [sh, -c,";
        for (line, range, what) in [
            ("a | b", "2..3", "an unquoted `|`"),
            ("a || b", "2..4", "an unquoted `||`"),
            ("a && b", "2..4", "an unquoted `&&`"),
            ("a&", "1..2", "an unquoted `&`"),
            ("a; b", "1..2", "an unquoted `;`"),
            ("a <b", "2..3", "an unquoted `<`"),
            ("a 2>&1", "3..4", "an unquoted `>`"),
            ("a $X", "2..3", "an unquoted `$`"),
            ("a `b`", "2..3", "an unquoted backtick"),
            ("é\nb", "2..3", "an unquoted line break"),
        ] {
            let script = if line.contains('\n') { "\"é\\nb\"".to_owned() } else { format!("'{line}'") };
            check(line, &format!("{range} {what} needs a shell, and no shell is involved | {sh} {script}]`"));
        }
        check(
            "npm test # all",
            "9..14 an unquoted `#` would hide the rest of the line from a shell | write `argv: [npm, test, '#', all]` to pass it on, or quote it",
        );
        check(
            "CI=1 npm test",
            "0..4 `CI=1` is an assignment, and no shell is involved | write `env: { set: { CI: '1' } }` and leave it out of the command",
        );
    }

    #[test]
    fn refuses_lines_without_a_program() {
        for line in ["", "  ", "\n"] {
            check(
                line,
                &format!(
                    "0..{} there is nothing to run | write a program and its arguments, such as `[npm, test]`",
                    line.trim_end_matches('\n').len()
                ),
            );
        }
        check("'' a", "0..4 the program's name is blank | write a program and its arguments, such as `[npm, test]`");
        check("a 'b", "0..4 a quote in `a 'b` is not closed | close it, or write `argv` as a list of words");
        assert!(Argv::new(vec!["a".into(), "b\0".into()]).is_err());
        assert!(Argv::new(vec!["a".repeat(MAX_BYTES)]).is_err());
    }
}
