//! What is told of the record: `runs`, `inspect`, `facts`.

use runmill_manifest::schema::{Member, Shape};
use runmill_model::words::{Checkout, Isolation, Observer, Origin, ReportState, Side, Status};
use runmill_store::RunKind;
use serde_json::Value;

use super::{
    count, document, name, optional_text, texts,
    verdict::{commit, digest, finding, pack_members, policy, waiver},
};

/// `runmill.runs/v1`.
pub fn runs() -> Value {
    let error = Shape::object([name("Its code.").needed("code"), Shape::any_text().doc("In words.").needed("message")]);
    let run =
        Shape::object(
            run_members().into_iter().chain([
                Shape::words(["ended", "failed", "running", "unfinished", "collected"])
                    .doc("How it stands.")
                    .needed("state"),
                optional_text("What it came to, where it ended.").needed("outcome"),
                error.or_null().doc("What kept it from an outcome, where it failed.").needed("error"),
                count("How long it took, in milliseconds.").or_null().needed("duration_ms"),
            ]),
        );
    let members = [
        count("How many were asked for, listed or not.").needed("total"),
        Shape::list(run).doc("The runs, newest first.").needed("runs"),
    ];
    document("runmill.runs/v1", "The runs on record.", members)
}

/// What every run has: its name, its commits and how they were named.
fn run_members() -> Vec<Member> {
    let named = ["target", "candidate"].map(|side| optional_text("As the person wrote it.").needed(side));
    vec![
        name("Its name.").needed("run"),
        Shape::words([RunKind::Change, RunKind::Worktree, RunKind::Session].map(RunKind::as_str))
            .doc("What was judged.")
            .needed("kind"),
        time("When it began.").needed("started_at"),
        commit("What the change would merge into.").or_null().needed("target"),
        commit("What it grew from.").or_null().needed("base"),
        commit("What was judged.").or_null().needed("candidate"),
        Shape::object(named).doc("How the commits were named.").needed("names"),
    ]
}

fn time(doc: &str) -> Shape {
    Shape::pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T").doc(&format!("{doc} RFC 3339, in UTC."))
}

/// `runmill.inspection/v1`.
pub fn inspection() -> Value {
    let pack = Shape::object(
        pack_members().into_iter().chain([digest("The blob that holds all its files.").needed("source")]),
    );
    let members = run_members().into_iter().chain([
        name("What it came to.").needed("outcome"),
        name("The version of runmill that ran.").needed("engine"),
        time("When it ended.").needed("ended_at"),
        count("How long it took, in milliseconds.").needed("duration_ms"),
        digest("The digest of the sealed fact graph.").needed("facts_digest"),
        policy().or_null().needed("policy"),
        Shape::list(pack).doc("The packs that judged.").needed("packs"),
        texts("Everything the operator loosened.").needed("relaxations"),
        Shape::list(waiver()).doc("The waivers that let a finding pass.").needed("waivers"),
        Shape::map("^[a-z-]+$", digest("Its blob.")).doc("The documents on record, by name.").needed("documents"),
        Shape::any()
            .doc("The receipt or the session, as it was printed; null in a run about a change.")
            .needed("attested"),
        Shape::list(check()).doc("The configured checks, run or not.").needed("checks"),
        Shape::list(finding()).doc("What rules and floor found.").needed("findings"),
    ]);
    document("runmill.inspection/v1", "Everything on record about a run, or about one check of it.", members)
}

fn check() -> Shape {
    let origins = || Shape::words(Origin::ALL.iter().map(|word| word.as_str()));
    let declaration = Shape::object([
        Shape::any_text().doc("The test.").needed("test_id"),
        Shape::any_text().doc("Why.").needed("cause"),
        origins().doc("Whose declaration it is.").needed("origin"),
        Shape::flag().doc("Whether the target carries it.").needed("in_target"),
        Shape::flag().doc("Whether the candidate carries it.").needed("in_candidate"),
        Shape::flag().doc("Whether it counts.").needed("counts"),
    ]);
    let earlier = Shape::object([
        name("Its run.").needed("run"),
        Shape::words(Status::ALL.iter().map(|word| word.as_str())).doc("How it ended.").needed("status"),
        time("When its run ended.").needed("ended_at"),
    ]);
    Shape::object([
        name("Its id.").needed("id"),
        Shape::flag().doc("Whether this change had to pass it.").needed("required"),
        texts("Who required it.").needed("sources"),
        texts("Why.").needed("reasons"),
        origins().doc("Whose definition governed.").needed("origin"),
        texts("The command.").needed("argv"),
        name("The directory it runs in.").needed("cwd"),
        count("How long it may take, in milliseconds.").needed("timeout_ms"),
        optional_text("Where the command writes its report.").needed("report_path"),
        digest("The digest of its definition.").needed("definition_digest"),
        Shape::list(declaration).doc("Its declared exceptions, whether they count or not.").needed("declarations"),
        Shape::list(earlier).doc("Earlier executions on the same candidate that did not pass.").needed("earlier"),
        Shape::list(invocation()).doc("Its executions, the base first.").needed("invocations"),
    ])
}

