//! `docs/reporters.md` is written from the table of reporters.

use std::{env, fmt::Write, fs, path::PathBuf};

use runmill_report::reporter::REPORTERS;

const HEAD: &str = "\
# Reporters

What runmill refuses in the reports of common reporters, or cannot see in them, and which setting repairs it.
`runmill report read FILE` shows the same for one report. Where a report is refused, nothing of it counts: a reader that
guesses is a reader that two people understand differently.

Options that a manifest can set (`identity`, `duplicates`) count only in the base's manifest; a change cannot loosen how it
is judged. Prefer the reporter's setting: it keeps one id for one test everywhere.

";

/// Reporters whose settings are tests of their own: before, and after.
pub(crate) const REPEATED: &[&str] = &[
    "jest-junit",
    "mocha xunit",
    "mocha tap",
    "vitest",
    "vitest tap",
    "node:test",
    "node:test (TAP)",
    "tape",
    "bats (TAP)",
    "perl Test::More",
    "pytest",
];

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| reporter | format | refused as | what happens | setting |\n|---|---|---|---|---|\n");
    for reporter in REPORTERS {
        for repair in reporter.repairs {
            let reason = repair.reason.map_or("not refused".to_owned(), |reason| format!("`{reason}`"));
            let cells = [reporter.name, reporter.format.as_str(), &reason, repair.what, repair.setting];
            writeln!(page, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | ")).unwrap();
        }
    }
    page.push_str("\nTried with the real reporter, in these versions:\n\n");
    for reporter in REPORTERS.iter().filter(|reporter| !reporter.tried.is_empty()) {
        writeln!(page, "- {}: {}", reporter.name, reporter.tried).unwrap();
    }
    let repeated = REPEATED.join(", ");
    writeln!(page, "\nFor {repeated}, tests with the real reporter (feature `real-world`) repeat it:").unwrap();
    page.push_str(
        "what is refused before the setting is accepted after it. What is not tried comes from the reporters' own\n",
    );
    page.push_str("documentation and from real reports.\n");
    page.push_str(include_str!("reporters_notes.md"));
    page
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a generated page is compared with the file, or written")]
fn the_page_is_what_the_table_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reporters.md");
    let page = page();
    if env::var_os("RUNMILL_UPDATE").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), page, "stale: run the tests with RUNMILL_UPDATE=1");
}
