//! Envelopes, against the vector of the DSSE specification and the keys of RFC 8032.

use runmill_evidence::{
    SigningKey,
    dsse::{Envelope, IN_TOTO, Signature, pae},
};
use zeroize::Zeroizing;

/// The key of RFC 8032, section 7.1, test 1.
const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn bytes32(hex: &str) -> [u8; 32] {
    std::array::from_fn(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap())
}

fn signed(payload_type: &str, payload: &[u8]) -> Envelope {
    let mut envelope = Envelope::unsigned(payload_type, payload.to_vec());
    envelope.sign("rfc8032:1", &SigningKey::from_seed(&Zeroizing::new(bytes32(SEED))));
    envelope
}

#[test]
fn encodes_what_is_signed_as_the_specification_has_it() {
    let encoded = pae("http://example.com/HelloWorld", b"hello world");
    assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    // Lengths are bytes of UTF-8, and an empty payload keeps its space.
    assert_eq!(
        pae("application/vnd.ex\u{e4}mple+json", b""),
        "DSSEv1 29 application/vnd.ex\u{e4}mple+json 0 ".as_bytes()
    );
}

#[test]
fn a_signature_covers_type_and_payload() {
    let envelope = signed(IN_TOTO, b"{}");
    let (signature, public) = (envelope.signatures[0].clone(), bytes32(PUBLIC));
    assert!(envelope.holds(&signature, &public));
    for other in [
        Envelope { payload_type: "application/vnd.example.other+json".to_owned(), ..envelope.clone() },
        Envelope { payload: b"{ }".to_vec(), ..envelope.clone() },
        // The same bytes in a row, with the border elsewhere.
        Envelope { payload_type: format!("{IN_TOTO} 2"), payload: b"{}".to_vec(), ..envelope.clone() },
    ] {
        assert!(!other.holds(&signature, &public));
    }
    for bytes in [Vec::new(), vec![0; 64], signature.bytes[..63].to_vec(), [&signature.bytes[..], &[0]].concat()] {
        assert!(!envelope.holds(&Signature { bytes, ..signature.clone() }, &public));
    }
    assert!(!envelope.holds(&signature, &[0; 32]), "a key of small order signs nothing");
}

#[test]
fn a_file_is_one_line_with_the_three_members_of_the_specification() {
    let file = String::from_utf8(signed(IN_TOTO, b"{}").to_file()).unwrap();
    assert!(file.ends_with("}\n") && file.lines().count() == 1);
    let value: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!((&value["payload"], &value["payloadType"]), (&"e30=".into(), &IN_TOTO.into()));
    assert_eq!(value["signatures"][0]["keyid"], "rfc8032:1");
    assert_eq!(value["signatures"][0]["sig"].as_str().unwrap().len(), 88);
}
