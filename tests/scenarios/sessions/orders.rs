//! Every order of what can happen in a session, against a small oracle that knows nothing of rules.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use runmill_model::{
    Autonomy, Checkout, CommitId, Digest, EventKind, Graph, GraphBuilder, Isolation, Observer, RunId, SandboxMode,
    Stage, Status, TreeHash, VerificationOutcome,
    facts::{Command, Event, Policy, Session, Worktree},
    session::{Completion, fold},
};
use runmill_policy::{Host, Limits, Pack};

use super::{at, repo, session};
use crate::harness::Repo;

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Begin,
    VerifyA,
    VerifyB,
    ToolCall,
    Write,
}

const STEPS: [Step; 5] = [Step::Begin, Step::VerifyA, Step::VerifyB, Step::ToolCall, Step::Write];

/// What completion must come to: in the latest session, both profiles ran after its beginning, the last tool call and the last
/// write of another.
fn oracle(order: &[Step]) -> bool {
    let (mut begun, mut ran) = (false, BTreeSet::new());
    for step in order {
        match step {
            Step::Begin => (begun, ran) = (true, BTreeSet::new()),
            Step::VerifyA => drop(begun && ran.insert('a')),
            Step::VerifyB => drop(begun && ran.insert('b')),
            Step::ToolCall | Step::Write => ran.clear(),
        }
    }
    begun && ran.len() == 2
}

