//! What comes of a call.

use runmill_model::{Autonomy, Code, Kind, Level, Outcome, RuleResult, Stage, Subject};
use runmill_policy::{Host, Limits};

use crate::harness::{
    evaluate, finding, graph, graph_in, load, registry, rule, rule_on, source, source_of, with_level, with_lib,
};

#[test]
fn judges_every_fact_of_the_kind_and_says_what_it_read() {
    let body =
        "if subject.id == \"check-00001\" { return refuted(`no ``${subject.id}```, [subject]); } proven([subject])";
    let findings = evaluate(source(&rule(body)), &graph(3)).findings;
    let outcomes: Vec<_> = findings.iter().map(|finding| finding.judgement.outcome).collect();
    assert_eq!(outcomes, [Outcome::Proven, Outcome::Refuted, Outcome::Proven]);
    assert_eq!(&*findings[1].judgement.message, "no `check-00001`");
    assert_eq!(findings[1].code, Code::Verify008);
    let Subject::Fact(subject) = findings[1].subject else { panic!("a fact") };
    assert_eq!((subject.kind, subject.index), (Kind::Check, 1));
    assert_eq!(findings[1].read, [(subject, "id")]);
}

#[test]
fn gives_the_same_results_in_the_same_order_whatever_the_threads() {
    let body = "if subject.id == \"check-00777\" { return 1; } refuted(`${subject.id}`, [subject])";
    let graph = graph(1_000);
    let shown = |workers| {
        let host = Host::new(registry(), vec![load(source(&rule(body)))], Limits::default()).with_workers(workers);
        let findings = host.evaluate(&graph, &[Stage::Verdict], &[]).findings;
        findings.iter().map(|finding| format!("{finding:?}")).collect::<Vec<_>>()
    };
    assert_eq!(shown(1), shown(4));
    assert_eq!(shown(1).len(), 1_000);
}

#[test]
fn subjects_do_not_share_fuel() {
    let body = "let n = 0; for x in cx.facts(\"check\") { n = n + 1; } refuted(`${n}`, [subject])";
    let findings = evaluate(source(&rule(body)), &graph(500)).findings;
    assert!(findings.iter().all(|finding| !finding.fault && &*finding.judgement.message == "500"));
}

#[test]
fn discovery_rules_require_and_are_no_findings() {
    let text = "rule \"discovery/all\" #{ stage: \"discovery\", on: \"check\", source: \"operator\", why: \"w\" } when |c, cx| {\n\
                if c.required { return require(c, \"always\"); } not_applicable(\"optional\") }";
    let evaluated = evaluate(source_of(Stage::Discovery, text), &graph(2));
    assert!(evaluated.findings.is_empty());
    assert_eq!(evaluated.discovered.len(), 2);
    assert!(matches!(&evaluated.discovered[0].result, RuleResult::Require { reason, .. } if &**reason == "always"));
    assert_eq!(evaluated.discovered[0].head.source.unwrap().as_str(), "operator");
}

#[test]
fn a_rule_on_the_run_is_called_once_with_the_change() {
    let body = "refuted(`${subject.mode} ${len(subject.changed_paths)}`, [subject, cx.change, cx.policy])";
    let findings = evaluate(source(&rule_on("run", body)), &graph(3)).findings;
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].subject, &*findings[0].judgement.message), (Subject::Run, "pr-only 2"));
}

#[test]
fn cx_gives_parameters_checks_and_facts() {
    let body = "let other = cx.check(\"check-00001\"); let none = cx.check(\"nope\");\n\
                if none != () { return proven([none]); }\n\
                refuted(`${cx.params.limit} ${other.id} ${cx.facts(\"check\").map(|c| c.id)}`, [other])";
    let findings = evaluate(source(&rule(body)), &graph(2)).findings;
    assert_eq!(&*findings[0].judgement.message, "3 check-00001 check-00000, check-00001");
}

#[test]
fn verdict_rules_read_findings_of_earlier_stages_and_others_cannot() {
    let skip = "rule \"skip/test\" #{ stage: \"skip\", on: \"check\", code: \"RM-VERIFY-003\", level: \"block\", why: \"w\",\n\
                fix: \"f\" } when |c, cx| { refuted(\"no\", [c]) }";
    let reading = "refuted(`${cx.findings(\"skip/test\", subject)}`, [subject])";
    let mut pack = source(&rule(reading));
    pack.rules.extend(source_of(Stage::Skip, skip).rules);
    let findings = evaluate(pack, &graph(1)).findings;
    assert_eq!(&*findings[1].judgement.message, "refuted");
    let early = skip.replace("refuted(\"no\", [c])", "refuted(`${cx.findings(\"skip/test\", c)}`, [c])");
    let finding = evaluate(source_of(Stage::Skip, &early), &graph(1)).findings.remove(0);
    assert!(finding.fault, "{}", finding.judgement.message);
}

