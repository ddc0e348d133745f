//! The page for people has the same table.

use super::{Reduced, table};

const PAGE: &str = include_str!("../../../../../docs/security.md");

/// Where the table begins and ends.
const BEGIN: &str = "<!-- attempts -->\n";
const END: &str = "<!-- end of attempts -->";

/// Compares, or writes the page where `UPDATE_DOCS` is set.
pub fn has_the_table() {
    let (before, rest) = PAGE.split_once(BEGIN).expect("the beginning of the table");
    let (found, after) = rest.split_once(END).expect("the end of the table");
    let expect = rows();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/security.md");
        std::fs::write(path, format!("{before}{BEGIN}{expect}{END}{after}")).unwrap();
        return;
    }
    assert!(found == expect, "docs/security.md is stale: run this test with UPDATE_DOCS=1");
}

fn rows() -> String {
    let mut rows = String::from("| attempt | what is tried | stopped by | reduced |\n|---|---|---|---|\n");
    for attempt in table() {
        let reduced = match attempt.reduced {
            Reduced::Stopped => "stopped",
            Reduced::Refused => "nothing runs",
            Reduced::Open => "**open**",
        };
        rows.push_str(&format!(
            "| `{}` | {} | {} | {reduced} |\n",
            attempt.name,
            attempt.tried,
            attempt.stopped.name()
        ));
    }
    rows
}

/// Each layer has a row in the table of layers, and the last column of the row names attempts of the suite.
pub fn has_every_layer() {
    let attempts = table();
    let is_attempt = |word: &str| attempts.iter().any(|attempt| attempt.name == word);
    for layer in super::Stop::ALL {
        let start = format!("| {} | ", layer.name());
        let row = PAGE.lines().find(|line| line.starts_with(&start)).unwrap();
        let through = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        let named: Vec<_> = through.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty() && named.iter().all(|word| is_attempt(word)), "{named:?}");
    }
}
