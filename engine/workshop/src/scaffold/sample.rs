//! For each kind of fact, a small question that can be asked of it: what must be there, what is wrong, and the facts that
//! show each of it.

use runmill_model::Kind;
use runmill_policy::On;

/// A question about a kind of fact.
pub(super) struct Sample {
    /// The facts, beside the change and the policy, on which it is proven: lines of a fixture.
    pub(super) facts: &'static str,
    /// What must be there, as an expression; `it` is the subject.
    pub(super) needed: &'static str,
    /// The name it gets.
    pub(super) name: &'static str,
    /// What is said when it is not there.
    pub(super) missing: &'static str,
    /// When it is wrong.
    pub(super) wrong: &'static str,
    /// What is said then.
    pub(super) told: &'static str,
    /// The lines of a case in which it is wrong.
    pub(super) refute: &'static str,
    /// The lines of a case in which what must be there is not.
    pub(super) lack: &'static str,
}

const CHECK: &str = "add \"check\" \"unit\"";

/// The question for a kind, or for the run as a whole.
pub(super) fn of(on: On) -> Sample {
    match on {
        On::Kind(kind) => of_kind(kind),
        On::Run => of_kind(Kind::Change),
    }
}

fn of_kind(kind: Kind) -> Sample {
    match kind {
        Kind::Change => Sample {
            facts: "set \"change\" \"change\" { merged \"d\" }",
            needed: "it.merged",
            name: "merged",
            missing: "nothing says which commit was merged",
            wrong: "!it.contains_target",
            told: "the candidate does not contain the target",
            refute: "set \"change\" \"change\" { contains_target #false }",
            lack: "set \"change\" \"change\" { merged #null }",
        },
        Kind::Policy => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }",
            needed: "it.digest",
            name: "digest",
            missing: "there is no policy file",
            wrong: "!it.fail_on_missing_check",
            told: "the policy lets a check without anything to run pass",
            refute: "set \"policy\" \"policy\" { fail_on_missing_check #false }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::Check => Sample {
            facts: "add \"check\" \"unit\"\n    add \"invocation\" \"unit@candidate\"",
            needed: "it.candidate",
            name: "run",
            missing: "${quoted(it.id)} did not run at the candidate",
            wrong: "run.status != \"passed\"",
            told: "${quoted(it.id)} ended as ${run.status}",
            refute: "set \"invocation\" \"unit@candidate\" { status \"failed\"; exit_code 1 }",
            lack: "remove \"invocation\" \"unit@candidate\"",
        },
        Kind::PathRule => Sample {
            facts: "add \"check\" \"unit\"\n    add \"path_rule\" \"repository#0#unit\" { patterns \"src/**\" }",
            needed: "it.check",
            name: "check",
            missing: "a path rule asks for ${quoted(it.require)}, which is not configured",
            wrong: "it.patterns.is_empty()",
            told: "the path rule for ${quoted(it.require)} matches nothing",
            refute: "set \"path_rule\" \"repository#0#unit\" { patterns; }",
            lack: "remove \"check\" \"unit\"",
        },
        Kind::RemoteRequirement => Sample {
            facts: "add \"remote_requirement\" \"ci / build\" { app \"actions\" }",
            needed: "it.app",
            name: "app",
            missing: "any app may report ${quoted(it.context)}",
            wrong: "app != \"actions\"",
            told: "${quoted(it.context)} is reported by ${app}",
            refute: "set \"remote_requirement\" \"ci / build\" { app \"other\" }",
            lack: "set \"remote_requirement\" \"ci / build\" { app #null }",
        },
        Kind::Forge => Sample {
            facts: "add \"forge\" \"forge\"",
            needed: "it.base_branch",
            name: "branch",
            missing: "nobody asked what the branch requires",
            wrong: "!it.protection_readable",
            told: "what ${quoted(branch)} requires could not be read",
            refute: "set \"forge\" \"forge\" { protection_readable #false }",
            lack: "set \"forge\" \"forge\" { base_branch #null }",
        },
        Kind::RemoteCheck => Sample {
            facts: "add \"forge\" \"forge\"\n    add \"remote_check\" \"ci / build#0\"",
            needed: "it.conclusion",
            name: "conclusion",
            missing: "${quoted(it.context)} has not ended",
            wrong: "conclusion != \"success\"",
            told: "${quoted(it.context)} ended as ${conclusion}",
            refute: "set \"remote_check\" \"ci / build#0\" { conclusion \"failure\" }",
            lack: "set \"remote_check\" \"ci / build#0\" { conclusion #null }",
        },
        Kind::Declaration => Sample {
            facts: "add \"check\" \"unit\"\n    add \"declaration\" \"unit#repository#old\" { renamed_to \"new\" }",
            needed: "it.renamed_to",
            name: "renamed",
            missing: "nothing says what became of ${quoted(it.test_id)}",
            wrong: "!it.counts",
            told: "the declaration for ${quoted(it.test_id)} does not count",
            refute: "set \"declaration\" \"unit#repository#old\" { counts #false }",
            lack: "set \"declaration\" \"unit#repository#old\" { renamed_to #null }",
        },
        Kind::Proposal => Sample {
            facts: "add \"check\" \"unit\"\n    add \"proposal\" \"unit\"",
            needed: "it.check",
            name: "check",
            missing: "${quoted(it.text)} is not configured",
            wrong: "!check.in_target",
            told: "${quoted(it.text)} is new in this change",
            refute: "set \"check\" \"unit\" { in_target #false }",
            lack: "remove \"check\" \"unit\"",
        },
        Kind::Requirement => Sample {
            facts: "add \"check\" \"unit\"\n    add \"requirement\" \"check:unit\"",
            needed: "it.subject",
            name: "check",
            missing: "a context is required, and no check",
            wrong: "!check.in_target",
            told: "${quoted(check.id)} is new in this change",
            refute: "set \"check\" \"unit\" { in_target #false }",
            lack: "remove \"requirement\" \"check:unit\"\n    add \"remote_requirement\" \"ci / build\"\n    \
                   add \"requirement\" \"context:ci / build\"",
        },
        Kind::Invocation => Sample {
            facts: "add \"check\" \"unit\"\n    add \"invocation\" \"unit@candidate\"\n    \
                    add \"report\" \"unit@candidate\" { passed \"a\" \"b\" }",
            needed: "it.report",
            name: "report",
            missing: "${quoted(it.check)} wrote no report",
            wrong: "!report.accepted",
            told: "the report of ${quoted(it.check)} does not count",
            refute: "set \"report\" \"unit@candidate\" { state \"rejected\"; passed; reason \"zero-tests\" }",
            lack: "remove \"report\" \"unit@candidate\"",
        },
        Kind::Report => Sample {
            facts: "add \"check\" \"unit\"\n    add \"invocation\" \"unit@candidate\"\n    \
                    add \"report\" \"unit@candidate\" { digest \"unit.xml\"; passed \"a\" \"b\" }",
            needed: "it.digest",
            name: "digest",
            missing: "${quoted(it.check)} wrote no report",
            wrong: "!it.failed.is_empty()",
            told: "${plural(it.failed.len(), \"test\")} failed in ${quoted(it.check)}",
            refute: "set \"report\" \"unit@candidate\" { passed \"a\"; failed \"b\" }",
            lack: "set \"report\" \"unit@candidate\" { digest #null }",
        },
        Kind::PriorRun => Sample {
            facts: "add \"check\" \"unit\"\n    add \"prior_run\" \"unit@20300101t000000-1\" { status \"passed\" }",
            needed: "it.subject",
            name: "check",
            missing: "${quoted(it.check)} ran before and is not configured any more",
            wrong: "it.status != \"passed\"",
            told: "${quoted(check.id)} ended as ${it.status} before",
            refute: "set \"prior_run\" \"unit@20300101t000000-1\" { status \"failed\" }",
            lack: "remove \"check\" \"unit\"",
        },
        Kind::Waiver => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    add \"waiver\" \"sha256:01\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is a waiver and no policy file that it stands in",
            wrong: "it.expired",
            told: "the waiver of ${it.approver} has expired",
            refute: "set \"waiver\" \"sha256:01\" { expired #true }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::MergePolicy => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    add \"merge_policy\" \"merge_policy\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is no policy file, and nobody said who owns the merge",
            wrong: "it.automatic_merge",
            told: "a machine may merge in ${it.mode}",
            refute: "set \"merge_policy\" \"merge_policy\" { automatic_merge #true }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::ApprovalPath => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    add \"approval_path\" \"src/auth\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is no policy file that ${quoted(it.pattern)} stands in",
            wrong: "!it.matched.is_empty()",
            told: "the change touches ${names(it.matched, 3)}",
            refute: "set \"approval_path\" \"src/auth\" { matched \"src/auth/key.rs\" }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::ApprovalLabel => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    add \"approval_label\" \"security\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is no policy file that ${quoted(it.label)} stands in",
            wrong: "it.label == \"do-not-merge\"",
            told: "${quoted(it.label)} is a label that needs a person",
            refute: "remove \"approval_label\" \"security\"\n    add \"approval_label\" \"do-not-merge\"",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::ApprovalCondition => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    \
                    add \"approval_condition\" \"lockfile_changed\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is no policy file that ${quoted(it.condition)} stands in",
            wrong: "cx.change.changed_paths.contains(\"Cargo.lock\")",
            told: "a lockfile changed",
            refute: "set \"change\" \"change\" { changed_paths \"Cargo.lock\" }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::Budgets => Sample {
            facts: "add \"budgets\" \"budgets\" { max_invocations 14 }",
            needed: "it.max_invocations",
            name: "invocations",
            missing: "nobody said how often agents may be invoked",
            wrong: "invocations > 20",
            told: "agents may be invoked ${plural(invocations, \"time\")}",
            refute: "set \"budgets\" \"budgets\" { max_invocations 21 }",
            lack: "set \"budgets\" \"budgets\" { max_invocations #null }",
        },
        Kind::RecordedVerdict => Sample {
            facts: "set \"policy\" \"policy\" { digest \"policy.yaml\" }\n    add \"verdict\" \"verdict\"",
            needed: "cx.policy.digest",
            name: "digest",
            missing: "there is no policy file that the verdict stands on",
            wrong: "it.outcome != \"ready\"",
            told: "the run is ${it.outcome}",
            refute: "set \"verdict\" \"verdict\" { outcome \"blocked\" }",
            lack: "set \"policy\" \"policy\" { digest #null }",
        },
        Kind::Worktree => Sample {
            facts: "add \"worktree\" \"worktree\"",
            needed: "it.diff_after",
            name: "after",
            missing: "nothing ran on the working tree",
            wrong: "after != it.diff",
            told: "the working tree was edited while commands ran",
            refute: "set \"worktree\" \"worktree\" { diff_after \"edited\" }",
            lack: "set \"worktree\" \"worktree\" { diff_after #null }",
        },
        Kind::Command => Sample {
            facts: "add \"worktree\" \"worktree\"\n    add \"command\" \"unit\"",
            needed: "it.stdout_digest",
            name: "stdout",
            missing: "${quoted(it.id)} was never started",
            wrong: "it.outcome != \"PASS\"",
            told: "${quoted(it.id)} came out as ${it.outcome}",
            refute: "set \"command\" \"unit\" { status \"failed\"; exit_code 1 }",
            lack: "set \"command\" \"unit\" { stdout_digest #null }",
        },
        Kind::Session => Sample {
            facts: "add \"worktree\" \"worktree\"\n    add \"session\" \"session\"\n    add \"event\" \"000000\"\n    \
                    add \"event\" \"000001\" { kind \"tool-call\"; name \"Edit\" }",
            needed: "it.last_tool_call",
            name: "last",
            missing: "no tool was called",
            wrong: "it.attempts > 2",
            told: "completion was denied ${plural(it.attempts, \"time\")}",
            refute: "set \"session\" \"session\" { attempts 3 }",
            lack: "remove \"event\" \"000001\"",
        },
        Kind::Event => Sample {
            facts: "add \"worktree\" \"worktree\"\n    add \"session\" \"session\"\n    \
                    add \"event\" \"000000\" { kind \"tool-call\"; name \"Edit\" }",
            needed: "it.name",
            name: "tool",
            missing: "no tool was called",
            wrong: "tool == \"Bash\"",
            told: "${quoted(tool)} was called",
            refute: "set \"event\" \"000000\" { name \"Bash\" }",
            lack: "set \"event\" \"000000\" { name #null }",
        },
    }
}

/// The facts of a fixture for a rule that asks for the check `integration`.
pub(super) fn discovered(on: On) -> String {
    let own = of(on).facts;
    let check = if own.contains(CHECK) { "" } else { "\n    add \"check\" \"unit\"" };
    format!("{own}{check}\n    add \"check\" \"integration\" {{ required #false }}")
}

/// Everything that a rule can be on.
pub fn every_on() -> Vec<On> {
    Kind::ALL.iter().map(|kind| On::Kind(*kind)).chain([On::Run]).collect()
}

/// What a rule is on, by its name.
pub fn on_of(name: &str) -> Option<On> {
    every_on().into_iter().find(|on| on.as_str() == name)
}
