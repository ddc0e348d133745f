//! What the operator keeps for a person: paths, labels, conditions.

use serde_json::json;

use super::{changed, explained, gates, judged, kept, nothing};

/// The patterns that keep a change of these paths for a person.
fn matching(paths: &[&str], patterns: &[&str]) -> Vec<String> {
    let listed: Vec<_> = patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
    let gates = gates(paths.iter().copied(), &kept(&format!("paths: [{}]", listed.join(", "))), nothing);
    gates.about("risk/paths").into_iter().map(str::to_owned).collect()
}

#[test]
fn a_literal_is_the_path_itself_or_a_directory() {
    let patterns = ["src/auth", "src/auth/", "src/au", "auth", "src/auth/key.rs", "src/auth/key", "SRC/auth", "src"];
    let matched = matching(&["src/auth/key.rs"], &patterns);
    assert_eq!(matched, ["src", "src/auth", "src/auth/", "src/auth/key.rs"]);
    assert_eq!(matching(&["srcs/a.rs"], &["src", "srcs"]), ["srcs"]);
    // A dot is no pattern.
    assert_eq!(matching(&["axb"], &["a.b", "a+b", "axb"]), ["axb"]);
}

#[test]
fn a_star_and_a_question_mark_stay_within_a_segment() {
    let patterns =
        ["src/*", "src/*/*", "src/a?th/*.rs", "src/*.rs", "*", "*/*/*", "src/auth/k?y.rs", "src/auth/k??y.rs"];
    let matched = matching(&["src/auth/key.rs"], &patterns);
    assert_eq!(matched, ["*/*/*", "src/*/*", "src/a?th/*.rs", "src/auth/k?y.rs"]);
    assert_eq!(matching(&["src/é.rs"], &["src/?.rs", "src/??.rs"]), ["src/?.rs"]);
    // With a slash at its end it is a directory, as a literal is.
    assert_eq!(matching(&["src/auth/key.rs"], &["*/auth/", "src/*/", "*/"]), ["*/", "*/auth/", "src/*/"]);
}

#[test]
fn two_stars_cross_segments() {
    let patterns = ["**", "src/**", "**/key.rs", "src/**/key.rs", "**/auth/**", "s**s", "src**.rs", "**/x", "other/**"];
    let matched = matching(&["src/auth/key.rs"], &patterns);
    assert_eq!(matched, ["**", "**/auth/**", "**/key.rs", "s**s", "src**.rs", "src/**", "src/**/key.rs"]);
    // No segment is enough.
    assert_eq!(matching(&["key.rs"], &["**/key.rs", "a/**/key.rs", "**key.rs"]), ["**/key.rs", "**key.rs"]);
    assert_eq!(matching(&["a/b"], &["a/**/b", "a/**/**/b"]), ["a/**/**/b", "a/**/b"]);
}

#[test]
fn what_was_deleted_or_renamed_was_changed_too() {
    let repo = crate::harness::Repo::with_tests(["pass a"]);
    repo.switch("main").file("infra/a", "a\n").file("infra/b", "b\n").commit("base");
    repo.branch("delete").remove("infra/a").commit("delete");
    judged(&repo, &kept("paths: [infra/a]"), nothing);
    explained(&repo).only(["risk/paths: needs-a-person"]);
    repo.switch("main").branch("rename").git(["mv", "infra/b", "elsewhere"]);
    repo.commit("rename");
    judged(&repo, &kept("paths: [infra]"), nothing);
    explained(&repo).only(["risk/paths: needs-a-person"]).says("risk/paths", "the change touches `infra/b`");
}

#[test]
fn a_pattern_without_a_meaning_keeps_every_change_and_is_never_passed_over() {
    let unusable = [
        "[a-z]",
        "src/{a,b}",
        "!src",
        "/src",
        "//src",
        "C:/src",
        "src\\a",
        "./src",
        "../src",
        "src/../x",
        "src/./x",
        "src//x",
        ".",
        "..",
        "a ",
        " a",
    ];
    let listed: Vec<_> = unusable.iter().map(|pattern| format!("'{pattern}'")).collect();
    let all = gates(["unrelated"], &kept(&format!("paths: [{}]", listed.join(", "))), nothing);
    all.is("undecided").only(["risk/paths: needs-a-person"]);
    let mut expected = unusable.to_vec();
    expected.sort_unstable();
    assert_eq!(all.about("risk/paths"), expected);
    all.says("risk/paths", "the pattern `[a-z]` has no meaning, so it keeps every change for a person");
    // The same pattern twice is one.
    let twice = gates(["infra/a"], &kept("paths: [infra, infra, '!x', '!x']"), nothing);
    assert_eq!(twice.about("risk/paths"), ["!x", "infra"]);
}

