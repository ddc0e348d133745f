//! The variables of a check.

use super::Author;
use crate::{
    EnvClass, EnvName, Environment,
    faults::{Fault, Faults, Span},
    invalid::quoted,
    yaml::{self, Entries, Node},
};

pub(super) fn read(node: &Node, author: Author, faults: &mut Faults) -> Option<Environment> {
    let mut entries = Entries::of(node, "`env`", faults)?;
    let (allow, set) = (entries.get("allow"), entries.get("set"));
    entries.close(faults);

    let mut env = Environment::default();
    for (name, span) in allow.map(|node| names(node, "allow", faults)).unwrap_or_default() {
        if may_name(&name, span, author, faults) {
            env.allow.insert(name);
        }
    }
    for (name, span, value) in set.map(|node| yaml::each(node, "set", faults)).unwrap_or_default() {
        let name = match EnvName::new(name) {
            Ok(name) => name,
            Err(error) => {
                faults.add(Fault::from(error).at(span, "name"));
                continue;
            }
        };
        let allowed = may_name(&name, span, author, faults);
        let Some(text) = yaml::text_of(value, name.as_str(), faults) else { continue };
        if text.contains('\0') {
            faults.add(
                Fault::new("a value holds a NUL character", "remove it; no program can be given one")
                    .at(value.span, "here"),
            );
        } else if env.allow.contains(&name) {
            let fault = Fault::new(format!("{} is both allowed and set", quoted(name.as_str())), "keep one of the two");
            faults.add(fault.at(span, "set here"));
        } else if allowed {
            env.set.insert(name, text.to_owned());
        }
    }
    Some(env)
}

/// A list of variable names, each once.
pub(crate) fn names(node: &Node, what: &str, faults: &mut Faults) -> Vec<(EnvName, Span)> {
    yaml::unique(node, what, faults, |text| EnvName::new(text))
}

fn may_name(name: &EnvName, span: Span, author: Author, faults: &mut Faults) -> bool {
    let why = match name.class() {
        EnvClass::Injection => "loads code into programs",
        EnvClass::Agent => "reaches an agent that holds keys",
        EnvClass::Credential | EnvClass::Plain => return true,
    };
    if author == Author::Operator {
        return true;
    }
    let fault = Fault::new(
        format!("{} {why}; a repository may not name it", quoted(name.as_str())),
        "only operator policy may: name it in `verification.environment.allow` of policy.yaml",
    );
    faults.add(fault.at(span, "refused"));
    false
}
