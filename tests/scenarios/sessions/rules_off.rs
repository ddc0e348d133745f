//! Every rule of `trusted-profiles` off in turn: some session notices.

use std::collections::BTreeSet;

use super::{POLICY, Session, at, repo, session_under};
use crate::harness::Repo;

/// The session as it stands under a policy, with a rule off or not.
fn status(repo: &Repo, run: &str, policy: &str, off: Option<&str>) -> Session {
    let levels = off.map(|rule| {
        format!("verification: {{ packs: [{{ builtin: trusted-profiles, levels: {{ \"{rule}\": \"off\" }} }}] }}\n")
    });
    let policy = format!("{policy}{}", levels.unwrap_or_default());
    Session::of(session_under(repo, ["status", "--session", run], &policy))
}

#[track_caller]
fn notices(rule: &str, (begun, judged): (&str, &str), arrange: impl FnOnce(&Repo)) {
    let repo = repo();
    let session = Session::of(session_under(&repo, ["begin"], begun));
    let run = session.document["session"].as_str().unwrap();
    arrange(&repo);
    let on = status(&repo, run, judged, None);
    assert!(on.open().contains(&rule), "`{rule}` found nothing: {on}");
    let off = status(&repo, run, judged, Some(rule));
    assert!(!off.open().contains(&rule), "`{rule}` is off and found something: {off}");
}

fn both(repo: &Repo) {
    at(repo, ["verify", "a"]);
    at(repo, ["verify", "b"]);
}

macro_rules! rules {
    ($($name:ident, $rule:literal, $policies:expr, |$repo:ident| $arrange:expr;)*) => {
        $(
            #[test]
            fn $name() {
                notices($rule, $policies, |$repo| { $arrange; });
            }
        )*

        const NOTICED: &[&str] = &[$($rule,)*];
    };
}

const SAME: (&str, &str) = (POLICY, POLICY);

rules! {
    never_verified, "session/never-verified", SAME, |repo| at(repo, ["status"]);
    latest_failed, "session/latest-failed", SAME, |repo| { repo.file("a-fails", ""); both(repo) };
    tool_call_since, "session/tool-call-since", SAME, |repo| {
        both(repo);
        at(repo, ["event", "--kind", "tool-call", "Edit"])
    };
    written_since, "session/written-since", SAME, |repo| { both(repo); at(repo, ["verify", "write"]) };
    definition_changed, "session/definition-changed", (POLICY, &POLICY.replace("! test -e b-fails", "true")), |repo| {
        both(repo)
    };
    contract_outdated, "session/contract-outdated", (&POLICY.replace("{ id: b, ", "{ id: b, required: false, "), POLICY), |repo| {
        both(repo)
    };
    tree_changed, "session/tree-changed", SAME, |repo| { both(repo); repo.file("source.txt", "two\n") };
    attempts_spent, "session/attempts-spent", (&once(), &once()), |repo| {
        Session::of(session_under(repo, ["complete"], &once())).exits(3).is("exhausted", false)
    };
}

/// The policy that permits one attempt.
fn once() -> String {
    POLICY.replace("profiles:", "session: { maxAttempts: 1 }\nprofiles:")
}

#[test]
fn every_rule_of_the_profiles_is_noticed() {
    let noticed: BTreeSet<String> = NOTICED.iter().map(|rule| (*rule).to_owned()).collect();
    assert_eq!(noticed, crate::scenarios::rules_off::rules_of("trusted-profiles"));
}
