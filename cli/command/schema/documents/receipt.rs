//! `runmill.receipt/v1` and `runmill.registry/v1`.

use runmill_manifest::schema::Shape;
use runmill_model::words::{CommandOutcome, ReceiptOutcome, SandboxMode};
use serde_json::Value;

use super::{
    count, document, optional_text, texts,
    verdict::{commit, digest, finding, pack},
};

/// The receipt of commands on a working tree.
pub fn receipt() -> Value {
    let expected = Shape::object([
        commit("The commit of `HEAD`.").or_null().needed("head"),
        digest("Of the diff.").or_null().needed("diff_sha256"),
    ]);
    let worktree = Shape::object([
        state().doc("Before anything ran.").needed("before"),
        state().or_null().doc("When everything had run; null when nothing was to run.").needed("after"),
        Shape::flag().or_null().doc("Whether it is not what it was; null when nothing ran.").needed("moved"),
        expected.doc("What the caller expected; null where nothing was named.").needed("expected"),
    ]);
    let request = Shape::object([texts("The ids, each once.").needed("commands")]);
    document(
        "runmill.receipt/v1",
        "What commands of the trusted registry came to on a working tree. Never an acceptance: VERIFIED is no verdict.",
        [
            Shape::text().doc("The run's name in the record.").needed("run"),
            Shape::words(ReceiptOutcome::ALL.iter().map(|word| word.as_str())).doc("The outcome.").needed("outcome"),
            request.doc("What was asked for.").needed("request"),
            worktree.doc("What identifies the working tree.").needed("worktree"),
            Shape::list(command()).doc("Every command that was asked for.").needed("commands"),
            digest("The digest of the sealed fact graph.").needed("facts_digest"),
            Shape::list(pack()).doc("The packs that judged.").needed("packs"),
            texts("Everything the operator loosened of them.").needed("relaxations"),
            Shape::list(finding()).doc("Every finding.").needed("findings"),
        ],
    )
}

/// What can be asked for.
pub fn registry() -> Value {
    let command = Shape::object([
        Shape::text().doc("Its id.").needed("id"),
        Shape::text().doc("The version of its definition.").needed("version"),
        digest("Over its canonical definition.").needed("definition_digest"),
        Shape::words(["built-in", "operator"]).doc("Whose definition it is.").needed("defined_by"),
        optional_text("What it is for.").needed("description"),
        Shape::some(Shape::any_text()).doc("What is executed, exactly.").needed("argv"),
        count("How long it may take, in milliseconds.").needed("timeout_ms"),
        mode("What it may write.").needed("sandbox"),
    ]);
    document(
        "runmill.registry/v1",
        "The trusted registry, and the working tree as it is now.",
        [
            Shape::list(command).doc("Every command that can be asked for, sorted by id.").needed("commands"),
            state().doc("The working tree now.").needed("worktree"),
        ],
    )
}

pub(super) fn mode(doc: &str) -> Shape {
    Shape::words(SandboxMode::ALL.iter().map(|word| word.as_str())).doc(doc)
}

fn state() -> Shape {
    Shape::object([
        Shape::text().doc("The top of it.").needed("root"),
        commit("The commit of `HEAD`.").needed("head"),
        texts("The paths that differ from it, sorted.").needed("changed_paths"),
        digest("Of the complete unified diff, untracked files included.").needed("diff_sha256"),
    ])
}

fn stream() -> Shape {
    Shape::object([
        digest("Of the whole, as it was written.").needed("sha256"),
        count("The length of the whole, in bytes.").needed("bytes"),
        Shape::any_text().doc("Its beginning, secrets replaced.").needed("preview"),
        Shape::flag().doc("Whether the preview leaves something out.").needed("truncated"),
    ])
}

fn command() -> Shape {
    Shape::object([
        Shape::any_text().doc("Its id, as it was asked for.").needed("id"),
        optional_text("The version of its definition; null when it is not defined.").needed("version"),
        Shape::words(CommandOutcome::ALL.iter().map(|word| word.as_str())).doc("How it came out.").needed("outcome"),
        digest("Over its canonical definition.").or_null().needed("definition_digest"),
        texts("What was executed, secrets replaced.").needed("argv"),
        mode("What it could write.").or_null().needed("sandbox"),
        Shape::integer().or_null().doc("The exit code.").needed("exit_code"),
        Shape::integer().or_null().doc("The signal that ended it.").needed("signal"),
        count("How long it ran, in milliseconds.").needed("duration_ms"),
        stream().or_null().doc("Standard output.").needed("stdout"),
        stream().or_null().doc("Standard error.").needed("stderr"),
        Shape::map("^.+$", Shape::any_text())
            .doc("The environment it ran with, secrets replaced.")
            .needed("environment"),
        texts("What a reader should know.").needed("notes"),
    ])
}
