//! What the checker finds, and what it leaves alone.

use runmill_model::{Problem, Stage};
use runmill_policy::{Pack, PackSource};

use crate::harness::{BODY, registry, rule, rule_on, source, source_of, with_lib};

fn told(problem: &Problem) -> String {
    let (line, column) = problem.labels.first().and_then(|label| problem.position(label)).unwrap_or((0, 0));
    let file = problem.source.as_ref().map(|source| source.name.as_str()).unwrap_or("pack");
    let at = match file {
        "verdict/test.rhai" => format!("{}:{column}", (line + 1).saturating_sub(BODY)),
        other => format!("{other} {line}:{column}"),
    };
    format!("{} {at} {}", problem.code.as_str().trim_start_matches("RM-POLICY-"), problem.message)
}

fn found_in(source: &PackSource) -> Vec<String> {
    Pack::check(source, &registry()).iter().map(told).collect()
}

/// What is found in a rule on checks. The pack's one parameter is not what these are about.
fn found(body: &str) -> Vec<String> {
    let source = source(&rule(body));
    found_in(&source).into_iter().filter(|problem| !problem.contains("parameter `limit`")).collect()
}

#[track_caller]
fn finds(body: &str, expected: &str) {
    assert_eq!(found(body), [expected], "{body}");
}

#[track_caller]
fn accepts(body: &str) {
    assert_eq!(found(body), [""; 0], "{body}");
}

#[test]
fn a_property_must_be_one_of_that_kind_of_fact() {
    finds("proven([subject.repor])", "003 1:17 no fact has a property `repor`; did you mean `report`");
    finds("proven([subject.report])", "020 1:17 a check has no property `report`; did you mean `report_path`");
    finds(
        "if subject.exit_code == 0 { return proven([subject]); }\nnot_applicable(\"x\")",
        "020 1:12 a check has no property `exit_code`",
    );
    finds("refuted(subject.id.commit, [subject])", "020 1:20 text has no properties, and so no `commit`");
    finds("proven(cx.facts(\"chek\"))", "020 1:17 there is no kind of fact called `chek`; did you mean `check`");
    accepts("proven([cx.change, cx.policy])");
}

#[test]
fn arguments_must_be_of_the_types_a_function_takes() {
    finds("proven(subject)", "021 1:8 `proven` does not take (check)");
    finds("proven([subject.id])", "021 1:8 `proven` does not take (list of text)");
    finds("refuted(1, [subject])", "021 1:9 `refuted` does not take (int, list of check)");
    finds(
        "if subject.id { return proven([subject]); }\nnot_applicable(\"x\")",
        "021 1:4 a condition is true or false, and this is text",
    );
    finds("let n = subject.timeout_ms + \"1\";\nproven([subject])", "021 1:28 `+` does not go between int and text");
    finds("if !subject.id { return proven([subject]); }\nnot_applicable(\"x\")", "021 1:5 `!` does not take (text)");
    finds("for x in subject.id { }\nproven([subject])", "021 1:10 `for` is for lists, and this is text");
    finds(
        "if subject.argv.any(|word| word) { return proven([subject]); }\nnot_applicable(\"x\")",
        "021 1:17 the closure of `any` must give true or false, and gives text",
    );
    finds(
        "let word = subject.argv[\"a\"];\nproven([subject])",
        "021 1:25 a place in a list is a number, and this is text",
    );
}

#[test]
fn a_comparison_is_between_values_of_one_type() {
    finds(
        "if subject.timeout_ms == \"1\" { return proven([subject]); }\nnot_applicable(\"x\")",
        "022 1:23 `==` compares int with text",
    );
    finds(
        "if subject.id < 1 { return proven([subject]); }\nnot_applicable(\"x\")",
        "022 1:15 `<` does not go between text and int",
    );
    finds(
        "if subject == cx.change { return proven([subject]); }\nnot_applicable(\"x\")",
        "022 1:12 `==` compares check with change",
    );
    accepts("if subject.argv == [\"a\"] { return proven([subject]); }\nnot_applicable(\"x\")");
}

#[test]
fn what_may_be_absent_is_asked_for_first() {
    finds("proven([subject.candidate])", "023 1:9 `subject.candidate` may be absent here");
    finds(
        "if subject.candidate.status == \"passed\" { return proven([subject]); }\nnot_applicable(\"x\")",
        "023 1:22 `subject.candidate` may be absent here",
    );
    finds(
        "let run = subject.candidate;\nif run != () { return proven([run]); }\nproven([run])",
        "023 3:9 `run` is absent here",
    );
    finds(
        "let run = subject.candidate;\nif run.report == () { return proven([subject]); }\nproven([subject])",
        "023 2:8 `run` may be absent here",
    );
    finds(
        "if subject.description == \"x\" { return proven([subject]); }\nproven([subject])",
        "023 1:4 `subject.description` may be absent here",
    );
}

#[test]
fn what_was_asked_for_is_there() {
    for body in [
        "if subject.candidate == () { return not_applicable(\"x\"); }\nproven([subject.candidate])",
        "let run = subject.candidate;\nif run == () || run.report == () { return not_applicable(\"x\"); }\nproven([run, run.report])",
        "let run = subject.candidate;\nif run != () && run.report != () { return proven([run.report]); }\nnot_applicable(\"x\")",
        "let run = subject.candidate;\nif !(run != ()) { return not_applicable(\"x\"); }\nproven([run])",
        "let run = subject.candidate;\nif run != () { proven([run]) } else { not_applicable(\"x\") }",
        "let runs = cx.facts(\"invocation\").filter(|run| run.report != () && run.report.accepted);\nproven(runs)",
        "if subject.base == () { return not_applicable(\"x\"); }\nlet run = subject.base;\nproven([run])",
        "let found = cx.facts(\"check\").find(|check| check.required);\nif found == () { return not_applicable(\"x\"); }\nproven([found])",
        "refuted(`exit ${subject.description}`, [subject])",
    ] {
        accepts(body);
    }
}

