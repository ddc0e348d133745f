//! Judging a bundle again: its facts by its packs, and the same document has to come out.

use runmill_evidence::run::{Material, PackMaterial, Rejudge, ReplayFault};
use runmill_model::{Digest, Graph, Problems, RunId, canonical};
use runmill_policy::PackSource;
use runmill_rules::Settings;
use serde_json::Value as Json;

use super::differences::differences;
use crate::{PackFolder, replay::Replay};

/// Judges bundles again. Its packs stand in for those of the same name in a bundle, and must be the same.
#[derive(Debug, Clone, Copy)]
pub struct Rejudger<'a> {
    /// Packs from elsewhere.
    pub packs: &'a [PackFolder],
}

impl Rejudge for Rejudger<'_> {
    fn rejudge(&self, material: &Material) -> Result<(), ReplayFault> {
        let facts = material.facts.as_deref().ok_or_else(|| {
            missing("the facts are not in the bundle; name the directory that holds them with `--artifacts-dir`")
        })?;
        let graph = Graph::from_json(facts).map_err(|error| missing(format!("the facts cannot be used: {error}")))?;
        let document = material.document.canonical().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let document: Json = document.ok_or_else(|| missing("the verdict document cannot be used"))?;
        let packs = material.packs.iter().map(|pack| self.source(pack)).collect::<Result<Vec<_>, _>>()?;
        let run = RunId::new(&*material.run).map_err(|error| missing(error.to_string()))?;
        let relaxations = document.get("relaxations").and_then(Json::as_array).into_iter().flatten();
        let relaxations = relaxations.filter_map(Json::as_str).map(str::to_owned).collect();
        let unusable = |problems: Problems| missing(format!("it cannot be judged by this runmill: {problems}"));
        let again = Replay::new(run, &graph, packs, relaxations).and_then(|replay| replay.judge()).map_err(unusable)?;
        let bytes = again.bytes().map_err(|problem| missing(problem.message))?;
        let again: Json = serde_json::from_slice(&bytes).map_err(|error| missing(error.to_string()))?;
        let differences = differences(&document, &again);
        if !differences.is_empty() {
            return Err(ReplayFault::Differs(differences));
        }
        if Digest::of(&bytes) != material.printed {
            return Err(differs("the verdict comes out in other bytes than the bundle says were printed"));
        }
        Ok(())
    }
}

impl Rejudger<'_> {
    fn source(&self, pack: &PackMaterial) -> Result<PackSource, ReplayFault> {
        let name = pack.name.as_str();
        let carried = pack.source.as_deref().map(serde_json::from_slice::<PackSource>).transpose();
        let carried = carried.map_err(|error| missing(format!("the pack `{name}` cannot be used: {error}")))?;
        if carried.as_ref().is_some_and(|source| source.name.as_str() != name || source.digest != pack.digest) {
            return Err(differs(format!("the pack `{name}` is another one than its entry says")));
        }
        let Some(own) = self.own(pack)? else {
            return carried.ok_or_else(|| {
                missing(format!("the pack `{name}` is not in the bundle; name it with `--pack` or `--artifacts-dir`"))
            });
        };
        let own = match carried {
            // The operator's settings are nobody else's to know.
            Some(carried) => PackSource { params: carried.params, levels: carried.levels, ..own },
            None => own,
        };
        if canonical::digest(&own).ok() == Some(pack.source_digest) {
            return Ok(own);
        }
        Err(differs(format!("the pack `{name}` in the bundle says it is `{}`, and has other rules", pack.digest)))
    }

    /// The pack as we have it: the one that was named, or the built-in one where it is the same.
    fn own(&self, pack: &PackMaterial) -> Result<Option<PackSource>, ReplayFault> {
        let settings = Settings::default();
        let unusable = |problems: Problems| missing(format!("the pack `{}` cannot be used: {problems}", pack.name));
        for folder in self.packs {
            let source = runmill_rules::assemble(folder.name(), folder.files(), &settings).map_err(unusable)?;
            if source.name.as_str() != pack.name {
                continue;
            }
            if source.digest != pack.digest {
                return Err(differs(format!(
                    "the pack `{}` in `{}` is `{}`, and `{}` judged",
                    pack.name,
                    folder.name(),
                    source.digest,
                    pack.digest
                )));
            }
            return Ok(Some(source));
        }
        let builtin = runmill_rules::builtin(&pack.name, &settings).ok();
        Ok(builtin.filter(|source| source.digest == pack.digest))
    }
}

fn missing(what: impl Into<String>) -> ReplayFault {
    ReplayFault::Missing(what.into())
}

fn differs(what: impl Into<String>) -> ReplayFault {
    ReplayFault::Differs(vec![what.into()])
}
