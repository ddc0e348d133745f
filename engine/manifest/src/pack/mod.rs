//! `pack.kdl`: what a rule pack is called, what it needs, and its parameters.

mod node;
mod param;
mod parse;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use runmill_model::{Code, PackName, Problems};

pub use param::{Param, ParamName, ParamType, ParamValue};

use crate::{InvalidValue, Version, faults::Faults, invalid::quoted, kdl_text, yaml::suggestion};

/// The largest pack manifest, in KiB.
const MAX_KIB: usize = 32;

/// A valid pack manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct PackManifest {
    name: PackName,
    version: Version,
    engine: Version,
    facts: u32,
    description: Option<String>,
    params: Vec<Param>,
}

impl PackManifest {
    /// Its name.
    pub fn name(&self) -> &PackName {
        &self.name
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The lowest engine version that may run it.
    pub fn engine(&self) -> Version {
        self.engine
    }

    /// The fact-schema version its rules read, from 1.
    pub fn facts(&self) -> u32 {
        self.facts
    }

    /// What it asks for, for people.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Its parameters in the order of the file; names are unique.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The parameter with this name.
    pub fn param(&self, name: &ParamName) -> Option<&Param> {
        self.params.iter().find(|param| param.name() == name)
    }

    /// The value of every parameter: the given one, else its default.
    ///
    /// # Errors
    /// All that is wrong with the given values, each with the parameter it is about: it is unknown, its value is of
    /// another type, or one without a default is missing.
    pub fn resolve<'g>(
        &self,
        given: impl IntoIterator<Item = (&'g ParamName, &'g ParamValue)>,
    ) -> Result<BTreeMap<ParamName, ParamValue>, Vec<(ParamName, InvalidValue)>> {
        let mut values: BTreeMap<_, _> =
            self.params.iter().filter_map(|param| Some((param.name().clone(), param.default()?.clone()))).collect();
        let mut faults = Vec::new();
        for (name, value) in given {
            let fitted = self.param(name).ok_or_else(|| self.unknown(name)).and_then(|param| param.fit(value));
            match fitted {
                Ok(value) => drop(values.insert(name.clone(), value)),
                Err(fault) => faults.push((name.clone(), fault)),
            }
        }
        let refused: Vec<_> = faults.iter().map(|(name, _)| name.clone()).collect();
        for param in
            self.params.iter().filter(|param| !values.contains_key(param.name()) && !refused.contains(param.name()))
        {
            let message =
                format!("the parameter {} of {} has no default and no value", quoted(param.name().as_str()), self.name);
            faults.push((
                param.name().clone(),
                InvalidValue::new(message, "give it under `params` of the pack in policy.yaml"),
            ));
        }
        if faults.is_empty() { Ok(values) } else { Err(faults) }
    }

    fn unknown(&self, name: &ParamName) -> InvalidValue {
        let known: Vec<_> = self.params.iter().map(|param| param.name().as_str()).collect();
        let help = suggestion(name.as_str(), &known).unwrap_or_else(|| match known.as_slice() {
            [] => "remove it; the pack has no parameters".to_owned(),
            known => format!("the pack has {}", crate::yaml::enumeration(known)),
        });
        InvalidValue::new(format!("{} has no parameter {}", self.name, quoted(name.as_str())), help)
    }
}

/// Reads a pack manifest. `name` is what a person knows the file by, such as `packs/team/pack.kdl`.
///
/// ```
/// let text = "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n}\n";
/// assert_eq!(runmill_manifest::pack::parse("pack.kdl", text).unwrap().name().as_str(), "team");
/// ```
///
/// A parameter is `param NAME type=TYPE` with `default`, `doc` and, for a choice, `choices`, each as a property with one
/// value, or as a child with one value or more: `param "mode" type="choice" { choices "all" "regressions"; }`. Types are
/// `bool`, `int`, `text`, `globs` (path patterns), `list` (texts) and `choice`. As a property, `choices` are separated by
/// spaces.
/// A parameter without a default must be given by the operator.
///
/// # Errors
/// Every problem of the text, in its order, each RM-POLICY-001 with a place in it.
pub fn parse(name: &str, text: &str) -> Result<PackManifest, Problems> {
    let mut faults = Faults::new(name, text, Code::Policy001);
    let manifest =
        kdl_text::document(text, MAX_KIB, &mut faults).and_then(|document| parse::manifest(&document, &mut faults));
    faults.finish(manifest)
}