#[test]
fn levels_are_the_operators_then_the_strict_one_then_the_packs() {
    let text = rule("proven([subject])").replace("level: \"block\"", "level: \"warn\", strict_level: \"block\"");
    let level = |pack, mode| {
        let findings = evaluate(pack, &graph_in(mode, 1)).findings;
        findings.first().map(|finding| finding.head.level)
    };
    assert_eq!(level(source(&text), Autonomy::PrOnly), Some(Level::Warn));
    assert_eq!(level(source(&text), Autonomy::Continuous), Some(Level::Block));
    let off = with_level(source(&text), "outcome/test", Level::Off);
    assert_eq!(level(off, Autonomy::Continuous), None, "off is not evaluated");
    let block = with_level(source(&text), "outcome/test", Level::Block);
    assert_eq!(level(block, Autonomy::PrOnly), Some(Level::Block));
}

#[test]
fn shared_functions_are_reached_by_their_file_and_say_where_they_fault() {
    let lib = "const WORD = \"shared\";\n/// Doubles.\nfn twice(x) { once(x) + once(x) }\nfn once(x) { x + WORD }\n\
               fn bad(x) {\n  x + 1\n}\nfn firsts(items) { items.filter(|item| item == WORD) }";
    let pack = |body| with_lib(with_lib(source(&rule(body)), "words", lib), "more", "fn two(x) { words::twice(x) }");
    let said = |body| {
        let finding = evaluate(pack(body), &graph(1)).findings.remove(0);
        finding.judgement.message.to_string()
    };
    assert_eq!(said("refuted(more::two(\"a \"), [subject])"), "a shareda shared");
    assert_eq!(said("refuted(`${words::firsts([\"shared\", \"b\"])}`, [subject])"), "shared");
    let message = said("refuted(words::bad(\"a\"), [subject])");
    assert!(message.contains("lib/words.rhai:6:5"), "{message}");
}

#[test]
fn constants_are_seen_in_functions_and_rules() {
    let text =
        format!("const LIMIT = 2;\nfn limit() {{ LIMIT }}\n{}", rule("refuted(`${LIMIT} ${limit()}`, [subject])"));
    assert_eq!(&*evaluate(source(&text), &graph(1)).findings[0].judgement.message, "2 2");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    let text = format!("\u{feff}{}", rule("proven([subject])").replace('\n', "\r\n"));
    assert_eq!(evaluate(source(&text), &graph(1)).findings[0].judgement.outcome, Outcome::Proven);
}

#[test]
fn absence_is_asked_for_in_one_way_and_every_other_comparison_across_types_faults() {
    assert_eq!(
        &*finding("refuted(`${subject.description == ()} ${subject.id != ()}`, [subject])").judgement.message,
        "true true"
    );
    for body in [
        "if subject.description == \"x\" { proven([subject]) } else { proven([subject]) }",
        "if subject.description != subject.description { proven([subject]) } else { proven([subject]) }",
        "if subject.id == 1 { proven([subject]) } else { proven([subject]) }",
        "if subject.required == \"true\" { proven([subject]) } else { proven([subject]) }",
        "if subject.id < 1 { proven([subject]) } else { proven([subject]) }",
        "if subject == cx.change { proven([subject]) } else { proven([subject]) }",
        "if [subject.id] == subject.id { proven([subject]) } else { proven([subject]) }",
        "if subject.id { proven([subject]) } else { proven([subject]) }",
        "if subject.timeout_ms + \"x\" == \"x\" { proven([subject]) } else { proven([subject]) }",
    ] {
        let finding = finding(body);
        assert!(finding.fault, "{body}: {:?}", finding.judgement);
        assert_eq!(finding.code, Code::Policy010, "{body}");
    }
}

#[test]
fn arithmetic_never_wraps() {
    for body in ["9223372036854775807 + 1", "1 / 0", "1 % 0", "-9223372036854775807 - 2", "9223372036854775807 * 2"] {
        let finding = finding(&format!("let x = {body}; proven([subject])"));
        assert!(finding.fault, "{body}");
    }
}

#[test]
fn facts_are_equal_by_reference() {
    let body = "let same = cx.check(subject.id); if same == subject { refuted(\"same\", [subject]) } else { proven([subject]) }";
    assert_eq!(&*finding(body).judgement.message, "same");
}
