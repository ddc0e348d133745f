//! A call that is followed comes to what was judged, says what decided, and costs no more than a call may.

use runmill_model::{Finding, RuleResult, Value};
use runmill_policy::{Explanation, Host, Limits, PackSource, Question, StepKind};

use crate::harness::{graph, load, registry, rule, rule_on, source, with_lib};

/// The only finding of a pack's rule on one check, and how it came about.
fn explained(source: PackSource) -> (Finding, Explanation) {
    let host = Host::new(registry(), vec![load(source)], Limits::default()).with_workers(1);
    let graph = graph(1);
    let mut findings = host.evaluate(&graph, runmill_model::Stage::ALL, &[]).findings;
    let finding = findings.remove(0);
    let explanation = host.explain(&graph, &Question::of(&finding), &[]).unwrap();
    (finding, explanation)
}

#[test]
fn every_form_of_the_language_comes_to_what_was_judged() {
    for body in [
        "refuted(`a${1 + 2 * 3}b``c`, [subject])",
        "let n = 0; for path in cx.change.changed_paths { n = n + 1; } refuted(`${n}`, [subject])",
        "let n = 0; for (path, at) in cx.change.changed_paths { if at == 1 { break; } n = n + 1; } refuted(`${n}`, [subject])",
        "for path in cx.change.changed_paths { if path.starts_with(\"src/b\") { return refuted(path, [subject]); } } proven([subject])",
        "let list = cx.change.changed_paths.filter(|path| path.starts_with(\"src/b\")); refuted(`${list}`, [subject])",
        "let wanted = \"src/b\"; if cx.change.changed_paths.any(|path| path.starts_with(wanted)) { return refuted(\"any\", [subject]); } proven([subject])",
        "if !cx.change.changed_paths.all(|path| path.starts_with(\"src/a\")) { return refuted(\"all\", [subject]); } proven([subject])",
        "let found = cx.change.changed_paths.find(|path| path.starts_with(\"x\")); if found == () { return refuted(\"none\", [subject]); } proven([subject])",
        "let upper = cx.change.changed_paths.map(|path| `<${path}>`); refuted(`${upper[1]}`, [subject])",
        "if cx.params.limit > 2 && subject.timeout_ms >= 600000 || false { return refuted(\"limit\", [subject]); } proven([subject])",
        "if subject.description != () { return proven([subject]); } else if subject.required { return refuted(\"else\", [subject]); } proven([subject])",
        "let text = if subject.required { \"yes\" } else { \"no\" }; refuted(text, [subject])",
        "let check = cx.check(subject.id); refuted(`${check.id} ${-cx.params.limit}`, [check])",
        "if cx.findings(\"a/b\", subject) == cx.findings(\"c/d\", subject) { return refuted(\"same\", [subject]); } proven([subject])",
    ] {
        let (finding, explanation) = explained(source(&rule(body)));
        assert!(!finding.fault, "{body}: {}", finding.judgement.message);
        assert_eq!(explanation.outcome, Ok(RuleResult::Judged(finding.judgement)), "{body}");
    }
}

#[test]
fn the_condition_that_decided_stands_with_its_place_and_its_parts() {
    let body = "    let limit = cx.params.limit;\n    if subject.required && subject.timeout_ms < limit { return proven([subject]); }\n    refuted(\"too long\", [subject])";
    let (_, explanation) = explained(source(&rule(body)));
    let decided = explanation.decided().unwrap();
    assert_eq!(decided.text, "subject.required && subject.timeout_ms < limit");
    assert_eq!(decided.place.to_string(), "verdict/test.rhai:6:8");
    assert_eq!(decided.value, Some(Value::Bool(false)));
    let compared = &decided.parts[1];
    assert_eq!((compared.text.as_str(), &compared.value), ("subject.timeout_ms < limit", &Some(Value::Bool(false))));
    assert!(matches!(compared.parts[0].kind, StepKind::Property { property: "timeout_ms", .. }));
    assert_eq!(compared.parts[1].parts[0].text, "cx.params.limit");
    assert_eq!(explanation.result.unwrap().place.to_string(), "verdict/test.rhai:7:5");
    let read: Vec<_> = explanation.read.iter().map(|read| read.property).collect();
    assert_eq!(read, ["required", "timeout_ms"]);
}

