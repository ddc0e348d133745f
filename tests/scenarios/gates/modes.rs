//! Who owns the merge.

use super::{changed, explained, guarded, judged, mode, nothing};
use crate::harness::Repo;

#[test]
fn nothing_merges_automatically_where_a_person_owns_the_merge() {
    let repo = changed(["x"]);
    for autonomy in ["observe", "pr-only"] {
        judged(&repo, &mode(autonomy), nothing).is("ready");
        let gates = explained(&repo);
        gates.is("undecided").only(["merge/mode: needs-a-person"]);
        gates.says("merge/mode", &format!("nothing may merge automatically in `{autonomy}`: a person owns the merge"));
        let screen = repo.runmill(["policy", "explain", "latest"]).output();
        assert_eq!(screen.exit, 4, "{}", screen.stdout);
        assert!(screen.stdout.contains("nothing may merge automatically"), "{}", screen.stdout);
    }
    // Without a policy the defaults hold.
    judged(&repo, "version: 1\n", nothing);
    explained(&repo).is("undecided").only(["merge/mode: needs-a-person"]);
}

#[test]
fn the_experiment_alone_permits_nothing() {
    let repo = changed(["x"]);
    let policy = format!("{}experimental: {{ automatic_merge: true }}\n", mode("pr-only"));
    judged(&repo, &policy, nothing);
    explained(&repo).is("undecided").only(["merge/mode: needs-a-person"]);
}

#[test]
fn a_machine_merges_only_with_the_experiment() {
    let repo = changed(["x"]);
    for autonomy in ["guarded-merge", "continuous"] {
        for experiment in ["", "experimental: { automatic_merge: false }\n", "experimental: {}\n"] {
            let policy = format!("version: 1\nautonomy: {autonomy}\n{experiment}");
            let refused = repo.check().policy(&policy).error();
            refused.is("RM-CONFIG-003", 2).says(&format!("`{autonomy}` needs `experimental.automatic_merge: true`"));
        }
        let policy = format!("version: 1\nautonomy: {autonomy}\nexperimental: {{ automatic_merge: yes please }}\n");
        assert_eq!(repo.check().policy(&policy).error().output().exit, 2);
    }
    repo.check().policy("version: 1\nautonomy: auto\n").error().is("RM-CONFIG-002", 2);
}

#[test]
fn every_loosening_is_refused_or_needs_a_person_where_a_machine_merges() {
    let repo = changed(["x"]);
    let loosened = |key: &str| format!("verification: {{ {key} }}\n");
    for autonomy in ["guarded-merge", "continuous"] {
        for key in ["fail_on_skipped_check: false", "fail_on_missing_check: false", "isolation: landlock"] {
            let refused = repo.check().policy(&format!("{}{}", mode(autonomy), loosened(key))).error();
            refused.is("RM-CONFIG-003", 2).says(&format!("`{autonomy}` does not allow `{key}`"));
        }
        // What the contract allows there is still an exception that somebody must look at.
        for key in ["tree_hash: sealed", "environment: { allow: [SOME_TOKEN] }"] {
            judged(&repo, &format!("{}{}", mode(autonomy), loosened(key)), nothing).is("ready");
            let gates = explained(&repo);
            gates.is("undecided").only(["merge/relaxations: needs-a-person"]);
            gates.says("merge/relaxations", "the verdict stands on 1 relaxation: ");
            assert_eq!(gates.document()["relaxations"].as_array().unwrap().len(), 1, "{gates}");
        }
    }
    let everywhere = "verification:\n  declared_skips: [{ check: unit, test_id: b, cause: agreed }]\n";
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "skip b"]).commit("skip b");
    judged(&repo, &guarded(everywhere), nothing).is("ready");
    explained(&repo).is("undecided").only(["merge/relaxations: needs-a-person"]);
}

#[test]
fn a_waiver_in_use_is_a_loosening_too() {
    let repo = Repo::new();
    repo.manifest([crate::harness::shell("unit", "echo fine", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let fingerprint = {
        let verdict = repo.check().verdict();
        verdict.finding("RM-VERIFY-009", "coverage/unproven").text("fingerprint").to_owned()
    };
    let waiver = format!("[{{ fingerprint: \"{fingerprint}\", reason: known, approver: owner, expires: 2999-01-01 }}]");
    judged(&repo, &format!("{}waivers: {waiver}\n", mode("pr-only")), nothing).is("ready");
    let gates = explained(&repo);
    assert!(gates.document()["relaxations"].to_string().contains(&format!("waiver {fingerprint} by owner")), "{gates}");
    // Where a machine merges it lets nothing pass.
    judged(&repo, &guarded(&format!("waivers: {waiver}\n")), nothing).is("blocked");
    assert_eq!(explained(&repo).gate("change/verdict-ready")["state"], "not-met");
}
