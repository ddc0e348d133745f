//! Which folders of a commit are workspaces of a project, by the patterns it names them with.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use runmill_model::{Problem, RepoPath};

use crate::CommitFiles;

/// The folders of a commit that match the patterns of a project and have a manifest of this name, relative to the project and
/// sorted. A pattern that nobody can read matches nothing.
pub(crate) fn matching(
    patterns: &[String],
    manifest: &str,
    dir: &RepoPath,
    files: &dyn CommitFiles,
) -> Result<Vec<String>, Problem> {
    let (forbidden, wanted): (Vec<_>, Vec<_>) = patterns.iter().partition(|pattern| pattern.starts_with('!'));
    let wanted = set(wanted.iter().map(|pattern| pattern.as_str()));
    let forbidden = set(forbidden.iter().map(|pattern| pattern.trim_start_matches('!')));
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let suffix = format!("/{manifest}");
    let prefix = if dir.is_root() { String::new() } else { format!("{dir}/") };
    let all = files.below(dir)?;
    let folders = all.iter().filter_map(|path| path.as_str().strip_prefix(&prefix)?.strip_suffix(suffix.as_str()));
    let is_own = |folder: &&str| !folder.split('/').any(|part| part == "node_modules");
    let matching = folders.filter(is_own).filter(|folder| wanted.is_match(folder) && !forbidden.is_match(folder));
    Ok(matching.map(str::to_owned).collect())
}

fn set<'a>(patterns: impl Iterator<Item = &'a str>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    let plain = patterns.map(|pattern| pattern.trim_start_matches("./").trim_end_matches('/'));
    for glob in plain.filter_map(|pattern| GlobBuilder::new(pattern).literal_separator(true).build().ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::made_up::Commit;

    #[test]
    fn folders_with_a_manifest_that_match_are_workspaces() {
        let paths = [
            "package.json",
            "packages/a/package.json",
            "packages/a/x/package.json",
            "packages/b/README",
            "c/package.json",
        ];
        let commit = Commit::with(&paths.map(|path| (path, "{}")));
        let of = |patterns: &[&str]| {
            let patterns: Vec<_> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            matching(&patterns, "package.json", &RepoPath::root(), &commit).unwrap()
        };
        assert_eq!(of(&["packages/*"]), ["packages/a"]);
        assert_eq!(of(&["./packages/**", "!**/x"]), ["packages/a"]);
        assert_eq!(of(&["c/"]), ["c"]);
        assert_eq!(of(&[]), Vec::<String>::new());
    }
}
