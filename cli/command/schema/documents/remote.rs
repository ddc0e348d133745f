//! `runmill.remote/v1`.

use runmill_manifest::schema::Shape;
use serde_json::Value;

use super::document;

const COMMIT: &str = "^[0-9a-f]{40}$";

/// What a forge reported of a commit.
pub fn remote() -> Value {
    let commit = |doc: &str| Shape::pattern(COMMIT).doc(doc);
    let time = |doc: &str| Shape::text().doc(doc);
    let maybe = |doc: &str| Shape::text().or_null().doc(doc);
    let number = || Shape::whole(0..=u64::MAX).or_null().doc("The forge's number, which ascends.").named("number");
    let required = Shape::object([
        Shape::text().doc("Its name, which stands for itself.").needed("context"),
        maybe("The app that must report it.").named("app"),
        maybe("The workflow that must report it.").named("workflow"),
    ]);
    let protection = Shape::object([
        Shape::flag().doc("Whether what the branch requires is known.").needed("readable"),
        Shape::list(required).doc("The contexts that it requires.").needed("required"),
    ]);
    let run = Shape::object([
        Shape::text().doc("Its name.").needed("name"),
        maybe("The app that reported it.").named("app"),
        maybe("The workflow it is part of.").named("workflow"),
        maybe("The suite it is part of.").named("suite"),
        number(),
        commit("The commit it is about.").needed("head_sha"),
        Shape::text().doc("`completed`, or any other word for what is not over.").needed("status"),
        maybe("How it ended, in the forge's word.").named("conclusion"),
        maybe("When it began, RFC 3339.").named("started_at"),
        maybe("When it ended, RFC 3339.").named("completed_at"),
    ]);
    let status = Shape::object([
        Shape::text().doc("Its name.").needed("context"),
        Shape::text().doc("`pending`, or how it ended.").needed("state"),
        commit("The commit it is about.").needed("sha"),
        time("When it was written, RFC 3339.").needed("created_at"),
        number(),
    ]);
    let labels = Shape::list(Shape::text()).or_null();
    document(
        runmill_forge::SCHEMA,
        "What a forge reported of a commit.",
        [
            Shape::pattern("^[^/\\s]+/[^/\\s]+$").doc("The repository, as `owner/name`.").needed("repository"),
            commit("The commit that was asked about.").needed("sha"),
            maybe("The branch whose protection was asked for.").named("base_branch"),
            time("When this commit was first asked about, RFC 3339.").needed("first_observed_at"),
            time("When it was last asked about, RFC 3339.").needed("observed_at"),
            protection.doc("What the branch requires.").needed("protection"),
            labels
                .doc("The labels of the pull requests that hold the commit; null where they are not known.")
                .named("labels"),
            Shape::list(run).doc("What checks reported.").needed("runs"),
            Shape::list(status).doc("Commit statuses.").needed("statuses"),
        ],
    )
}

/// What a forge was told of a run.
pub fn published() -> Value {
    document(
        "runmill.published/v1",
        "A verdict that a forge was told, as a check run of the candidate.",
        [
            Shape::text().doc("The run.").needed("run"),
            Shape::text().doc("The repository.").needed("repository"),
            Shape::pattern(COMMIT).doc("The candidate.").needed("sha"),
            Shape::whole(0..=u64::MAX).doc("The forge's number of the check run.").needed("check_run"),
            Shape::text().or_null().doc("Where people see it.").needed("url"),
            Shape::words(["completed", "in_progress"]).doc("Whether it is over.").needed("status"),
            Shape::words(["success", "failure"])
                .or_null()
                .doc("How it ended; null while it is not.")
                .needed("conclusion"),
            Shape::whole(0..=u64::MAX).doc("How many annotations it has.").needed("annotations"),
        ],
    )
}
