//! The shape of the operator's `policy.yaml`.

use runmill_model::words::{Autonomy, Checkout, Condition, Isolation, Level, SandboxMode, TreeHash};

use super::{
    checks::{ID, checks, env_names, id, limits, path, skip_members, time},
    shape::Shape,
};
use crate::TimeSpan;

const COMMIT: &str = "^[0-9a-f]{40}$";
const DIGEST: &str = "^sha256:[0-9a-f]{64}$";
const MOST: u64 = 1_000_000;

pub(super) fn document() -> Shape {
    Shape::object([
        Shape::constant(1).doc("The version of this file's form.").needed("version"),
        Shape::words(Autonomy::ALL.iter().map(|word| word.as_str()))
            .doc("Who owns the merge. `guarded-merge` and `continuous` leave it to runmill and forbid everything that loosens.")
            .default(Autonomy::PrOnly.as_str())
            .named("autonomy"),
        Shape::object([Shape::flag()
            .doc("Must be true for `guarded-merge` and `continuous`.")
            .default(false)
            .named("automatic_merge")])
        .named("experimental"),
        verification().named("verification"),
        remote().named("remote"),
        Shape::list(waiver()).doc("Findings that pass until a day.").named("waivers"),
        Shape::list(registry_command()).doc("Commands for `runmill verify`, by id.").named("registry"),
        Shape::list(profile()).doc("Commands an agent's session may ask for, by id.").named("profiles"),
        session().named("session"),
        Shape::object([approval().named("manual_approval")]).doc("What a person must approve.").named("risk"),
        budgets().named("budgets"),
    ])
}

fn strict(doc: &str) -> Shape {
    Shape::flag().doc(doc).default(true)
}

fn verification() -> Shape {
    Shape::object([
        path("Where the repository's manifest is.").default(".runmill/checks.yaml").named("manifest"),
        strict("Whether a required check without a result blocks.").named("fail_on_missing_check"),
        strict("Whether a check that cannot prove which tests ran blocks. `false` warns.")
            .named("fail_on_skipped_check"),
        checks("The operator's own checks: always required, and each replaces the repository's of the same id, whole.")
            .named("commands"),
        Shape::list(operator_skip()).doc("The operator's exceptions from test inventories.").named("declared_skips"),
        Shape::map(ID, Shape::pattern(COMMIT))
            .doc("For a check, the ancestor commit whose recorded inventory stands in for the base's.")
            .named("baseline"),
        Shape::words([Isolation::Namespaces, Isolation::Landlock].map(Isolation::as_str))
            .doc("How processes are isolated. `landlock` is weaker, for machines that refuse namespaces.")
            .default(Isolation::Namespaces.as_str())
            .named("isolation"),
        Shape::words(Checkout::ALL.iter().map(|word| word.as_str()))
            .doc("How commits are laid out: one sealed tree for all runs on it, or one tree for each run.")
            .default(Checkout::Sealed.as_str())
            .named("checkout"),
        Shape::words(TreeHash::ALL.iter().map(|word| word.as_str()))
            .doc("What the hashes around a run cover: every byte, or what the file system says of every file.")
            .default(TreeHash::Content.as_str())
            .named("tree_hash"),
        Shape::object([env_names("Variables to pass on to every check, whatever they are.").named("allow")])
            .named("environment"),
        limits("Ceilings for every check, and defaults where a check names none.").named("limits"),
        Shape::list(operator_path())
            .doc("Directories of the machine that checks may use as they are, each with the fingerprint it must have.")
            .named("dependencies"),
        Shape::list(pack()).doc("Rule packs to load, and settings of built-in ones.").named("packs"),
    ])
    .doc("How changes are verified, beyond what the repository asks for.")
}

fn operator_skip() -> Shape {
    let own = [
        id("The check whose test it is.").needed("check"),
        Shape::text().doc("Only for changes on this branch.").named("branch"),
        Shape::pattern(COMMIT).doc("Only for this candidate.").named("commit"),
    ];
    Shape::object(skip_members().into_iter().chain(own)).not_both("branch", "commit")
}

fn operator_path() -> Shape {
    Shape::object([
        Shape::pattern("^/.*[^/]").doc("A directory of the machine, absolute.").needed("path"),
        Shape::pattern(DIGEST).doc("What `runmill deps fingerprint` prints of it.").needed("fingerprint"),
        path("Where it appears in the checkout; at its own path, if left out. Must be ignored by git.").named("at"),
        Shape::list(Shape::pattern(ID)).doc("The checks that get it; every check, if left out.").named("checks"),
    ])
}

fn pack() -> Shape {
    let value = Shape::either([Shape::any_text(), Shape::flag(), Shape::integer(), Shape::list(Shape::any_text())]);
    Shape::object([
        Shape::pattern("^[a-z][a-z0-9-]*$").doc("A pack of the program, by name.").named("builtin"),
        Shape::text().doc("A pack in a directory, from this file.").named("path"),
        Shape::pattern(DIGEST).doc("The digest it must have.").named("digest"),
        Shape::text().doc("The key that must have signed it.").named("signer"),
        Shape::map("^[a-z][a-z0-9_-]*$", value).doc("Its parameters.").named("params"),
        Shape::map(
            "^[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*$",
            Shape::words(Level::ALL.iter().map(|word| word.as_str())),
        )
        .doc("How much its rules count, by rule.")
        .named("levels"),
    ])
    .one_of(["builtin", "path"])
}

