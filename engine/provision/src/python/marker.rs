//! Environment markers (PEP 508), as far as a lock needs them: whether something is required here.

/// What markers ask about.
#[derive(Debug, Clone)]
pub(super) struct Here {
    /// Such as `3.11.7`.
    pub(super) python: String,
    /// Such as `x86_64`.
    pub(super) machine: String,
}

/// A parsed marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marker {
    All(Vec<Marker>),
    Any(Vec<Marker>),
    Compare { left: Operand, operator: String, right: Operand },
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand {
    Text(String),
    Variable(String),
}

impl Marker {
    /// Reads one; none for a text that is no marker.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let tokens = tokens(text)?;
        let mut at = 0;
        let marker = any(&tokens, &mut at)?;
        (at == tokens.len()).then_some(marker)
    }

    /// Whether it holds; none when it asks for something that is not known here.
    pub(super) fn holds(&self, here: &Here) -> Option<bool> {
        match self {
            Self::All(parts) => {
                let all: Vec<_> = parts.iter().map(|part| part.holds(here)).collect();
                if all.contains(&Some(false)) {
                    Some(false)
                } else {
                    all.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
                }
            }
            Self::Any(parts) => {
                let any: Vec<_> = parts.iter().map(|part| part.holds(here)).collect();
                if any.contains(&Some(true)) {
                    Some(true)
                } else {
                    any.into_iter().collect::<Option<Vec<_>>>().map(|_| false)
                }
            }
            Self::Compare { left, operator, right } => compare(left, operator, right, here),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Operator(String),
    Open,
    Close,
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '(' | ')' => {
                tokens.push(if first == '(' { Token::Open } else { Token::Close });
                1
            }
            '\'' | '"' => {
                let end = rest.get(1..)?.find(first)?;
                tokens.push(Token::Text(rest.get(1..=end)?.to_owned()));
                end + 2
            }
            '<' | '>' | '=' | '!' | '~' => {
                let length = rest.find(|c: char| !"<>=!~".contains(c)).unwrap_or(rest.len());
                tokens.push(Token::Operator(rest.get(..length)?.to_owned()));
                length
            }
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..length)?.to_owned()));
                length
            }
            _ => return None,
        };
        rest = rest.get(taken..)?.trim_start();
    }
    Some(tokens)
}

fn is_word(token: Option<&Token>, word: &str) -> bool {
    matches!(token, Some(Token::Word(found)) if found == word)
}

fn any(tokens: &[Token], at: &mut usize) -> Option<Marker> {
    let mut parts = vec![all(tokens, at)?];
    while is_word(tokens.get(*at), "or") {
        *at += 1;
        parts.push(all(tokens, at)?);
    }
    Some(Marker::Any(parts))
}

fn all(tokens: &[Token], at: &mut usize) -> Option<Marker> {
    let mut parts = vec![one(tokens, at)?];
    while is_word(tokens.get(*at), "and") {
        *at += 1;
        parts.push(one(tokens, at)?);
    }
    Some(Marker::All(parts))
}

fn one(tokens: &[Token], at: &mut usize) -> Option<Marker> {
    if tokens.get(*at) == Some(&Token::Open) {
        *at += 1;
        let inside = any(tokens, at)?;
        let closed = tokens.get(*at) == Some(&Token::Close);
        *at += 1;
        return closed.then_some(inside);
    }
    let left = operand(tokens, at)?;
    let operator = match tokens.get(*at)? {
        Token::Operator(operator) => operator.clone(),
        Token::Word(word) if word == "in" => "in".to_owned(),
        Token::Word(word) if word == "not" && is_word(tokens.get(*at + 1), "in") => {
            *at += 1;
            "not in".to_owned()
        }
        _ => return None,
    };
    *at += 1;
    Some(Marker::Compare { left, operator, right: operand(tokens, at)? })
}

