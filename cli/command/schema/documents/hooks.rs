//! What is told of an agent's hooks: `hook install`, `hook self-test`.

use runmill_manifest::schema::{Member, Shape};
use serde_json::Value;

use super::{document, texts};

/// `runmill.hooks/v1`.
pub fn hooks() -> Value {
    document(
        "runmill.hooks/v1",
        "The hooks of runmill in an agent's file.",
        [
            agent(),
            Shape::text().doc("The file.").needed("file"),
            Shape::flag().doc("Whether the file was written; false when they were there already.").needed("written"),
            texts("What the agent executes, one for each event.").needed("commands"),
        ],
    )
}

/// `runmill.hook-test/v1`.
pub fn hook_test() -> Value {
    let trial = Shape::object([
        Shape::text().doc("The event.").needed("event"),
        Shape::text().doc("What the hook was given.").needed("given"),
        Shape::flag().doc("Whether it blocked, and as runmill.").needed("blocked"),
        Shape::integer().or_null().doc("Its exit code; null when it did not exit by itself.").needed("exit"),
        Shape::text().doc("What it said, or why the agent does not call it.").needed("said"),
    ]);
    document(
        "runmill.hook-test/v1",
        "Whether the installed hooks block what they must block.",
        [
            agent(),
            Shape::flag().doc("Whether every trial was blocked.").needed("blocks"),
            Shape::list(trial).doc("The trials.").needed("trials"),
        ],
    )
}

fn agent() -> Member {
    Shape::words(["claude", "codex"]).doc("The agent.").needed("agent")
}
