//! Documents that runmill prints.

mod dependencies;
mod evidence;
mod exceptions;
mod explained;
mod gates;
mod hooks;
mod receipt;
mod record;
mod remote;
mod rules;
mod session;
mod verdict;

use runmill_manifest::schema::{Member, Shape};
use serde_json::Value;

pub use dependencies::{collection as dependency_collection, fingerprint, prepared, status as dependency_status};
pub use evidence::{expectations, exported, keygen, pack, report as evidence_report, signed, trusted, verification};
pub use exceptions::{approval, declaration};
pub use explained::{code, explanation, replay, rule_explanation};
pub use gates::gates;
pub use hooks::{hook_test, hooks};
pub use receipt::{receipt, registry};
pub use record::{collection, inspection, runs, store};
pub use remote::{published, remote};
pub use rules::{
    check as rules_check, coverage as rules_coverage, diff as rules_diff, doc as rules_doc, laws as rules_laws,
    new as rules_new, test as rules_test,
};
pub use session::{draft, profiles, proposal, session};
pub use verdict::verdict;

const DIGEST: &str = "^sha256:[0-9a-f]{64}$";

/// A document with its name, closed.
fn document(name: &'static str, doc: &str, members: impl IntoIterator<Item = Member>) -> Value {
    let schema = Shape::constant(name).doc("The name of this form.").needed("schema");
    let all = [schema].into_iter().chain(members);
    Shape::object(all).doc(doc).into_document(name)
}

fn count(doc: &str) -> Shape {
    Shape::whole(0..=u64::MAX).doc(doc)
}

fn texts(doc: &str) -> Shape {
    Shape::list(Shape::any_text()).doc(doc)
}

/// A text that is not blank.
fn name(doc: &str) -> Shape {
    Shape::text().doc(doc)
}

fn optional_text(doc: &str) -> Shape {
    Shape::any_text().or_null().doc(doc)
}

/// `runmill.report/v1`.
pub fn report() -> Value {
    let test = Shape::object([
        Shape::any_text().doc("Its id.").needed("id"),
        Shape::words(["passed", "failed", "skipped"]).doc("How it ended.").needed("status"),
        Shape::flag().doc("Whether it passed only after a failure.").needed("flaky"),
        count("How often it is listed, where repeats are grouped.").named("times"),
    ]);
    let comparison = Shape::object([
        texts("Tests that passed at the base and are not there.").needed("missing"),
        texts("Tests that are skipped.").needed("skipped"),
        texts("Exceptions that nobody declared.").needed("undeclared"),
        texts("Declarations that are about nothing.").needed("unused_declarations"),
        Shape::flag().doc("Whether a gate would refuse the change.").needed("refuted"),
    ]);
    document(
        "runmill.report/v1",
        "What a gate sees in a test report.",
        [
            Shape::flag().doc("Whether it counts.").needed("accepted"),
            Shape::words(["junit", "tap", "go-json"]).doc("Its form.").needed("format"),
            optional_text("The reporter that wrote it, where that can be told.").needed("reporter"),
            optional_text("Why it is refused.").needed("reason"),
            count("The line, 1-based.").or_null().needed("line"),
            count("The column, 1-based.").or_null().needed("column"),
            optional_text("The id at fault.").needed("id"),
            optional_text("What is wrong.").needed("message"),
            optional_text("What to do.").needed("fix"),
            optional_text("The reporter's setting that repairs it.").needed("setting"),
            Shape::object(["total", "passed", "failed", "skipped"].map(|name| count("Tests.").needed(name)))
                .needed("totals"),
            Shape::list(test).doc("Its tests, sorted by id.").needed("tests"),
            texts("What a person should know of its ids.").needed("warnings"),
            comparison.or_null().doc("What changed since the base's report.").needed("comparison"),
        ],
    )
}

