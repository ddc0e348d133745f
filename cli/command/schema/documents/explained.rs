//! Why: `explain` and `replay`.

use runmill_manifest::schema::{Member, Shape};
use runmill_model::words::Level;
use serde_json::Value;

use super::{
    count, document, name, optional_text, texts,
    verdict::{digest, outcome, subject},
};

/// What an expression came to, which is made of such.
const STEP: &str = "step";

/// `runmill.code/v1`.
pub fn code() -> Value {
    let rule = Shape::object([
        name("Its pack.").needed("pack"),
        name("Its id.").needed("rule"),
        level().needed("level"),
        name("Why it exists.").needed("why"),
        name("What to do about a finding.").needed("fix"),
    ]);
    let members = [
        name("The code.").needed("code"),
        name("What it means, in one line.").needed("title"),
        texts("What it means: paragraphs.").needed("meaning"),
        texts("How people get there, the usual first.").needed("causes"),
        texts("What to do.").needed("advice"),
        name("How it looks, as lines of a terminal.").needed("example"),
        Shape::list(rule).doc("The built-in rules that speak with it.").needed("rules"),
        name("The page as it is kept, Markdown.").needed("page"),
    ];
    document("runmill.code/v1", "What a code means, and what to do.", members)
}

/// `runmill.explanation/v1`.
pub fn explanation() -> Value {
    let settled = Shape::object([
        name("The rule.").needed("rule"),
        name("Its pack.").needed("pack"),
        outcome().needed("outcome"),
        subject().doc("What it is about.").needed("subject"),
        Shape::any_text().doc("What was said.").needed("message"),
    ]);
    let members = [
        name("The run's name in the record.").needed("run"),
        verdict("The verdict.").needed("verdict"),
        Shape::flag().doc("Whether judging the record again gave exactly what was recorded.").needed("reproduced"),
        optional_text("The check that was asked about.").needed("check"),
        Shape::list(Shape::object(finding()))
            .doc("What is open; what stands in the way comes first.")
            .needed("findings"),
        Shape::list(settled).doc("With a check: what was settled about it.").needed("settled"),
    ];
    with_steps(document("runmill.explanation/v1", "Why a run came out as it did.", members))
}

/// A document in which steps stand.
fn with_steps(mut schema: Value) -> Value {
    if let Some(all) = schema.as_object_mut() {
        all.insert("definitions".to_owned(), Value::from_iter([(STEP, step().into_value())]));
    }
    schema
}

/// What a rule read and asked, in order.
fn followed() -> [Member; 2] {
    let read = Shape::object([
        subject().doc("The fact.").needed("fact"),
        name("The property.").needed("property"),
        Shape::any_text().doc("Its value, in words.").needed("value"),
    ]);
    [
        Shape::list(read).doc("What the rule read, in the order of the first time.").needed("read"),
        Shape::list(Shape::defined(STEP)).doc("The conditions it asked; the last one decided.").needed("conditions"),
    ]
}

/// `runmill.rule-explanation/v1`.
pub fn rule_explanation() -> Value {
    let flip = Shape::object([
        name("A clause that follows \"if\".").needed("change"),
        name("What is said then.").needed("outcome"),
    ]);
    let call = Shape::object(followed().into_iter().chain([
        subject().doc("What it was called on.").needed("subject"),
        name("An outcome, `require`, `ignore`, or `fault`.").needed("outcome"),
        optional_text("The code.").needed("code"),
        Shape::any_text().doc("What was said.").needed("message"),
        optional_text("What to do about it.").needed("fix"),
        texts("The tests concerned, sorted.").needed("tests"),
        Shape::list(subject()).doc("The facts it stands on.").needed("evidence"),
        flip.or_null().doc("The smallest change under which it says something else.").needed("flip"),
    ]));
    let members = [
        name("The pack.").needed("pack"),
        name("The rule.").needed("rule"),
        spot().doc("Where the rule is.").needed("place"),
        Shape::any_text().doc("Why it exists.").needed("why"),
        Shape::any_text().doc("The fixture.").needed("fixture"),
        Shape::list(call).doc("Its calls, one for each subject.").needed("calls"),
    ];
    with_steps(document("runmill.rule-explanation/v1", "What a rule makes of a fixture, and why.", members))
}

