//! Every small change to a valid bundle is refused, unless it means the same document.

use rayon::prelude::*;
use runmill_evidence::{error::Document, json};
use serde_json::{Value, json};

use super::signer::Signed;

#[test]
fn every_single_bit_flip_is_refused_or_canonically_identical() {
    let small = Signed::small();
    assert_eq!(small.outcome(), "verified");
    // A carriage return is one bit from a tab, and `\\u006f` one from `\\u006F`.
    let text = small.envelope.to_string().replacen("\"completed\"", "\r\"c\\u006fmpleted\"", 1);
    let bytes = format!("{text}\r").into_bytes();
    let judge = small.judge();
    assert_eq!(judge.outcome(&bytes), "verified");
    let original = canonical(&bytes);
    let flips = (0..bytes.len() * 8).into_par_iter().filter(|flip| {
        let (at, bit) = (flip / 8, flip % 8);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        let verified = judge.outcome(&flipped) == "verified";
        assert!(!verified || canonical(&flipped) == original, "byte {at}, bit {bit}");
        verified
    });
    let same = flips.count();
    assert!(same > 0, "no flip left the document the same, so the comparison above was never made");
}

fn canonical(bytes: &[u8]) -> Vec<u8> {
    json::parse(Document::Bundle, bytes).unwrap().root.canonical().unwrap()
}

/// The pointers of all members of a document, outermost first.
pub fn members(value: &Value) -> Vec<String> {
    fn walk(value: &Value, place: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                    found.push(place.clone());
                    walk(member, &place, found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{place}/{index}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

pub fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    let (outer, name) = pointer.rsplit_once('/').unwrap();
    value.pointer_mut(outer).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    value
}

/// The text of a document in which one member stands twice in a row.
pub fn doubled(value: &Value, pointer: &str) -> String {
    const MARK: &str = "\u{1}mark";
    let (outer, name) = pointer.rsplit_once('/').unwrap();
    let member = value.pointer(pointer).unwrap();
    let mut marked = value.clone();
    marked.pointer_mut(outer).unwrap().as_object_mut().unwrap().insert(MARK.to_owned(), json!(0));
    let twice = format!("{}:{member}", Value::from(name));
    let mark = format!("{}:0", Value::from(MARK));
    let text = marked.to_string();
    assert_eq!(text.matches(&mark).count(), 1);
    text.replace(&mark, &twice)
}

fn is_open(pointer: &str) -> bool {
    pointer.contains("/effective_policy/") || pointer.contains("/payload/candidate_sha") || {
        pointer.contains("/events/") && pointer.contains("/payload/")
    }
}

#[test]
fn every_member_is_required_even_under_a_good_signature() {
    for signed in [Signed::small(), Signed::delivery(), Signed::terminal()] {
        assert_eq!(signed.outcome(), "verified");
        for pointer in members(&signed.envelope).iter().filter(|pointer| !is_open(pointer)) {
            let envelope = without(&signed.envelope, pointer);
            // Without its schema a terminal bundle is taken for a delivery one, for which the expectations are not.
            let terminal = signed.envelope["schema"] == "asf.signed-terminal-evidence/v1";
            let expect = if terminal && pointer == "/schema" { "input" } else { "schema" };
            assert_eq!(Signed { envelope, ..signed.clone() }.outcome(), expect, "{pointer}");
            if pointer.starts_with("/statement/") {
                let envelope = without(&signed.envelope, pointer);
                assert_eq!(Signed { envelope, ..signed.clone() }.signed().outcome(), "schema", "{pointer}, signed");
            }
        }
        for document in [&signed.trust, &signed.expectations] {
            for pointer in members(document) {
                let removed = without(document, &pointer);
                assert_eq!(replaced(&signed, document, removed).outcome(), "input", "{pointer}");
            }
        }
    }
}

#[test]
fn no_member_may_stand_twice() {
    for signed in [Signed::small(), Signed::delivery(), Signed::terminal()] {
        let judge = signed.judge();
        for pointer in members(&signed.envelope) {
            assert_eq!(judge.outcome(doubled(&signed.envelope, &pointer).as_bytes()), "input", "{pointer}");
        }
        for (document, name) in [(Document::Trust, &signed.trust), (Document::Expectations, &signed.expectations)] {
            for pointer in members(name) {
                let error = json::parse(document, doubled(name, &pointer).as_bytes()).unwrap_err().to_string();
                assert!(error.contains("stands twice"), "{pointer}: {error}");
            }
        }
    }
}

#[test]
fn an_emptied_member_is_never_the_same_bundle() {
    for signed in [Signed::small(), Signed::delivery(), Signed::terminal()] {
        let judge = signed.judge();
        members(&signed.envelope).par_iter().for_each(|pointer| {
            let mut changed = signed.envelope.clone();
            for empty in [Value::Null, json!(""), json!([]), json!({}), json!(0), json!(false), json!("x")] {
                let member = changed.pointer_mut(pointer).unwrap();
                let original = std::mem::replace(member, empty.clone());
                if original != empty {
                    assert_ne!(judge.outcome(changed.to_string().as_bytes()), "verified", "{pointer} as {empty}");
                }
                *changed.pointer_mut(pointer).unwrap() = original;
            }
        });
        for document in [&signed.trust, &signed.expectations] {
            for pointer in members(document) {
                for empty in [Value::Null, json!(""), json!([]), json!({})] {
                    let mut emptied = document.clone();
                    if std::mem::replace(emptied.pointer_mut(&pointer).unwrap(), empty.clone()) == empty {
                        continue;
                    }
                    // A list of expectations may be empty, and then the bundle is about something else.
                    let outcome = replaced(&signed, document, emptied).outcome();
                    assert!(matches!(outcome.as_str(), "input" | "binding"), "{pointer} as {empty}: {outcome}");
                }
            }
        }
    }
}

fn replaced(signed: &Signed, document: &Value, with: Value) -> Signed {
    let mut changed = signed.clone();
    if *document == signed.trust {
        changed.trust = with;
    } else {
        changed.expectations = with;
    }
    changed
}

#[test]
fn an_unknown_member_is_refused_at_every_closed_object_and_proto_everywhere() {
    for signed in [Signed::delivery(), Signed::terminal()] {
        for pointer in members(&signed.envelope) {
            let Some(Value::Object(_)) = signed.envelope.pointer(&pointer) else { continue };
            for name in ["__proto__", "constructor", "extra"] {
                let open = is_open(&pointer) || pointer.ends_with("/payload") && pointer.contains("/events/");
                if name != "__proto__" && (open || pointer.ends_with("/effective_policy")) {
                    continue;
                }
                let mut changed = signed.clone();
                changed.envelope.pointer_mut(&pointer).unwrap()[name] = json!({});
                assert_eq!(changed.signed().outcome(), "schema", "{pointer} {name}");
            }
        }
    }
}

#[test]
fn a_first_failure_is_the_same_when_everything_is_checked() {
    use runmill_evidence::Thoroughness;
    for signed in [Signed::delivery(), Signed::terminal()] {
        let judge = signed.judge();
        for pointer in members(&signed.envelope) {
            let mut changed = signed.clone();
            *changed.envelope.pointer_mut(&pointer).unwrap() = json!("other");
            let bytes = changed.envelope.to_string();
            let verify = |thoroughness| judge.verify(bytes.as_bytes(), thoroughness);
            let (first, all) = (verify(Thoroughness::FirstFailure), verify(Thoroughness::Everything));
            assert_eq!(first.map(|of| of.outcome), all.map(|of| of.outcome), "{pointer}");
        }
    }
}
