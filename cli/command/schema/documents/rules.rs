//! For authors of rules: `rules ..`.

use runmill_manifest::schema::{Member, Shape};
use serde_json::Value;

use super::{
    count, document,
    explained::{flip, spot, verdict},
    name, optional_text, problem_members, texts,
    verdict::digest,
};

/// `runmill.rules-check/v1`.
pub fn check() -> Value {
    let pack = Shape::object([
        Shape::any_text().doc("Where it is.").needed("place"),
        optional_text("Its name, where it can be read.").needed("name"),
        digest("Its digest.").or_null().needed("digest"),
        count("How many rules it has.").needed("rules"),
        Shape::list(Shape::object(problem_members())).doc("Everything that is wrong.").needed("problems"),
    ]);
    let members = [
        Shape::flag().doc("Whether nothing is wrong.").needed("sound"),
        Shape::list(pack).doc("The packs, in the order they were asked for.").needed("packs"),
    ];
    document("runmill.rules-check/v1", "What is wrong with packs.", members)
}

/// `runmill.rules-test/v1`.
pub fn test() -> Value {
    let difference = Shape::object([
        spot().doc("Where it is expected.").needed("place"),
        optional_text("The rule.").needed("rule"),
        name("What it is about.").needed("about"),
        Shape::any_text().doc("What was expected.").needed("expected"),
        Shape::any_text().doc("What there is instead.").needed("found"),
    ]);
    let case = Shape::object([
        Shape::any_text().doc("What it is called.").needed("name"),
        spot().doc("Where it stands.").needed("place"),
        optional_text("The rule whose case it is.").needed("rule"),
        Shape::any_text().doc("The fixture it starts from.").needed("fixture"),
        Shape::flag().doc("Whether everything is as expected.").needed("passed"),
        Shape::list(difference).doc("What is not.").needed("differences"),
        Shape::words(["matches", "new", "changed", "accepted"])
            .or_null()
            .doc("How its snapshot came out, where it has one.")
            .needed("snapshot"),
    ]);
    let cause = Shape::object([
        Shape::words(["meaning", "new", "explanation", "wording"]).doc("The kind of change.").needed("kind"),
        Shape::any_text().doc("The rule.").needed("rule"),
        Shape::any_text().doc("What changed, in words.").needed("what"),
    ]);
    let change = Shape::object([
        cause.needed("cause"),
        texts("The files of the snapshots.").needed("snapshots"),
        texts("What changed in the first of them, as lines that went and came.").needed("lines"),
    ]);
    let pack = Shape::object(pack().into_iter().chain([
        Shape::list(case).doc("The cases, in the order of their files.").needed("cases"),
        count("How many cases the choice left out.").needed("left_out"),
        Shape::list(change).doc("Snapshots that came out otherwise, by their cause.").needed("changes"),
        texts("Snapshot files that were pending before.").needed("pending"),
        texts("Snapshot files that no case refers to.").needed("unreferenced"),
        Shape::flag().doc("Whether pending or unreferenced files are refused.").needed("refuses_files"),
    ]));
    let members = [
        Shape::words(["passed", "failed", "nothing-ran"]).doc("How it went.").needed("outcome"),
        count("Cases that passed.").needed("passed"),
        count("Cases that did not.").needed("failed"),
        Shape::list(pack).doc("The packs, in the order they were asked for.").needed("packs"),
    ];
    document("runmill.rules-test/v1", "Which cases of packs come out as they expect.", members)
}

/// What names a pack.
fn pack() -> Vec<Member> {
    vec![
        name("Its name.").needed("name"),
        digest("Its digest.").needed("digest"),
        Shape::any_text().doc("Where it is.").needed("place"),
    ]
}

/// `runmill.rules-coverage/v1`.
pub fn coverage() -> Value {
    let unit = || Shape::list(Shape::object(unit()));
    let pack = Shape::object(pack().into_iter().chain([
        count("Its cases.").needed("cases"),
        figures().needed("figures"),
        unit().doc("Its rules, in the order of stages and ids.").needed("rules"),
        unit().doc("Its functions, in the order of files and lines.").needed("functions"),
    ]));
    let members = [
        Shape::words(["covered", "below", "nothing-ran"]).doc("How it went.").needed("outcome"),
        count("The share that was asked for, in percent.").or_null().needed("min"),
        Shape::list(pack).doc("The packs, in the order they were asked for.").needed("packs"),
    ];
    document("runmill.rules-coverage/v1", "What the cases of packs reach.", members)
}

fn figures() -> Shape {
    let share =
        |doc: &str| Shape::object([count("Reached.").needed("reached"), count("There are.").needed("all")]).doc(doc);
    Shape::object([
        share("Sides of `if`s, bodies of loops and closures.").needed("branches"),
        share("Values of the parts of conditions.").needed("conditions"),
        share("Outcomes of rules.").needed("outcomes"),
    ])
    .doc("What is reached.")
}

fn unit() -> [Member; 6] {
    let why = || {
        Shape::object([
            Shape::any_text().doc("In words.").needed("text"),
            spot().or_null().doc("The condition that stands in the way.").needed("place"),
        ])
    };
    let outcome = Shape::object([
        name("The outcome.").needed("outcome"),
        count("In how many calls.").needed("calls"),
        optional_text("The first case in which.").needed("case"),
        why().or_null().doc("Why in none.").needed("why"),
    ]);
    let missing = Shape::object([
        Shape::words(["branch", "body", "condition", "result"]).doc("What it is.").needed("what"),
        Shape::flag().or_null().doc("The value that its expression never has.").needed("value"),
        Shape::any_text().doc("The expression, on one line.").needed("text"),
        spot().doc("Where it starts.").needed("place"),
        Shape::flag().doc("Whether what stands around it is not reached either.").needed("follows"),
        why().doc("Why.").needed("why"),
    ]);
    [
        name("The rule's id, or the function as it is called.").needed("name"),
        spot().doc("Where its body starts.").needed("place"),
        count("How many calls the cases make.").needed("calls"),
        figures().needed("figures"),
        Shape::list(outcome).doc("What a rule can come to.").needed("outcomes"),
        Shape::list(missing).doc("What is not reached.").needed("missing"),
    ]
}

