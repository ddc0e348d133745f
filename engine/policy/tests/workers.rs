//! Workers stand from one evaluation to the next, and nothing of one evaluation shows in another.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use runmill_model::{
    CheckId, Graph, GraphBuilder, Observer, Origin, RuleHead, RuleId, Stage, Subject, Type, Value, facts::PathRule,
};
use runmill_policy::{Call, Evaluated, Fault, Function, Host, Limits, Pack, PackSource, Registry, registry::Body};

use crate::harness::{graph, registry, rule, rule_on, source, source_of};

fn function(name: &'static str, returns: Type, body: Body) -> Function {
    Function { name, params: &[], returns, doc: "For tests.", body }
}

fn host_of(registry: Registry, pack: PackSource) -> Host {
    let pack = Pack::load(pack, &registry).unwrap();
    Host::new(registry, vec![pack], Limits::default())
}

fn messages(evaluated: &Evaluated) -> Vec<&str> {
    evaluated.findings.iter().map(|finding| &*finding.judgement.message).collect()
}

/// Two checks and one path rule: its list of patterns, and where its edge leads.
fn graph_with(pattern: &str, require: &str) -> Arc<Graph> {
    let mut builder = GraphBuilder::from_graph(&graph(2));
    builder.add(PathRule {
        observed_by: Observer::Repository,
        origin: Origin::Repository,
        position: 0,
        patterns: vec![pattern.to_owned()],
        require: CheckId::new(require).unwrap(),
    });
    Arc::new(builder.seal().unwrap())
}

/// A rule that reads everything a session remembers, and one whose findings it reads.
fn remembering() -> PackSource {
    let skip = "rule \"skip/test\" #{ stage: \"skip\", on: \"path_rule\", code: \"RM-VERIFY-003\", level: \"block\", \
                why: \"w\",\nfix: \"f\" } when |r, cx| { refuted(`${r.patterns}`, [r]) }";
    let reading = "let check = subject.check; if check == () { return refuted(`none ${subject.patterns}`, [subject]); }\n\
                   refuted(`${check.id} ${subject.patterns} ${cx.findings(\"skip/test\", subject)}`, [subject])";
    let mut pack = source(&rule_on("path_rule", reading));
    pack.rules.extend(source_of(Stage::Skip, skip).rules);
    pack
}

#[test]
fn one_graph_after_another_is_judged_as_by_a_fresh_host() {
    let graphs = [
        graph_with("src/**", "check-00000"),
        graph_with("docs/**", "check-00001"),
        graph_with("docs/**", "nope"),
        graph_with("src/**", "check-00000"),
    ];
    let stages: [&[Stage]; 2] = [&[Stage::Skip, Stage::Verdict], &[Stage::Verdict]];
    for workers in [1, 2] {
        let host = || host_of(registry(), remembering()).with_workers(workers);
        let standing = host();
        for (graph, stages) in graphs.iter().flat_map(|graph| stages.map(|stages| (graph, stages))) {
            let fresh = host().evaluate(graph, stages, &[]);
            assert_eq!(format!("{:?}", standing.evaluate(graph, stages, &[])), format!("{fresh:?}"));
        }
        let last = standing.evaluate(&graphs[1], &[Stage::Skip, Stage::Verdict], &[]);
        assert_eq!(messages(&last), ["docs/**", "check-00001 docs/** refuted"]);
        assert_eq!(messages(&standing.evaluate(&graphs[1], &[Stage::Verdict], &[])), ["check-00001 docs/** "]);
    }
}

#[test]
fn findings_that_are_given_are_read_and_not_given_back() {
    let host = host_of(registry(), remembering());
    let graph = graph_with("src/**", "check-00000");
    let mut given = host.evaluate(&graph, &[Stage::Skip], &[]).findings;
    let verdict = host.evaluate(&graph, &[Stage::Verdict], &given);
    assert_eq!(messages(&verdict), ["check-00000 src/** refuted"]);
    let Subject::Fact(subject) = given[0].subject else { panic!("a fact") };
    assert_eq!(given[0].read, [(subject, "patterns")]);
    given[0].head = Arc::new(RuleHead { rule: RuleId::new("skip/other").unwrap(), ..RuleHead::clone(&given[0].head) });
    assert_eq!(messages(&host.evaluate(&graph, &[Stage::Verdict], &given)), ["check-00000 src/** "]);
}

