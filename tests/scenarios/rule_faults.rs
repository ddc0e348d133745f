//! Rules that do not judge, and packs that would like to.

use std::fs;

use crate::harness::{PackDir, Repo, Runmill, Verdict};

fn ready_repo() -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo
}

fn with_pack(repo: &Repo, pack: &PackDir) -> Runmill {
    repo.check().arg("--pack").arg(pack.path())
}

/// Judges a change that is ready without the rule, and must not be with it.
#[track_caller]
fn never_ready(on: &str, body: &str, code: &str) -> Verdict {
    let repo = ready_repo();
    let pack = PackDir::new(&repo, "team-rules").rule("odd", on, body);
    let verdict = with_pack(&repo, &pack).verdict();
    verdict.is("indeterminate").finding(code, "team/odd");
    verdict
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_returns_no_finding() {
    for value in ["()", "\"\"", "[]", "0", "true", "cx.change", "require(check, \"more\")", "let x = 1;"] {
        never_ready("check", value, "RM-POLICY-012");
    }
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_throws() {
    for body in ["let zero = 0; proven([check / zero])", "let zero = 0; if 1 / zero == 1 { } proven([check])"] {
        never_ready("check", body, "RM-POLICY-010");
    }
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_compares_across_types() {
    never_ready("check", "if check.id == 1 { return proven([check]); } not_applicable(\"no\")", "RM-POLICY-010");
}

/// Shape 35.
#[test]
fn refuses_a_rule_that_would_throw_by_itself() {
    let repo = ready_repo();
    for body in [
        "throw \"no\";",
        "try { 1 / 0 } catch { proven([check]) }",
        "eval(\"proven([])\")",
        "loop { }",
        "while true { }",
        "#{}",
    ] {
        let pack = PackDir::new(&repo, "team-rules").rule("odd", "check", body);
        let error = with_pack(&repo, &pack).error();
        assert_eq!(error.output().exit, 2, "{error}");
        assert!(["RM-POLICY-002", "RM-POLICY-003"].contains(&error.text("code")), "{error}");
        error.points_at("verdict/odd.rhai", 6);
    }
}

fn with_function(name: &str, function: &str, call: &str) -> Verdict {
    let repo = ready_repo();
    let text = format!(
        "//! A rule of a test.\n{function}\nrule \"team/{name}\" #{{\n    stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-001\", \
         level: \"block\",\n    why: \"A test asks for it.\", fix: \"Change the test.\",\n}} when |check, cx| {{\n    {call};\n    \
         proven([check])\n}}\n"
    );
    let pack = PackDir::new(&repo, "team-rules").file(&format!("verdict/{name}.rhai"), &text);
    let verdict = with_pack(&repo, &pack).verdict();
    verdict.is("indeterminate").finding("RM-POLICY-011", &format!("team/{name}"));
    verdict
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_runs_out_of_fuel() {
    let burn = "fn burn(n) { if n == 0 { return 0; } burn(n - 1) + burn(n - 1) }";
    with_function("burns", burn, "burn(24)");
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_never_stops_calling_itself() {
    with_function("recurses", "fn down(n) { down(n + 1) }", "down(0)");
}

/// Shape 35.
#[test]
fn is_never_ready_when_a_rule_matches_no_subject() {
    never_ready("waiver", "proven([waiver])", "RM-POLICY-013");
}

/// Shape 35.
#[test]
fn blocked_wins_over_a_rule_that_faults() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["fail a"]).commit("red");
    let pack = PackDir::new(&repo, "team-rules").rule("odd", "check", "()");
    with_pack(&repo, &pack).verdict().is("blocked").finding("RM-POLICY-012", "team/odd");
}

fn coverage_contract_off(except: &[&str]) -> String {
    let rules =
        crate::scenarios::rules_off::built_in_rules().into_iter().filter(|rule| !except.contains(&rule.as_str()));
    let levels: Vec<_> = rules.map(|rule| format!("\"{rule}\": \"off\"")).collect();
    format!(
        "version: 1\nverification:\n  packs: [{{ builtin: coverage-contract, levels: {{ {} }} }}]\n",
        levels.join(", ")
    )
}

/// Shape 36.
#[test]
fn is_not_ready_when_every_rule_is_not_applicable() {
    let repo = ready_repo();
    let silent = coverage_contract_off(&["discovery/repository-policy"]);
    let pack = PackDir::new(&repo, "team-rules").rule("silent", "check", "not_applicable(\"nothing to say\")");
    let verdict = with_pack(&repo, &pack).policy(&silent).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-001"]).finding("RM-VERIFY-001", "floor/nothing-proven");
}

/// Shape 36.
#[test]
fn is_not_ready_when_nothing_but_another_pack_proves_it() {
    let repo = ready_repo();
    let silent = coverage_contract_off(&["discovery/repository-policy"]);
    let pack = PackDir::new(&repo, "team-rules").rule("flatterer", "requirement", "proven([requirement])");
    let verdict = with_pack(&repo, &pack).policy(&silent).verdict();
    verdict.is("blocked").finding("RM-VERIFY-001", "floor/nothing-proven");
}

#[test]
fn is_not_ready_when_no_discovery_rule_speaks() {
    let repo = ready_repo();
    let verdict = repo.check().policy(&coverage_contract_off(&[])).verdict();
    verdict.is("blocked").requires([]).finding("RM-VERIFY-001", "floor/no-requirement");
}

/// Shape 37.
#[test]
fn changes_nothing_when_a_pack_calls_everything_proven() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let flatterer = ["change", "check", "requirement", "invocation", "report"]
        .into_iter()
        .fold(PackDir::new(&repo, "flatterer"), |pack, on| {
            pack.rule(&format!("{on}-fine"), on, &format!("proven([{on}])"))
        });
    let without = repo.check().verdict();
    let with = with_pack(&repo, &flatterer).verdict();
    let standing = |verdict: &Verdict| -> Vec<String> {
        let mut prints: Vec<_> = verdict.findings().map(|finding| finding.text("fingerprint").to_owned()).collect();
        prints.sort();
        prints
    };
    with.is("blocked").only_codes(["RM-VERIFY-003"]);
    assert_eq!(standing(&with), standing(&without));
    let names: Vec<_> = with.document()["packs"].as_array().unwrap().iter().map(|pack| &pack["name"]).collect();
    assert_eq!(names.len(), 2, "{with}");
}

/// Shape 37.
#[test]
fn refuses_a_pack_that_takes_the_contracts_name() {
    let repo = ready_repo();
    for name in ["coverage-contract", "floor"] {
        let pack = PackDir::new(&repo, name).rule("fine", "requirement", "proven([requirement])");
        let error = with_pack(&repo, &pack).error();
        assert_eq!(error.output().exit, 2, "{error}");
        assert!(error.text("code").starts_with("RM-POLICY-"), "{error}");
    }
}

#[test]
fn lets_a_pack_add_a_finding_that_blocks() {
    let repo = ready_repo();
    let body = "refuted(`${check.id} is not to our taste`, [check])";
    let pack = PackDir::new(&repo, "team-rules").rule("taste", "check", body);
    let verdict = with_pack(&repo, &pack).verdict();
    verdict.is("blocked").finding("RM-VERIFY-001", "team/taste").says("unit is not to our taste");
}

/// Shape 38.
#[test]
fn refuses_a_pack_whose_digest_is_not_the_operators() {
    let repo = ready_repo();
    let pack = PackDir::new(&repo, "team-rules").rule("quiet", "check", "not_applicable(\"quiet\")");
    let digest = {
        let verdict = with_pack(&repo, &pack).verdict();
        let packs = verdict.document()["packs"].as_array().unwrap().clone();
        packs.iter().find(|pack| pack["name"] == "team-rules").unwrap()["digest"].as_str().unwrap().to_owned()
    };
    let policy = |digest: &str| {
        let path = pack.path().display();
        format!("version: 1\nverification:\n  packs: [{{ path: {path}, digest: \"{digest}\" }}]\n")
    };
    repo.check().policy(&policy(&digest)).verdict().is("ready");
    let other = format!("sha256:{}", "0".repeat(64));
    repo.check().policy(&policy(&other)).error().is("RM-POLICY-006", 2);
    // One byte more in a comment is another pack.
    let file = pack.path().join("verdict/quiet.rhai");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("A rule of a test.", "A rule of a test!")).unwrap();
    repo.check().policy(&policy(&digest)).error().is("RM-POLICY-006", 2);
}

#[test]
fn refuses_a_pack_that_does_not_fit_its_folders() {
    let repo = ready_repo();
    let empty = PackDir::new(&repo, "empty");
    with_pack(&repo, &empty).error().is("RM-POLICY-005", 2);
    let misplaced = PackDir::new(&repo, "misplaced").rule("here", "check", "proven([check])");
    fs::rename(misplaced.path().join("verdict"), misplaced.path().join("freshness")).unwrap();
    with_pack(&repo, &misplaced).error().is("RM-POLICY-005", 2);
    let outside = PackDir::new(&repo, "outside").rule("here", "check", "proven([check])");
    fs::rename(outside.path().join("verdict"), outside.path().join("rules")).unwrap();
    with_pack(&repo, &outside).error().is("RM-POLICY-005", 2);
}
