//! bats.

use super::Findings;
use crate::command::init::{draft::Draft, tree::Tree};

/// The directories that hold tests, as one check.
pub fn find(tree: &Tree, found: &mut Findings) {
    let tests: Vec<_> = tree.below("").filter(|file| file.ends_with(".bats")).collect();
    let mut dirs: Vec<_> = tests.iter().map(|file| file.split_once('/').map_or(".", |(top, _)| top)).collect();
    dirs.sort_unstable();
    dirs.dedup();
    // A script of the project that runs them has been taken already.
    if dirs.is_empty() || found.drafts.iter().any(|draft| draft.found.contains("bats")) {
        return;
    }
    let nested = tests.iter().any(|file| file.matches('/').count() > 1);
    let recursive = if nested && !dirs.contains(&".") { "--recursive " } else { "" };
    let dirs = dirs.join(" ");
    // Its own `--report-formatter` still writes when bats has ended, and loses to the end of the sandbox.
    let command = format!("bats --formatter junit {recursive}{dirs} > {{report}}");
    let draft = Draft::new("unit", "bats", "", ["sh", "-c", &command]).reports("junit");
    found.take_or_offer(draft.found(format!("the bats tests in `{dirs}`")));
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn runs_the_directories_that_hold_tests() {
        let line = |what: &str| {
            format!("unit: sh -c 'bats --formatter junit {what} > reports/unit.xml' | junit reports/unit.xml")
        };
        check(&[("test/a.bats", "")], &[&line("test")]);
        check(&[("test/deep/a.bats", ""), ("spec/b.bats", "")], &[&line("--recursive spec test")]);
        check(&[("a.bats", "")], &[&line(".")]);
    }
}