fn finding() -> Vec<Member> {
    let turn = Shape::object([spot().needed("place"), Shape::any_text().doc("The condition.").needed("text")]);
    let smallest = Shape::object([
        texts("Clauses that follow \"if\", all of them together.").needed("changes"),
        turn.or_null().doc("The condition that turns then.").needed("turns"),
        texts("Clauses that would do as well, each alone.").needed("other_ways"),
    ]);
    said()
        .into_iter()
        .chain(followed())
        .chain([
            name("The rule.").needed("rule"),
            name("Its pack.").needed("pack"),
            subject().doc("What it is about.").needed("subject"),
            optional_text("The check it is about.").needed("check"),
            texts("The tests concerned, sorted.").needed("tests"),
            Shape::any_text().doc("Why the rule exists.").needed("why"),
            Shape::any_text().doc("What to do next.").needed("fix"),
            digest("Names the finding in waivers.").needed("fingerprint"),
            spot().or_null().doc("Where the rule is.").needed("place"),
            Shape::list(Shape::defined(STEP))
                .doc("The conditions it asked; the last one decided.")
                .needed("conditions"),
            smallest.or_null().doc("The smallest change under which it would pass.").needed("smallest_change"),
            optional_text("Why none was found.").needed("no_change"),
        ])
        .collect()
}

/// What is told of a finding wherever it is.
fn said() -> Vec<Member> {
    vec![
        outcome().needed("outcome"),
        name("The code.").needed("code"),
        level().needed("level"),
        Shape::flag().doc("Whether the rule failed to judge.").needed("fault"),
        Shape::flag().doc("Whether a waiver let it pass.").needed("waived"),
        Shape::flag().doc("Whether it waits for something; only there when it does.").named("waiting"),
        Shape::flag().doc("Whether it keeps the run from being ready.").needed("stands_in_the_way"),
        Shape::any_text().doc("What was found.").needed("message"),
    ]
}

fn step() -> Shape {
    Shape::object([
        spot().needed("place"),
        Shape::any_text().doc("The expression, on one line.").needed("text"),
        Shape::any_text().doc("Its value, in words.").needed("value"),
        subject().or_null().doc("The fact it is a property of.").needed("fact"),
        Shape::defined(STEP).or_null().doc("The condition of a helper that decided.").needed("decided"),
        Shape::list(Shape::defined(STEP)).doc("What it is made of.").needed("parts"),
    ])
}

/// A place in a file of a pack.
pub(super) fn spot() -> Shape {
    Shape::object([
        Shape::any_text().doc("The path inside the pack.").needed("file"),
        count("The line, 1-based.").needed("line"),
        count("The column in characters, 1-based; 0 when it is not known.").needed("column"),
    ])
}

fn level() -> Shape {
    Shape::words(Level::ALL.iter().map(|word| word.as_str())).doc("How it counts.")
}

/// A verdict.
pub(super) fn verdict(doc: &str) -> Shape {
    Shape::words(["ready", "blocked", "indeterminate"]).doc(doc)
}

/// `runmill.replay/v1`.
pub fn replay() -> Value {
    let run = Shape::object([
        name("Its name in the record.").needed("run"),
        name("The version of runmill that recorded it.").needed("engine"),
        Shape::flag().doc("Whether the recorded packs gave the recorded document again.").needed("reproduced"),
        texts("Where the documents differ, as JSON pointers, the first few.").needed("differs"),
        verdict("As judged again by the recorded packs.").needed("before"),
        verdict("As judged by what was given.").needed("after"),
        Shape::list(flip()).doc("The findings that come out otherwise.").needed("flips"),
    ]);
    let members = [Shape::list(run).doc("The runs, in the order they were asked for.").needed("runs")];
    document("runmill.replay/v1", "Runs that were judged again.", members)
}

/// A finding that comes out otherwise.
pub(super) fn flip() -> Shape {
    let responsible = Shape::object([
        spot().needed("place"),
        Shape::any_text().doc("The condition; empty where a rule asks none.").needed("text"),
        Shape::any_text().doc("What it came to, in words.").needed("value"),
    ]);
    Shape::object([
        name("The rule.").needed("rule"),
        name("Its pack.").needed("pack"),
        subject().doc("What it is about.").needed("subject"),
        Shape::object(said()).or_null().doc("As it was.").needed("before"),
        Shape::object(said()).or_null().doc("As it is.").needed("after"),
        name("Why, in words.").needed("because"),
        responsible.or_null().doc("The condition that decides now, or decided.").needed("responsible"),
    ])
}
