//! One installed distribution: its metadata, and the files its `RECORD` names.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::Digest;
use serde::Deserialize;

use super::{PYTHON, lockfile::normal};
use crate::{Fault, layout::resolved};

/// An installed distribution.
#[derive(Debug)]
pub(super) struct Distribution {
    /// Its name as indexes compare it.
    pub(super) name: String,
    pub(super) version: String,
    /// Files by absolute path, with the digest each must have.
    pub(super) files: BTreeMap<Utf8PathBuf, Option<Digest>>,
    /// Where it came from, when it did not come from an index.
    pub(super) origin: Option<Origin>,
}

/// `direct_url.json` (PEP 610).
#[derive(Debug, Deserialize)]
pub(super) struct Origin {
    pub(super) url: String,
    pub(super) dir_info: Option<DirInfo>,
    pub(super) vcs_info: Option<VcsInfo>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DirInfo {
    #[serde(default)]
    pub(super) editable: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct VcsInfo {
    pub(super) commit_id: String,
}

/// Why a distribution cannot be used: for a mismatch, in words.
pub(super) enum Unusable {
    Fault(Fault),
    Mismatch(String),
}

impl Distribution {
    /// Reads the `*.dist-info` directory in a directory of packages.
    pub(super) fn read(info: &Utf8Path) -> Result<Self, Unusable> {
        let read = |name: &str| {
            let path = info.join(name);
            std::fs::read(&path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Unusable::Mismatch(format!("there is no `{path}`")),
                _ => Unusable::Fault(Fault::io(PYTHON, "read", &path, &error)),
            })
        };
        let metadata = String::from_utf8_lossy(&read("METADATA")?).into_owned();
        let header = |name: &str| {
            let headers = metadata.lines().take_while(|line| !line.is_empty());
            let mut values = headers.filter_map(|line| line.split_once(':')).filter(|(key, _)| *key == name);
            values.next().map(|(_, value)| value.trim().to_owned())
        };
        let (Some(name), Some(version)) = (header("Name"), header("Version")) else {
            return Err(Unusable::Mismatch(format!("`{info}/METADATA` has no name and version")));
        };
        let origin = std::fs::read(info.join("direct_url.json")).ok();
        let origin = origin.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        let origin = origin.map_err(|_| Unusable::Mismatch(format!("`{info}/direct_url.json` cannot be read")))?;
        let record = String::from_utf8_lossy(&read("RECORD")?).into_owned();
        let files = files(info, &record).map_err(Unusable::Mismatch)?;
        Ok(Self { name: normal(&name), version, files, origin })
    }

    /// Whether it is an installation of a directory that leaves the code where it is.
    pub(super) fn is_editable(&self) -> bool {
        self.origin.as_ref().and_then(|origin| origin.dir_info.as_ref()).is_some_and(|info| info.editable)
    }
}

/// The files of a `RECORD`. Only the record itself, signatures of it and byte code may be without a digest.
fn files(info: &Utf8Path, record: &str) -> Result<BTreeMap<Utf8PathBuf, Option<Digest>>, String> {
    let packages = info.parent().unwrap_or(info);
    let mut files = BTreeMap::new();
    for line in record.lines().filter(|line| !line.is_empty()) {
        let fields = fields(line);
        let [path, hash, ..] = fields.as_slice() else { return Err(format!("`{info}/RECORD` has a line `{line}`")) };
        let at = resolved(&packages.join("x"), Utf8Path::new(path))
            .ok_or_else(|| format!("`{info}/RECORD` names `{path}`, which is no relative path"))?;
        if path.ends_with(".pyc") {
            continue;
        }
        let digest = match hash.split_once('=') {
            Some(("sha256", text)) => {
                let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
                let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
                Some(
                    bytes
                        .map(Digest::from_bytes)
                        .ok_or_else(|| format!("`{info}/RECORD` has no digest for `{path}`"))?,
                )
            }
            Some((other, _)) => return Err(format!("`{info}/RECORD` has a digest `{other}`, which is not read")),
            None if at.parent() == Some(info) && at.file_name().is_some_and(|name| name.starts_with("RECORD")) => None,
            None => return Err(format!("`{info}/RECORD` has no digest for `{path}`")),
        };
        files.insert(at, digest);
    }
    Ok(files)
}

/// The fields of a line of comma-separated values.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                fields.iter_mut().next_back().into_iter().for_each(|field| field.push('"'));
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.iter_mut().next_back().into_iter().for_each(|field| field.push(other)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_are_read_whole() {
        assert_eq!(fields(r#"a/b.py,sha256=x,3"#), ["a/b.py", "sha256=x", "3"]);
        assert_eq!(fields("\"a,\"\"b\"\".py\",,\r"), ["a,\"b\".py", "", ""]);
    }
}