#[test]
fn what_is_not_asked_is_not_told() {
    let body = "if subject.required || subject.id == \"x\" { return refuted(\"r\", [subject]); } proven([subject])";
    let (_, explanation) = explained(source(&rule(body)));
    assert_eq!(explanation.decided().unwrap().parts.len(), 1);
    assert_eq!(explanation.read.len(), 1);
}

#[test]
fn a_helper_shows_the_condition_that_decided_in_it() {
    let lib = "fn slow(check) {\n    if check.timeout_ms > 5 { return true; }\n    false\n}\n";
    let body = "if !times::slow(subject) { return proven([subject]); } refuted(\"slow\", [subject])";
    let (_, explanation) = explained(with_lib(source(&rule(body)), "times", lib));
    let helper = &explanation.decided().unwrap().parts[0];
    assert_eq!((helper.text.as_str(), &helper.value), ("times::slow(subject)", &Some(Value::Bool(true))));
    let decided = helper.decided().unwrap();
    assert_eq!(
        (decided.text.as_str(), decided.place.to_string().as_str()),
        ("check.timeout_ms > 5", "lib/times.rhai:2:8")
    );
}

#[test]
fn expressions_are_spelled_with_the_parentheses_they_need() {
    for text in [
        "(1 + 2) * 3 == 9",
        "1 + 2 * 3 == 7",
        "1 - (2 - 3) == 2",
        "!(subject.required && subject.in_target)",
        "(subject.required || subject.in_target) && subject.id != \"x\"",
        "subject.id == \"a\\\"b\"",
        "len([\"a\", \"b\"]) == 2",
        "cx.change.changed_paths.any(|path| path == \"a\")",
        "subject.description != ()",
    ] {
        let body = format!("if {text} {{ return proven([subject]); }} refuted(\"r\", [subject])");
        let (_, explanation) = explained(source(&rule(&body)));
        assert_eq!(explanation.decided().unwrap().text, text);
    }
}

#[test]
fn a_fault_explains_itself_and_fuel_is_limited() {
    let (finding, explanation) =
        explained(source(&rule("if subject.id == 3 { return proven([subject]); } proven([subject])")));
    let what = explanation.outcome.unwrap_err();
    assert!(finding.fault && finding.judgement.message.ends_with(&what), "{what}: {}", finding.judgement.message);
    assert_eq!(explanation.ended.unwrap().to_string(), "verdict/test.rhai:5:15");

    let (_, explanation) = explained(source(&rule("proven([])\n    ; 1")));
    assert_eq!(explanation.outcome.unwrap_err(), "it returned int, which is no result");

    let endless = "fn deep(n) { deep(n + 1) }\n";
    let (finding, explanation) = explained(with_lib(
        source(&rule("refuted(`${lib::deep(1)}`, [subject])")),
        "lib",
        &endless.replace("deep(n + 1)", "lib::deep(n + 1)"),
    ));
    assert!(finding.fault);
    assert_eq!(explanation.outcome.unwrap_err(), "its calls are nested too deeply");

    let host = Host::new(registry(), vec![load(source(&rule_on("change", WIDE)))], Limits::default()).with_workers(1);
    let graph = graph(1_000);
    let finding = host.evaluate(&graph, runmill_model::Stage::ALL, &[]).findings.remove(0);
    let explanation = host.explain(&graph, &Question::of(&finding), &[]).unwrap();
    assert_eq!(explanation.outcome.unwrap_err(), "it ran out of fuel");
    assert!(finding.fault);
}

const WIDE: &str = "let n = 0; for a in cx.facts(\"check\") { for b in cx.facts(\"check\") { n = n + 1; } } refuted(`${n}`, [subject])";

#[test]
fn one_call_is_made_alone_as_it_is_made_among_others() {
    let host = Host::new(registry(), vec![load(source(&rule("refuted(subject.id, [subject])")))], Limits::default());
    let graph = graph(3);
    let all = host.evaluate(&graph, runmill_model::Stage::ALL, &[]).findings;
    for finding in &all {
        let alone = host.evaluate_one(&graph, &Question::of(finding), &[]).findings;
        assert_eq!(format!("{alone:?}"), format!("[{finding:?}]"));
    }
    let mut elsewhere = Question::of(&all[0]);
    elsewhere.subject = runmill_model::Subject::Run;
    assert!(host.evaluate_one(&graph, &elsewhere, &[]).findings.is_empty());
    assert!(host.explain(&graph, &elsewhere, &[]).is_none());
}
