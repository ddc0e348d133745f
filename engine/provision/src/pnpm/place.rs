//! Where a package of the lockfile is installed, and what a reference names.

use sha2::{Digest as _, Sha256};

/// The longest name of a directory before it is cut.
const LONGEST: usize = 120;

/// The package of an entry: `a@1.0.0` of `a@1.0.0(peer@2.0.0)`.
pub(super) fn package(entry: &str) -> &str {
    entry.split('(').next().unwrap_or(entry)
}

/// The name of a package: `@s/a` of `@s/a@1.0.0`.
pub(super) fn name(entry: &str) -> &str {
    let at = entry.char_indices().skip(1).find(|(_, character)| *character == '@').map(|(at, _)| at);
    at.and_then(|at| entry.get(..at)).unwrap_or(entry)
}

/// The version of a package: `1.0.0` of `@s/a@1.0.0(peer@2.0.0)`.
pub(super) fn version(entry: &str) -> &str {
    package(entry).strip_prefix(name(entry)).unwrap_or_default().trim_start_matches('@')
}

/// The name of the directory of an entry (`depPathToFilename` of `@pnpm/dependency-path`).
pub(super) fn directory(entry: &str) -> String {
    let name = whole(entry);
    if !is_cut(&name) {
        return name;
    }
    let digest: String = Sha256::digest(&name).iter().map(|byte| format!("{byte:02x}")).take(16).collect();
    let kept: String = name.chars().take(LONGEST - 33).collect();
    format!("{kept}_{digest}")
}

/// Whether a directory may be that of an entry whose name is cut: older versions of pnpm end it with another digest.
pub(super) fn may_be(entry: &str, directory: &str) -> bool {
    const SHORTEST: usize = 80;
    let name = whole(entry);
    let kept = directory.rsplit_once('_').map(|(kept, _)| kept);
    is_cut(&name) && kept.is_some_and(|kept| name == kept || (kept.len() >= SHORTEST && name.starts_with(kept)))
}

fn whole(entry: &str) -> String {
    let plain: String = entry.chars().map(|it| if r#"\/:*?"<>|#"#.contains(it) { '+' } else { it }).collect();
    match plain.contains('(') {
        false => plain,
        true => plain.strip_suffix(')').unwrap_or(&plain).replace(")(", "_").replace(['(', ')'], "_"),
    }
}

/// Names that are long, or that differ from another only in capital letters, end with a digest.
fn is_cut(name: &str) -> bool {
    name.len() > LONGEST || (name != name.to_lowercase() && !name.starts_with("file+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_names_its_package() {
        let parts = |entry| (package(entry), name(entry), version(entry));
        assert_eq!(parts("a@1.0.0"), ("a@1.0.0", "a", "1.0.0"));
        assert_eq!(parts("@s/a@1.0.0(@t/b@2.0.0)"), ("@s/a@1.0.0", "@s/a", "1.0.0"));
    }

    #[test]
    fn directories_are_named_as_pnpm_names_them() {
        assert_eq!(directory("@isaacs/cliui@8.0.2"), "@isaacs+cliui@8.0.2");
        assert_eq!(directory("use@1.2.0(react@18.2.0)"), "use@1.2.0_react@18.2.0");
        assert_eq!(directory("a@1.0.0(b@1.0.0(c@1.0.0))(d@1.0.0)"), "a@1.0.0_b@1.0.0_c@1.0.0__d@1.0.0");
        // As pnpm 10 installed it.
        assert_eq!(directory("JSONStream@1.3.5"), "JSONStream@1.3.5_fb8f73c374dcf7070ffed90b688edabd");
        assert!(
            may_be("JSONStream@1.3.5", "JSONStream@1.3.5_other") && !may_be("JSONStream@1.3.5", "JSONStream@1.3_x")
        );
    }
}
