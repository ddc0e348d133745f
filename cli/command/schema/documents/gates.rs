//! `runmill.gates/v1`.

use runmill_manifest::schema::Shape;
use runmill_model::words::{Autonomy, GateState, GatesOutcome, Verdict};
use serde_json::Value;

use super::{
    document, name, optional_text, texts,
    verdict::{commit, digest, finding, pack, policy, subject},
};

/// How the gates of a merge stand.
pub fn gates() -> Value {
    let state = |doc: &str| Shape::words(GateState::ALL.iter().map(|word| word.as_str())).doc(doc);
    let reason = Shape::object([
        state("How the gate stands by this alone.").needed("state"),
        subject().or_null().doc("What it is about; null where there was nothing to look at.").needed("subject"),
        Shape::any_text().doc("What was found.").needed("message"),
        optional_text("What to do next; null where nothing is to be done.").needed("fix"),
    ]);
    let gate = Shape::object([
        name("Its name: the rule that judges it.").needed("gate"),
        Shape::pattern("^RM-[A-Z]+-[0-9]{3}$").doc("The code of the rule.").needed("code"),
        state("How it stands: the worst of its reasons.").needed("state"),
        Shape::any_text().doc("Why there is such a gate.").needed("why"),
        Shape::some(reason).doc("Why it stands as it does.").needed("reasons"),
    ]);
    document(
        "runmill.gates/v1",
        "How the gates of a merge stand on a recorded run. `permitted` alone lets a machine merge; runmill itself merges nothing.",
        [
            name("The run that they were judged on.").needed("run"),
            Shape::words(GatesOutcome::ALL.iter().map(|word| word.as_str()))
                .doc("What they come to.")
                .needed("outcome"),
            Shape::words(Autonomy::ALL.iter().map(|word| word.as_str())).doc("The autonomy mode.").needed("mode"),
            Shape::words(Verdict::ALL.iter().map(|word| word.as_str())).doc("The run's verdict.").needed("verdict"),
            commit("The tip the change would merge into.").needed("target"),
            commit("The commit that was judged.").needed("candidate"),
            digest("Of the facts that the gates were judged on.").needed("facts_digest"),
            policy().needed("policy"),
            Shape::list(pack()).doc("The packs that judged.").needed("packs"),
            texts("What the operator loosened, and every waiver in use.").needed("relaxations"),
            Shape::some(gate).doc("Every gate, in the order of the ids.").needed("gates"),
            Shape::list(finding()).doc("Every finding.").needed("findings"),
        ],
    )
}
