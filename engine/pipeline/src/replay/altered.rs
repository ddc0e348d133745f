//! The same run under another pack, or under another policy.

use camino::Utf8Path;
use runmill_host::clock::Clock;
use runmill_manifest::{OperatorPolicy, policy};
use runmill_model::{Problem, Problems, Value};
use runmill_policy::{Pack, PackSource};
use runmill_rules::Settings;
use serde_json::{Value as Json, json};

use super::{Replay, internal};
use crate::{PackFolder, PolicyFile, document, judge, manifests, packs};

impl Replay {
    /// The run under another pack: in the place of the recorded pack of that name, with the levels that the operator gave
    /// its rules, or added to the others.
    ///
    /// # Errors
    /// Every problem of the pack.
    pub fn with_pack(mut self, folder: &PackFolder) -> Result<Self, Problems> {
        let mut source = runmill_rules::assemble(folder.name(), folder.files(), &Settings::default())?;
        let registry = runmill_stdlib::registry();
        let place = self.packs.iter().position(|pack| *pack.name() == source.name);
        if let Some(recorded) = place.and_then(|place| self.packs.get(place)) {
            let rules = Pack::load(source.clone(), &registry)?;
            let known = |id: &runmill_model::RuleId| rules.rules().iter().any(|rule| rule.head.rule == *id);
            let levels = recorded.source().levels.iter().filter(|(id, _)| known(id));
            source.levels = levels.map(|(id, level)| (id.clone(), *level)).collect();
            for (name, value) in changed_params(recorded.source()) {
                if let Some(param) = source.params.get_mut(&name) {
                    *param = value;
                }
            }
        }
        let pack = Pack::load(source, &registry)?;
        match place.and_then(|place| self.packs.get_mut(place)) {
            Some(slot) => *slot = pack,
            None => self.packs.push(pack),
        }
        Ok(self)
    }

    /// The run under another policy: its autonomy, `fail_on_*`, waivers (as they stood at `clock`), and the levels and
    /// parameters it gives to packs. What it configures beside that was a fact of the run and stays as it was.
    ///
    /// # Errors
    /// RM-CONFIG-001 to 003, and every problem of its packs.
    pub fn with_policy(mut self, file: &PolicyFile, clock: Clock) -> Result<Self, Problems> {
        let policy = manifests::operator_policy(Some(file))?;
        packs::refuse_changed_params(&policy)?;
        self.set_facts(&policy, clock)?;
        let load = packs::Load::new(&policy).trusting(Some(file), Clock::System);
        let base = Utf8Path::new(&file.name).parent().unwrap_or(Utf8Path::new("."));
        let mut given = Vec::new();
        for used in policy.verification().packs() {
            given.push((used, load.used(used, base)?));
        }
        let mut packs = Vec::new();
        for recorded in &self.packs {
            let settings = given.iter().position(|(_, pack)| pack.name() == recorded.name());
            let source = match settings.map(|place| given.remove(place)) {
                Some((used, pack)) => under(recorded.source(), used, pack.source()),
                None => as_it_comes(recorded.source()),
            };
            packs.push(load.pack(source)?);
        }
        packs.extend(given.into_iter().map(|(_, pack)| pack));
        self.packs = packs;
        self.policy = policy.source_digest();
        self.relaxations = document::relaxations(&policy);
        Ok(self)
    }

    fn set_facts(&mut self, policy: &OperatorPolicy, clock: Clock) -> Result<(), Problem> {
        let json = |value: serde_json::Result<Json>| value.map_err(|error| internal(&error.to_string()));
        let fact = json(serde_json::to_value(judge::policy_fact(policy)))?;
        let waivers = json(serde_json::to_value(judge::waivers(policy, clock)))?;
        let all = self.facts.get_mut("facts").and_then(Json::as_object_mut);
        let all = all.ok_or_else(|| internal("the facts are no document"))?;
        all.insert("policy".to_owned(), json!([fact]));
        all.insert("waiver".to_owned(), waivers);
        for change in all.get_mut("change").and_then(Json::as_array_mut).into_iter().flatten() {
            if let Some(mode) = change.get_mut("mode") {
                *mode = json!(policy.autonomy());
            }
        }
        Ok(())
    }
}

/// The recorded rules under the settings of a policy: its levels, and its parameters where the pack has them.
fn under(recorded: &PackSource, used: &policy::PackUse, resolved: &PackSource) -> PackSource {
    let mut source = PackSource { levels: used.levels().clone(), ..recorded.clone() };
    for (name, value) in &mut source.params {
        if let Some(given) = resolved.params.get(name) {
            *value = given.clone();
        }
    }
    source
}

/// The recorded rules under no settings: no levels, and a built-in pack's own parameters.
fn as_it_comes(recorded: &PackSource) -> PackSource {
    let mut source = PackSource { levels: Default::default(), ..recorded.clone() };
    if let Ok(default) = runmill_rules::builtin(recorded.name.as_str(), &Settings::default()) {
        for (name, value) in &mut source.params {
            if let Some(own) = default.params.get(name) {
                *value = own.clone();
            }
        }
    }
    source
}

/// Parameters of a recorded pack that are not what a built-in pack of its name has by default.
fn changed_params(recorded: &PackSource) -> Vec<(String, Value)> {
    let default = runmill_rules::builtin(recorded.name.as_str(), &Settings::default());
    let defaults = default.map(|source| source.params).unwrap_or_default();
    let changed = recorded.params.iter().filter(|(name, value)| defaults.get(*name) != Some(value));
    changed.map(|(name, value)| (name.clone(), value.clone())).collect()
}