fn operand(tokens: &[Token], at: &mut usize) -> Option<Operand> {
    let operand = match tokens.get(*at)? {
        Token::Text(text) => Operand::Text(text.clone()),
        Token::Word(word) if !matches!(word.as_str(), "and" | "or" | "in" | "not") => Operand::Variable(word.clone()),
        _ => return None,
    };
    *at += 1;
    Some(operand)
}

fn compare(left: &Operand, operator: &str, right: &Operand, here: &Here) -> Option<bool> {
    let (left_text, right_text) = (value(left, here)?, value(right, here)?);
    let is_version = |operand: &Operand| matches!(operand, Operand::Variable(name) if name.contains("version"));
    match operator {
        "in" => return Some(right_text.contains(&left_text)),
        "not in" => return Some(!right_text.contains(&left_text)),
        _ => {}
    }
    if is_version(left) || is_version(right) {
        return versions(&left_text, operator, &right_text);
    }
    match operator {
        "==" | "===" => Some(left_text == right_text),
        "!=" => Some(left_text != right_text),
        _ => None,
    }
}

fn value(operand: &Operand, here: &Here) -> Option<String> {
    let name = match operand {
        Operand::Text(text) => return Some(text.clone()),
        Operand::Variable(name) => name.as_str(),
    };
    let text = match name {
        "python_version" => here.python.split('.').take(2).collect::<Vec<_>>().join("."),
        "python_full_version" | "implementation_version" => here.python.clone(),
        "sys_platform" => "linux".to_owned(),
        "platform_system" => "Linux".to_owned(),
        "os_name" => "posix".to_owned(),
        "platform_machine" => here.machine.clone(),
        "implementation_name" => "cpython".to_owned(),
        "platform_python_implementation" => "CPython".to_owned(),
        "extra" => String::new(),
        _ => return None,
    };
    Some(text)
}

fn versions(left: &str, operator: &str, right: &str) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let numbers = |text: &str| text.split('.').map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    let starts = |whole: &str, prefix: &str| whole == prefix || whole.starts_with(&format!("{prefix}."));
    if let Some(prefix) = right.strip_suffix(".*") {
        return match operator {
            "==" => Some(starts(left, prefix)),
            "!=" => Some(!starts(left, prefix)),
            _ => None,
        };
    }
    let (mut a, mut b) = (numbers(left)?, numbers(right)?);
    let named = b.len();
    let length = a.len().max(b.len());
    a.resize(length, 0);
    b.resize(length, 0);
    let order = a.cmp(&b);
    Some(match operator {
        "==" | "===" => order == Equal,
        "!=" => order != Equal,
        "<" => order == Less,
        "<=" => order != Greater,
        ">" => order == Greater,
        ">=" => order != Less,
        "~=" => order != Less && a.get(..named.saturating_sub(1)) == b.get(..named.saturating_sub(1)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_hold_as_pep_508_says() {
        let here = Here { python: "3.11.7".into(), machine: "x86_64".into() };
        for (text, expect) in [
            ("python_version < '3.11'", Some(false)),
            ("python_full_version >= '3.11.3'", Some(true)),
            ("python_version >= '3.9'", Some(true)),
            ("'3.12' > python_version", Some(true)),
            ("python_version ~= '3.8'", Some(true)),
            ("python_version == '3.*'", Some(true)),
            ("sys_platform == 'win32' or (os_name == 'posix' and platform_machine != 'arm64')", Some(true)),
            ("sys_platform == 'win32' and platform_release == 'x'", Some(false)),
            ("platform_release == 'x'", None),
            ("extra == 'dev'", Some(false)),
            ("'linux' in sys_platform", Some(true)),
            ("sys_platform not in 'linux darwin'", Some(false)),
        ] {
            assert_eq!(Marker::parse(text).unwrap().holds(&here), expect, "{text}");
        }
        for wrong in ["", "python_version", "python_version <", "(os_name == 'a'", "os_name == 'a' b"] {
            assert_eq!(Marker::parse(wrong), None, "{wrong}");
        }
    }
}