/// `runmill.doctor/v1`.
pub fn doctor() -> Value {
    document("runmill.doctor/v1", "Whether a check could run here.", doctor_members())
}

fn doctor_members() -> Vec<Member> {
    let standing = || Shape::words(["ok", "warn", "fail"]);
    let target = Shape::object([
        Shape::any_text().doc("As a person would write it.").needed("name"),
        Shape::pattern("^[0-9a-f]{40}$").doc("Its commit.").needed("commit"),
    ]);
    let finding = Shape::object([
        Shape::pattern("^[a-z]+(:[a-z]+)?$").doc("What was looked at.").needed("id"),
        standing().doc("How it stands.").needed("status"),
        optional_text("The check it is about.").needed("check"),
        Shape::text().doc("What was found.").needed("what"),
        optional_text("What to do.").needed("fix"),
    ]);
    vec![
        standing().doc("The worst of the findings.").needed("outcome"),
        optional_text("The work tree.").needed("repository"),
        target.or_null().doc("What a change would merge into.").needed("target"),
        Shape::list(finding).doc("What was found.").needed("findings"),
    ]
}

/// `runmill.init/v1`.
pub fn init() -> Value {
    let file = Shape::object([
        Shape::text().doc("From the root of the repository; absolute outside of it.").needed("path"),
        Shape::words(["written", "appended", "kept"]).doc("What became of it.").needed("action"),
        Shape::text().doc("What it is.").needed("what"),
    ]);
    let check = Shape::object([
        Shape::text().doc("Its id.").needed("id"),
        Shape::some(Shape::any_text()).doc("The command.").needed("argv"),
        Shape::text().doc("The directory it runs in.").needed("cwd"),
        Shape::text().doc("What it was found by.").needed("found"),
        optional_text("Its report.").needed("report"),
    ]);
    let name = Shape::constant("runmill.doctor/v1").needed("schema");
    let doctor = Shape::object([name].into_iter().chain(doctor_members()));
    document(
        "runmill.init/v1",
        "What `init` wrote, and what a person must do.",
        [
            Shape::flag().doc("Whether nothing was written.").needed("dry_run"),
            Shape::list(file).doc("Every file, in the order it was looked at.").needed("files"),
            Shape::list(check).doc("The checks that were proposed.").needed("checks"),
            texts("What a person must decide or do.").needed("decisions"),
            doctor.or_null().doc("What `doctor` says afterwards.").needed("doctor"),
        ],
    )
}

/// `runmill.demo/v1`.
pub fn demo() -> Value {
    let verdict = || Shape::words(["ready", "blocked", "indeterminate"]);
    let scene = Shape::object([
        Shape::text().doc("The branch.").needed("branch"),
        Shape::text().doc("What it shows.").needed("title"),
        verdict().doc("What it should come to.").needed("expected"),
        verdict().doc("What it came to.").needed("verdict"),
        texts("The codes that block it.").needed("codes"),
    ]);
    document("runmill.demo/v1", "What the demo showed.", [Shape::list(scene).doc("Its scenes.").needed("scenes")])
}

/// What is told of a problem.
fn problem_members() -> Vec<Member> {
    let label = Shape::object([
        Shape::any_text().doc("The file.").needed("file"),
        count("The line, 1-based.").needed("line"),
        count("The column, 1-based.").needed("column"),
        Shape::any_text().doc("What is wrong there.").needed("text"),
    ]);
    vec![
        Shape::any_text().doc("The code.").needed("code"),
        Shape::any_text().doc("What happened.").needed("message"),
        Shape::any_text().doc("What to do.").needed("help"),
        Shape::list(label).doc("Where.").needed("labels"),
    ]
}

/// `runmill.error/v1`.
pub fn error() -> Value {
    let all = Shape::list(Shape::object(problem_members())).doc("Every problem, the first included.").named("problems");
    let members = problem_members().into_iter().chain([all]);
    document("runmill.error/v1", "What kept a verb from its work.", members)
}
