use std::{collections::BTreeSet, sync::Arc};

use runmill_model::{Finding, Graph, Outcome, RuleResult, Stage, Value, verdict::fold};
use runmill_policy::{Evaluated, Explanation, Host, Question};
use runmill_workshop::{Search, cases::Company};

use crate::builtin::every_pack;

struct Judged {
    host: Arc<Host>,
    graph: Arc<Graph>,
    place: String,
    evaluated: Evaluated,
}

/// Every case of every built-in pack, judged.
fn judged() -> Vec<Judged> {
    let mut all = Vec::new();
    every_pack(|_, suite| {
        all.extend(suite.cases().map(|(_, case)| {
            let host = suite.judge.host(&case.params, Company::Alone).unwrap();
            let evaluated = host.evaluate(&case.graph, Stage::ALL, &[]);
            let place = format!("{}:{}", case.place.file, case.place.line);
            Judged { host, graph: Arc::clone(&case.graph), place, evaluated }
        }));
    });
    all
}

impl Judged {
    fn explain(&self, finding: &Finding) -> Explanation {
        let explained = self.host.explain(&self.graph, &Question::of(finding), &[]);
        explained.unwrap_or_else(|| panic!("{}: `{}` is not explained", self.place, finding.head.rule))
    }

    fn open(&self) -> impl Iterator<Item = &Finding> {
        let open = |it: &&Finding| matches!(it.judgement.outcome, Outcome::Refuted | Outcome::Unproven);
        self.evaluated.findings.iter().filter(open)
    }
}

#[test]
fn an_explanation_comes_to_what_was_judged_and_reads_what_was_read() {
    for judged in judged() {
        for finding in &judged.evaluated.findings {
            let explained = judged.explain(finding);
            let rule = format!("{}: `{}`", judged.place, finding.head.rule);
            assert_eq!(explained.outcome, Ok(RuleResult::Judged(finding.judgement.clone())), "{rule}");
            let read: BTreeSet<_> = explained.read.iter().map(|read| (read.fact, read.property)).collect();
            assert_eq!(read, finding.read.iter().copied().collect(), "{rule}");
        }
        for said in &judged.evaluated.discovered {
            let question =
                Question { pack: said.head.pack.clone(), rule: said.head.rule.clone(), subject: said.subject };
            let explained = judged.host.explain(&judged.graph, &question, &[]).unwrap();
            assert_eq!(explained.outcome, Ok(said.result.clone()), "{}: `{}`", judged.place, said.head.rule);
        }
    }
}

#[test]
fn every_open_finding_has_a_condition_that_decided_in_the_rules_own_file() {
    for judged in judged() {
        for finding in judged.open() {
            let explained = judged.explain(finding);
            let told = format!("{}: `{}`", judged.place, finding.head.rule);
            let decided = explained.decided().unwrap_or_else(|| panic!("{told} decided by nothing"));
            let rule = judged.host.rule(&Question::of(finding)).unwrap();
            assert_eq!(*decided.place.file, *rule.path, "{told}");
            assert!(decided.place.line > 0 && decided.place.column > 0, "{told}");
            assert!(matches!(decided.value, Some(Value::Bool(_))), "{told}: {decided:?}");
            assert!(!decided.parts.is_empty(), "{told}: `{}` has no parts", decided.text);
        }
    }
}

#[test]
fn every_open_finding_has_a_smallest_change_that_makes_it_pass_when_it_is_judged_again() {
    let mut without = BTreeSet::new();
    // Receipts, sessions and gates are not asked what would change them.
    let of_a_change = |judged: &Judged| judged.graph.change().is_some() && judged.graph.verdict().is_none();
    for judged in judged().into_iter().filter(of_a_change) {
        let mut findings = judged.evaluated.findings.clone();
        findings.extend(fold(&judged.graph, &findings).floor);
        let search = Search::new(&judged.host, &judged.graph, &findings);
        for finding in judged.open() {
            let explained = judged.explain(finding);
            let Some(smallest) = search.smallest(finding, Some(&explained)) else {
                without.insert(format!("{} {}", judged.place, finding.head.rule));
                continue;
            };
            assert!(!smallest.changes.is_empty(), "{}", judged.place);
        }
    }
    assert!(without.is_empty(), "no change for:\n{without:#?}");
}
