//! 433 canonical forms: 33 documents and 400 doubles.

use runmill_evidence::{error::Document, json};
use runmill_model::canonical;
use serde_json::Value;

fn read(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(super::vectors().join("canonical").join(name)).unwrap()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn gives_the_canonical_bytes_and_digest_of_every_document() {
    let file = read("vectors.json");
    let vectors = file["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 33);
    for vector in vectors {
        let input = vector["input_json"].as_str().unwrap();
        let parsed = json::parse(Document::Bundle, input.as_bytes());
        if vector["error"] == true {
            let usable =
                parsed.is_ok_and(|parsed| parsed.lone_surrogate.is_none() && parsed.root.canonical().is_some());
            assert!(!usable, "{input}");
            assert!(serde_json::from_str::<Value>(input).is_err(), "{input}");
            continue;
        }
        // The model's reader of facts takes the last of two members; evidence takes neither.
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(hex(&canonical::to_bytes(&value).unwrap()), vector["canonical_utf8_hex"], "{input}");
        assert_eq!(canonical::digest(&value).unwrap().to_string(), vector["digest"], "{input}");
        if vector["note"].as_str().is_some_and(|note| note.contains("recommended to reject")) {
            assert!(parsed.unwrap_err().to_string().contains("stands twice"), "{input}");
            continue;
        }
        let root = parsed.unwrap().root;
        assert_eq!(hex(&root.canonical().unwrap()), vector["canonical_utf8_hex"], "{input}");
        assert_eq!(root.digest().unwrap().to_string(), vector["digest"], "{input}");
    }
}

#[test]
fn gives_the_shortest_text_of_every_double() {
    let file = read("numbers.json");
    let numbers = file["numbers"].as_array().unwrap();
    assert_eq!(numbers.len(), 400);
    for number in numbers {
        let bits = u64::from_str_radix(number["ieee754_hex"].as_str().unwrap(), 16).unwrap();
        let expect = number["canonical"].as_str().unwrap();
        let double = f64::from_bits(bits);
        assert_eq!(String::from_utf8(canonical::to_bytes(&double).unwrap()).unwrap(), expect);
        // And back: the text names the same double, for both readers.
        let again = json::parse(Document::Bundle, expect.as_bytes()).unwrap().root;
        assert_eq!(again, json::Json::Number(double), "{expect}");
        let value: Value = serde_json::from_str(expect).unwrap();
        assert_eq!(String::from_utf8(canonical::to_bytes(&value).unwrap()).unwrap(), expect);
    }
}

#[test]
fn has_the_bytes_under_the_signatures() {
    let signing = read("signing.json");
    for kind in ["delivery", "terminal"] {
        let bundle = super::vectors().join(signing[kind]["bundle"].as_str().unwrap());
        let root = json::parse(Document::Bundle, &std::fs::read(bundle).unwrap()).unwrap().root;
        let json::Json::Object(members) = root else { panic!("{kind} is no object") };
        let signed = json::Json::Object(members.without("signature")).canonical().unwrap();
        let file = super::vectors().join(format!("canonical/{kind}.signed-bytes.json"));
        assert_eq!(signed, std::fs::read(file).unwrap(), "{kind}");
        assert_eq!(runmill_model::Digest::of(&signed).to_string(), signing[kind]["signed_bytes_sha256"], "{kind}");
        let statement = members.get("statement").unwrap().digest().unwrap().to_string();
        assert_eq!(statement, signing[kind]["statement_canonical_sha256"], "{kind}");
    }
}
