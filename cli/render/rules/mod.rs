//! What the tools for rules show.

pub mod check;
pub mod coverage;
pub mod diff;
pub mod explain;
pub mod laws;
pub mod new;
pub mod review;
pub mod schema;
pub mod test;

use runmill_model::PackName;

use super::paint::{Paint, Tone};

/// The name of a pack, and where it is, unless that says the same.
fn pack_head(name: &PackName, place: &str, paint: Paint) -> String {
    let place = if place == name.as_str() { String::new() } else { format!("  {place}") };
    format!("{}{place}", paint.text(Tone::Strong, name.as_str()))
}
