//! A signing key: Ed25519 in PKCS#8 PEM (RFC 8410). It is wiped from memory when it goes, and nothing shows it.

use std::fmt;

use ed25519_dalek::{
    Signer as _,
    pkcs8::{
        DecodePrivateKey as _, EncodePrivateKey as _, EncodePublicKey as _, KeypairBytes, spki::der::pem::LineEnding,
    },
};
use runmill_model::{Code, Digest, Problem};
use zeroize::Zeroizing;

/// A key that signs.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// Why a text is no signing key. What it holds is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is locked with a passphrase.
    #[error("it is encrypted")]
    Encrypted,
    /// There is no PKCS#8 key in it.
    #[error("it is not exactly one `PRIVATE KEY` block")]
    NotOneKey,
    /// It is a key of another kind, or damaged.
    #[error("it is not an Ed25519 key in PKCS#8")]
    NotEd25519,
    /// It cannot be written.
    #[error("it cannot be written as PEM")]
    Unwritable,
}

impl KeyError {
    /// The problem, with the file that it is about.
    pub fn problem(self, file: &str) -> Problem {
        let help = "`runmill evidence keygen --out KEY.pem` makes a key that can be used";
        Problem::new(Code::Evidence003, format!("the signing key `{file}` cannot be used: {self}"), help)
    }
}

impl SigningKey {
    /// The key that 32 random bytes make.
    pub fn from_seed(seed: &Zeroizing<[u8; 32]>) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Reads a key.
    ///
    /// # Errors
    /// The text is not one Ed25519 private key.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
        if pem.contains("ENCRYPTED") {
            return Err(KeyError::Encrypted);
        }
        if pem.matches("-----BEGIN").count() != 1 {
            return Err(KeyError::NotOneKey);
        }
        let block = pem.find(BEGIN).and_then(|at| pem.get(at..)).ok_or(KeyError::NotOneKey)?;
        ed25519_dalek::SigningKey::from_pkcs8_pem(block.trim_end()).map(Self).map_err(|_| KeyError::NotEd25519)
    }

    /// The key as a file: version 1 of PKCS#8, which every library reads.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        let bytes = KeypairBytes { secret_key: self.0.to_bytes(), public_key: None };
        bytes.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Unwritable)
    }

    /// The public half in PEM.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn public_pem(&self) -> Result<String, KeyError> {
        self.0.verifying_key().to_public_key_pem(LineEnding::LF).map_err(|_| KeyError::Unwritable)
    }

    /// The name of a key that nobody named: `ed25519:` and 16 hex digits of the digest of its public half.
    pub fn default_id(&self) -> String {
        let hex = Digest::of(self.0.verifying_key().as_bytes()).hex();
        format!("ed25519:{}", hex.get(..16).unwrap_or(&hex))
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SigningKey {
        SigningKey::from_seed(&Zeroizing::new([byte; 32]))
    }

    #[test]
    fn reads_back_its_own_file_with_text_around_it() {
        let pem = key(7).to_pem().unwrap();
        for text in [pem.to_string(), format!("the key of the merge job\n{}\n\n", *pem), pem.replace('\n', "\r\n")] {
            let read = SigningKey::from_pem(&text).unwrap();
            assert_eq!(read.public_pem().unwrap(), key(7).public_pem().unwrap());
            assert_eq!(read.default_id(), key(7).default_id());
        }
    }

    #[test]
    fn refuses_what_is_no_key_and_repeats_nothing_of_it() {
        let pem = key(7).to_pem().unwrap().to_string();
        for (text, expect) in [
            (String::new(), KeyError::NotOneKey),
            (pem.repeat(2), KeyError::NotOneKey),
            (pem.replace("PRIVATE", "ENCRYPTED PRIVATE"), KeyError::Encrypted),
            (pem.replace("PRIVATE", "EC PRIVATE"), KeyError::NotOneKey),
            (pem.replace("MC4CAQAw", "MC4CAQBw"), KeyError::NotEd25519),
            (key(7).public_pem().unwrap(), KeyError::NotOneKey),
        ] {
            assert_eq!(SigningKey::from_pem(&text).unwrap_err(), expect, "{text}");
        }
    }

    #[test]
    fn shows_nothing_of_itself() {
        let pem = key(7).to_pem().unwrap().to_string();
        assert_eq!(format!("{:?}", key(7)), "SigningKey(..)");
        let secret = pem.lines().nth(1).unwrap();
        let broken = pem.replace("MC4C", "MC4D");
        let problem = SigningKey::from_pem(&broken).unwrap_err().problem("ci.pem");
        assert!(!format!("{problem:?}").contains(&secret[16..]));
    }
}
