//! One Ed25519 public key in PEM (RFC 7468 label `PUBLIC KEY`, RFC 8410 content).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// SubjectPublicKeyInfo of an Ed25519 key, up to its 32 bytes.
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Why a text is not one Ed25519 public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PemFault {
    PrivateKey,
    NotOneKey,
    NotPem,
    NotEd25519,
}

impl fmt::Display for PemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PrivateKey => {
                "holds a private key: it is no longer secret, and a trust document holds public keys only"
            }
            Self::NotOneKey => "is not exactly one `PUBLIC KEY` block",
            Self::NotPem => "is not a well-formed PEM block",
            Self::NotEd25519 => "is not an Ed25519 key",
        })
    }
}

/// Reads the key. Lines before and after the block are allowed, as long as no other block starts in them.
pub(crate) fn ed25519_public_key(pem: &str) -> Result<[u8; 32], PemFault> {
    const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
    const END: &str = "-----END PUBLIC KEY-----";
    if pem.contains("PRIVATE KEY") {
        return Err(PemFault::PrivateKey);
    }
    if pem.matches("-----BEGIN").count() != 1 || pem.matches("-----END").count() != 1 {
        return Err(PemFault::NotOneKey);
    }
    let (before, rest) = pem.split_once(BEGIN).ok_or(PemFault::NotOneKey)?;
    let (body, after) = rest.split_once(END).ok_or(PemFault::NotOneKey)?;
    let starts_line = before.is_empty() || before.ends_with(['\n', '\r']);
    let ends_line = after.trim_start_matches([' ', '\t']);
    if !starts_line || !(ends_line.is_empty() || ends_line.starts_with(['\n', '\r'])) {
        return Err(PemFault::NotPem);
    }
    let encoded: String = body.chars().filter(|char| !matches!(char, ' ' | '\t' | '\n' | '\r')).collect();
    let der = STANDARD.decode(encoded).map_err(|_| PemFault::NotPem)?;
    let key = der.strip_prefix(&SPKI_PREFIX).ok_or(PemFault::NotEd25519)?;
    key.try_into().map_err(|_| PemFault::NotEd25519)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAs9fnEWn8PhyTr3ffjq4MSkE1/tERZY42uLNV7eUB248=\n-----END PUBLIC KEY-----\n";

    #[test]
    fn reads_one_public_key_with_text_around_it_and_any_line_ends() {
        let key = ed25519_public_key(KEY).unwrap();
        assert_eq!(key[..2], [0xb3, 0xd7]);
        for same in [KEY.replace('\n', "\r\n"), KEY.trim_end().to_owned(), format!("a key of ours\n{KEY}and so on")] {
            assert_eq!(ed25519_public_key(&same), Ok(key), "{same}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for (pem, fault) in [
            (String::new(), PemFault::NotOneKey),
            (KEY.repeat(2), PemFault::NotOneKey),
            (KEY.replace("PUBLIC", "PRIVATE"), PemFault::PrivateKey),
            (format!("{KEY}-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"), PemFault::PrivateKey),
            (KEY.replace("PUBLIC KEY", "ENCRYPTED PRIVATE KEY"), PemFault::PrivateKey),
            (KEY.replace("PUBLIC KEY", "CERTIFICATE"), PemFault::NotOneKey),
            (KEY.replace("PUBLIC KEY", "RSA PUBLIC KEY"), PemFault::NotOneKey),
            (KEY.replace("MCowBQYDK2Vw", "MCowBQYDK2Vu"), PemFault::NotEd25519),
            (KEY.replace("B248=", "B24="), PemFault::NotPem),
            (KEY.replace("B248=", "B249="), PemFault::NotPem),
            (KEY.replace("MCow", "MC*w"), PemFault::NotPem),
            (KEY.replace("\nMCow", "\nProc-Type: 4\n\nMCow"), PemFault::NotPem),
            (format!("x{KEY}"), PemFault::NotPem),
            (KEY.replace("-----END", "-----FIN"), PemFault::NotOneKey),
            ("MCowBQYDK2VwAyEAs9fnEWn8PhyTr3ffjq4MSkE1/tERZY42uLNV7eUB248=".to_owned(), PemFault::NotOneKey),
        ] {
            assert_eq!(ed25519_public_key(&pem), Err(fault), "{pem}");
        }
    }
}
