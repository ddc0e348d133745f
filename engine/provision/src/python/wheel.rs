//! For which interpreters and machines a wheel was built (PEP 425), as its `WHEEL` file says.

use camino::Utf8Path;

/// What an environment runs on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Here<'a> {
    /// The whole version of the interpreter.
    pub(super) python: &'a str,
    /// The processor, as Rust names it.
    pub(super) machine: &'a str,
    /// `glibc` or `musl`.
    pub(super) libc: &'a str,
}

/// The tags of a `*.dist-info` directory, when none of them is for here; none also where nothing is said.
pub(super) fn foreign(info: &Utf8Path, here: Here<'_>) -> Option<String> {
    let text = std::fs::read_to_string(info.join("WHEEL")).ok()?;
    let tags: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("Tag:")).map(str::trim).collect();
    let fit = tags.is_empty() || tags.iter().any(|tag| fits(tag, here));
    (!fit).then(|| tags.join(", "))
}

/// A tag may be compressed: `py2.py3-none-any`.
fn fits(tag: &str, here: Here<'_>) -> bool {
    let mut parts = tag.splitn(3, '-').map(|part| part.split('.'));
    let (Some(mut pythons), Some(abis), Some(mut platforms)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_stable = abis.clone().any(|abi| abi == "abi3" || abi == "none");
    let own_abi = abis.clone().any(|abi| abi.starts_with(&format!("cp{}", minor(here.python))));
    pythons.any(|python| runs(python, is_stable, here.python))
        && (is_stable || own_abi)
        && platforms.any(|platform| is_for(platform, here))
}

/// `311` of `3.11.7`.
fn minor(python: &str) -> String {
    python.split('.').take(2).collect()
}

fn runs(tag: &str, is_stable: bool, python: &str) -> bool {
    let number = tag.trim_start_matches(|it: char| it.is_ascii_alphabetic());
    let (major, wanted) = number.split_at_checked(1).unwrap_or_default();
    let own = minor(python);
    let (own_major, own_minor) = own.split_at_checked(1).unwrap_or_default();
    let at_least = || match (wanted.parse::<u32>(), own_minor.parse::<u32>()) {
        (Ok(wanted), Ok(own)) => wanted <= own,
        _ => wanted.is_empty(),
    };
    let older_is_enough = is_stable || tag.starts_with("py");
    major == own_major && if older_is_enough { at_least() } else { wanted == own_minor }
}

fn is_for(platform: &str, here: Here<'_>) -> bool {
    let other_libc = if here.libc == "musl" { "manylinux" } else { "musllinux" };
    platform == "any"
        || (platform.contains("linux")
            && !platform.starts_with(other_libc)
            && platform.ends_with(&format!("_{}", here.machine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_with_what_is_here() {
        let here = Here { python: "3.11.7", machine: "x86_64", libc: "glibc" };
        for (tag, expect) in [
            ("py3-none-any", true),
            ("py2.py3-none-any", true),
            ("py2-none-any", false),
            ("py312-none-any", false),
            ("cp311-cp311-manylinux_2_17_x86_64", true),
            ("cp311-cp311-linux_x86_64", true),
            ("cp310-cp310-manylinux_2_17_x86_64", false),
            ("cp39-abi3-manylinux2014_x86_64", true),
            ("cp312-abi3-manylinux2014_x86_64", false),
            ("cp311-cp311-manylinux_2_17_aarch64", false),
            ("cp311-cp311-musllinux_1_1_x86_64", false),
            ("cp311-cp311-macosx_11_0_arm64", false),
            ("cp311", false),
        ] {
            assert_eq!(fits(tag, here), expect, "{tag}");
        }
    }
}
