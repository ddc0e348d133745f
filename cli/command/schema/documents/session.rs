//! `runmill.session/v1`, `runmill.profiles/v1`, `runmill.draft/v1` and `runmill.proposal/v1`.

use runmill_manifest::schema::Shape;
use runmill_model::words::VerificationOutcome;
use serde_json::Value;

use super::{
    count, document, optional_text,
    receipt::mode,
    texts,
    verdict::{commit, digest, finding},
};

/// A session as it stands.
pub fn session() -> Value {
    let attempts = Shape::object([
        count("How often completion was denied.").needed("denied"),
        count("How often it may be.").needed("most"),
    ]);
    let profile = Shape::object([
        Shape::text().doc("Its id.").needed("id"),
        Shape::flag().doc("Whether the operator requires it.").needed("required"),
        digest("Over its canonical definition, as the contract has it.").needed("definition_digest"),
        verified().or_null().doc("Its latest run; null when it was not run.").needed("latest"),
        Shape::flag().doc("Whether that counts.").needed("counts"),
        optional_text("Why not; null when it counts.").needed("reason"),
    ]);
    document(
        "runmill.session/v1",
        "An agent's session as it stands. Never a command, an argument or output.",
        [
            Shape::text().doc("Its name.").needed("session"),
            Shape::words(["open", "completed", "exhausted"]).doc("Whether it goes on.").needed("state"),
            mode("The ceiling of every profile.").needed("sandbox_mode"),
            contract().doc("What it must hold to.").needed("contract"),
            Shape::flag().doc("Whether completion is allowed, or was.").needed("allowed"),
            count("How many events it has.").needed("events"),
            attempts.doc("Attempts at completion.").needed("attempts"),
            Shape::list(profile).doc("The profiles of the contract.").needed("profiles"),
            verified().or_null().doc("What this call ran; null when it ran nothing.").needed("verified"),
            texts("What to run next, in order.").needed("next"),
            Shape::list(finding()).doc("Every finding.").needed("findings"),
        ],
    )
}

/// What a caller may see of the operator's profiles.
pub fn profiles() -> Value {
    let profile = Shape::object([
        Shape::text().doc("Its id.").needed("id"),
        optional_text("What it is for.").needed("description"),
        Shape::flag().doc("Whether every session must pass it.").needed("required"),
        count("How long it may take, in milliseconds.").needed("timeout_ms"),
        count("The most bytes of each stream that are not called truncated.").needed("max_output_bytes"),
        mode("What it may write, under the session's ceiling.").needed("sandbox_mode"),
        digest("Over its canonical definition.").needed("definition_digest"),
    ]);
    document(
        "runmill.profiles/v1",
        "The operator's profiles as a caller may see them: never a command or an argument.",
        [
            mode("The ceiling of every profile.").needed("sandbox_mode"),
            count("How often completion may be denied.").needed("max_attempts"),
            Shape::list(profile).doc("The profiles, sorted by id.").needed("profiles"),
        ],
    )
}

/// A contract that one session can be begun with.
pub fn draft() -> Value {
    document(
        "runmill.draft/v1",
        "A contract that a session may be begun with, once.",
        [
            Shape::text().doc("The receipt.").needed("draft"),
            contract().doc("What a session would have to hold to.").needed("contract"),
        ],
    )
}

/// What an agent asked to be required too.
pub fn proposal() -> Value {
    document(
        "runmill.proposal/v1",
        "A check that an agent asks for beyond those that are required. An id to look up, never a command.",
        [
            Shape::text().doc("The check.").needed("check"),
            commit("The commit that it was asked for at.").needed("head"),
            Shape::text().doc("What comes of it.").needed("effect"),
        ],
    )
}

fn contract() -> Shape {
    Shape::object([
        optional_text("What the agent says it will do.").needed("intent"),
        texts("The ids of its profiles.").needed("profiles"),
        digest("Over its canonical JSON.").needed("digest"),
    ])
}

fn verified() -> Shape {
    let stream = || {
        Shape::object([
            digest("Of the whole.").needed("sha256"),
            count("The length of the whole, in bytes.").needed("bytes"),
            Shape::flag().doc("Whether that is more than the profile's bound.").needed("truncated"),
        ])
    };
    Shape::object([
        Shape::text().doc("The profile.").needed("profile"),
        Shape::words(VerificationOutcome::ALL.iter().map(|word| word.as_str())).doc("How it ended.").needed("outcome"),
        count("The place of its event in the session.").needed("event"),
        mode("What it could write.").needed("sandbox"),
        Shape::words(["namespaces", "none"]).doc("How it was isolated.").needed("isolation"),
        Shape::integer().or_null().doc("The exit code.").needed("exit_code"),
        Shape::integer().or_null().doc("The signal that ended it.").needed("signal"),
        count("How long it ran, in milliseconds.").needed("duration_ms"),
        stream().or_null().doc("Standard output.").needed("stdout"),
        stream().or_null().doc("Standard error.").needed("stderr"),
        digest("Over the canonical definition that ran.").needed("definition_digest"),
    ])
}
