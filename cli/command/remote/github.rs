//! Who asks GitHub, and with which token.

use std::{collections::BTreeMap, time::Duration};

use runmill_forge::{Api, Client, Pause, Stopped, Token};
use runmill_host::{gh, interrupt::Interrupt};

/// How long a single answer is waited for where the forge asks for patience.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Time passes until somebody interrupts.
pub struct Interruptible<'a>(pub &'a Interrupt);

impl Pause for Interruptible<'_> {
    fn pause(&self, time: Duration) -> Result<(), Stopped> {
        match self.0.wait(time) {
            Ok(false) => Ok(()),
            Ok(true) | Err(_) => Err(Stopped),
        }
    }
}

/// A client of a forge, with the token of the environment, else that of `gh`, else none.
pub fn client<'a>(
    api: &Api,
    environment: &BTreeMap<String, String>,
    pauses: &'a dyn Pause,
    patience: Duration,
) -> Client<'a> {
    let named = ["GH_TOKEN", "GITHUB_TOKEN"].into_iter().find_map(|name| Token::new(environment.get(name)?));
    let token = named.or_else(|| Token::new(&gh::token(api.host(), environment)?));
    Client::new(api.clone(), token, pauses, patience)
}
