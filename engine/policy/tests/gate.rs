//! What the gate refuses, before anything runs.

use runmill_model::Stage;

use crate::harness::{load, problems, refused, rule, source, source_of, with_lib};

#[track_caller]
fn refuses(body: &str, expected: &str) {
    let found = refused(body);
    assert!(found.iter().any(|problem| problem == expected), "{body}\nexpected {expected}\nfound {found:#?}");
}

#[test]
fn refuses_every_ability_that_rules_must_not_have() {
    for (body, word) in [
        ("eval(\"1\")", "eval"),
        ("Fn(\"f\")", "Fn"),
        ("print(\"x\")", "print"),
        ("debug(\"x\")", "debug"),
        ("exit(1)", "exit"),
        ("sleep(1)", "sleep"),
        ("timestamp()", "timestamp"),
        ("type_of(subject)", "type_of"),
        ("is_def_var(\"x\")", "is_def_var"),
        ("subject.call(1)", "call"),
        ("subject.curry(1)", "curry"),
        ("parse_json(\"{}\")", "parse_json"),
    ] {
        let column = 1 + body.find(word).unwrap();
        refuses(body, &format!("RM-POLICY-003 1:{column} `{word}` is not part of the policy language"));
    }
}

#[test]
fn refuses_every_statement_that_rules_must_not_have() {
    for (body, what) in [
        ("while true { }", "`while` or `loop`"),
        ("loop { }", "`while` or `loop`"),
        ("do { } while true;", "`do`"),
        ("try { } catch { }", "`try`"),
        ("throw 1;", "`throw`"),
        ("import \"x\" as y;", "`import`"),
    ] {
        refuses(body, &format!("RM-POLICY-003 1:1 {what} is not part of the policy language"));
    }
    refuses("let x = 1.5;", "RM-POLICY-003 1:9 a fraction is not part of the policy language");
    refuses("let x = 'a';", "RM-POLICY-003 1:9 a character is not part of the policy language");
    refuses("let x = '\\x00';", "RM-POLICY-003 1:9 a character is not part of the policy language");
    refuses("let x = #{ a: 1 };", "RM-POLICY-003 1:9 a map is not part of the policy language");
    refuses("let x = this;", "RM-POLICY-003 1:9 `this` is not part of the policy language");
    refuses("subject?.id", "RM-POLICY-003 1:8 `?.` is not part of the policy language");
    refuses("let x = subject ?? subject;", "RM-POLICY-003 1:9 `??` is not part of the policy language");
    refuses("let x = 1; x += 1;", "RM-POLICY-003 1:14 assignment with an operator");
}

#[test]
fn refuses_absence_as_a_value() {
    let message = "`()` outside of `== ()`, `!= ()` and `return ()` is not part of the policy language";
    refuses("let x = ();", &format!("RM-POLICY-003 1:9 {message}"));
    refuses("proven([()])", &format!("RM-POLICY-003 1:9 {message}"));
    refuses("if () == subject.id { }", "RM-POLICY-003 1:4 `()` on the left of a comparison");
}

#[test]
fn refuses_closures_anywhere_but_in_a_call_that_takes_one() {
    let stored = "a closure that is stored, returned or passed on";
    for body in [
        "let f = |x| x;",
        "return |x| x;",
        "proven(|x| x)",
        "let y = 1; let f = |x| x + y;",
        "let y = [|x| x];",
        "let list = subject.argv; list.filter(|x| |y| y);",
    ] {
        let found = refused(body);
        assert!(found.iter().any(|problem| problem.contains(stored)), "{body}: {found:#?}");
    }
    for body in ["subject.argv.map(starts_with)", "subject.argv.map(\"len\")", "subject.argv.map()"] {
        refuses(body, "RM-POLICY-003 1:14 `map` takes one closure, written in place");
    }
    refuses("subject.argv.filter(|a, b| true)", "RM-POLICY-003 1:14 the closure of `filter` takes one parameter");
    let text = format!("fn own(x) {{ x }}\n{}", rule("let f = own; proven([subject])"));
    assert_eq!(problems(source(&text)), ["RM-POLICY-003 verdict/test.rhai:6:9 the function `own` is used as a value"]);
}

