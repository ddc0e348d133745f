//! The generated reference.

const PAGE: &str = include_str!("../../docs/stdlib.md");

/// The page as it should be.
fn rendered() -> String {
    let head = "# What rules can call\n\n\
        <!-- generated: RUNMILL_UPDATE=1 cargo test -p runmill-stdlib -->\n\n\
        Every function takes its arguments by position; `f(x, y)` and `x.f(y)` are the same call. An argument of another\n\
        type is a fault of the rule, and a fault is never success.\n\n";
    format!("{head}{}", runmill_stdlib::registry().docs())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the update variable writes the page")]
fn the_reference_is_up_to_date() {
    if std::env::var("RUNMILL_UPDATE").is_ok_and(|update| update == "1") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/stdlib.md"), rendered()).unwrap();
        return;
    }
    assert!(PAGE == rendered(), "docs/stdlib.md is stale: run RUNMILL_UPDATE=1 cargo test -p runmill-stdlib");
}

#[test]
fn every_function_is_documented_as_a_sentence() {
    for function in runmill_stdlib::registry().functions() {
        assert!(function.doc.ends_with('.'), "`{}`: {}", function.name, function.doc);
        assert!(function.doc.len() > 10, "`{}`: {}", function.name, function.doc);
    }
}
