//! Packs that want to hang, crash or fill the memory of who looks at them: each ends within bounds, and never in a pass.

use std::fs;

use crate::harness::{Output, PackDir, Repo, Runmill, User};

/// Within a gigabyte of memory and two minutes, which nothing here comes near.
fn bounded(run: Runmill) -> Output {
    run.through(["timeout", "120", "prlimit", "--as=3000000000"]).output()
}

const FORM: &str =
    "stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-008\", level: \"block\", why: \"w\", fix: \"f\"";

fn rule(body: &str) -> String {
    format!("rule \"team/odd\" #{{ {FORM} }} when |check, cx| {{\n{body}\n}}\n")
}

/// Checks a pack of these files, which must be refused.
#[track_caller]
fn refused(name: &str, files: &[(&str, &str)]) -> String {
    let repo = Repo::bare_directories(User::Same);
    let pack = PackDir::at(&repo.place("pack"), "team").file("verdict/odd.rhai", &rule("proven([check])"));
    files.iter().fold(pack, |pack, (path, text)| pack.file(path, text));
    let output = bounded(repo.runmill(["rules", "check", "pack", "--color", "never"]).in_dir(repo.root()));
    assert_eq!(output.exit, 2, "{name}: {}{}", shown(&output.stdout), shown(&output.stderr));
    assert!(output.stdout.len() < 200_000, "{name}: {} bytes of output", output.stdout.len());
    output.stdout
}

fn shown(text: &str) -> String {
    text.chars().take(2_000).collect()
}

#[test]
fn texts_that_go_on_and_on_are_refused() {
    let long = 64 << 10;
    let repeat = |text: &str| text.repeat((long - 400) / text.len());
    for (name, text) in [
        ("one file of a mebibyte", rule(&"// x\n".repeat(200_000))),
        ("brackets", rule(&repeat("("))),
        ("blocks", rule(&repeat("{"))),
        ("lists", rule(&format!("let x = {}", repeat("[")))),
        ("a sum", rule(&format!("let x = {}1;", repeat("1+")))),
        ("a chain of properties", rule(&format!("check{};", repeat(".id")))),
        ("a chain of calls", rule(&format!("check{};", repeat(".len()")))),
        ("a chain of indexes", rule(&format!("check{};", repeat("[0]")))),
        ("a chain of signs", rule(&format!("let x = {}1;", repeat("-")))),
        ("a chain of branches", rule(&format!("if true {{ }} {}", repeat("else if true { } ")))),
        ("a chain of conditions", rule(&format!("if {}true {{ }}", repeat("true&&")))),
        ("branches in branches", rule(&repeat("if true {"))),
        ("closures in closures", rule(&repeat("check.argv.any(|x| "))),
        ("texts in texts", rule(&format!("let x = {}", repeat("`${")))),
        ("comments in comments", rule(&repeat("/*"))),
        ("forbidden words", rule(&repeat("exit(1);\n"))),
        ("unknown names", rule(&repeat("x;\n"))),
        (
            "variables and branches",
            rule(&format!("{}{}", "let a = check.id;\n".repeat(1_500), "if a == 1 { }\n".repeat(2_000))),
        ),
        (
            "functions",
            format!("{}{}", (0..2_000).map(|at| format!("fn f{at}() {{ }}\n")).collect::<String>(), rule("1")),
        ),
        ("rules", rule("proven([check])").repeat(500)),
        ("one line", rule(&"exit(1);".repeat(6_000))),
        ("metadata", format!("rule \"team/odd\" #{{ {} }} when |a, b| {{ }}", "a: 1, ".repeat(9_000))),
        ("metadata in metadata", format!("rule \"team/odd\" {}", repeat("#{ a: "))),
    ] {
        refused(name, &[("verdict/odd.rhai", &text)]);
    }
}

#[test]
fn helpers_that_would_have_the_checker_go_round_for_ever_are_refused() {
    let endless = "fn f(x) { odd::f([x]) }\n";
    let told = refused(
        "a new type each time",
        &[
            ("lib/odd.rhai", endless),
            ("verdict/odd.rhai", &rule("if odd::f(check) { return proven([check]); }\nproven([check])")),
        ],
    );
    assert!(told.contains("nest deeper than 32"), "{told}");
    // Each function calls the next one with every argument in a list and out of it: 2^6 combinations of types a level.
    let params = "a, b, c, d, e, g";
    let level = |at: usize| {
        let next = at + 1;
        let calls = [
            "[a], b, c, d, e, g",
            "a, [b], c, d, e, g",
            "a, b, [c], d, e, g",
            "a, b, c, [d], e, g",
            "a, b, c, d, [e], g",
            "a, b, c, d, e, [g]",
        ];
        let calls: String = calls.iter().map(|call| format!("odd::f{next}({call});\n")).collect();
        format!("fn f{at}({params}) {{\n{calls}1\n}}\n")
    };
    let last = format!("fn f28({params}) {{ 1 }}\n");
    let many: String = (0..28).map(level).chain([last]).collect();
    let told = refused(
        "many combinations",
        &[
            ("lib/odd.rhai", &many),
            (
                "verdict/odd.rhai",
                &rule("if odd::f0(1, 1, 1, 1, 1, 1) == 1 { return proven([check]); }\nproven([check])"),
            ),
        ],
    );
    assert!(told.contains("is not checked to its end"), "{told}");
}