#[test]
fn refuses_state_that_closures_share() {
    refuses(
        "let n = 0; subject.argv.map(|x| { n = 1; x });",
        "RM-POLICY-003 1:35 assignment to a variable outside of the closure, `n`",
    );
    refuses(
        "let n = 0; let a = subject.argv.filter(|x| n == 0); n = 1;",
        "RM-POLICY-003 1:53 `n` changes although a closure reads it",
    );
    refuses(
        "subject.argv.filter(|x| subject.id == x)",
        "RM-POLICY-003 1:25 the closure reads `subject`, which `filter` is called on",
    );
}

#[test]
fn refuses_assignment_to_what_is_not_the_rules_own_variable() {
    refuses("subject = cx;", "RM-POLICY-003 1:1 assignment to a parameter, `subject`");
    refuses("subject.id = \"x\";", "RM-POLICY-003 1:1 assignment to a part of a value");
    refuses("let x = subject.argv; x[0] = \"y\";", "RM-POLICY-003 1:23 assignment to a part of a value");
    refuses("const X = 1; X = 2;", "RM-POLICY-002 1:14 cannot assign to a constant value");
    refuses("for x in subject.argv { x = \"y\"; }", "RM-POLICY-003 1:25 assignment to the variable of a loop, `x`");
    refuses("let subject = 1;", "RM-POLICY-003 1:5 `subject` hides another `subject`");
}

#[test]
fn refuses_names_that_are_not_there_with_a_suggestion() {
    refuses("proven([subjekt])", "RM-POLICY-003 1:9 unknown name `subjekt`");
    refuses("provn([subject])", "RM-POLICY-003 1:1 unknown function `provn` with 1 arguments; did you mean `proven`");
    refuses("proven(1, 2, 3)", "RM-POLICY-003 1:1 `proven` does not take 3 arguments");
    refuses("subject.candidat", "RM-POLICY-003 1:9 no fact has a property `candidat`; did you mean `candidate`");
    refuses("cx.params.limt", "RM-POLICY-003 1:11 the pack has no parameter `limt`; did you mean `limit`");
    refuses("helpers::f(1)", "RM-POLICY-003 1:1 there is no `lib/helpers.rhai` in this pack");
    refuses("let x = 1 ** 2;", "RM-POLICY-003 1:11 unknown function `**` with 2 arguments");
    let pack = with_lib(source(&rule("words::twise(1)")), "words", "fn twice(x) { x }");
    assert_eq!(
        problems(pack),
        ["RM-POLICY-003 verdict/test.rhai:5:8 `lib/words.rhai` has no function `twise`; did you mean `twice`"]
    );
}

#[test]
fn refuses_functions_that_would_replace_known_ones() {
    for name in ["starts_with", "proven", "len", "filter", "check", "sleep", "to_string"] {
        let text = format!("fn {name}(x) {{ x }}\n{}", rule("proven([subject])"));
        let expected =
            format!("RM-POLICY-003 verdict/test.rhai:1:4 the function `{name}` would replace one that rules rely on");
        assert_eq!(problems(source(&text)), [expected]);
    }
    let lib = with_lib(source(&rule("proven([subject])")), "words", "fn starts_with(x) { true }");
    assert!(problems(lib)[0].contains("lib/words.rhai:1:4"));
    let bound = format!("fn int.foo() {{ 1 }}\n{}", rule("proven([subject])"));
    assert!(problems(source(&bound))[0].contains("is bound to a type"));
}

#[test]
fn refuses_anything_at_the_top_but_one_rule_functions_and_constants() {
    let with = |top: &str| problems(source(&format!("{top}\n{}", rule("proven([subject])"))));
    assert!(with("let x = 1;")[0].contains("1:1 a statement outside of a function at the top of a file"));
    assert!(with("while true {}")[0].contains("1:1 `while` or `loop` at the top of a file"));
    assert!(with("const x = 1;")[0].contains("1:7 the constant `x` is not in capitals"));
    assert!(with("const X = 1 + 1;")[0].contains("the constant `X` is not literal"));
    let two = format!("{}{}", rule("proven([subject])"), rule("proven([subject])").replace("test", "other"));
    assert!(problems(source(&two))[0].contains("RM-POLICY-005 verdict/test.rhai:7:1 a second rule in one file"));
    assert!(problems(source("fn f() { 1 }"))[0].contains("RM-POLICY-005"));
    let nested = format!("fn f() {{ {} }}\n{}", rule("proven([subject])"), rule("proven([subject])"));
    let found = problems(source(&nested));
    assert!(found.iter().any(|problem| problem.contains("`rule` inside of a function")), "{found:#?}");
}

