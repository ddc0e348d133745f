//! Packs with one fault each. `«` marks the place of the fault in the one text that has it; a fault without a place has
//! no mark.

/// What is wrong with a pack that is sound otherwise.
pub enum Fault {
    /// The body of its rule.
    Body(&'static str),
    /// A word in its rule, and what stands there instead.
    Instead(&'static str, &'static str),
    /// Its manifest.
    Manifest(&'static str),
    /// A file, in addition to the others or in place of one.
    File(&'static str, &'static str),
    /// A file, and the body of the rule that uses it.
    FileAndBody(&'static str, &'static str, &'static str),
    /// A file that is not there.
    Without(&'static str),
}

use Fault::{Body, File, FileAndBody, Instead, Manifest, Without};

/// The packs: a name, the code of the one problem, the fault.
pub const PACKS: &[(&str, &str, Fault)] = &[
    // The manifest.
    ("manifest-missing", "RM-POLICY-001", Without("pack.kdl")),
    ("manifest-no-kdl", "RM-POLICY-001", Manifest("«pack \"team\" version=\n")),
    ("manifest-no-version", "RM-POLICY-001", Manifest("«pack \"team\" {\n    engine \"0.1\"\n    facts 1\n}\n")),
    (
        "manifest-unknown-node",
        "RM-POLICY-001",
        Manifest("pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    «descripton \"x\"\n}\n"),
    ),
    (
        "manifest-unknown-type",
        "RM-POLICY-001",
        Manifest(
            "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    param \"limit\" «type=\"number\" default=3 doc=\"x\"\n}\n",
        ),
    ),
    (
        "manifest-default-of-another-type",
        "RM-POLICY-001",
        Manifest(
            "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    param \"limit\" type=\"int\" «default=\"three\" doc=\"x\"\n}\n",
        ),
    ),
    (
        "manifest-newer-engine",
        "RM-POLICY-005",
        Manifest("pack \"team\" version=\"1.0.0\" {\n    «engine \"9.0\"\n    facts 1\n}\n"),
    ),
    (
        "manifest-other-facts",
        "RM-POLICY-005",
        Manifest("pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    «facts 7\n}\n"),
    ),
    (
        "manifest-unread-parameter",
        "RM-POLICY-026",
        Manifest(
            "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    «param \"limit\" type=\"int\" default=3 doc=\"x\"\n}\n",
        ),
    ),
    // The folder.
    ("folder-no-rule", "RM-POLICY-005", Without("verdict/test.rhai")),
    ("folder-rule-outside", "RM-POLICY-005", File("rules/other.rhai", "«rule")),
    ("folder-rule-too-deep", "RM-POLICY-005", File("verdict/more/other.rhai", "«rule")),
    ("folder-lib-name", "RM-POLICY-005", File("lib/my-words.rhai", "«")),
    ("folder-file-without-rule", "RM-POLICY-005", File("verdict/other.rhai", "«fn twice(x) { x + x }\n")),
    (
        "folder-rule-in-lib",
        "RM-POLICY-005",
        File("lib/words.rhai", "«rule \"team/other\" #{ stage: \"verdict\" } when |check, cx| { proven([check]) }\n"),
    ),
    (
        "folder-second-rule",
        "RM-POLICY-005",
        Instead("\n}\n", "\n}\n«rule \"team/other\" #{ stage: \"verdict\" } when |check, cx| { proven([check]) }\n"),
    ),
    (
        "folder-id-twice",
        "RM-POLICY-005",
        File(
            "verdict/two.rhai",
            "rule «\"team/test\" #{\n    stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-008\", level: \"block\", why: \"w\", fix: \"f\",\n} when |check, cx| {\n    proven([check])\n}\n",
        ),
    ),
    ("folder-other-stage", "RM-POLICY-005", Instead("stage: \"verdict\"", "stage: «\"skip\"")),
    // What does not parse.
    ("syntax-bracket", "RM-POLICY-002", Body("proven([check«)")),
    ("syntax-text-without-end", "RM-POLICY-002", Body("not_applicable(«\"no)")),
    ("syntax-reserved-word", "RM-POLICY-002", Body("let «shared = 1;\n    proven([check])")),
    ("syntax-doc-comment", "RM-POLICY-002", Instead("rule \"team", "«/// About it.\nrule \"team")),
    ("syntax-no-when", "RM-POLICY-002", Instead("} when |check,", "} |check«,")),
    ("syntax-in-lib", "RM-POLICY-002", File("lib/words.rhai", "fn broken( «{ }\n")),
    // Abilities that rules must not have.
    ("gate-eval", "RM-POLICY-003", Body("«eval(\"1\");\n    proven([check])")),
    ("gate-fn", "RM-POLICY-003", Body("«Fn(\"f\");\n    proven([check])")),
    ("gate-call", "RM-POLICY-003", Body("check.«call(1);\n    proven([check])")),
    ("gate-curry", "RM-POLICY-003", Body("check.«curry(1);\n    proven([check])")),
    ("gate-print", "RM-POLICY-003", Body("«print(\"x\");\n    proven([check])")),
    ("gate-debug", "RM-POLICY-003", Body("«debug(\"x\");\n    proven([check])")),
    ("gate-exit", "RM-POLICY-003", Body("«exit(1);\n    proven([check])")),
    ("gate-sleep", "RM-POLICY-003", Body("«sleep(1);\n    proven([check])")),
    ("gate-timestamp", "RM-POLICY-003", Body("«timestamp();\n    proven([check])")),
    ("gate-while", "RM-POLICY-003", Body("«while true { }\n    proven([check])")),
    ("gate-loop", "RM-POLICY-003", Body("«loop { }\n    proven([check])")),
    ("gate-do", "RM-POLICY-003", Body("«do { } while true;\n    proven([check])")),
    ("gate-try", "RM-POLICY-003", Body("«try { } catch { }\n    proven([check])")),
    ("gate-throw", "RM-POLICY-003", Body("if check.required { «throw 1; }\n    proven([check])")),
    ("gate-import", "RM-POLICY-003", Body("«import \"x\" as y;\n    proven([check])")),
    ("gate-export", "RM-POLICY-003", Instead("rule \"team", "export «const LIMIT = 3;\nrule \"team")),
    (
        "gate-nested-rule",
        "RM-POLICY-003",
        Instead(
            "rule \"team",
            "fn own() {\n    «rule \"team/own\" #{ stage: \"verdict\" } when |check, cx| { proven([check]) }\n}\nrule \"team",
        ),
    ),
    // Values that rules must not make.
    ("gate-fraction", "RM-POLICY-003", Body("let x = «1.5;\n    proven([check])")),
    ("gate-character", "RM-POLICY-003", Body("let x = «'a';\n    proven([check])")),
    ("gate-map", "RM-POLICY-003", Body("let x = «#{ a: 1 };\n    proven([check])")),
    ("gate-this", "RM-POLICY-003", Body("let x = «this;\n    proven([check])")),
    ("gate-absence-as-a-value", "RM-POLICY-003", Body("let x = «();\n    proven([check])")),
    (
        "gate-absence-on-the-left",
        "RM-POLICY-003",
        Body("if «() == check.candidate { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    ("gate-null-property", "RM-POLICY-003", Body("let x = check«?.id;\n    proven([check])")),
    ("gate-null-default", "RM-POLICY-003", Body("let x = «check ?? check;\n    proven([check])")),
    ("gate-operator-assignment", "RM-POLICY-003", Body("let x = 1;\n    x «+= 1;\n    proven([check])")),
    // Closures and state.
    ("gate-stored-closure", "RM-POLICY-003", Body("let f = «|x| x;\n    proven([check])")),
    ("gate-returned-closure", "RM-POLICY-003", Body("if check.required { return «|x| x; }\n    proven([check])")),
    ("gate-function-as-value", "RM-POLICY-003", Body("let long = check.argv.«map(\"len\");\n    proven([check])")),
    (
        "gate-captured-state",
        "RM-POLICY-003",
        Body("let n = 0;\n    let a = check.argv.map(|x| { «n = 1; x });\n    proven([check])"),
    ),
    (
        "gate-changing-capture",
        "RM-POLICY-003",
        Body("let n = 0;\n    let a = check.argv.filter(|x| n == 0);\n    «n = 1;\n    proven([check])"),
    ),
    ("gate-assigned-parameter", "RM-POLICY-003", Body("«check = cx;\n    proven([check])")),
    ("gate-assigned-part", "RM-POLICY-003", Body("«check.id = \"x\";\n    proven([check])")),
    ("gate-hidden-name", "RM-POLICY-003", Body("let «check = 1;\n    not_applicable(\"x\")")),
    ("gate-break", "RM-POLICY-002", Body("if check.required { «break; }\n    proven([check])")),
    // Names.
    ("name-unknown", "RM-POLICY-003", Body("proven([«chek])")),
    ("name-unknown-function", "RM-POLICY-003", Body("«provn([check])")),
    (
        "name-unknown-lib",
        "RM-POLICY-003",
        Body("if «words::short(check.id) { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "name-unknown-lib-function",
        "RM-POLICY-003",
        FileAndBody(
            "lib/words.rhai",
            "fn twice(x) { x + x }\n",
            "not_applicable(words::twice(check.id) + words::«twise(check.id))",
        ),
    ),
    ("name-unknown-parameter", "RM-POLICY-003", Body("not_applicable(`${cx.params.«limt}`)")),
    ("name-of-a-builtin", "RM-POLICY-003", Instead("rule \"team", "fn «starts_with(x) { true }\nrule \"team")),
    ("name-bound-function", "RM-POLICY-003", Instead("rule \"team", "fn int.own() «{ 1 }\nrule \"team")),
    ("top-statement", "RM-POLICY-003", Instead("rule \"team", "«let x = 1;\nrule \"team")),
    ("top-constant-in-small-letters", "RM-POLICY-003", Instead("rule \"team", "const «limit = 1;\nrule \"team")),
    ("top-constant-not-literal", "RM-POLICY-003", Instead("rule \"team", "const LIMIT = 1 «+ 1;\nrule \"team")),
    (
        "rule-parameters",
        "RM-POLICY-003",
        File(
            "verdict/test.rhai",
            "«rule \"team/test\" #{\n    stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-008\", level: \"block\", why: \"w\", fix: \"f\",\n} when |check| {\n    proven([check])\n}\n",
        ),
    ),
    // Metadata.
    (
        "metadata-missing",
        "RM-POLICY-004",
        Instead("rule \"team/test\" #{\n    stage: \"verdict\",", "«rule \"team/test\" #{\n    "),
    ),
    ("metadata-not-literal", "RM-POLICY-004", Instead("why: \"Because.\"", "why: \"Be\" «+ \"cause.\"")),
    ("metadata-unknown", "RM-POLICY-004", Instead("why: \"Because.\"", "why: \"Because.\", «whi: \"x\"")),
    ("metadata-unknown-stage", "RM-POLICY-004", Instead("stage: \"verdict\"", "stage: «\"verdikt\"")),
    ("metadata-unknown-kind", "RM-POLICY-004", Instead("on: \"check\"", "on: «\"chek\"")),
    ("metadata-unknown-code", "RM-POLICY-004", Instead("code: \"RM-VERIFY-008\"", "code: «\"RM-VERIFY-999\"")),
    ("metadata-unknown-level", "RM-POLICY-004", Instead("level: \"block\"", "level: «\"error\"")),
    ("metadata-empty", "RM-POLICY-004", Instead("fix: \"Mend it.\"", "fix: «\"\"")),
    ("metadata-id", "RM-POLICY-004", Instead("rule \"team/test\"", "rule «\"Test\"")),
    // Types.
    (
        "name-unknown-property",
        "RM-POLICY-003",
        Body("if check.«candidate_run == () { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-property-of-another-kind",
        "RM-POLICY-020",
        Body("if check.«exit_code == () { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-unknown-kind",
        "RM-POLICY-020",
        Body("if cx.facts(«\"chek\").any(|one| one.required) { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-argument",
        "RM-POLICY-021",
        Body("if check.id.starts_with(«check.argv) { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-arguments",
        "RM-POLICY-003",
        Body("if check.id.«starts_with(\"a\", \"b\") { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    ("type-condition", "RM-POLICY-021", Body("if «check.id { return not_applicable(\"x\"); }\n    proven([check])")),
    (
        "type-closure",
        "RM-POLICY-021",
        Body("if check.argv.«any(|word| word) { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-comparison",
        "RM-POLICY-022",
        Body("if check.id «== 1 { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    (
        "type-order",
        "RM-POLICY-022",
        Body("if check.timeout_ms «> check.id { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    // Absence and paths.
    (
        "absent-property",
        "RM-POLICY-023",
        Body("if check.candidate.«status == \"passed\" { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    ("absent-argument", "RM-POLICY-023", Body("proven([«check.candidate])")),
    (
        "absent-in-a-helper",
        "RM-POLICY-023",
        FileAndBody(
            "lib/runs.rhai",
            "fn passed(run) { run.«status == \"passed\" }\n",
            "if runs::passed(check.candidate) { return proven([check]); }\n    not_applicable(\"x\")",
        ),
    ),
    ("path-without-result", "RM-POLICY-024", Body("«if check.required { return proven([check]); }")),
    ("path-with-another-value", "RM-POLICY-024", Body("«check.id")),
    (
        "path-with-a-result-of-another-stage",
        "RM-POLICY-024",
        Body("if check.required { return «require(check, \"x\"); }\n    proven([check])"),
    ),
    ("path-with-a-lost-result", "RM-POLICY-024", Body("«refuted(\"x\", [check]);\n    proven([check])")),
    ("unreachable-statement", "RM-POLICY-025", Body("return proven([check]);\n    «not_applicable(\"x\")")),
    (
        "unreachable-answer",
        "RM-POLICY-025",
        Body("if check.id «== () { return not_applicable(\"x\"); }\n    proven([check])"),
    ),
    ("unused-helper", "RM-POLICY-026", Instead("rule \"team", "fn «twice(x) { x + x }\nrule \"team")),
    ("unused-helper-of-lib", "RM-POLICY-026", File("lib/words.rhai", "fn «twice(x) { x + x }\n")),
    // Fixtures and cases.
    ("fixture-no-kdl", "RM-POLICY-030", File("fixtures/more.kdl", "«fixture \"more\" extends= {\n}\n")),
    ("fixture-unknown-base", "RM-POLICY-030", File("fixtures/more.kdl", "«fixture \"more\" extends=\"redy\" {\n}\n")),
    ("fixture-extends-itself", "RM-POLICY-030", File("fixtures/more.kdl", "«fixture \"more\" extends=\"more\" {\n}\n")),
    (
        "fixture-unknown-field",
        "RM-POLICY-030",
        File(
            "fixtures/more.kdl",
            "fixture \"more\" extends=\"ready\" {\n    set \"check\" \"unit\" { «requird #false }\n}\n",
        ),
    ),
    (
        "fixture-unknown-kind",
        "RM-POLICY-030",
        File("fixtures/more.kdl", "fixture \"more\" extends=\"ready\" {\n    «add \"chek\" \"unit\"\n}\n"),
    ),
    (
        "fixture-contradiction",
        "RM-POLICY-030",
        File("fixtures/more.kdl", "«fixture \"more\" extends=\"ready\" {\n    add \"report\" \"unit@base\"\n}\n"),
    ),
    (
        "case-unknown-fixture",
        "RM-POLICY-030",
        File("tests/more.kdl", "rule \"team/test\"\n«case \"one\" fixture=\"redy\" {\n    expect \"proven\"\n}\n"),
    ),
    (
        "case-unknown-rule",
        "RM-POLICY-030",
        File("tests/more.kdl", "case \"one\" fixture=\"ready\" {\n    «expect \"proven\" rule=\"team/tset\"\n}\n"),
    ),
    (
        "case-unknown-outcome",
        "RM-POLICY-030",
        File("tests/more.kdl", "rule \"team/test\"\ncase \"one\" fixture=\"ready\" {\n    «expect \"green\"\n}\n"),
    ),
    (
        "case-without-expectation",
        "RM-POLICY-030",
        File("tests/more.kdl", "rule \"team/test\"\n«case \"one\" fixture=\"ready\"\n"),
    ),
    (
        "case-unknown-parameter",
        "RM-POLICY-030",
        File(
            "tests/more.kdl",
            "rule \"team/test\"\n«case \"one\" fixture=\"ready\" {\n    params limit=3\n    expect \"proven\"\n}\n",
        ),
    ),
];
