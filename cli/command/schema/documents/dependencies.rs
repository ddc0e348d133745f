//! Prepared dependencies: `deps`.

use runmill_manifest::{checks::Ecosystem, schema::Shape};
use serde_json::Value;

use super::{
    document, name, optional_text, texts,
    verdict::{commit, digest},
};

fn ecosystem() -> Shape {
    Shape::words(Ecosystem::ALL.iter().map(|word| word.as_str())).doc("Whose.")
}

/// `runmill.dependencies/v1`, which stands inside of others.
fn receipt() -> Shape {
    let whose = Ecosystem::ALL.iter().map(|word| word.as_str()).chain(["operator"]);
    Shape::object([
        Shape::constant("runmill.dependencies/v1").needed("schema"),
        Shape::words(whose).doc("Whose; `operator` for a directory of the machine.").needed("ecosystem"),
        Shape::any_text().doc("The directory of the lock file.").needed("dir"),
        digest("Over what is locked, platform and interpreter.").needed("key"),
        digest("Over every byte of the prepared tree.").needed("fingerprint"),
        name("Operating system, processor and C library.").needed("platform"),
        Shape::map(".", digest("Of the file.")).doc("The files of the commit it was prepared from.").needed("inputs"),
        texts("What is in it, as `name@version`, sorted.").needed("packages"),
        texts("What is locked and not in it, sorted.").needed("omitted"),
        name("How the content was proven.").needed("proof"),
    ])
}

/// `runmill.prepared/v1`.
pub fn prepared() -> Value {
    let members = [
        commit("The commit whose lock files counted.").needed("commit"),
        Shape::list(receipt()).doc("One for each ecosystem and directory.").needed("dependencies"),
    ];
    document("runmill.prepared/v1", "What `deps prepare` prepared.", members)
}

/// `runmill.dependency-status/v1`.
pub fn status() -> Value {
    let standing = Shape::words(["prepared", "present", "ahead", "behind", "missing", "stale"]);
    let entry = Shape::object([
        ecosystem().needed("ecosystem"),
        Shape::any_text().doc("The working directory of the checks.").needed("cwd"),
        standing.doc("How it stands.").needed("standing"),
        optional_text("What keeps a check from using it.").needed("message"),
        optional_text("What to do.").needed("help"),
        receipt().or_null().doc("The receipt of the prepared copy.").needed("receipt"),
    ]);
    let members = [
        commit("The commit whose lock files counted.").needed("commit"),
        name("How the commit was named.").needed("revision"),
        Shape::list(entry).doc("One for each ecosystem and directory that a check names.").needed("dependencies"),
    ];
    document("runmill.dependency-status/v1", "How installed dependencies stand to what is locked.", members)
}

/// `runmill.dependency-collection/v1`.
pub fn collection() -> Value {
    let members = [
        texts("Copies that went, as `ecosystem/key`.").needed("removed"),
        texts("Copies that stay because they are younger.").needed("kept"),
        texts("Copies that stay because a run uses them.").needed("in_use"),
    ];
    document("runmill.dependency-collection/v1", "What `deps gc` removed.", members)
}

/// `runmill.fingerprint/v1`.
pub fn fingerprint() -> Value {
    let members =
        [name("The directory, absolute.").needed("path"), digest("Over every byte of it.").needed("fingerprint")];
    document("runmill.fingerprint/v1", "The fingerprint of a directory of the machine.", members)
}