#[test]
fn a_rule_sees_nothing_but_its_parameters() {
    let text = rule("proven([subject, outer])");
    assert!(problems(source(&text))[0].contains("unknown name `outer`"));
    let one = rule("proven([subject])").replace("|subject, cx|", "|subject|");
    assert!(problems(source(&one))[0].contains("must have two parameters"));
}

#[test]
fn the_first_syntax_error_of_each_file_is_a_problem_and_other_files_are_checked_too() {
    let mut pack = with_lib(source(&rule("proven([subject)")), "words", "fn broken( { }");
    pack.rules.extend(source_of(Stage::Skip, &rule("exit(1)")).rules);
    let found = problems(pack);
    assert!(found[0].starts_with("RM-POLICY-002 lib/words.rhai:1:12"), "{found:#?}");
    assert!(found[1].starts_with("RM-POLICY-002 verdict/test.rhai:5:16"), "{found:#?}");
    assert!(found.iter().any(|problem| problem.contains("skip/test.rhai:5:1 `exit`")), "{found:#?}");
}

#[test]
fn every_problem_of_a_body_is_reported_at_once() {
    let found = refused("let x = eval(\"1\");\nthrow x;\nsubject = 1;\nlet f = |y| y;\nprovn([subject])");
    let lines: Vec<&str> = found.iter().filter_map(|problem| problem.split(' ').nth(1)).collect();
    assert_eq!(lines, ["1:9", "2:1", "3:1", "4:9", "5:1"], "{found:#?}");
}

#[test]
fn columns_count_characters_after_marks_and_wide_letters() {
    let text = format!("\u{feff}{}", rule("let e = \"ü\"; exit(e)"));
    assert_eq!(
        problems(source(&text)),
        ["RM-POLICY-003 verdict/test.rhai:5:14 `exit` is not part of the policy language"]
    );
}

#[test]
fn accepts_what_the_language_offers() {
    load(source(&rule(
        "let argv = subject.argv;\n\
         let short = argv.filter(|word| len([word]) < 3 && word != subject.id).map(|word| `${word}!`);\n\
         if argv.any(|word| word == \"x\") || !argv.all(|word| word.starts_with(\"-\")) { return proven([subject]); }\n\
         let found = argv.find(|word| word == \"y\");\n\
         if found == () { return not_applicable(\"none\"); } else if short == argv { return proven([subject]); }\n\
         let n = 0;\n\
         for (word, at) in argv { if at == 2 { break; } if at == 1 { continue; } n = n + 1; }\n\
         let word = if n > 1 { \"many\" } else { \"few\" };\n\
         refuted(`${word} ${argv[0]} ${-n * (n + 1) % 2}`, [subject])",
    )));
}

#[test]
fn sees_into_closures_of_closures_and_knows_whose_names_are_whose() {
    load(source(&rule(
        "let a = subject.argv; let b = subject.argv;\n\
         let c = a.filter(|x| b.any(|y| { let z = y; z == x }));\n\
         let d = a.map(|x| { let q = b.filter(|y| y == x); len(q) }); if a.all(|x| x == \"\") { return proven([subject]); }\n\
         a.find(|x| b.all(|y| x != y || y == x)); proven([subject])",
    )));
    let inner = "let a = subject.argv; let b = subject.argv;\n\
                 a.map(|x| b.filter(|y| { let z = exit(y); a == b }));\na.filter(|x| y == x); proven([subject])";
    assert_eq!(
        refused(inner),
        [
            "RM-POLICY-003 2:34 `exit` is not part of the policy language",
            "RM-POLICY-003 2:43 the closure reads `a`, which `map` is called on",
            "RM-POLICY-003 2:48 the closure reads `b`, which `filter` is called on",
            "RM-POLICY-003 3:14 unknown name `y`",
        ]
    );
}

#[test]
fn two_files_cannot_have_one_path() {
    let mut pack = source(&rule("proven([subject])"));
    let mut other = pack.rules[0].clone();
    other.text = other.text.replace("outcome/test", "outcome/other");
    pack.rules.push(other);
    assert_eq!(problems(pack), ["RM-POLICY-005 the pack has two files `verdict/test.rhai`"]);
}
