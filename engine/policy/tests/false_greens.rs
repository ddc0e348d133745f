//! Shape 35: a rule that does not judge is never success.

use runmill_model::{Code, Outcome, Verdict, verdict::fold};

use crate::harness::{evaluate, finding, graph, rule, rule_on, source};

fn faults(body: &str) -> Code {
    let graph = graph(1);
    let findings = evaluate(source(&rule(body)), &graph).findings;
    assert_eq!(findings.len(), 1, "{body}");
    let finding = &findings[0];
    assert!(finding.fault, "{body}: {:?}", finding.judgement);
    assert_eq!(finding.judgement.outcome, Outcome::Unproven, "{body}");
    assert_ne!(fold(&graph, &findings).verdict, Verdict::Ready, "{body}");
    finding.code
}

#[test]
fn values_that_are_no_result_are_faults() {
    for body in [
        "return;",
        "",
        "return ();",
        "\"\"",
        "[]",
        "0",
        "true",
        "\"proven\"",
        "subject",
        "[proven([subject])]",
        "if subject.required { let x = 1; }",
        "require(subject, \"a verdict rule cannot\")",
    ] {
        assert_eq!(faults(body), Code::Policy012, "{body}");
    }
}

#[test]
fn faults_of_functions_properties_and_types_are_faults() {
    for body in [
        "refuse()",
        "blow_up()",
        "subject.commit",
        "let x = subject.description; x.starts_with(\"a\")",
        "proven([subject, subject.description])",
        "proven(subject)",
        "cx.facts(\"checks\")",
        "let x = subject.argv[7]; proven([subject])",
        "for x in subject.id { return proven([subject]); } proven([subject])",
        "for x in subject { return proven([subject]); } proven([subject])",
    ] {
        assert_eq!(faults(body), Code::Policy010, "{body}");
    }
}

#[test]
fn fuel_depth_and_size_are_faults_of_their_own() {
    let deep = format!("fn again(x) {{ again(x) }}\n{}", rule("again(subject)"));
    let loops = "let items = cx.change.changed_paths;\n\
                 for a in items { for b in items { for c in items { for d in items { for e in items { for f in items {\n\
                 for g in items { for h in items { for i in items { for j in items { for k in items { for l in items {\n\
                 for m in items { for n in items { for o in items { for p in items { for q in items {\n\
                 }}}}}}}}}}}}}}}}}\nproven([subject])";
    let grow = format!(
        "fn double(x) {{ x + x }}\nfn more(x) {{ double(double(double(double(double(x))))) }}\n{}",
        rule("refuted(more(more(more(more(more(\"x\"))))), [subject])")
    );
    for text in [deep, rule(loops), grow] {
        let graph = graph(1);
        let findings = evaluate(source(&text), &graph).findings;
        assert_eq!(findings[0].code, Code::Policy011, "{:?}", findings[0].judgement);
        assert_ne!(fold(&graph, &findings).verdict, Verdict::Ready);
    }
}

#[test]
fn a_rule_that_matches_nothing_is_a_fault_unless_it_says_why() {
    let silent = rule_on("declaration", "proven([subject])");
    let findings = evaluate(source(&silent), &graph(1)).findings;
    assert_eq!((findings.len(), findings[0].code, findings[0].fault), (1, Code::Policy013, true));
    assert_ne!(fold(&graph(1), &findings).verdict, Verdict::Ready);
    let said = silent.replace("why:", "may_be_empty: \"declarations are optional\", why:");
    assert!(evaluate(source(&said), &graph(1)).findings.is_empty());
}

#[test]
fn a_fault_says_which_rule_where_and_what() {
    let finding = finding("let x = 1;\n  let y = subject.commit;\nproven([subject])");
    assert_eq!(
        &*finding.judgement.message,
        "rule `outcome/test` of pack `trial` faulted at verdict/test.rhai:6:19: a check has no property `commit`"
    );
    assert!(!finding.fix().is_empty());
}

#[test]
fn a_panic_spoils_no_other_call() {
    let body = "if subject.id == \"check-00001\" { let x = blow_up(); } proven([subject])";
    let outcomes: Vec<_> =
        evaluate(source(&rule(body)), &graph(3)).findings.iter().map(|finding| finding.fault).collect();
    assert_eq!(outcomes, [false, true, false]);
}
