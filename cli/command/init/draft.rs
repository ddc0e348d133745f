//! A check as `init` would write it, before it has a name.

use super::tree::join;

/// A check that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it is, such as `unit`; its id, where nothing else is called so.
    pub name: &'static str,
    /// What tells it from another of the same name, such as `node`.
    pub kind: &'static str,
    /// The directory it runs in; empty for the root.
    pub dir: String,
    /// What it was found by, in a few words.
    pub found: String,
    /// The command. [`REPORT`] stands for the report, from `dir`.
    pub words: Vec<String>,
    /// Variables to set.
    pub env: Vec<(&'static str, String)>,
    /// The report it writes.
    pub report: Option<Report>,
    /// Directories it writes into, from `dir`.
    pub scratch: Vec<String>,
    /// Whose dependencies it needs.
    pub dependencies: Vec<&'static str>,
    /// A file that it needs beside the manifest.
    pub companion: Option<Companion>,
}

/// Where the report goes, in words of a command.
pub const REPORT: &str = "{report}";

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// As the manifest spells it.
    pub format: &'static str,
    /// What tells tests apart, where it is not the class name.
    pub identity: Option<&'static str>,
    /// Where it is.
    pub place: Place,
}

/// Where a report is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Wherever the command is told.
    Told,
    /// Where the project has it, from the draft's directory.
    Given(String),
}

/// A file beside the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// From the root.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Draft {
    /// A check that runs these words in a directory.
    pub fn new<'w>(
        name: &'static str,
        kind: &'static str,
        dir: &str,
        words: impl IntoIterator<Item = &'w str>,
    ) -> Self {
        Self {
            name,
            kind,
            dir: dir.to_owned(),
            found: String::new(),
            words: words.into_iter().map(str::to_owned).collect(),
            env: Vec::new(),
            report: None,
            scratch: Vec::new(),
            dependencies: Vec::new(),
            companion: None,
        }
    }

    /// Says what it was found by.
    #[must_use]
    pub fn found(mut self, by: impl Into<String>) -> Self {
        self.found = by.into();
        self
    }

    /// Adds words.
    #[must_use]
    pub fn with<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Self {
        self.words.extend(words.into_iter().map(str::to_owned));
        self
    }

    /// Writes a report wherever the command is told.
    #[must_use]
    pub fn reports(mut self, format: &'static str) -> Self {
        self.report = Some(Report { format, identity: None, place: Place::Told });
        self
    }

    /// Writes into directories, from its own.
    #[must_use]
    pub fn writes<T: Into<String>>(mut self, dirs: impl IntoIterator<Item = T>) -> Self {
        self.scratch.extend(dirs.into_iter().map(Into::into));
        self
    }

    /// Needs prepared dependencies.
    #[must_use]
    pub fn needs(mut self, ecosystem: Option<&'static str>) -> Self {
        self.dependencies.extend(ecosystem);
        self
    }
}

/// Gives every draft an id of its own: its name; with its kind where two of one directory have the same; with its
/// directory where it is not the root's.
pub fn named(drafts: Vec<Draft>) -> Vec<(String, Draft)> {
    let local: Vec<String> = drafts
        .iter()
        .map(|draft| {
            let same = |other: &&Draft| other.dir == draft.dir && other.name == draft.name;
            match drafts.iter().filter(same).count() {
                0 | 1 => draft.name.to_owned(),
                _ => format!("{}-{}", draft.kind, draft.name),
            }
        })
        .collect();
    let dirs: Vec<String> = drafts.iter().map(|draft| draft.dir.clone()).collect();
    let ids = local.iter().zip(&dirs).map(|(name, dir)| match short(dir, &dirs) {
        Some(short) => format!("{short}:{name}"),
        None => name.clone(),
    });
    ids.collect::<Vec<_>>().into_iter().zip(drafts).collect()
}

/// A directory by its last part, or by all of them where two end alike; none for the root.
fn short(dir: &str, all: &[String]) -> Option<String> {
    let last = |dir: &str| dir.rsplit('/').next().map(plain).unwrap_or_default();
    if dir.is_empty() {
        return None;
    }
    let alike = all.iter().any(|other| other != dir && last(other) == last(dir));
    Some(if alike { plain(&dir.replace('/', ".")) } else { last(dir) })
}

/// The text with what an id cannot hold replaced.
fn plain(text: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let text: String = text.chars().map(|letter| if fits(letter) { letter } else { '-' }).collect();
    text.trim_start_matches(['.', '_', '-']).to_owned()
}

/// The report of a check, from the root. `reports` is the directory of reports in the draft's directory.
pub fn report_path(draft: &Draft, id: &str, reports: &str) -> Option<String> {
    let report = draft.report.as_ref()?;
    let name = id.rsplit(':').next().unwrap_or(id);
    let extension = match report.format {
        "junit" => "xml",
        "tap" => "tap",
        _ => "json",
    };
    let below = match &report.place {
        Place::Told => format!("{reports}/{name}.{extension}"),
        Place::Given(path) => path.clone(),
    };
    Some(join(&draft.dir, &below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_unique() {
        let draft = |name, kind, dir| Draft::new(name, kind, dir, ["x"]);
        let ids: Vec<_> = named(vec![
            draft("unit", "node", ""),
            draft("unit", "cargo", ""),
            draft("lint", "node", ""),
            draft("unit", "node", "packages/api"),
            draft("unit", "node", "packages/@scope/web app"),
            draft("unit", "node", "a/core"),
            draft("unit", "node", "b/core"),
        ])
        .into_iter()
        .map(|(id, _)| id)
        .collect();
        assert_eq!(ids, ["node-unit", "cargo-unit", "lint", "api:unit", "web-app:unit", "a.core:unit", "b.core:unit"]);
        for id in ids {
            assert!(runmill_model::CheckId::new(&id).is_ok(), "{id}");
        }
    }
}
