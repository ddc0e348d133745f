//! Where a package is installed, as the keys of a lockfile have it: `packages/a/node_modules/@scope/b`.

/// The folder in every place of an installed package.
const MODULES: &str = "node_modules/";

/// The name a package has by its place; none for a place that is no package of a `node_modules`, such as a workspace.
pub(super) fn name(place: &str) -> Option<&str> {
    let at = place.rfind(MODULES).filter(|at| *at == 0 || place[..*at].ends_with('/'))?;
    let name = place.get(at + MODULES.len()..)?;
    let parts: Vec<_> = name.split('/').collect();
    let is_name = |part: &&str| !part.is_empty() && !part.starts_with('.') && *part != "node_modules";
    let whole = match parts.as_slice() {
        [scope, name] => scope.starts_with('@') && scope.len() > 1 && is_name(name),
        [name] => !name.starts_with('@') && is_name(name),
        _ => false,
    };
    whole.then_some(name)
}

/// The workspace folder a place lies in; none for one in the `node_modules` beside the lockfile.
pub(super) fn workspace(place: &str) -> Option<&str> {
    let at = place.find(MODULES)?;
    place.get(..at).map(|folder| folder.trim_end_matches('/')).filter(|folder| !folder.is_empty())
}

/// Whether a place is a normal relative path.
pub(super) fn is_normal(place: &str) -> bool {
    runmill_model::RepoPath::new(place).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_its_package() {
        assert_eq!(name("node_modules/a"), Some("a"));
        assert_eq!(name("node_modules/@s/a"), Some("@s/a"));
        assert_eq!(name("node_modules/a/node_modules/@s/b"), Some("@s/b"));
        assert_eq!(name("packages/x/node_modules/b"), Some("b"));
        for no_package in
            ["packages/x", "", "node_modules/", "node_modules/@s", "node_modules/a/b", "node_modules/.bin"]
        {
            assert_eq!(name(no_package), None, "{no_package}");
        }
        assert_eq!((workspace("packages/x/node_modules/b"), workspace("node_modules/b")), (Some("packages/x"), None));
    }
}