#[test]
fn fixtures_and_cases_that_multiply_are_refused() {
    let ready = "fixture \"f0\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    add \"check\" \"unit\" { argv \"PAD\" }\n}\n";
    let chain: String = (1..2_000).map(|at| format!("fixture \"f{at}\" extends=\"f{}\" {{\n}}\n", at - 1)).collect();
    let told = refused("a chain", &[("fixtures/a.kdl", &format!("{ready}{chain}"))]);
    assert!(told.contains("stands on more than 32 others"), "{told}");
    let long = ready.replace("PAD", &"x".repeat(200_000));
    let wide: String = (1..4_000).map(|at| format!("fixture \"f{at}\" extends=\"f0\" {{\n}}\n")).collect();
    let told = refused("a fan", &[("fixtures/a.kdl", &long), ("fixtures/b.kdl", &wide)]);
    assert!(told.contains("more than 64 MiB"), "{told}");
    for (name, text) in [
        ("braces", "{".repeat(200_000)),
        ("rubbish", "]".repeat(200_000)),
        ("texts", "\"".repeat(200_001)),
        ("a long file", " ".repeat(300_000)),
        ("slashdashes", "/-".repeat(100_000)),
    ] {
        refused(name, &[("tests/a.kdl", &text)]);
        refused(name, &[("pack.kdl", &text)]);
    }
}

#[test]
fn folders_that_are_too_much_cannot_be_read() {
    let repo = Repo::bare_directories(User::Same);
    let pack = PackDir::at(&repo.place("pack"), "team");
    for at in 0..20 {
        fs::create_dir_all(pack.path().join("fixtures")).unwrap();
        fs::write(pack.path().join(format!("fixtures/{at}.kdl")), vec![b' '; 1 << 20]).unwrap();
    }
    let run = |verb: &str| bounded(repo.runmill(["rules", verb, "pack"]).in_dir(repo.root()).arg("--json"));
    for verb in ["check", "test"] {
        run(verb).error().is("RM-POLICY-005", 2).says("16 MiB");
    }
}

/// What the gate and the checker cannot see is stopped when it runs: a case fails, a change is not ready.
#[test]
fn rules_that_never_end_are_stopped_and_pass_nothing() {
    let case = "rule \"team/odd\"\ncase \"one\" fixture=\"ready\" {\n    expect \"proven\"\n}\n";
    let fixture = "fixture \"ready\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    add \"check\" \"unit\"\n}\n";
    let burn = "fn burn(n) { if n == 0 { return 0; } burn(n - 1) + burn(n - 1) }\n";
    let grow = "fn grow(text, n) { if n == 0 { return text; } grow(text + text, n - 1) }\n";
    for (function, call) in [
        (burn, "burn(30) > 0"),
        (grow, "grow(\"xxxxxxxx\", 30) == \"\""),
        ("fn down(n) { down(n + 1) }\n", "down(0) == 1"),
    ] {
        let repo = Repo::with_tests(["pass a"]);
        repo.file("x", "x").commit("change");
        let text =
            format!("{function}{}", rule(&format!("if {call} {{ return not_applicable(\"x\"); }}\nproven([check])")));
        let pack = PackDir::new(&repo, "team")
            .file("verdict/odd.rhai", &text)
            .file("fixtures/a.kdl", fixture)
            .file("tests/odd.kdl", case);
        let tested = bounded(repo.runmill(["rules", "test", "--color", "never"]).arg(pack.path()));
        assert_eq!(tested.exit, 3, "{call}: {}{}", tested.stdout, tested.stderr);
        assert!(tested.stdout.contains("faulted"), "{call}: {}", tested.stdout);
        let judged = bounded(repo.check().arg("--json").arg("--pack").arg(pack.path())).verdict();
        judged.is("indeterminate").finding("RM-POLICY-011", "team/odd");
    }
}
