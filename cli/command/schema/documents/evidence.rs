//! Evidence: `evidence ..`, and the verifier's report, a document of the TypeScript runmill.

use runmill_evidence::{Advisory, FailureClass};
use runmill_manifest::schema::Shape;
use serde_json::Value;

use super::{
    count, document, name, optional_text, texts,
    verdict::{commit, digest, policy},
};

/// `runmill.asf-evidence-verification-report/v1`.
pub fn verification() -> Value {
    let signer = Shape::object([
        name("The key.").needed("keyId"),
        Shape::constant("EdDSA").needed("algorithm"),
        Shape::flag().doc("Whether its signature holds.").needed("verified"),
    ]);
    let bodies = Shape::object([
        Shape::flag().doc("Whether they are what the bundle says.").needed("verified"),
        count("How many.").needed("count"),
        count("Bytes of all of them.").needed("totalBytes"),
        name("Over their list.").needed("manifestDigest"),
    ]);
    let advice = Shape::object([
        Shape::words(Advisory::ALL.iter().map(|word| word.as_str())).doc("Which one.").needed("name"),
        Shape::any_text().doc("What it is about.").needed("subject"),
        Shape::any_text().doc("What was seen.").needed("message"),
    ]);
    let members = [
        Shape::flag().doc("Whether the bundle proves what is expected.").needed("verified"),
        class().doc("Why it is refused.").named("failure"),
        Shape::any_text().doc("Why it is refused, in words.").named("reason"),
        Shape::words(["artifact-contents", "statement-and-signature"])
            .doc("What was verified.")
            .named("verificationLevel"),
        name("The bundle's digest.").named("bundleDigest"),
        optional_text("The candidate.").named("candidateSha"),
        signer.doc("Who signed.").named("signer"),
        bodies.or_null().doc("The artifacts.").named("artifacts"),
        Shape::any_text().doc("The bundle, absolute.").needed("bundlePath"),
        Shape::any_text().doc("The trust document, absolute.").needed("trustPath"),
        Shape::any_text().doc("The expectations, absolute.").needed("expectationsPath"),
        optional_text("The artifact directory, absolute.").needed("artifactsDirectory"),
        Shape::list(advice).doc("What an honest signer might have done, and a reader wants to know.").named("findings"),
        Shape::list(check()).doc("Everything that was checked, where that was asked for.").named("checks"),
    ];
    document("runmill.asf-evidence-verification-report/v1", "What a verifier says of a bundle.", members)
}

fn class() -> Shape {
    Shape::words(FailureClass::ALL.iter().map(|word| word.as_str()))
}

/// One thing that a verifier checked.
fn check() -> Shape {
    Shape::object([
        class().doc("The class a failure of it has.").needed("class"),
        name("What was checked.").needed("name"),
        Shape::any_text().doc("What it was checked on.").needed("subject"),
        Shape::words(["passed", "failed", "advised", "skipped"]).doc("How it came out.").needed("outcome"),
        Shape::any_text().doc("Why, where it did not pass.").needed("reason"),
    ])
}

/// `runmill.evidence-report/v1`.
pub fn report() -> Value {
    let members = [
        Shape::flag().doc("Whether the bundle proves what is expected.").needed("verified"),
        class().or_null().doc("The class of the first failure.").needed("failure"),
        optional_text("The first failure, in one line.").needed("reason"),
        optional_text("The verdict of the run; null in a refusal.").needed("verdict"),
        Shape::flag().doc("Whether the verdict was reached again from facts and packs.").needed("replayed"),
        optional_text("The bundle's digest.").needed("bundle_digest"),
        optional_text("The run.").needed("run"),
        optional_text("The commit that was judged.").needed("candidate"),
        optional_text("When it was signed.").needed("issued_at"),
        texts("The trusted keys that signed.").needed("signers"),
        Shape::any_text().doc("The bundle, absolute.").needed("bundle"),
        Shape::any_text().doc("The trust document, absolute.").needed("trust"),
        Shape::any_text().doc("The expectations, absolute.").needed("expectations"),
        optional_text("The directory of bodies, absolute.").needed("artifacts_dir"),
        Shape::list(check()).doc("Everything that was checked, where that was asked for.").needed("checks"),
    ];
    document("runmill.evidence-report/v1", "What a verifier says of a bundle of ours.", members)
}