#[test]
fn labels_are_compared_without_case_and_outer_space() {
    for (kept_label, label) in
        [("Security", "security"), ("security", "SECURITY"), ("' Needs Look '", "needs look"), ("ÉTÉ", "été")]
    {
        let with = gates(["x"], &kept(&format!("labels: [{kept_label}]")), |remote| {
            remote.document()["labels"] = json!(["docs", label]);
        });
        with.is("undecided").only(["risk/labels: needs-a-person"]);
        with.says("risk/labels", "the change has the label `");
        let without = gates(["x"], &kept(&format!("labels: [{kept_label}]")), |remote| {
            remote.document()["labels"] = json!(["docs", format!("{label}-not")]);
        });
        without.is("permitted");
    }
    let none = gates(["x"], &kept("labels: [big]"), |remote| {
        remote.document()["labels"] = json!([]);
    });
    none.is("permitted").says("risk/labels", "the change has no label `big`");
}

#[test]
fn labels_that_nobody_observed_are_not_known_to_be_absent() {
    let unknown = gates(["x"], &kept("labels: [big]"), nothing);
    unknown.is("undecided").only(["risk/labels: needs-a-person"]);
    unknown.says("risk/labels", "nobody observed whether the change has the label `big`");
    let repo = changed(["x"]);
    repo.check().policy(&kept("labels: [big]")).verdict();
    explained(&repo).only(["forge/protection-readable: unknown", "risk/labels: needs-a-person"]);
}

#[test]
fn every_known_lockfile_is_one() {
    let names = [
        "Cargo.lock",
        "Gemfile.lock",
        "Package.resolved",
        "Pipfile.lock",
        "bun.lock",
        "bun.lockb",
        "composer.lock",
        "flake.lock",
        "go.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "pnpm-lock.yaml",
        "pnpm-lock.yml",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    ];
    let policy = kept("conditions: [lockfile_changed]");
    for (at, three) in names.chunks(3).enumerate() {
        let places: Vec<String> =
            three.iter().map(|name| if at % 2 == 0 { (*name).to_owned() } else { format!("deep/er/{name}") }).collect();
        let gates = gates(places.iter().map(String::as_str), &policy, nothing);
        gates.is("undecided").only(["risk/conditions: needs-a-person"]);
        for place in &places {
            gates.says("risk/conditions", &format!("`{place}`"));
        }
    }
    let near = ["Cargo.toml", "Cargo.lock.md", "go.sums", "package.json", "my-yarn.lock", "LOCK"];
    gates(near, &policy, nothing).is("permitted").says("risk/conditions", "no lockfile changed");
}

#[test]
fn whatever_says_which_checks_there_are_is_their_configuration() {
    let policy = kept("conditions: [check_config_changed]");
    for path in [".runmill/notes.txt", "app/.runmill/notes.txt"] {
        let gates = gates([path], &policy, nothing);
        gates.is("undecided").only(["risk/conditions: needs-a-person"]);
        gates.says("risk/conditions", &format!("the change touches the configuration of checks: `{path}`"));
    }
    let repo = crate::harness::Repo::with_tests(["pass a"]);
    let more = [crate::harness::listed("unit"), crate::harness::shell("more", "true", "required: false")];
    repo.manifest(more).commit("another check");
    judged(&repo, &policy, nothing);
    explained(&repo).says("risk/conditions", "`.runmill/checks.yaml`").only(["risk/conditions: needs-a-person"]);
    gates(["checks.yaml", "runmill/checks.yaml", "x.runmill/a"], &policy, nothing).is("permitted");
}

#[test]
fn a_manifest_that_stands_elsewhere_is_configuration_there() {
    let repo = crate::harness::Repo::new();
    let manifest = "checks:\n  - id: unit\n    run: 'true'\n";
    repo.file("ci/checks.yaml", manifest).commit("base");
    let commands = "verification: { manifest: ci/checks.yaml }\n";
    let policy = format!("{}{commands}", kept("conditions: [check_config_changed]"));
    repo.branch("change").file("ci/checks.yaml", format!("{manifest}  # more\n")).commit("change");
    judged(&repo, &policy, nothing);
    explained(&repo).says("risk/conditions", "the change touches the configuration of checks: `ci/checks.yaml`");
}

#[test]
fn what_no_machine_can_decide_needs_a_person() {
    for condition in ["public_api_change", "permissions_change", "secret_related_change", "missing_acceptance_criteria"]
    {
        let gates = gates(["x"], &kept(&format!("conditions: [{condition}]")), nothing);
        gates.is("undecided").only(["risk/conditions: needs-a-person"]);
        gates.says("risk/conditions", &format!("no machine can decide whether `{condition}` holds"));
    }
    let twice = gates(["Cargo.lock"], &kept("conditions: [lockfile_changed, lockfile_changed]"), nothing);
    assert_eq!(twice.about("risk/conditions"), ["lockfile_changed"]);
}
