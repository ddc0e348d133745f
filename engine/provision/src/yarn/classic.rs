//! Reading the `yarn.lock` of Yarn 1, which is no YAML.

use std::collections::BTreeMap;

use runmill_model::RepoPath;
use serde_json::Value;

use super::{
    Manifests, fault,
    lockfile::{Edge, Lockfile, Package, Workspace},
};
use crate::{
    Fault, FaultKind,
    node::{Platforms, asked},
};

/// Reads one, with the manifests it speaks for.
pub(super) fn read(path: &RepoPath, text: &str, manifests: &Manifests) -> Result<Lockfile, Fault> {
    let invalid = |line: &str| {
        let message = format!("`{path}` cannot be used: it has a line `{line}`");
        fault(FaultKind::InvalidLock, message, "run `yarn install` and commit the lockfile")
    };
    let (mut packages, mut chosen) = (BTreeMap::new(), BTreeMap::new());
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).peekable();
    while let Some(line) = lines.next() {
        let descriptors =
            line.strip_suffix(':').map(words).filter(|_| !line.starts_with(' ')).ok_or_else(|| invalid(line))?;
        let first = descriptors.first().cloned().ok_or_else(|| invalid(line))?;
        let mut package = Package { name: real_name(&first).to_owned(), ..Package::default() };
        let mut section = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            let words = words(line.trim_end_matches(':'));
            let deep = line.starts_with("    ");
            match words.as_slice() {
                [name] if !deep => name.clone_into(&mut section),
                [key, value] if !deep => {
                    section.clear();
                    match key.as_str() {
                        "version" => value.clone_into(&mut package.version),
                        "resolved" => value.clone_into(&mut package.source),
                        "integrity" => package.digest = Some(value.clone()),
                        _ => {}
                    }
                }
                [name, range] if section == "dependencies" || section == "optionalDependencies" => {
                    let optional = section == "optionalDependencies";
                    package.needs.push(Edge { name: name.clone(), range: range.clone(), optional });
                }
                _ => return Err(invalid(line)),
            }
        }
        // Older registries have the digest after the address only.
        let of_address = package.source.rsplit_once('#').map(|(_, digest)| digest.to_owned());
        package.digest = package.digest.or(of_address);
        chosen.extend(descriptors.into_iter().map(|descriptor| (descriptor, first.clone())));
        packages.insert(first, package);
    }
    let replaced = Lockfile::replaced(manifests, &chosen);
    let workspaces = manifests.all.iter().map(|(folder, manifest)| (folder.clone(), workspace(manifest))).collect();
    Lockfile { path: path.clone(), packages, chosen, replaced, workspaces }.checked()
}

fn workspace(manifest: &Value) -> Workspace {
    let mut needs = Vec::new();
    for (member, optional) in [("dependencies", false), ("devDependencies", false), ("optionalDependencies", true)] {
        let all = asked(manifest, member).into_iter();
        let all = all.filter_map(|(name, range)| {
            Some(Edge { name: name.to_owned(), range: range.as_str()?.to_owned(), optional })
        });
        needs.extend(all);
    }
    let name = manifest.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    Workspace { name, needs }
}

/// The name a package has of itself: `b` of `a@npm:b@^1.0.0`.
fn real_name(descriptor: &str) -> &str {
    let aliased = descriptor.split_once("@npm:").map(|(_, real)| real);
    let whole = aliased.unwrap_or(descriptor);
    let end = whole.char_indices().skip(1).find(|(_, it)| *it == '@').map_or(whole.len(), |(at, _)| at);
    whole.get(..end).unwrap_or(whole)
}

/// The words of a line, with their quotes taken off.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' | ',' if !quoted => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            other => word.push(other),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Nothing is said of platforms: each package says it of itself.
pub(super) fn platforms(manifest: &Value) -> Platforms {
    let list = |name: &str| {
        let list = manifest.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Platforms::new(list("os"), list("cpu"), list("libc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_into_words() {
        assert_eq!(words(r#""@s/a@^1, b@1 || 2", c@^3"#), ["@s/a@^1, b@1 || 2", "c@^3"]);
        assert_eq!(words(r#"  version "1.0.0""#), ["version", "1.0.0"]);
        assert_eq!((real_name("a@npm:@s/b@^1"), real_name("@s/a@^1")), ("@s/b", "@s/a"));
    }
}