/// `runmill.keygen/v1`.
pub fn keygen() -> Value {
    let members = [
        name("How signatures name the key.").needed("key_id"),
        name("The file of the private key.").needed("private_key"),
        name("The file of the entry for trust documents.").needed("public_key"),
        name("From when on it may sign.").needed("valid_from"),
        optional_text("Until when it may sign.").needed("valid_until"),
    ];
    document("runmill.keygen/v1", "A key that was made.", members)
}

/// `runmill.signed/v1`.
pub fn signed() -> Value {
    let members = [
        name("The file.").needed("bundle"),
        digest("Its digest.").needed("bundle_digest"),
        name("The run.").needed("run"),
        name("Its verdict.").needed("verdict"),
        texts("The keys whose signatures it carries.").needed("key_ids"),
        texts("The bodies beside it.").needed("bodies"),
    ];
    document("runmill.signed/v1", "A bundle that was signed.", members)
}

/// `runmill.exported/v1`.
pub fn exported() -> Value {
    let members = [
        name("The run.").needed("run"),
        name("The file.").needed("statement"),
        digest("Over the statement.").needed("statement_digest"),
        optional_text("The key that signed it.").needed("signed_by"),
        texts("What the format cannot hold.").needed("not_held"),
    ];
    document("runmill.exported/v1", "A run that was told of in a format of others.", members)
}

/// `runmill.pack/v1`.
pub fn pack() -> Value {
    let members = [
        name("Its name.").needed("pack"),
        name("Its version.").needed("version"),
        digest("Of its folder.").needed("digest"),
        texts("The keys that signed it; none for a lock.").needed("signers"),
    ];
    document("runmill.pack/v1", "A pack that was locked, signed or verified.", members)
}

/// `runmill.trusted/v1`.
pub fn trusted() -> Value {
    let key = Shape::object([
        name("How signatures name it.").needed("key_id"),
        name("The public half, PEM.").needed("public_key_pem"),
        name("From when on it may sign.").needed("valid_from"),
        optional_text("Until when it may sign.").needed("valid_until"),
        optional_text("When it was revoked.").needed("revoked_at"),
    ]);
    let members = [
        name("The trust document.").needed("trust"),
        count("So many distinct keys must have signed.").needed("threshold"),
        Shape::list(key).doc("The keys, revoked ones too.").needed("keys"),
    ];
    document("runmill.trusted/v1", "Who is trusted.", members)
}

/// `runmill.expectations/v1`, which `evidence expect` writes and prints, and `evidence verify` reads.
pub fn expectations() -> Value {
    let pack = Shape::object([
        name("Its name.").needed("name"),
        digest("Of its folder.").needed("digest"),
        digest("Of all of it that judges, with the operator's settings.").needed("source"),
    ]);
    let check = Shape::object([
        name("Its id, or the name of a context.").needed("id"),
        digest("Of its definition.").or_null().needed("definition_digest"),
    ]);
    let members = [
        name("The verdict.").needed("verdict"),
        name("Which repository.").needed("repository"),
        optional_text("The branch; null is any.").needed("branch"),
        count("The pull request; null is any.").or_null().needed("pull_request"),
        commit("The tip it would merge into; null when that may have moved.").or_null().needed("target"),
        commit("The commit it grew from.").needed("base"),
        commit("The commit that was judged.").needed("candidate"),
        policy().needed("policy"),
        texts("Everything that policy loosens.").needed("relaxations"),
        texts("The fingerprints that policy waives.").needed("waivers"),
        Shape::list(pack).or_null().doc("The packs that judge; null is any.").needed("packs"),
        Shape::list(check).doc("What must have been required.").needed("required"),
    ];
    document("runmill.expectations/v1", "What a bundle must be about.", members)
}
