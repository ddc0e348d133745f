//! Which packs judge, how they are set, and how much their rules count.

use std::{collections::BTreeMap, fmt, ops::Range};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Digest, PackName, RuleId, words::Level};

use super::mode::Mode;
use crate::{
    InvalidValue,
    faults::{Fault, Faults, Once, Span},
    invalid::{self, quoted},
    pack::{ParamName, ParamValue},
    yaml::{self, Entries, Node, Value},
};

/// The pack that every verdict needs.
pub(super) const CONTRACT: &str = "coverage-contract";

/// One entry of `verification.packs`.
#[derive(Debug, Clone, PartialEq)]
pub struct PackUse {
    source: PackSource,
    digest: Option<Digest>,
    signer: Option<String>,
    params: BTreeMap<ParamName, GivenParam>,
    levels: BTreeMap<RuleId, Level>,
}

impl PackUse {
    /// Where the pack is.
    pub fn source(&self) -> &PackSource {
        &self.source
    }

    /// The digest the pack must have.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// The key id that must have signed the pack.
    pub fn signer(&self) -> Option<&str> {
        self.signer.as_deref()
    }

    /// Parameters given; hold them against the pack with [`crate::PackManifest::resolve`].
    pub fn params(&self) -> &BTreeMap<ParamName, GivenParam> {
        &self.params
    }

    /// Levels that replace the pack's own.
    pub fn levels(&self) -> &BTreeMap<RuleId, Level> {
        &self.levels
    }
}

/// Where a pack is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackSource {
    /// In the program.
    Builtin(PackName),
    /// In a directory; a relative one is the operator's, beside the policy file.
    Directory(Utf8PathBuf),
}

impl fmt::Display for PackSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) => write!(f, "{name}"),
            Self::Directory(path) => write!(f, "{path}"),
        }
    }
}

/// A parameter's value and where the policy gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenParam {
    value: ParamValue,
    at: Range<usize>,
}

impl GivenParam {
    /// The value.
    pub fn value(&self) -> &ParamValue {
        &self.value
    }

    /// Bytes of the policy's text, for a problem that points there.
    pub fn place(&self) -> Range<usize> {
        self.at.clone()
    }
}

pub(super) fn read(node: &Node, mode: &Mode, faults: &mut Faults) -> Vec<PackUse> {
    let mut seen = Once::default();
    let mut packs: Vec<PackUse> = Vec::new();
    for item in yaml::list(node, "packs", faults) {
        let Some(pack) = pack(item, mode, faults) else { continue };
        seen.note(pack.source.clone(), item.span, faults, || {
            Fault::new(
                format!("the pack {} is listed twice", quoted(&pack.source.to_string())),
                "merge the two entries",
            )
        });
        packs.push(pack);
    }
    packs
}

fn pack(node: &Node, mode: &Mode, faults: &mut Faults) -> Option<PackUse> {
    let mut entries = Entries::of(node, "a pack", faults)?;
    let (builtin, path) = (entries.get("builtin"), entries.get("path"));
    let digest = entries.get("digest");
    let signer = entries.get("signer");
    let params = entries.get("params");
    let levels = entries.get("levels");
    let start = entries.start();
    entries.close(faults);

    let source = source(builtin, path, start, faults);
    let digest = digest.and_then(|node| yaml::parsed(node, "digest", faults, digest_of));
    let signer = signer.and_then(|node| yaml::parsed(node, "signer", faults, signer_of));
    let params = params.map(|node| self::params(node, faults)).unwrap_or_default();
    let of_contract = matches!(&source, Some(PackSource::Builtin(name)) if name.as_str() == CONTRACT);
    let levels = levels.map(|node| self::levels(node, of_contract.then_some(mode), faults)).unwrap_or_default();
    Some(PackUse { source: source?, digest, signer, params, levels })
}

