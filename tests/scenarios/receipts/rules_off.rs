//! Every rule of `command-registry` off in turn: some receipt notices, and none of them becomes VERIFIED by it.

use std::collections::BTreeSet;

use super::{policy, repo};
use crate::harness::{Receipt, Repo};

const REGISTRY: &str = "{ id: good, version: 1, argv: ['true'] }
    { id: bad, version: 1, argv: ['false'] }
    { id: hang, version: 1, argv: [sleep, '600'], timeout: 1s }
    { id: gone, version: 1, argv: [no-such-program] }
    { id: edit, version: 1, argv: [sh, -c, 'echo x >> new.txt'], sandbox: workspace-write }";

fn judged(repo: &Repo, args: &[&str], off: Option<&str>) -> Receipt {
    let levels = off.map(|rule| {
        format!("verification:\n  packs: [{{ builtin: command-registry, levels: {{ \"{rule}\": \"off\" }} }}]\n")
    });
    let policy = format!("{}{}", policy(REGISTRY), levels.unwrap_or_default());
    let receipt = repo.runmill(["verify"]).args(args.iter().copied()).policy(&policy).receipt();
    assert_eq!(receipt.document()["relaxations"].as_array().unwrap().is_empty(), off.is_none(), "{receipt}");
    receipt
}

fn notices(rule: &str, args: &[&str]) {
    let repo = repo();
    let on = judged(&repo, args, None);
    assert!(on.open().contains(&rule), "`{rule}` found nothing: {on}");
    let off = judged(&repo, args, Some(rule));
    assert!(!off.open().contains(&rule), "`{rule}` is off and found something: {off}");
    assert_ne!(off.document()["outcome"], "VERIFIED", "{off}");
}

macro_rules! rules {
    ($($name:ident, $rule:literal, $args:expr;)*) => {
        $(
            #[test]
            fn $name() {
                notices($rule, &$args);
            }
        )*

        const NOTICED: &[&str] = &[$($rule,)*];
    };
}

rules! {
    failed, "command/failed", ["bad"];
    timed_out, "command/timed-out", ["hang"];
    rejected, "command/rejected", ["unknown"];
    no_evidence, "command/no-evidence", ["gone"];
    moved, "worktree/moved", ["edit"];
    stale_head, "worktree/stale-head", ["good", "--expect-head", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"];
    stale_diff, "worktree/stale-diff",
        ["good", "--expect-diff", "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"];
}

#[test]
fn every_rule_of_the_registry_is_noticed() {
    let noticed: BTreeSet<String> = NOTICED.iter().map(|rule| (*rule).to_owned()).collect();
    assert_eq!(noticed, crate::scenarios::rules_off::rules_of("command-registry"));
}
