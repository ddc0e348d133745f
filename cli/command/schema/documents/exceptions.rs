//! What a person lets pass: `approve` and `declare`.

use runmill_manifest::schema::Shape;
use runmill_model::words::Side;
use serde_json::Value;

use super::{document, name, optional_text, texts, verdict::commit};

/// `runmill.approval/v1`.
pub fn approval() -> Value {
    let declared = || {
        Shape::list(Shape::object([
            Shape::any_text().doc("The test, as the report shows it.").needed("test_id"),
            Shape::words(["skipped", "missing"]).doc("What it did at the candidate.").needed("what"),
        ]))
    };
    let reason = Shape::object([
        optional_text("The code of the finding that stands in the way.").needed("code"),
        name("In words.").needed("message"),
    ]);
    let members = [
        name("The run whose findings are answered.").needed("run"),
        name("The check.").needed("check"),
        commit("The one commit for which it counts.").needed("candidate"),
        name("Who approves.").needed("approver"),
        optional_text("Why.").needed("reason"),
        name("What the declarations give as their cause.").needed("cause"),
        optional_text("The operator's policy; null when nothing may be approved.").needed("policy"),
        Shape::flag().doc("Whether the file was not there before.").needed("created"),
        declared().doc("What was written, sorted.").needed("declared"),
        declared().doc("What was there already, sorted.").needed("already_declared"),
        Shape::list(reason).doc("Why nothing may be approved.").needed("refused"),
        texts("The command that judges again.").needed("next"),
    ];
    document("runmill.approval/v1", "Exceptions for one candidate, by a person.", members)
}

/// `runmill.declaration/v1`.
pub fn declaration() -> Value {
    let entry = Shape::object([
        Shape::any_text().doc("The test.").needed("test_id"),
        Shape::any_text().doc("Blank, for a person to write.").needed("cause"),
    ]);
    let members = [
        name("The run.").needed("run"),
        name("The check.").needed("check"),
        Shape::words(Side::ALL.iter().map(|word| word.as_str())).doc("The side.").needed("side"),
        commit("The commit of that side.").needed("commit"),
        Shape::list(entry).doc("Entries for `declared_skips`, sorted.").needed("declared_skips"),
        texts("Tests that are declared already, sorted.").needed("already_declared"),
        Shape::any_text().doc("The block for the manifest; empty when there is nothing to declare.").needed("yaml"),
    ];
    document("runmill.declaration/v1", "A proposal of declarations; nothing was written.", members)
}
