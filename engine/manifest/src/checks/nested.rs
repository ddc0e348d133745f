//! Manifests of folders inside a repository, and the one manifest that they make together.
//!
//! What a nested manifest says is about its folder: `cwd`, `report.path`, `scratch` and path patterns start there, and its
//! ids have the folder in front, with `:` for `/`: `unit` of `packages/api` is `packages:api:unit`.

use std::collections::BTreeSet;

use runmill_model::{CheckId, Code, Problem, Problems, RepoPath};

use super::{Check, ChecksManifest, MAX_CHECKS, PathRule};
use crate::{InvalidValue, PathPattern};

impl ChecksManifest {
    /// The same manifest as that of a folder of the repository; of the root it stays as it is.
    ///
    /// # Errors
    /// RM-VERIFY-004: the folder cannot stand in an id, or a path or pattern grows too long.
    pub fn inside(self, folder: &RepoPath) -> Result<Self, Problems> {
        if folder.is_root() {
            return Ok(self);
        }
        let own: BTreeSet<CheckId> = self.checks.iter().map(|check| check.id().clone()).collect();
        let mut problems = Vec::new();
        let mut keep = |problem: InvalidValue| {
            let (message, help) = problem.into_parts();
            problems.push(Problem::new(Code::Verify004, format!("in `{folder}`: {message}"), help));
        };
        let checks = self.checks.into_iter().filter_map(|check| moved(check, folder).map_err(&mut keep).ok()).collect();
        let paths = self.paths.iter().filter_map(|rule| rebased(rule, folder, &own).map_err(&mut keep).ok()).collect();
        Problems::from_list(problems).map_or(Ok(Self { checks, paths }), Err)
    }

    /// One manifest that holds what all of them hold, in their order.
    ///
    /// # Errors
    /// RM-VERIFY-004: two checks have one id, or there are more than [`MAX_CHECKS`].
    pub fn union(manifests: impl IntoIterator<Item = Self>) -> Result<Self, Problems> {
        let mut all = Self::default();
        for manifest in manifests {
            all.checks.extend(manifest.checks);
            all.paths.extend(manifest.paths);
        }
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<&CheckId> = all.checks.iter().map(Check::id).filter(|id| !seen.insert(*id)).collect();
        let mut problems: Vec<_> = twice
            .into_iter()
            .map(|id| {
                let message = format!("two manifests of this repository both define `{id}`");
                Problem::new(Code::Verify004, message, "give one of the two checks another id")
            })
            .collect();
        if all.checks.len() > MAX_CHECKS {
            let message = format!("the manifests hold {} checks, more than {MAX_CHECKS}", all.checks.len());
            problems.push(Problem::new(Code::Verify004, message, "merge some of them"));
        }
        Problems::from_list(problems).map_or(Ok(all), Err)
    }
}

fn moved(check: Check, folder: &RepoPath) -> Result<Check, InvalidValue> {
    let mut parts = check.into_parts();
    parts.id = prefixed(&parts.id, folder)?;
    parts.cwd = below(folder, &parts.cwd)?;
    parts.report = parts.report.map(|report| below(folder, report.path()).map(|path| report.at(path))).transpose()?;
    parts.scratch = parts.scratch.iter().map(|path| below(folder, path)).collect::<Result<_, _>>()?;
    parts.folder = folder.clone();
    Check::new(parts)
}

/// A rule of a nested manifest: its patterns are about its folder, its ids are its own where it has such a check.
fn rebased(rule: &PathRule, folder: &RepoPath, own: &BTreeSet<CheckId>) -> Result<PathRule, InvalidValue> {
    let patterns = rule.patterns().iter().map(|pattern| pattern.below(folder)).collect::<Result<_, _>>()?;
    let require = rule.require().iter();
    let require = require.map(|id| if own.contains(id) { prefixed(id, folder) } else { Ok(id.clone()) });
    Ok(PathRule::of(patterns, require.collect::<Result<_, _>>()?))
}

fn prefixed(id: &CheckId, folder: &RepoPath) -> Result<CheckId, InvalidValue> {
    CheckId::new(format!("{}:{id}", folder.as_str().replace('/', ":"))).map_err(|_| {
        InvalidValue::new(
            format!("the folder cannot stand in front of the id `{id}`"),
            "check ids hold letters, digits and `. _ : -`: define the check in a folder above, with `cwd`",
        )
    })
}