#[test]
fn what_is_known_ends_with_an_assignment_and_with_a_branch() {
    finds(
        "let run = subject.candidate;\nif run == () { return not_applicable(\"x\"); }\nrun = subject.base;\nproven([run])",
        "023 4:9 `run` may be absent here",
    );
    finds(
        "let run = subject.candidate;\nif subject.required { if run == () { return not_applicable(\"x\"); } }\nproven([run])",
        "023 3:9 `run` may be absent here",
    );
    finds(
        "let run = subject.candidate;\nfor word in subject.argv { if run == () { break; } }\nproven([run])",
        "023 3:9 `run` may be absent here",
    );
}

#[test]
fn every_path_gives_a_result_of_its_stage() {
    finds("if subject.required { return proven([subject]); }", "024 1:1 a path of the rule ends without a result");
    finds("if subject.required { return (); }\nproven([subject])", "024 1:23 a path of the rule ends without a result");
    finds("true", "024 1:1 a path of the rule gives bool instead of a result");
    finds("proven([subject]);\nnot_applicable(\"x\")", "024 1:1 a result that goes nowhere");
    finds("require(subject, \"x\")", "024 1:1 `require` is no result of stage `verdict`");
    accepts("if subject.required { proven([subject]) } else { not_applicable(\"x\") }");
}

#[test]
fn what_is_never_reached_is_found() {
    finds("return proven([subject]);\nlet x = 1;\nproven([subject])", "025 2:1 this is never reached");
    finds(
        "if subject.id == () { return not_applicable(\"x\"); }\nproven([subject])",
        "025 1:15 `subject.id` is always there",
    );
    finds(
        "let run = subject.candidate;\nif run == () { return not_applicable(\"x\"); }\nif run == () { return not_applicable(\"y\"); }\nproven([run])",
        "025 3:8 `run` is always there",
    );
    finds("for word in subject.argv { break; let x = 1; }\nproven([subject])", "025 1:35 this is never reached");
}

#[test]
fn helpers_are_seen_with_the_types_they_are_called_with() {
    let body =
        rule("if lib::ran(subject.candidate) { return proven([subject]); }\nnot_applicable(`${cx.params.limit}`)");
    let good = "fn ran(run) {\n    if run == () { return false; }\n    run.status == \"passed\"\n}\n";
    assert_eq!(found_in(&with_lib(source(&body), "lib", good)), [""; 0]);
    let bad = "fn ran(run) {\n    run.report_path == \"passed\"\n}\n";
    assert_eq!(
        found_in(&with_lib(source(&body), "lib", bad)),
        [
            "023 lib/lib.rhai 2:9 `run` may be absent here",
            "020 lib/lib.rhai 2:9 an invocation has no property `report_path`; did you mean `report`",
        ]
    );
    let absent = "fn ran(run) {\n    if run == () { return (); }\n    true\n}\n";
    assert_eq!(
        found_in(&with_lib(source(&body), "lib", absent)),
        ["021 1:9 a condition is true or false, and this is bool or ()"]
    );
    // It calls itself: nothing is known of what it gives, and the walk ends.
    let endless = "fn ran(run) {\n    lib::ran(run)\n}\n";
    assert_eq!(found_in(&with_lib(source(&body), "lib", endless)), [""; 0]);
}

#[test]
fn what_nothing_uses_is_found_once_all_else_is_well() {
    let body = rule("proven([subject])");
    let pack = with_lib(source(&body), "lib", "fn a() { 1 }\nfn b() { lib::a() }\n");
    assert_eq!(
        found_in(&pack),
        [
            "026 pack 0:0 no rule reads the parameter `limit`",
            "026 lib/lib.rhai 1:4 no rule calls the function `a`",
            "026 lib/lib.rhai 2:4 no rule calls the function `b`",
        ]
    );
}

#[test]
fn other_stages_and_the_run_have_their_own_subjects_and_results() {
    let discovery = "rule \"discovery/test\" #{\n    stage: \"discovery\", on: \"check\", source: \"agent\", why: \"Because.\",\n} when |check, cx| {\n    if check.required { return require(check, `${cx.params.limit}`); }\n    proven([check])\n}\n";
    assert_eq!(
        found_in(&source_of(Stage::Discovery, discovery)),
        ["024 discovery/test.rhai 5:5 `proven` is no result of stage `discovery`"]
    );
    let run = rule_on(
        "run",
        "if subject.contains_target { return proven([subject]); }\nnot_applicable(`${cx.params.limit}`)",
    );
    assert_eq!(found_in(&source(&run)), [""; 0]);
}

#[test]
fn every_problem_comes_at_once_syntax_errors_included() {
    let text = "rule \"outcome/test\" #{ stage: \"verdict\" } when |subject, cx| {\n    let = 1;\n}\n\nfn broken( {\n}\n\nfn also() {\n    1 +\n}\n";
    let found = found_in(&source(text));
    let syntax: Vec<_> = found.iter().filter(|problem| problem.starts_with("002")).collect();
    assert_eq!(syntax.len(), 3, "{found:#?}");
    let both =
        format!("{}\nfn unknown() {{ nothing_like_it(1) }}\n", rule("proven([subject.report, subject.candidate])"));
    let found = found_in(&source(&both));
    assert!(found.iter().any(|problem| problem.starts_with("003")), "{found:#?}");
    assert!(found.iter().any(|problem| problem.starts_with("023") || problem.starts_with("020")), "{found:#?}");
}