/// `runmill.rules-laws/v1`.
pub fn laws() -> Value {
    let counterexample = Shape::object([
        Shape::any_text().doc("The case whose facts it was found in.").needed("case"),
        spot().doc("Where that case stands.").needed("place"),
        Shape::any_text().doc("What happens, in words.").needed("what"),
        Shape::any_text().doc("The facts that are needed for it, as a fixture.").needed("fixture"),
        optional_text("A case that fails until it no longer happens.").needed("test"),
    ]);
    let law = Shape::object([
        Shape::words(["less-evidence", "shuffled-facts", "folded-constants"]).doc("Its name.").needed("law"),
        count("How many graphs it was tried on.").needed("tried"),
        Shape::list(counterexample).doc("Where it did not hold, the first few.").needed("counterexamples"),
    ]);
    let pack = Shape::object(pack().into_iter().chain([
        count("Its cases.").needed("cases"),
        Shape::list(law).doc("The laws, in a fixed order.").needed("laws"),
    ]));
    let members = [
        Shape::words(["held", "broken", "nothing-ran"]).doc("How it went.").needed("outcome"),
        Shape::list(pack).doc("The packs, in the order they were asked for.").needed("packs"),
    ];
    document("runmill.rules-laws/v1", "What must hold of every pack.", members)
}

/// `runmill.rules-doc/v1`.
pub fn doc() -> Value {
    let any = |doc: &str| Shape::any_text().doc(doc);
    let param = Shape::object([
        name("Its name.").needed("name"),
        name("Its type.").needed("type"),
        texts("What a choice may be.").needed("choices"),
        optional_text("Its value when nobody gives one.").needed("default"),
        any("What it is for.").needed("doc"),
        texts("The rules that read it.").needed("rules"),
    ]);
    let case = Shape::object([
        name("What the rule comes to.").needed("outcome"),
        optional_text("The case that shows it.").needed("case"),
        spot().or_null().doc("Where it stands.").needed("place"),
        any("What the rule says there.").needed("message"),
    ]);
    let rule = Shape::object([
        name("Its id.").needed("id"),
        name("When it speaks.").needed("stage"),
        name("The kind of fact it is on, or `run`.").needed("on"),
        name("Its code.").needed("code"),
        name("What the code means.").needed("means"),
        name("How its findings count.").needed("level"),
        optional_text("The same where a machine owns the merge.").needed("strict_level"),
        any("What it finds.").needed("what"),
        any("Why it exists.").needed("why"),
        any("What to do about a finding.").needed("fix"),
        optional_text("Why it may match no subject.").needed("may_be_empty"),
        texts("The parameters it reads.").needed("params"),
        Shape::list(case).doc("A case for each thing it can say.").needed("cases"),
        figures().needed("figures"),
        spot().doc("Where it stands.").needed("place"),
    ]);
    let pack = Shape::object(pack().into_iter().chain([
        name("Its version.").needed("version"),
        any("What it asks for.").needed("description"),
        Shape::list(param).doc("Its parameters.").needed("params"),
        count("Its cases.").needed("cases"),
        figures().needed("figures"),
        Shape::list(rule).doc("Its rules, in the order of stages and ids.").needed("rules"),
    ]));
    let members = [
        Shape::list(pack).doc("The packs, in the order they were asked for.").needed("packs"),
        texts("What the packs leave out.").needed("empty"),
    ];
    document("runmill.rules-doc/v1", "The catalogue of packs.", members)
}

/// `runmill.rules-diff/v1`.
pub fn diff() -> Value {
    let version = || {
        Shape::object([
            Shape::any_text().doc("Where it was read from.").needed("from"),
            name("As its manifest says.").needed("version"),
            digest("The digest of its rules.").needed("digest"),
        ])
    };
    let run = Shape::object([
        name("The run, or the file of its facts.").needed("run"),
        verdict("Under the old version.").needed("before"),
        verdict("Under the new one.").needed("after"),
        Shape::list(flip()).doc("The findings that come out otherwise.").needed("flips"),
    ]);
    let left_out = Shape::object([name("The run.").needed("run"), name("Why.").needed("why")]);
    let members = [
        name("The pack.").needed("pack"),
        version().doc("What judged before.").needed("old"),
        version().doc("What judges after.").needed("new"),
        Shape::list(run).doc("The runs that both judged, as they were given.").needed("runs"),
        Shape::list(left_out).doc("Runs that could not be judged again.").needed("left_out"),
    ];
    document("runmill.rules-diff/v1", "What flips between two versions of a pack.", members)
}

/// `runmill.rules-new/v1`.
pub fn new() -> Value {
    let members = [
        Shape::any_text().doc("Where the pack is.").needed("pack"),
        name("The rule.").needed("rule"),
        texts("The files that were written, from the pack.").needed("files"),
        Shape::flag().doc("Whether its case fails until somebody writes the rule.").needed("fails"),
    ];
    document("runmill.rules-new/v1", "What `rules new` wrote.", members)
}
