//! Why a rule could not judge, from the engine's error.

use rhai::{EvalAltResult, Position};
use runmill_model::Code;

use super::text::one_line;

/// A fault of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleFault {
    /// RM-POLICY-010 or 011.
    pub(crate) code: Code,
    /// What happened, one line.
    pub(crate) what: String,
    /// The file, when it is not the rule's own.
    pub(crate) file: Option<String>,
    /// The 1-based line and column, in characters; none when the engine does not know.
    pub(crate) place: Option<(usize, usize)>,
}

/// Reads the engine's error: the innermost cause, where it is, and whether a limit was hit.
pub(crate) fn read(error: &EvalAltResult) -> RuleFault {
    let (mut error, mut file, mut position) = (error, None, Position::NONE);
    loop {
        position = if error.position().is_none() { position } else { error.position() };
        match error {
            EvalAltResult::ErrorInFunctionCall(_, source, inner, _) => {
                if !source.is_empty() {
                    file = Some(source.clone());
                }
                error = inner;
            }
            EvalAltResult::ErrorInModule(_, inner, _) => error = inner,
            _ => break,
        }
    }
    let place = position.line().zip(position.position());
    let (code, what) = cause(error);
    RuleFault { code, what, file, place }
}

fn cause(error: &EvalAltResult) -> (Code, String) {
    match error {
        EvalAltResult::ErrorTerminated(..) | EvalAltResult::ErrorTooManyOperations(_) => {
            (Code::Policy011, "it ran out of fuel".to_owned())
        }
        EvalAltResult::ErrorStackOverflow(_) => (Code::Policy011, "its calls are nested too deeply".to_owned()),
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            (Code::Policy011, format!("a value is over its size limit: {}", one_line(what)))
        }
        EvalAltResult::ErrorTooManyVariables(_) => (Code::Policy011, "it has too many variables".to_owned()),
        EvalAltResult::ErrorTooManyModules(_) => (Code::Policy011, "it reaches too many modules".to_owned()),
        EvalAltResult::ErrorRuntime(value, _) => match value.as_immutable_string_ref() {
            Ok(text) => (Code::Policy010, text.to_string()),
            Err(_) => (Code::Policy010, "it threw".to_owned()),
        },
        other => {
            let mut bare = other.to_string();
            if let Some(at) = bare.rfind(" (line ") {
                bare.truncate(at);
            }
            (Code::Policy010, one_line(&bare))
        }
    }
}
