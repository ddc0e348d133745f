//! What a forge reported of a commit.
//!
//! Purpose: `runmill.remote/v1`, the forge-neutral document of observations, read whole or refused, and as facts; and the
//! questions to GitHub that such a document is written from. Non-goals: no judgement of what was observed (rules do that), no
//! clock of its own: the time of a look is the forge's. Place in the line: beside the manifest, before the facts are sealed.
//!
//! # What is defended
//!
//! A forge, and whatever answers in its place, is not believed: answers are bounded in size and number, of the right types,
//! about the commit that was asked about, and as many as they say; where they are not, there is no observation. A token goes to
//! one origin and into no text. [`Client`] is the only way out, and holds to both.

mod api;
mod client;
mod document;
mod link;
mod look;
mod observation;
mod publish;
mod refusal;
mod token;
mod wire;

pub use api::{Api, GITHUB, RepositoryName};
pub use client::{Client, Page, Pause, Stopped};
pub use look::{Forge, Wanted};
pub use observation::{Observation, Protected, parse};
pub use publish::{Annotation, Announcement, Conclusion, Published, publish};
pub use refusal::Refusal;
pub use token::{REDACTED, Token};

/// The name of the form.
pub const SCHEMA: &str = "runmill.remote/v1";
