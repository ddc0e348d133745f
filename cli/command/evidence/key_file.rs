//! Files with signing keys: made once, read by their owner only, wiped from memory afterwards.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_evidence::{KeyError, SigningKey, run::KeyEntry};
use runmill_model::{Code, Problem};
use serde_json::Value;
use zeroize::Zeroizing;

/// The most bytes a file with a key may have.
const LIMIT: u64 = 64 * 1024;

/// A key and the name that its signatures give.
pub struct NamedKey {
    pub id: String,
    pub key: SigningKey,
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    Owner,
    Everybody,
}

/// Makes a file where there is none.
pub fn create(path: &Utf8Path, text: &str, readers: Readers) -> Result<(), Problem> {
    let mode = if readers == Readers::Owner { 0o600 } else { 0o644 };
    let mut options = fs::OpenOptions::new();
    let made = options.write(true).create_new(true).mode(mode).open(path);
    made.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all())).map_err(|error| {
        let help = "name a new file in a directory that may be written; a key is never written over";
        Problem::new(Code::Evidence003, format!("cannot make the key `{path}`: {error}"), help)
    })
}

/// Where the public half of a key is kept: `KEY.pub.json` beside `KEY.pem`.
pub fn public_path(key: &Utf8Path) -> Utf8PathBuf {
    let stem = key.as_str().strip_suffix(".pem").unwrap_or(key.as_str());
    Utf8PathBuf::from(format!("{stem}.pub.json"))
}

/// Reads a key that nobody else can read. Its name is that of the entry beside it, where that is of the same key.
pub fn read(path: &Utf8Path) -> Result<NamedKey, Problem> {
    let key = SigningKey::from_pem(&text(path)?).map_err(|error| error.problem(path.as_str()))?;
    let public = key.public_pem().map_err(|error| error.problem(path.as_str()))?;
    let entry: Option<Value> = fs::read(public_path(path)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let named = entry.filter(|entry| entry.get("public_key_pem").and_then(Value::as_str) == Some(&public));
    let id = named.and_then(|entry| entry.get("key_id")?.as_str().map(str::to_owned));
    Ok(NamedKey { id: id.unwrap_or_else(|| key.default_id()), key })
}

fn text(path: &Utf8Path) -> Result<Zeroizing<String>, Problem> {
    let unusable = |what: String, help: String| Problem::new(Code::Evidence003, what, help);
    let failed = |error: io::Error| {
        let help = "name the file that `runmill evidence keygen` wrote";
        unusable(format!("cannot read the signing key `{path}`: {error}"), help.to_owned())
    };
    let file = fs::File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() || found.len() > LIMIT {
        return Err(KeyError::NotOneKey.problem(path.as_str()));
    }
    if found.mode() & 0o077 != 0 {
        let message = format!("the signing key `{path}` can be read by others than its owner");
        return Err(unusable(message, format!("`chmod 600 {path}`, or make a new key if others may have read it")));
    }
    // Room for all of it, so that no part is left behind when it grows.
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(LIMIT).unwrap_or_default()));
    file.take(LIMIT).read_to_end(&mut bytes).map_err(failed)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| KeyError::NotOneKey.problem(path.as_str()))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The entry of a key in trust documents.
pub fn entry(named: &NamedKey, from: jiff::Timestamp, until: Option<jiff::Timestamp>) -> Result<KeyEntry, Problem> {
    Ok(KeyEntry {
        key_id: named.id.clone(),
        public_key_pem: named.key.public_pem().map_err(|error| error.problem("KEY.pem"))?,
        valid_from: from.to_string(),
        valid_until: until.map(|until| until.to_string()),
        revoked_at: None,
    })
}
