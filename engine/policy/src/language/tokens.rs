//! What is decided word by word, before there is a syntax tree.
//!
//! `()` becomes a mark of its own, so that `x == ()` asks about absence and `x == y` never does, even when both are
//! absent. A constant becomes the literal it stands for, because the language hides constants from functions and from
//! rules that are called later. Where functions are defined is noted, because the syntax tree forgets it.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use rhai::{Engine, Position, Token};

/// What `()` becomes. Not a value of rules: comparing with it on the right is all that can be done.
pub(crate) const ABSENT: char = '\0';

/// What was noted while one file was read.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    constants: BTreeMap<String, Token>,
    before: Before,
    /// Whether the word before can be called: then `()` is an empty list of arguments.
    callable: bool,
    /// Names of functions, where they are defined.
    pub(crate) functions: Vec<(String, Position)>,
}

/// The words before the one that is looked at, as far as they matter.
#[derive(Debug, Default)]
enum Before {
    #[default]
    Other,
    Function,
    Dot,
    Const,
    ConstName(String),
    ConstEquals(String),
    ConstValue(String, Token),
}

/// What is noted of the file that is being read.
pub(crate) type Notes = Rc<RefCell<Noted>>;

/// Makes an engine note and replace words.
pub(crate) fn watch(engine: &mut Engine) -> Notes {
    let notes = Notes::default();
    let shared = Rc::clone(&notes);
    #[expect(deprecated, reason = "the engine marks this hook as volatile; the version is pinned")]
    engine.on_parse_token(move |token, position, _| shared.borrow_mut().see(token, position));
    notes
}

impl Noted {
    fn see(&mut self, token: Token, position: Position) -> Token {
        let before = std::mem::take(&mut self.before);
        let called = std::mem::replace(&mut self.callable, matches!(token, Token::Identifier(_) | Token::Reserved(_)));
        self.before = match (before, &token) {
            (_, Token::Fn) => Before::Function,
            (_, Token::Period) => Before::Dot,
            (_, Token::Const) => Before::Const,
            (Before::Function, Token::Identifier(name)) => {
                self.functions.push((name.to_string(), position));
                Before::Other
            }
            (Before::Const, Token::Identifier(name)) => Before::ConstName(name.to_string()),
            (Before::ConstName(name), Token::Equals) => Before::ConstEquals(name),
            (Before::ConstEquals(name), value) if is_literal(value) => Before::ConstValue(name, value.clone()),
            (Before::ConstValue(name, value), Token::SemiColon) => {
                self.constants.insert(name, value);
                Before::Other
            }
            (Before::Dot, _) => return token,
            _ => Before::Other,
        };
        match token {
            Token::Unit if !called => Token::CharConstant(ABSENT),
            // Written as a character it is one like any other, and the gate refuses those.
            Token::CharConstant(ABSENT) => Token::CharConstant('0'),
            Token::Identifier(name) if !matches!(self.before, Before::ConstName(_)) => {
                self.constants.get(name.as_str()).cloned().unwrap_or(Token::Identifier(name))
            }
            token => token,
        }
    }
}

fn is_literal(token: &Token) -> bool {
    matches!(token, Token::IntegerConstant(_) | Token::StringConstant(_) | Token::True | Token::False)
}
