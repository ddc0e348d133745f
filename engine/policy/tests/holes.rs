//! The holes that the language's limits do not close, each shown on a bare engine where that is safe, and closed here.
//! An upgrade of the engine must pass this file; a hole that is gone may lose its first half.

use std::{cell::Cell, rc::Rc, thread};

use rhai::{Dynamic, Engine, EvalAltResult};
use runmill_model::Code;

use crate::harness::{evaluate, finding, graph, problems, refused, rule, rule_on, source};

#[track_caller]
fn is_refused(body: &str, what: &str) {
    let found = refused(body);
    assert!(found.iter().any(|problem| problem.contains(what)), "{body}: {found:#?}");
}

#[test]
fn a_callbacks_use_the_fuel_of_the_call() {
    let mut bare = Engine::new();
    bare.set_max_operations(1_000);
    let script = "let a = []; a.pad(200, 0); let b = a.map(|x| { let n = 0; while n < 50 { n += 1; } n }); b.len()";
    assert_eq!(bare.eval::<i64>(script).ok(), Some(200), "the engine's own count misses callbacks");

    let body = "let all = cx.facts(\"check\"); let rest = cx.facts(\"check\");\n\
                let one = all.filter(|a| rest.any(|b| b.id == \"nothing\")); proven([subject])";
    let findings = evaluate(source(&rule_on("run", body)), &graph(400)).findings;
    assert_eq!(findings[0].code, Code::Policy011, "{:?}", findings[0].judgement);
}

#[test]
fn b_chains_of_closures_cannot_be_built_and_fuel_is_too_short_for_them() {
    is_refused("let f = || 1; for x in subject.argv { let g = f; f = || g; }", "a closure that is stored");

    // What the fuel of one call can build at most is dropped well within the stack of an evaluation thread.
    let chain = move || {
        let left = Rc::new(Cell::new(runmill_policy::Limits::MAX_FUEL));
        let mut bare = Engine::new_raw();
        bare.on_progress(move |_| {
            left.set(left.get().saturating_sub(1));
            (left.get() == 0).then_some(Dynamic::UNIT)
        });
        bare.run("let f = || 1; loop { let g = f; f = || g; }").map_err(|error| error.to_string())
    };
    let ended = thread::Builder::new().stack_size(64 << 20).spawn(chain).unwrap().join().unwrap();
    assert!(ended.unwrap_err().contains("terminated"));
}

#[test]
fn c_there_is_no_currying() {
    is_refused("let f = Fn(\"len\"); f", "`Fn`");
    is_refused("subject.id.curry(1)", "`curry`");
}

#[test]
fn d_there_is_no_eval() {
    assert_eq!(Engine::new_raw().eval::<i64>("eval(\"40 + 2\")").ok(), Some(42), "even a raw engine has it");
    is_refused("eval(\"1\")", "`eval`");
    is_refused("let e = eval;", "eval");
}

#[test]
fn e_there_is_no_exit_by_any_name() {
    let bare = Engine::new();
    assert_eq!(bare.eval::<i64>("fn f() { exit(5); } f(); 1").ok(), Some(5), "it ends a script with success");
    assert_eq!(bare.eval::<i64>("Fn(\"ex\" + \"it\").call(5); 1").ok(), Some(5), "and can be reached in disguise");
    is_refused("exit(proven([subject]))", "`exit`");
    is_refused("Fn(\"ex\" + \"it\")", "`Fn`");
    is_refused("[proven([subject])].map(\"exit\")", "takes one closure");
}

#[test]
fn f_there_is_no_sleep_and_no_clock() {
    is_refused("sleep(1)", "`sleep`");
    is_refused("timestamp()", "`timestamp`");
}

#[test]
fn g_a_fault_cannot_be_caught() {
    let swallowed = Engine::new_raw().eval::<i64>("try { nonsense() } catch { } 1");
    assert_eq!(swallowed.ok(), Some(1), "a broken script looks fine");
    is_refused("try { refuse(); } catch { } proven([subject])", "`try`");
}

#[test]
fn h_no_function_replaces_one_that_rules_rely_on() {
    let replaced = Engine::new().eval::<bool>("fn starts_with(x) { true } \"abc\".starts_with(\"z\")");
    assert_eq!(replaced.ok(), Some(true), "a script function wins over a built-in method");
    let text = format!("fn starts_with(x) {{ true }}\n{}", rule("proven([subject])"));
    assert!(problems(source(&text))[0].contains("would replace"));
}

#[test]
fn i_nothing_compares_across_types() {
    let bare = Engine::new_raw();
    for silent in ["\"1\" == 1", "() == false", "[1] < 2"] {
        assert_eq!(bare.eval::<bool>(silent).ok(), Some(false), "{silent}");
    }
    for body in ["\"1\" == 1", "subject.required == 1", "subject.argv < 2", "subject.description == false"] {
        let finding = finding(&format!("if {body} {{ return proven([subject]); }} proven([subject])"));
        assert_eq!((finding.fault, finding.code), (true, Code::Policy010), "{body}");
    }
}

#[test]
fn j_native_work_on_long_lists_and_texts_uses_fuel() {
    let body = "let ids = cx.facts(\"check\").map(|c| c.id); for a in ids { let n = len(ids); } proven([subject])";
    let findings = evaluate(source(&rule_on("run", body)), &graph(4_000)).findings;
    assert_eq!(findings[0].code, Code::Policy011, "{:?}", findings[0].judgement);
}

#[test]
fn k_script_lists_do_not_grow() {
    for body in ["let a = []; a.push(1);", "let a = []; a.append([1]);", "let a = [] + [1];", "let a = []; a += 1;"] {
        match runmill_policy::Pack::load(source(&rule(body)), &crate::harness::registry()) {
            Err(_) => {}
            Ok(_) => assert!(finding(body).fault, "{body}"),
        }
    }
}

#[test]
fn l_there_is_no_import() {
    let bare = Engine::new_raw().run("import \"/etc/hostname\" as x;");
    assert!(matches!(*bare.unwrap_err(), EvalAltResult::ErrorModuleNotFound(..)), "a raw engine has no resolver");
    is_refused("import \"/etc/hostname\" as x;", "`import`");
}

#[test]
fn m_no_state_passes_from_subject_to_subject() {
    is_refused("let n = 0; subject.argv.map(|x| { n = n + 1; n });", "assignment to a variable outside of the closure");
    let body = "let n = 0; n = n + len(subject.argv); refuted(`${n}`, [subject])";
    let findings = evaluate(source(&rule(body)), &graph(3)).findings;
    assert!(findings.iter().all(|finding| &*finding.judgement.message == "1"));
}
