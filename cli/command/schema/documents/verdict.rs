//! `runmill.verdict/v1`.

use runmill_manifest::schema::{Member, Shape};
use runmill_model::words::{Autonomy, Checkout, Isolation, Level};
use serde_json::Value;

use super::{DIGEST, count, document, optional_text, texts};

/// The verdict on a change.
pub fn verdict() -> Value {
    document(
        "runmill.verdict/v1",
        "The verdict on a change, and everything it stands on in short.",
        [
            Shape::text().doc("The run's name in the record.").needed("run"),
            Shape::words(["ready", "blocked", "indeterminate"]).doc("Whether the change may merge.").needed("verdict"),
            commit("What it would merge into.").needed("target"),
            commit("What it grew from.").needed("base"),
            commit("What was judged.").needed("candidate"),
            commit("What was merged into the target to make the candidate.").or_null().needed("merged"),
            texts("What keeps target and candidate from being merged.").needed("conflicts"),
            Shape::words(Autonomy::ALL.iter().map(|word| word.as_str())).doc("Who owns the merge.").needed("mode"),
            digest("The digest of the sealed fact graph.").needed("facts_digest"),
            policy().needed("policy"),
            Shape::list(pack()).doc("The packs that judged.").needed("packs"),
            texts("Everything the operator loosened.").needed("relaxations"),
            Shape::list(waiver()).doc("The waivers that let a finding pass.").needed("waivers"),
            Shape::list(waiting()).doc("Contexts that are still to come.").needed("waiting"),
            manifest().needed("manifest"),
            Shape::list(result()).doc("Every execution.").needed("results"),
            Shape::list(finding()).doc("Every finding.").needed("findings"),
        ],
    )
}

/// The operator's policy.
pub(super) fn policy() -> Shape {
    Shape::either([Shape::constant("none"), Shape::object([digest("Of the file.").needed("digest")])])
        .doc("The operator's policy.")
}

/// A commit.
pub(super) fn commit(doc: &str) -> Shape {
    Shape::pattern("^[0-9a-f]{40}$").doc(doc)
}

/// A digest.
pub(super) fn digest(doc: &str) -> Shape {
    Shape::pattern(DIGEST).doc(doc)
}

/// A pack.
pub(super) fn pack() -> Shape {
    Shape::object(pack_members())
}

/// What names a pack.
pub(super) fn pack_members() -> Vec<Member> {
    vec![
        Shape::text().doc("Its name.").needed("name"),
        Shape::text().doc("Its version.").needed("version"),
        digest("Its digest.").needed("digest"),
    ]
}

/// A waiver.
pub(super) fn waiver() -> Shape {
    Shape::object(["fingerprint", "reason", "approver", "expires"].map(|name| Shape::any_text().needed(name)))
}

fn waiting() -> Shape {
    Shape::object([
        Shape::text().doc("The context.").needed("context"),
        optional_text("Until when it may stay unscheduled; null for one that has begun.").needed("until"),
    ])
}

fn manifest() -> Shape {
    let check = Shape::object([
        Shape::text().doc("The id of the check, or the name of the context.").needed("id"),
        Shape::flag().doc("Whether this change must pass it.").needed("required"),
        texts("Who requires it.").needed("sources"),
        texts("Why.").needed("reasons"),
        texts("The command.").needed("argv"),
        digest("The digest of its definition.").or_null().needed("definition_digest"),
    ]);
    let ignored = Shape::object([
        Shape::any_text().doc("What was proposed.").needed("id"),
        Shape::any_text().doc("Why it was ignored.").needed("reason"),
    ]);
    Shape::object([
        Shape::words(["base-ref", "working-tree", "none"]).doc("Where it was read from.").needed("read_from"),
        Shape::list(check).doc("Every configured check and required context.").needed("checks"),
        Shape::list(ignored).doc("Proposals that name nothing.").needed("ignored_proposals"),
    ])
    .doc("What this change must pass.")
}

fn stream() -> Shape {
    Shape::object([
        digest("Of the whole.").or_null().needed("sha256"),
        count("The length of the whole, in bytes.").needed("bytes"),
        Shape::flag().doc("Whether less than the whole was kept.").needed("truncated"),
    ])
}

fn result() -> Shape {
    let report = Shape::object([
        Shape::text().doc("Its form.").needed("format"),
        digest("Of its bytes.").or_null().needed("digest"),
        Shape::text().doc("What became of it.").needed("state"),
        optional_text("Why it was refused.").needed("reason"),
        count("Tests listed.").needed("total"),
        count("Tests passed.").needed("passed"),
        count("Tests failed.").needed("failed"),
        count("Tests skipped.").needed("skipped"),
    ]);
    Shape::object([
        Shape::text().doc("The check.").needed("check"),
        Shape::words(["base", "candidate"]).doc("The side.").needed("side"),
        Shape::text().doc("Who executed it.").needed("executor"),
        commit("The commit it ran on.").needed("commit"),
        digest("The tree before.").or_null().needed("tree_before"),
        digest("The tree after.").or_null().needed("tree_after"),
        Shape::words(["passed", "failed", "timeout", "not-run", "interrupted"]).doc("How it ended.").needed("status"),
        Shape::integer().or_null().doc("The exit code.").needed("exit_code"),
        Shape::integer().or_null().doc("The signal that ended it.").needed("signal"),
        count("How long it ran, in milliseconds.").needed("duration_ms"),
        Shape::words(["proven", "unproven"])
            .doc("Whether it is proven which tests ran, for display.")
            .needed("coverage"),
        Shape::words(Isolation::ALL.iter().map(|word| word.as_str())).doc("How it was isolated.").needed("isolation"),
        Shape::words(Checkout::ALL.iter().map(|word| word.as_str()))
            .doc("How the commit was laid out.")
            .needed("checkout"),
        optional_text("The run whose result stands in.").needed("reused_from"),
        texts("The keys that signed that run, where it is not on record here.").named("attested_by"),
        stream().needed("stdout"),
        stream().needed("stderr"),
        report.or_null().doc("Its report.").needed("report"),
        texts("What a person should know.").needed("notes"),
    ])
}

/// A fact.
pub(super) fn subject() -> Shape {
    Shape::object([
        Shape::text().doc("The kind of fact.").needed("kind"),
        Shape::any_text().doc("Its key.").needed("key"),
    ])
}

/// A judgement.
pub(super) fn outcome() -> Shape {
    Shape::words(["proven", "refuted", "unproven", "not_applicable"]).doc("The judgement.")
}

/// A finding.
pub(super) fn finding() -> Shape {
    Shape::object([
        Shape::text().doc("The rule.").needed("rule"),
        Shape::text().doc("Its pack.").needed("pack"),
        Shape::pattern("^RM-[A-Z]+-[0-9]{3}$").doc("The code.").needed("code"),
        Shape::words(Level::ALL.iter().map(|word| word.as_str())).doc("How it counts.").needed("level"),
        outcome().needed("outcome"),
        Shape::flag().doc("Whether the rule failed to judge.").needed("fault"),
        Shape::flag().doc("Whether a waiver let it pass.").needed("waived"),
        Shape::flag().doc("Whether it waits for something; only there when it does.").named("waiting"),
        subject().doc("What it is about.").needed("subject"),
        Shape::any_text().doc("What was found.").needed("message"),
        texts("The tests concerned, sorted.").needed("tests"),
        Shape::any_text().doc("What to do.").needed("fix"),
        Shape::list(subject()).doc("The facts it stands on.").needed("evidence"),
        digest("Names the finding in waivers.").needed("fingerprint"),
    ])
}
