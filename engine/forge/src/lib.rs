//! What a forge reported of a commit.
//!
//! Purpose: `runmill.remote/v1`, the forge-neutral document of observations, read whole or refused, and as facts. Non-goals:
//! no judgement of what was observed (rules do that), no clock of its own. Place in the line: beside the manifest, before
//! the facts are sealed.

mod document;
mod observation;

pub use observation::{Observation, Protected, parse};

/// The name of the form.
pub const SCHEMA: &str = "runmill.remote/v1";