fn source(builtin: Option<&Node>, path: Option<&Node>, start: Span, faults: &mut Faults) -> Option<PackSource> {
    match (builtin, path) {
        (Some(node), None) => yaml::parsed(node, "builtin", faults, invalid::id::<PackName>).map(PackSource::Builtin),
        (None, Some(node)) => yaml::parsed(node, "path", faults, directory).map(PackSource::Directory),
        (Some(builtin), Some(path)) => {
            let fault = Fault::new("a pack has both `builtin` and `path`", "keep one of the two");
            faults.add(fault.at(path.span, "and this").at(builtin.span, "this"));
            None
        }
        (None, None) => {
            faults.add(
                Fault::new("a pack has neither `builtin` nor `path`", "write `builtin: NAME` or `path: DIR`")
                    .at(start, "here"),
            );
            None
        }
    }
}

fn directory(text: &str) -> Result<Utf8PathBuf, InvalidValue> {
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(InvalidValue::new(
            format!("{} is not a directory's path", quoted(text)),
            "write the directory of the pack",
        ));
    }
    Ok(Utf8Path::new(text).components().collect())
}

pub(super) fn digest_of(text: &str) -> Result<Digest, InvalidValue> {
    text.parse().map_err(|_| {
        InvalidValue::new(format!("{} is not a digest", quoted(text)), "write `sha256:` and 64 lower-case hex digits")
    })
}

/// A key id: 1 to 256 of letters, digits and `. _ : -`, starting with a letter or digit.
fn signer_of(text: &str) -> Result<String, InvalidValue> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    let valid =
        text.len() <= 256 && text.bytes().all(word) && text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    if valid {
        Ok(text.to_owned())
    } else {
        Err(InvalidValue::new(format!("{} is not a key id", quoted(text)), "write the key id of a trust entry"))
    }
}

fn params(node: &Node, faults: &mut Faults) -> BTreeMap<ParamName, GivenParam> {
    let mut params = BTreeMap::new();
    for (name, span, value) in yaml::each(node, "params", faults) {
        let name = ParamName::new(name).map_err(|error| faults.add(Fault::from(error).at(span, "parameter")));
        let given = param_value(value, faults);
        if let (Ok(name), Some(given)) = (name, given) {
            params.insert(name, GivenParam { value: given, at: value.span.start..value.span.end });
        }
    }
    params
}

fn param_value(node: &Node, faults: &mut Faults) -> Option<ParamValue> {
    match &node.value {
        Value::Flag(flag) => Some(ParamValue::Bool(*flag)),
        Value::Text(text) => Some(ParamValue::Text(text.clone())),
        Value::Number(number) => {
            let whole = number.as_i64().map(ParamValue::Int);
            if whole.is_none() {
                faults.add(
                    Fault::new(
                        format!("{number} is not a whole number of 64 bits"),
                        "write a whole number, or quote a text",
                    )
                    .at(node.span, "here"),
                );
            }
            whole
        }
        Value::List(items) => {
            let texts: Vec<_> =
                items.iter().map(|item| yaml::text_of(item, "params", faults).map(str::to_owned)).collect();
            texts.into_iter().collect::<Option<Vec<_>>>().map(ParamValue::List)
        }
        Value::Broken => None,
        other => {
            let message = format!("a parameter cannot be {}", other.noun());
            faults.add(
                Fault::new(message, "write a text, a whole number, true or false, or a list of texts")
                    .at(node.span, "here"),
            );
            None
        }
    }
}

/// Levels by rule; `contract` is the mode when the pack is the coverage contract.
fn levels(node: &Node, contract: Option<&Mode>, faults: &mut Faults) -> BTreeMap<RuleId, Level> {
    let mut levels = BTreeMap::new();
    for (rule, span, value) in yaml::each(node, "levels", faults) {
        let id = invalid::id::<RuleId>(rule).map_err(|error| faults.add(Fault::from(error).at(span, "a rule's id")));
        let level = yaml::word(value, "levels", Level::ALL, Level::as_str, faults);
        if let (Some(level), Some(mode)) = (level.filter(|level| *level != Level::Block), contract) {
            let help = "leave the rules of the coverage contract as they are, or choose `autonomy: pr-only`";
            mode.forbid(&format!("{rule}: {level}"), value.span, help, faults);
        }
        if let (Ok(id), Some(level)) = (id, level) {
            levels.insert(id, level);
        }
    }
    levels
}
