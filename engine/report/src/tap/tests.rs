use runmill_model::TestArena;

use crate::{Format, Options, Reason, parse};

fn check(text: &str, expect: Result<&[&str], Reason>) {
    let mut arena = TestArena::new();
    let found = parse(Format::Tap, text.as_bytes(), &Options::default(), &mut arena).map(|report| {
        let mark = |id| match id {
            id if report.passed.contains(id) => '+',
            id if report.failed.contains(id) => '!',
            _ => '-',
        };
        arena.ids().map(|id| format!("{}{}", mark(id), arena.shown(id))).collect::<Vec<_>>()
    });
    let expect = expect.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(found.map_err(|rejection| rejection.reason), expect, "{text}");
}

#[test]
fn one_flat_plan_before_or_after_the_points() {
    check("1..2\nok 1 - a\nnot ok 2 - b\n", Ok(&["+a", "!b"]));
    check("ok a\r\nok b # skip\r\n1..2\r\n", Ok(&["+a", "-b"]));
    check("TAP version 14\npragma +strict\n1..1 # all\nok 1 - a\n# end\n", Ok(&["+a"]));
    check("ok 1 - a\n", Err(Reason::NoPlan));
    check("2..3\nok a\nok b\n", Err(Reason::NoPlan));
    check("1..2x\nok 1 - a\n", Err(Reason::NoPlan));
    check("ok 1 - a\n1..2\nok 2 - b\n", Err(Reason::PlanMiddle));
    check("1..1\nok 1 - a\n1..1\n", Err(Reason::MultiplePlans));
    check("1..2\nok 1 - a\n", Err(Reason::PlanMismatch));
    check("1..99999999999999999999999\nok 1 - a\n", Err(Reason::PlanMismatch));
    check("1..0 # SKIP none\n", Err(Reason::ZeroTests));
    check("1..0\nok 1 - a\n", Err(Reason::ZeroTests));
}

#[test]
fn numbers_stand_on_all_points_and_in_order() {
    check("1..2\nok 1 - a\nok - b\n", Err(Reason::NumberOrder));
    check("1..2\nok - a\nok 2 - b\n", Err(Reason::NumberOrder));
    check("1..2\nok 2 - a\nok 1 - b\n", Err(Reason::NumberOrder));
    check("1..2\nok 01 - a\nok 02 - b\n", Ok(&["+a", "+b"]));
}

#[test]
fn subtests_and_bail_outs_are_refused() {
    for inner in ["    ok 1 - b", " not ok 2", "\t1..2", "    1..0"] {
        check(&format!("1..1\n{inner}\nok 1 - a\n"), Err(Reason::NestedPlan));
    }
    for line in ["Bail out!", "    bail out! why.", "  ---\nBail out! x"] {
        check(&format!("1..1\nok 1 - a\n{line}\n"), Err(Reason::BailOut));
    }
}

#[test]
fn yaml_blocks_are_read_past() {
    check("1..1\nok 1 - a\n  ---\n  ok: true\n  ok 2 - b\n    ...\n  1..3\n  ...\n", Ok(&["+a"]));
    check("ok 1 - a\n\n  ---\n  ok 7\n  ...\n  ---\n  ok 8\n  ...\n1..1\n", Ok(&["+a"]));
    check("1..2\nok 1 - a\n  ---\n  x: y\nok 2 - b\n", Err(Reason::Malformed));
    check("1..1\nok 1 - a\n  ---\n  x: y\n", Err(Reason::Malformed));
    check("1..1\ntext\n  ---\n  ok 1 - b\n  ...\nok 1 - a\n", Err(Reason::NestedPlan));
}

#[test]
fn other_text_is_read_past() {
    check("> npm test\n\nOK\nokay\nok-ish\n1..1\nok: true\nok 1 - a\nwarning: x\n", Ok(&["+a"]));
    check("1..1\nok 1 -\n", Err(Reason::EmptyId));
    check("1..2\nok 1 - a\nok 2 - a # time=2ms\n", Err(Reason::DuplicateId));
    check("1..1\nok 1 - a\u{0}\n", Err(Reason::Malformed));
    check("1..1\nok 1 - a\u{feff}\n", Err(Reason::Malformed));
    check(" \n", Err(Reason::EmptyReport));
}
