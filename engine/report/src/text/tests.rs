use super::{Table, table::BUILTIN};

#[test]
fn a_pack_can_add_a_runner() {
    let table = Table::extended(r##"runner "own" { source "here"; counts #"checked (?<total>\d+) cases"# }"##).unwrap();
    assert_eq!(super::scan(b"checked 0 cases\n", &table).zero_tests.len(), 1);
    assert_eq!(super::scan(b"checked 3 cases\n", &table).zero_tests, []);
    assert_eq!(table.runners().next(), Some("own"));
}

#[test]
fn a_table_that_cannot_be_used_is_refused_with_its_place() {
    for (text, message) in [
        ("runner \"a\" {", "the table is not KDL"),
        ("x \"a\"", "`x` where `runner` was due"),
        ("runner \"a\" { zero \"b\" }", "the runner `a` has no source"),
        ("runner \"a\" { source \"b\"; zero \"(\" }", "`^(?:()$` is no pattern: error: unclosed group"),
        ("runner \"a\" { source \"b\"; often \"c\" }", "`often` is no kind of line"),
        ("runner \"a\" { source \"b\"; counts \"c\" }", "`^(?:c)$` has the wrong groups for its kind"),
        ("runner \"a\" runs=\"twice\" { source \"b\" }", "`twice` is not apart, together or last"),
        ("runner \"a\" { source \"b\" }\nrunner \"a\" { source \"b\" }", "the runner `a` is listed twice"),
    ] {
        assert_eq!(Table::parse(text).unwrap_err().to_string(), message);
    }
    assert!(Table::extended("runner \"jest\" { source \"b\" }").is_err());
}

#[test]
fn every_built_in_pattern_is_sound() {
    let names: Vec<_> = Table::parse(BUILTIN).unwrap().runners().map(str::to_owned).collect();
    assert!(names.len() > 30 && names.iter().any(|name| name == "cargo"), "{names:?}");
}