fn below(folder: &RepoPath, path: &RepoPath) -> Result<RepoPath, InvalidValue> {
    if path.is_root() {
        return Ok(folder.clone());
    }
    super::path::entry(&format!("{folder}/{path}"))
}

impl PathPattern {
    /// The pattern of a nested manifest as one of the whole repository.
    fn below(&self, folder: &RepoPath) -> Result<Self, InvalidValue> {
        let text = self.as_str();
        let anchored = text.trim_end_matches('/').contains('/');
        let depth = if anchored { "" } else { "**/" };
        Self::new(format!("/{}/{depth}{}", escaped(folder.as_str()), text.trim_start_matches('/')))
    }
}

/// A path as a glob that matches it alone.
fn escaped(path: &str) -> String {
    let special = |letter: &char| "\\*?[]{}!# ".contains(*letter);
    path.chars().fold(String::new(), |mut text, letter| {
        if special(&letter) {
            text.push('\\');
        }
        text.push(letter);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    fn nested(folder: &str, text: &str) -> Result<ChecksManifest, Problems> {
        checks::parse("checks.yaml", text).unwrap().inside(&RepoPath::new(folder).unwrap())
    }

    #[test]
    fn is_about_its_folder() {
        let text = "checks:\n  - { id: unit, run: t, report: { path: out/u.xml, format: junit }, scratch: [target] }\n  \
                    - { id: lint, run: l, cwd: src }\npaths:\n  - { match: [\"*.sql\", /a.md, src/x], require: [lint, all] }\n";
        let manifest = nested("packages/a b", text);
        assert!(manifest.unwrap_err().to_string().contains("in `packages/a b`: the folder cannot stand in front"));
        let manifest = nested("packages/api", text).unwrap();
        let [unit, lint] = manifest.checks() else { panic!("two checks") };
        assert_eq!((unit.id().as_str(), unit.cwd().as_str()), ("packages:api:unit", "packages/api"));
        assert_eq!(unit.report().unwrap().path().as_str(), "packages/api/out/u.xml");
        assert_eq!(unit.scratch()[0].as_str(), "packages/api/target");
        assert_eq!((lint.cwd().as_str(), lint.folder().as_str()), ("packages/api/src", "packages/api"));
        let rule = &manifest.paths()[0];
        let ids: Vec<_> = rule.require().iter().map(CheckId::as_str).collect();
        assert_eq!(ids, ["packages:api:lint", "all"]);
        let matches = |path: &str| rule.matching(&RepoPath::new(path).unwrap()).is_some();
        assert!(matches("packages/api/x.sql") && matches("packages/api/deep/x.sql") && matches("packages/api/a.md"));
        assert!(matches("packages/api/src/x") && !matches("x.sql") && !matches("packages/api/deep/a.md"));
        assert!(!matches("packages/apix/x.sql"));
    }

    #[test]
    fn a_folder_is_taken_by_its_letters_in_patterns() {
        let text = "checks: []\npaths:\n  - { match: [a], require: [all] }\n";
        let manifest = nested("odd[1]*", text).unwrap();
        let matches = |path: &str| manifest.paths()[0].matching(&RepoPath::new(path).unwrap()).is_some();
        assert!(matches("odd[1]*/a") && matches("odd[1]*/b/a") && !matches("odd1x/a"));
    }

    #[test]
    fn the_root_stays_as_it_is_and_definitions_follow_the_folder() {
        let text = "checks:\n  - { id: unit, run: t }\n";
        let root = nested(".", text).unwrap();
        assert_eq!(root, checks::parse("checks.yaml", text).unwrap());
        let digest = |folder| nested(folder, text).unwrap().checks()[0].definition_digest();
        assert_ne!(digest("a"), digest("b"));
    }

    #[test]
    fn one_id_is_one_check() {
        let root = nested(".", "checks:\n  - { id: \"a:unit\", run: t }\n").unwrap();
        let a = nested("a", "checks:\n  - { id: unit, run: t }\n").unwrap();
        let b = nested("b", "checks:\n  - { id: unit, run: t }\n").unwrap();
        assert_eq!(ChecksManifest::union([a.clone(), b]).unwrap().checks().len(), 2);
        let said = ChecksManifest::union([root, a]).unwrap_err().to_string();
        assert!(said.contains("both define `a:unit`"), "{said}");
    }
}