fn remote() -> Shape {
    let context = Shape::object([
        Shape::text()
            .doc("Its name, as the forge shows it. `*` stands for any text and `?` for any character.")
            .needed("context"),
        Shape::text().doc("The app that must report it.").named("app"),
        Shape::text().doc("The workflow that must report it.").named("workflow"),
    ]);
    Shape::object([
        Shape::list(context).doc("Contexts that must be successful.").named("required"),
        time("How long after the first observation a context may stay unscheduled.").default("10m").named("deadline"),
    ])
    .doc("What a forge must have seen.")
}

fn waiver() -> Shape {
    Shape::object([
        Shape::any_text().doc("The finding's fingerprint: `sha256:` and 64 hex digits.").named("fingerprint"),
        Shape::any_text().doc("Why.").named("reason"),
        Shape::any_text().doc("Who allowed it.").named("approver"),
        Shape::any_text().doc("When it ends: a date, or a time of RFC 3339.").named("expires"),
    ])
}

fn sandbox(doc: &str, default: SandboxMode) -> Shape {
    Shape::words(SandboxMode::ALL.iter().map(|word| word.as_str())).doc(doc).default(default.as_str())
}

fn registry_command() -> Shape {
    let version = Shape::either([Shape::pattern(ID), Shape::whole(0..=u64::MAX)]);
    Shape::object([
        id("Its name.").needed("id"),
        version.doc("The version of this definition.").needed("version"),
        Shape::some(Shape::any_text()).doc("The program and its arguments, word by word.").needed("argv"),
        time("How long it may take.").default("10m").named("timeout"),
        Shape::whole(0..=1 << 20)
            .doc("How much of each stream is kept as a preview, in bytes.")
            .default(4096)
            .named("preview_bytes"),
        env_names("Variables to pass on from the caller.").named("env"),
        sandbox("What it may write.", SandboxMode::ReadOnly).named("sandbox"),
        Shape::text().doc("What it is, for people.").named("description"),
    ])
}

fn profile() -> Shape {
    Shape::object([
        id("Its name.").needed("id"),
        Shape::text().doc("What it is, for people.").named("description"),
        Shape::text().doc("The program.").needed("command"),
        Shape::list(Shape::any_text()).doc("Its arguments.").named("args"),
        Shape::whole(1..=TimeSpan::MAX.as_millis())
            .doc("How long it may take, in milliseconds.")
            .default(600_000)
            .named("timeoutMs"),
        sandbox("What it may write.", SandboxMode::ReadOnly).named("sandboxMode"),
        Shape::flag().doc("Whether every session must pass it.").default(true).named("required"),
        Shape::whole(1..=1 << 30).doc("The most bytes of each stream.").default(64 << 20).named("maxOutputBytes"),
    ])
}

fn session() -> Shape {
    Shape::object([
        sandbox("The ceiling of every profile.", SandboxMode::WorkspaceWrite).named("sandboxMode"),
        Shape::whole(1..=1000).doc("How often completion may be asked for.").default(3).named("maxAttempts"),
    ])
    .doc("Bounds of agent sessions.")
}

fn approval() -> Shape {
    Shape::object([
        Shape::list(Shape::text()).doc("Paths: exact, a directory, or with `*`, `?` and `**`.").named("paths"),
        Shape::list(Shape::text()).doc("Labels, in any case.").named("labels"),
        Shape::list(Shape::words(Condition::ALL.iter().map(|word| word.as_str())))
            .doc("Conditions.")
            .named("conditions"),
    ])
}

fn budgets() -> Shape {
    let count = |doc: &str| Shape::whole(0..=MOST).doc(doc);
    let roles = [
        count("Of all roles together; at least the sum of the others.").named("total"),
        count("Of the implementer.").named("implementer"),
        count("Of the local review.").named("local_review"),
        count("Of the fixer.").named("fixer"),
        count("Of the review of the pull request.").named("pr_review"),
        count("Of the fixer of the pull request.").named("pr_fixer"),
    ];
    Shape::object([
        Shape::amount().doc("Dollars for one issue.").named("max_cost_usd_per_issue"),
        Shape::amount().doc("Dollars a day.").named("daily_cost_usd"),
        Shape::whole(1..=MOST).doc("Minutes for one issue.").named("max_wall_minutes_per_issue"),
        Shape::words(["utc", "local"]).doc("When a day begins.").named("daily_window"),
        Shape::words(["auto", "wall-and-invocations-only"]).doc("How costs are enforced.").named("cost_enforcement"),
        Shape::flag()
            .doc("Whether a run may take no longer than what is left.")
            .named("clamp_invocation_timeout_to_remaining"),
        Shape::object(roles).doc("How often each role may be invoked.").named("max_agent_invocations"),
    ])
    .doc("Inputs for rules.")
}
