//! Generated pages.

use runmill_workshop::{PackFiles, catalogue, schema};

const FACTS: &str = include_str!("../../../docs/facts.md");
const CATALOGUE: &str = include_str!("../../../docs/catalogue.md");

/// Compares a page with the file that holds it, or writes the file.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the update variable writes the page")]
fn is(name: &str, kept: &str, page: &str) {
    if std::env::var("RUNMILL_UPDATE").is_ok_and(|update| update == "1") {
        std::fs::write(format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR")), page).unwrap();
        return;
    }
    assert!(kept == page, "docs/{name} is stale: run RUNMILL_UPDATE=1 cargo test -p runmill-workshop");
}

const MARK: &str = "<!-- generated: RUNMILL_UPDATE=1 cargo test -p runmill-workshop -->";

#[test]
fn the_page_of_the_fact_schema_is_up_to_date() {
    let head = format!(
        "# What rules can read\n\n{MARK}\n\nFacts by kind, with their properties. `runmill rules schema` shows the same; with \
         `--json`, it is the JSON\nSchema of `runmill.facts/v1`. What rules can call is in [`stdlib.md`](stdlib.md).\n"
    );
    is("facts.md", FACTS, &format!("{head}{}", schema::markdown()));
}

#[test]
fn the_catalogue_of_the_built_in_packs_is_up_to_date() {
    let packs: Vec<PackFiles> =
        runmill_rules::builtin_names().into_iter().map(|name| PackFiles::builtin(name).unwrap()).collect();
    let page = catalogue(&packs).unwrap().markdown();
    is("catalogue.md", CATALOGUE, &page.replacen("# Rules\n", &format!("# Rules\n\n{MARK}\n"), 1));
}
