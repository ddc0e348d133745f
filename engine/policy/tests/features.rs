//! How the engine is built.

use rhai::Engine;
use runmill_model::Stage;
use runmill_policy::{Host, Limits};

use crate::harness::{graph, load, registry, rule, source};

/// The line of the workspace's manifest that names the engine.
fn engine_line() -> &'static str {
    let manifest = include_str!("../../../Cargo.toml");
    manifest.lines().find(|line| line.starts_with("rhai = ")).expect("the workspace names the engine")
}

#[test]
fn the_engine_is_pinned_checked_and_for_one_thread() {
    let line = engine_line();
    assert!(line.contains("version = \"=1.27.0\""), "{line}");
    assert!(line.contains("default-features = false"), "{line}");
    for feature in ["unchecked", "sync", "no_position", "no_optimize", "no_closure", "grain"] {
        assert!(!line.contains(&format!("\"{feature}\"")), "`{feature}` would undo a mitigation or cost speed");
    }
    let own = include_str!("../Cargo.toml").lines().find(|line| line.starts_with("rhai"));
    assert_eq!(own, Some("rhai.workspace = true"));
}

#[test]
fn limits_are_compiled_in() {
    let mut engine = Engine::new_raw();
    engine.set_max_operations(10);
    assert!(engine.run("let n = 0; while n < 100 { n += 1; }").is_err(), "the feature `unchecked` is on");
}

#[test]
fn folding_constants_changes_no_result() {
    let bodies = [
        "proven([subject])",
        "if 1 + 1 == 2 && true { return refuted(`${1 + 2} ${\"a\" + \"b\"}`, [subject]); } proven([subject])",
        "if false { return proven([subject]); } let x = 2 * 3; if x > 5 || false { refuted(`${x}`, [subject]) } else { 1 }",
        "let all = cx.facts(\"check\"); refuted(`${all.filter(|c| c.id != subject.id).map(|c| c.id)}`, [subject])",
        "if subject.description == () { if !(1 < 2) { return 1; } return not_applicable(\"none\"); } proven([subject])",
        "let x = -9223372036854775807 - 2; proven([subject])",
        "for x in subject.argv { if x == \"true\" { return refuted(x, [subject]); } } proven([subject])",
    ];
    let graph = graph(3);
    for body in bodies {
        let host = || Host::new(registry(), vec![load(source(&rule(body)))], Limits::default());
        let plain = host().evaluate(&graph, &[Stage::Verdict], &[]);
        let folded = host().with_folded_constants().evaluate(&graph, &[Stage::Verdict], &[]);
        let shown = |findings: &[runmill_model::Finding]| {
            findings
                .iter()
                .map(|finding| (finding.code, finding.judgement.clone(), finding.read.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&plain.findings), shown(&folded.findings), "{body}");
    }
}

/// Why rules are judged without folding: the optimizer answers a comparison that the judging engine refuses.
#[test]
fn folding_would_hide_a_comparison_across_types() {
    let body = "if \"1\" == 1 { return proven([subject]); } proven([subject])";
    let host = || Host::new(registry(), vec![load(source(&rule(body)))], Limits::default());
    let fault = |host: Host| host.evaluate(&graph(1), &[Stage::Verdict], &[]).findings[0].fault;
    assert!(fault(host()));
    assert!(!fault(host().with_folded_constants()), "the optimizer has learnt it; drop this test");
}
