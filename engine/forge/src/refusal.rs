//! Why a forge could not be asked, or what it said was no use.

use jiff::Timestamp;
use runmill_model::{Code, Problem};

use crate::token::Token;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What happened.
    pub(crate) cause: Cause,
    /// The address that was asked; it holds no secret.
    url: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No answer, or that the forge is not well.
    Unreachable(String),
    /// The forge refused, with this status and these words.
    Refused(u16, String),
    /// Too many questions; until then, where the forge says so.
    Limited(Option<Timestamp>),
    /// An answer that cannot be believed.
    Unusable(String),
}

impl Refusal {
    /// What happened at an address, in texts that hold no token.
    pub(crate) fn new(cause: Cause, url: &str, token: Option<&Token>) -> Self {
        let clean = |text: String| token.map_or_else(|| text.clone(), |token| token.redact(&text));
        let cause = match cause {
            Cause::Unreachable(what) => Cause::Unreachable(clean(what)),
            Cause::Refused(status, said) => Cause::Refused(status, clean(said)),
            Cause::Unusable(what) => Cause::Unusable(clean(what)),
            Cause::Limited(until) => Cause::Limited(until),
        };
        Self { cause, url: clean(url.to_owned()) }
    }

    /// The status that the forge refused with, if it did.
    pub fn status(&self) -> Option<u16> {
        if let Cause::Refused(status, _) = self.cause { Some(status) } else { None }
    }

    /// The words that the forge refused with, if it did.
    pub fn said(&self) -> Option<&str> {
        if let Cause::Refused(_, said) = &self.cause { Some(said) } else { None }
    }

    /// As a person sees it.
    pub fn problem(&self) -> Problem {
        let url = &self.url;
        match &self.cause {
            Cause::Unreachable(what) => Problem::new(
                Code::Ci006,
                format!("the forge gave no answer to `{url}`: {what}"),
                "look at the network, the proxy and the state of the forge, and observe it again",
            ),
            Cause::Refused(status, said) => {
                let said = if said.is_empty() { String::new() } else { format!(", with the words `{said}`") };
                let message = format!("the forge refused `{url}` with status {status}{said}");
                Problem::new(Code::Ci007, message, refused_help(*status))
            }
            Cause::Limited(until) => {
                let until = until.map_or_else(String::new, |until| format!(" until {until}"));
                Problem::new(
                    Code::Ci008,
                    format!("the forge answers no more questions{until}: the limit of requests is reached at `{url}`"),
                    "observe it later, or with a token whose limit is higher",
                )
            }
            Cause::Unusable(what) => Problem::new(
                Code::Ci009,
                format!("the answer to `{url}` cannot be believed: {what}"),
                "observe the forge again; if it says the same, look at what stands between, such as a proxy",
            ),
        }
    }
}

fn refused_help(status: u16) -> &'static str {
    match status {
        401 => "give a token that is valid, in GH_TOKEN or GITHUB_TOKEN, or sign in with `gh auth login`",
        403 => "give a token that may read checks, statuses, actions, pull requests and the protection of branches",
        404 => {
            "look at the name of the repository and the commit; without a token that may read it, a repository is not there"
        }
        _ => "look at the names that were given, and at the state of the forge",
    }
}