#[test]
fn a_graph_is_let_go_when_it_is_judged() {
    let host = host_of(registry(), source(&rule("refuted(subject.id, [subject])")));
    for graph in [graph(2), graph(1_000)] {
        assert_eq!(host.evaluate(&graph, Stage::ALL, &[]).findings.len(), graph.facts().checks.len());
        assert_eq!(Arc::strong_count(&graph), 1);
    }
}

#[test]
fn few_calls_meet_the_same_worker_in_every_evaluation() {
    let mut registry = registry();
    let name = |_: &Call<'_>, _: &[Value]| -> Result<Value, Fault> {
        Ok(Value::Text(format!("{:?}", thread::current().id()).into()))
    };
    registry.add("Workers", [function("worker", Type::Text, name)]);
    let host = host_of(registry, source(&rule("refuted(worker(), [subject])"))).with_workers(4);
    let seen: Vec<_> = (1..20).map(|checks| host.evaluate(&graph(checks), Stage::ALL, &[])).collect();
    let first = messages(&seen[0])[0];
    assert!(first.starts_with("ThreadId"), "{first}");
    assert!(seen.iter().flat_map(messages).all(|worker| worker == first), "{seen:?}");
}

#[test]
fn workers_end_with_their_host() {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    struct Mark;
    impl Drop for Mark {
        fn drop(&mut self) {
            ENDED.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static MARK: Mark = const { Mark });
    let mut registry = registry();
    registry.add("Workers", [function("mark", Type::Bool, |_, _| Ok(Value::Bool(MARK.with(|_| true))))]);
    let host = host_of(registry, source(&rule("if mark() { proven([subject]) } else { refuted(\"\", [subject]) }")));
    host.evaluate(&graph(1), Stage::ALL, &[]);
    assert_eq!(ENDED.load(Ordering::SeqCst), 0, "it stands");
    drop(host);
    assert_eq!(ENDED.load(Ordering::SeqCst), 1, "it has ended");
}

/// A panic that takes its worker along: what it carries panics again when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

#[test]
fn a_lost_worker_is_a_fault_for_its_calls_and_another_takes_its_place() {
    let mut registry = registry();
    registry.add("Workers", [function("lose_worker", Type::Int, |_, _| std::panic::panic_any(Bomb))]);
    let body = "if subject.id == \"check-00100\" { let x = lose_worker(); } proven([subject])";
    let pack = || source(&rule(body));
    let shown = |workers, checks| {
        let host = host_of(registry.clone(), pack()).with_workers(workers);
        let lost = host.evaluate(&graph(checks), Stage::ALL, &[]).findings;
        let after = host.evaluate(&graph(100), Stage::ALL, &[]).findings;
        assert!(after.len() == 100 && after.iter().all(|finding| !finding.fault));
        lost
    };
    for (workers, checks) in [(1, 120), (1, 1_000), (4, 1_000)] {
        let findings = shown(workers, checks);
        assert_eq!(findings.len(), checks);
        let lost: Vec<_> = (0..checks).filter(|at| findings[*at].fault).collect();
        assert_eq!(lost, (64..checks.min(128)).collect::<Vec<_>>(), "those that it had taken, and no other");
        let message = &findings[100].judgement.message;
        assert!(message.ends_with("was not called: its worker was lost"), "{message}");
    }
}

#[test]
fn a_host_is_asked_from_several_threads_at_once() {
    fn shared<T: Send + Sync>(_: &T) {}
    let host = host_of(registry(), source(&rule("refuted(`${cx.facts(\"check\")}`, [subject])"))).with_workers(2);
    shared(&host);
    let alone = |checks: usize| {
        let host = host_of(registry(), source(&rule("refuted(`${cx.facts(\"check\")}`, [subject])")));
        format!("{:?}", host.evaluate(&graph(checks), Stage::ALL, &[]))
    };
    thread::scope(|scope| {
        for checks in [1, 3, 5, 300] {
            let (host, expected) = (&host, alone(checks));
            scope.spawn(move || {
                let graph = graph(checks);
                for _ in 0..10 {
                    assert_eq!(format!("{:?}", host.evaluate(&graph, Stage::ALL, &[])), expected);
                }
            });
        }
    });
}