fn invocation() -> Shape {
    let number = |doc: &str| Shape::integer().or_null().doc(doc);
    let seen = |doc: &str| digest(doc).or_null();
    Shape::object([
        Shape::words(Side::ALL.iter().map(|word| word.as_str())).doc("The side.").needed("side"),
        Shape::words(Observer::ALL.iter().map(|word| word.as_str())).doc("Who executed it.").needed("executor"),
        commit("The commit it ran on.").needed("commit"),
        seen("The tree before.").needed("tree_before"),
        seen("The tree after.").needed("tree_after"),
        Shape::words(Status::ALL.iter().map(|word| word.as_str())).doc("How it ended.").needed("status"),
        number("The exit code.").needed("exit_code"),
        number("The signal that ended it.").needed("signal"),
        count("How long after the beginning of the run it started, in milliseconds.").or_null().needed("started_ms"),
        count("How long it ran, in milliseconds.").needed("duration_ms"),
        Shape::words(["proven", "unproven"]).or_null().doc("Whether it is proven which tests ran.").needed("coverage"),
        Shape::words(Isolation::ALL.iter().map(|word| word.as_str())).doc("How it was isolated.").needed("isolation"),
        Shape::words(Checkout::ALL.iter().map(|word| word.as_str()))
            .doc("How the commit was laid out.")
            .needed("checkout"),
        optional_text("The run whose execution stands in.").needed("reused_from"),
        texts("The keys that signed that run, where it is not on record here.").named("attested_by"),
        seen("What a command can notice of the sandbox.").needed("sandbox_digest"),
        seen("The machine's kind.").needed("platform_digest"),
        seen("The prepared dependencies.").needed("dependencies_digest"),
        stream().needed("stdout"),
        stream().needed("stderr"),
        report().or_null().doc("Its report.").needed("report"),
        texts("What a person should know.").needed("notes"),
    ])
}

fn stream() -> Shape {
    Shape::object([
        digest("Of the whole.").or_null().needed("sha256"),
        count("The length of the whole, in bytes.").needed("bytes"),
        Shape::flag().doc("Whether less than the whole was kept.").needed("truncated"),
        digest("The blob of what was kept.").or_null().needed("kept"),
        optional_text("What was kept, secrets replaced.").needed("preview"),
    ])
}

fn report() -> Shape {
    let numbers = ["total", "passed", "failed", "skipped", "flaky"].map(|name| count("Tests.").needed(name));
    Shape::object(numbers.into_iter().chain([
        name("Its form.").needed("format"),
        Shape::words(ReportState::ALL.iter().map(|word| word.as_str())).doc("What became of it.").needed("state"),
        digest("Of its bytes.").or_null().needed("digest"),
        digest("The blob of what was kept.").or_null().needed("kept"),
        Shape::flag().doc("Whether secrets were replaced in what was kept.").needed("redacted"),
        optional_text("What is wrong with it.").needed("message"),
        optional_text("What to change.").needed("fix"),
    ]))
}

/// `runmill.store/v1`.
pub fn store() -> Value {
    let fault = Shape::object([
        count("The entry of the ledger.").or_null().needed("seq"),
        optional_text("The run.").needed("run"),
        name("What does not hold.").needed("what"),
    ]);
    let members = [
        Shape::flag().doc("Whether everything holds.").needed("whole"),
        count("Entries of the ledger.").needed("entries"),
        count("Runs.").needed("runs"),
        count("Blobs.").needed("blobs"),
        digest("The head, to keep elsewhere.").or_null().needed("head"),
        Shape::list(fault).doc("What does not hold.").needed("faults"),
    ];
    document("runmill.store/v1", "Whether the record holds together.", members)
}

/// `runmill.collection/v1`.
pub fn collection() -> Value {
    let members = [
        Shape::flag().doc("Whether nothing was removed.").needed("dry_run"),
        texts("The runs whose records went, oldest first.").needed("runs"),
        count("Blobs that went.").needed("blobs"),
        count("Bytes that went.").needed("bytes"),
        count("Runs that stay.").needed("kept_runs"),
        count("Bytes that stay.").needed("kept_bytes"),
    ];
    document("runmill.collection/v1", "What `runs gc` removed.", members)
}
