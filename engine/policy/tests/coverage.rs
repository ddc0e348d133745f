//! What cases reach is counted, and what they do not reach has a reason.

use runmill_model::Level;
use runmill_policy::{
    Coverage, Covering, Host, Limits, PackSource,
    coverage::{Point, Unit, What},
};

use crate::harness::{graph, load, registry, rule, rule_on, source, with_level, with_lib};

/// What graphs with so many checks reach.
fn covered(source: PackSource, checks: &[usize]) -> Coverage {
    let host = Host::new(registry(), vec![load(source)], Limits::default()).with_workers(1);
    let graphs = checks.iter().enumerate();
    let graphs = graphs.map(|(case, checks)| Covering { case, graph: graph(*checks), findings: Vec::new() });
    host.cover(graphs.collect()).unwrap()
}

/// The points of a unit that count, as `line:column what text hits`.
fn told(unit: &Unit) -> Vec<String> {
    let counts = |point: &&Point| point.what != What::Statement;
    let told = |point: &Point| {
        let Point { place, what, text, hits, .. } = point;
        format!("{}:{} {what:?} `{text}` {hits}", place.line, place.column)
    };
    unit.points.iter().filter(counts).map(told).collect()
}

/// Why the points of a unit are not reached, as `line what: reason`.
fn missing(unit: &Unit) -> Vec<String> {
    let points = unit.points.iter().filter(|point| point.what != What::Statement);
    let missing = points.filter_map(|point| Some((point, unit.why(point)?)));
    missing.map(|(point, why)| format!("{} {:?}: {}", point.place.line, point.what, why.text)).collect()
}

#[test]
fn branches_conditions_and_results_are_counted_in_calls() {
    let body = "    if subject.required && subject.timeout_ms < 5 { return refuted(\"short\", [subject]); }\n    proven([subject])";
    let coverage = covered(source(&rule(body)), &[2, 1]);
    let [unit] = coverage.units.as_slice() else { panic!("one rule") };
    assert_eq!(unit.calls, 3);
    assert_eq!(
        told(unit),
        [
            "5:8 Condition(true) `subject.required` 3",
            "5:8 Condition(false) `subject.required` 0",
            "5:28 Condition(true) `subject.timeout_ms < 5` 0",
            "5:28 Condition(false) `subject.timeout_ms < 5` 3",
            "5:8 Branch(true) `subject.required && subject.timeout_ms < 5` 0",
            "5:8 Branch(false) `subject.required && subject.timeout_ms < 5` 3",
            "5:60 Result `refuted(\"short\", [subject])` 0",
            "6:5 Result `proven([subject])` 3",
        ]
    );
    let outcomes: Vec<_> = unit.outcomes.iter().map(|count| (count.outcome.as_str(), count.calls)).collect();
    assert_eq!(outcomes, [("refuted", 0), ("proven", 3)]);
    assert_eq!(unit.points[unit.points.len() - 1].first, Some(0));
}

#[test]
fn what_is_not_reached_names_the_condition_in_the_way() {
    let body = "    if subject.required {\n        if subject.description == () { return proven([subject]); }\n        \
                return refuted(\"told\", [subject]);\n    }\n    not_applicable(\"not required\")";
    let coverage = covered(source(&rule(body)), &[1, 1]);
    let unit = &coverage.units[0];
    let asked = "in all 2 calls that asked it";
    assert_eq!(
        missing(unit),
        [
            format!("5 Branch(false): `subject.required` was true {asked}"),
            format!("6 Branch(false): `subject.description == ()` was true {asked}"),
            format!("7 Result: `subject.description == ()` was true {asked}"),
            format!("9 Result: `subject.required` was true {asked}"),
        ]
    );
    let refuted = unit.outcomes.iter().find(|count| count.outcome == "refuted").unwrap();
    let why = unit.why_not(refuted).unwrap();
    assert_eq!(why.place.unwrap().to_string(), "verdict/test.rhai:6:12");
}

#[test]
fn a_condition_behind_one_that_decided_was_never_asked() {
    let body = "    if !subject.required && subject.timeout_ms < 5 { return refuted(\"short\", [subject]); }\n    proven([subject])";
    let coverage = covered(source(&rule(body)), &[1]);
    let missing = missing(&coverage.units[0]);
    let never = "`subject.timeout_ms < 5` was never asked: what stands before it had decided";
    assert_eq!(missing[1..3], [format!("5 Condition(true): {never}"), format!("5 Condition(false): {never}")]);
}

#[test]
fn loops_and_closures_that_nothing_goes_through_are_not_reached() {
    let body = "    for path in subject.argv.filter(|it| it == \"x\") { return refuted(path, [subject]); }\n    \
                if cx.facts(\"waiver\").any(|it| it.expired) { return refuted(\"late\", [subject]); }\n    proven([subject])";
    let coverage = covered(source(&rule(body)), &[1]);
    let missing = missing(&coverage.units[0]);
    assert_eq!(missing[0], "5 Condition(true): `|it| it == \"x\"` was false in the one call that asked it");
    assert_eq!(missing[1], "5 Body: `for path in subject.argv.filter(|it| it == \"x\")` had nothing to go through");
    assert_eq!(missing[3], "6 Body: `|it| it.expired` had nothing to go through");
}

#[test]
fn functions_count_for_themselves_and_their_results_for_the_rules_that_call_them() {
    let lib = "fn told(check) {\n    if check.required { return refuted(\"required\", [check]); }\n    proven([check])\n}\n\
               fn idle(check) { check.required }\n";
    let coverage = covered(with_lib(source(&rule("words::told(subject)")), "words", lib), &[1]);
    let [rule, told, idle] = coverage.units.as_slice() else { panic!("a rule and two functions") };
    let outcomes: Vec<_> = rule.outcomes.iter().map(|count| (count.outcome.as_str(), count.calls)).collect();
    assert_eq!(outcomes, [("refuted", 1), ("proven", 0)]);
    assert_eq!((told.calls, idle.calls), (1, 0));
    let why = rule.why_not(&rule.outcomes[1]).unwrap();
    assert_eq!(why.text, "no call made it in the function that can");
    assert_eq!(missing(told).len(), 2, "{:?}", missing(told));
}

#[test]
fn a_rule_that_is_never_called_says_so() {
    let coverage = covered(source(&rule_on("waiver", "proven([subject])")), &[1]);
    let why = "the rule is never called: no case has a `waiver` fact, or its level is off";
    assert_eq!(missing(&coverage.units[0]), [format!("5 Result: {why}")]);
    let off = with_level(source(&rule("proven([subject])")), "outcome/test", Level::Off);
    assert_eq!(covered(off, &[1]).units[0].calls, 0);
}

#[test]
fn counts_of_several_parts_add_up() {
    let pack = || source(&rule("if subject.required { return proven([subject]); } refuted(\"\", [subject])"));
    let mut all = covered(pack(), &[1]);
    all.add(covered(pack(), &[1, 2]));
    assert_eq!(all, covered(pack(), &[1, 1, 2]));
}