fn orders(most: usize) -> Vec<Vec<Step>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last.iter().flat_map(|order| STEPS.map(|step| [order.as_slice(), &[step]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The start or the end of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Moment {
    Call,
    Starts(&'static str),
    Ends(&'static str),
}

fn mode(profile: &str) -> SandboxMode {
    if profile == "write" { SandboxMode::WorkspaceWrite } else { SandboxMode::ReadOnly }
}

/// The events of a session in which these moments follow its beginning.
fn events(moments: &[Moment]) -> Vec<Event> {
    let mut all = vec![Event::at(0, EventKind::Begun)];
    let mut began = HashMap::new();
    for (place, moment) in (1..).zip(moments) {
        let tree = Some(Digest::of(b"tree"));
        let of = |profile: &str, kind| Event {
            profile: Some(profile.to_owned()),
            sandbox: Some(mode(profile)),
            definition_digest: Some(Digest::of(profile.as_bytes())),
            ..Event::at(place, kind)
        };
        all.push(match moment {
            Moment::Call => Event { name: Some("Edit".into()), ..Event::at(place, EventKind::ToolCall) },
            Moment::Starts(profile) => {
                began.insert(*profile, place);
                of(profile, EventKind::Verifying)
            }
            Moment::Ends(profile) => Event {
                began: began.get(profile).copied(),
                outcome: Some(VerificationOutcome::Passed),
                diff_before: tree,
                diff_after: tree,
                ..of(profile, EventKind::Verified)
            },
        });
    }
    all
}

fn graph(moments: &[Moment], contract: &[&str]) -> Arc<Graph> {
    let mut builder = GraphBuilder::new();
    builder.add(Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    });
    builder.add(Worktree {
        observed_by: Observer::Orchestrator,
        root: "/project".into(),
        head: CommitId::new("a".repeat(40)).unwrap(),
        changed_paths: Vec::new(),
        diff: Digest::of(b"tree"),
        head_after: None,
        changed_paths_after: Vec::new(),
        diff_after: None,
        expected_head: None,
        expected_diff: None,
    });
    builder.add(Session {
        observed_by: Observer::Orchestrator,
        session: RunId::new("20300101t000000-1").unwrap(),
        sandbox_mode: SandboxMode::WorkspaceWrite,
        contract_digest: Digest::of(b"contract"),
        max_attempts: 3,
        attempts: 0,
        missing: Vec::new(),
    });
    for id in contract {
        builder.add(Command {
            observed_by: Observer::Operator,
            id: (*id).to_owned(),
            defined: true,
            version: None,
            definition_digest: Some(Digest::of(id.as_bytes())),
            argv: Vec::new(),
            timeout_ms: 1_000,
            sandbox: None,
            required: true,
            executor: Observer::Orchestrator,
            status: Status::NotRun,
            exit_code: None,
            signal: None,
            duration_ms: 0,
            stdout_digest: None,
            stdout_bytes: 0,
            stderr_digest: None,
            stderr_bytes: 0,
            notes: Vec::new(),
        });
    }
    events(moments).into_iter().for_each(|event| builder.add(event));
    Arc::new(builder.seal().unwrap())
}

fn host() -> Host {
    let registry = runmill_stdlib::registry();
    let source = runmill_rules::builtin("trusted-profiles", &runmill_rules::Settings::default()).unwrap();
    let pack = Pack::load(source, &registry).unwrap();
    Host::new(registry, vec![pack], Limits::default()).with_workers(1)
}

fn allowed(host: &Host, moments: &[Moment], contract: &[&str]) -> bool {
    let graph = graph(moments, contract);
    let findings = host.evaluate(&graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings;
    fold(&graph, &findings).completion == Completion::Allowed
}

/// What follows the last beginning; none without one.
fn moments(order: &[Step]) -> Option<Vec<Moment>> {
    let begun = order.iter().rposition(|step| *step == Step::Begin)?;
    let run = |profile| vec![Moment::Starts(profile), Moment::Ends(profile)];
    let moments = order[begun + 1..].iter().flat_map(|step| match step {
        Step::Begin => Vec::new(),
        Step::VerifyA => run("a"),
        Step::VerifyB => run("b"),
        Step::ToolCall => vec![Moment::Call],
        Step::Write => run("write"),
    });
    Some(moments.collect())
}

#[test]
fn every_order_up_to_length_six_comes_out_as_the_oracle_says() {
    let host = host();
    let mut known: HashMap<Vec<Moment>, bool> = HashMap::new();
    let (mut all, mut holding) = (0, 0);
    for order in orders(6) {
        let judged = moments(&order).is_some_and(|moments| {
            *known.entry(moments.clone()).or_insert_with(|| allowed(&host, &moments, &["a", "b"]))
        });
        assert_eq!(judged, oracle(&order), "{order:?}");
        all += 1;
        holding += usize::from(judged);
    }
    assert_eq!(all, 1 + 5 + 25 + 125 + 625 + 3_125 + 15_625);
    assert!(holding > 500, "only {holding} orders hold");
}

/// Two processes: every order of the starts and ends of two runs and a tool call.
#[test]
fn no_order_of_starts_and_ends_lets_a_run_outlive_what_changed_the_tree() {
    let host = host();
    let pool = [Moment::Call, Moment::Starts("a"), Moment::Ends("a"), Moment::Starts("write"), Moment::Ends("write")];
    let mut orders: Vec<Vec<Moment>> = vec![Vec::new()];
    let mut last = orders.clone();
    for _ in 0..pool.len() {
        let longer = last.iter().flat_map(|order| {
            let more = pool.iter().filter(|moment| !order.contains(moment)).filter(|moment| match moment {
                Moment::Ends(profile) => order.contains(&Moment::Starts(profile)),
                _ => true,
            });
            more.map(|moment| [order.as_slice(), &[*moment]].concat()).collect::<Vec<_>>()
        });
        last = longer.collect();
        orders.extend(last.iter().cloned());
    }
    assert_eq!(last.len(), 30);
    for order in orders {
        let place = |moment| order.iter().position(|it| *it == moment);
        let start = place(Moment::Starts("a"));
        let disturbed = start.is_some_and(|start| {
            order[start..].iter().any(|it| matches!(it, Moment::Call | Moment::Starts("write") | Moment::Ends("write")))
        });
        let expect = place(Moment::Ends("a")).is_some() && !disturbed;
        assert_eq!(allowed(&host, &order, &["a"]), expect, "{order:?}");
    }
}

fn take(repo: &Repo, step: Step) {
    let words: &[&str] = match step {
        Step::Begin => &["begin"],
        Step::VerifyA => &["verify", "a"],
        Step::VerifyB => &["verify", "b"],
        Step::ToolCall => &["event", "--kind", "tool-call", "Edit"],
        Step::Write => &["verify", "write"],
    };
    // Without a session there is nothing to do it in.
    let exit = session(repo, words.iter().copied()).output().exit;
    assert!(exit == 0 || exit == 1, "{words:?}: {exit}");
}

fn through_the_binary(order: &[Step]) {
    let repo = repo();
    order.iter().for_each(|step| take(&repo, *step));
    let exit = session(&repo, ["complete"]).output().exit;
    assert_eq!(exit == 0, oracle(order), "{order:?}: {exit}");
    if exit == 0 {
        session(&repo, ["complete"]).error().is("RM-STATE-005", 1);
    }
}

#[test]
fn orders_through_the_binary_come_out_as_the_oracle_says() {
    use Step::{Begin, ToolCall, VerifyA, VerifyB, Write};
    let mut chosen: Vec<Vec<Step>> = orders(2);
    chosen.extend(
        [
            [Begin, VerifyA, VerifyB, ToolCall, VerifyA, VerifyB],
            [VerifyA, VerifyB, Begin, VerifyB, VerifyA, VerifyB],
            [Begin, VerifyA, VerifyB, Begin, VerifyA, ToolCall],
            [Begin, Write, VerifyA, VerifyB, Write, VerifyA],
            [Begin, ToolCall, Write, VerifyB, VerifyA, VerifyA],
            [Begin, VerifyA, Write, VerifyB, VerifyA, ToolCall],
            [Begin, VerifyA, ToolCall, VerifyB, Write, VerifyA],
            [ToolCall, Begin, VerifyA, VerifyB, VerifyA, VerifyB],
        ]
        .map(Vec::from),
    );
    for order in chosen {
        through_the_binary(&order);
    }
    // The control of the control: a session can be completed.
    let repo = repo();
    [Begin, VerifyA, VerifyB].into_iter().for_each(|step| take(&repo, step));
    at(&repo, ["complete"]).exits(0);
}
