//! A runner that only a pack knows.

use crate::harness::{PackDir, Repo, Runmill, shell};

const POLICY: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";
const HOUSE: &str = "runner \"house\" {\n    source \"house-test 3.2, run\"\n    counts #\"(?<passed>\\d+) fine, \
                     (?<skipped>\\d+) for later\"#\n    zero #\"nothing to do\"#\n    focus #\"only marked cases\"#\n}\n";

fn printing(line: &str) -> Repo {
    let repo = Repo::new();
    repo.manifest([shell("unit", &format!("echo '{line}'"), "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo
}

fn with_pack(repo: &Repo, runners: &str) -> Runmill {
    let pack = PackDir::new(repo, "house").rule("quiet", "change", "proven([change])").file("runners.kdl", runners);
    repo.check().policy(POLICY).arg("--pack").arg(pack.path())
}

#[test]
fn reads_the_words_of_a_runner_that_a_pack_adds() {
    for (line, codes) in [
        ("nothing to do", ["RM-VERIFY-006"]),
        ("0 fine, 0 for later", ["RM-VERIFY-006"]),
        ("only marked cases", ["RM-VERIFY-007"]),
        ("10 fine, 3 for later", ["RM-VERIFY-003"]),
    ] {
        let repo = printing(line);
        repo.check().policy(POLICY).verdict().is("ready");
        with_pack(&repo, HOUSE).verdict().is("blocked").only_codes(codes);
    }
    with_pack(&printing("10 fine, 0 for later"), HOUSE).verdict().is("ready").only_codes([]);
}

#[test]
fn keeps_what_the_built_in_table_notices_whatever_a_pack_says() {
    let masking = "runner \"house\" {\n    source \"made up\"\n    ran #\"running 0 tests\"#\n    ran #\".*\"#\n}\n";
    let repo = printing("running 0 tests");
    repo.check().policy(POLICY).verdict().is("blocked").only_codes(["RM-VERIFY-006"]);
    with_pack(&repo, masking).verdict().is("blocked").only_codes(["RM-VERIFY-006"]);
}

#[test]
fn refuses_a_table_of_runners_that_cannot_be_used() {
    let repo = printing("fine");
    for (runners, line) in [
        ("runner \"house\" {\n    source \"x\"\n    zero #\"(\"#\n}\n", "line 3"),
        ("runner \"cargo\" {\n    source \"x\"\n    zero \"x\"\n}\n", "line 1"),
        ("runner \"house\" {", "line 1"),
    ] {
        with_pack(&repo, runners).error().is("RM-POLICY-005", 2).says("`runners.kdl` of pack `house`").says(line);
    }
}
