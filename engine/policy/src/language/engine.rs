//! The one place where engines of the language are made. Every limit is set by name; the engine's own defaults differ
//! between debug and release builds.

use rhai::{Engine, EvalAltResult, OptimizationLevel};

use crate::Limits;

/// What a rule is: an id, its metadata, and what it does with one subject.
const RULE: [&str; 5] = ["rule", "$string$", "$expr$", "when", "$func$"];

/// Words that the judging engine does not even read. The gate has refused them before, with better words.
const DISABLED: [&str; 16] = [
    "eval",
    "import",
    "export",
    "try",
    "throw",
    "Fn",
    "curry",
    "call",
    "while",
    "loop",
    "do",
    "print",
    "debug",
    "switch",
    "is_def_var",
    "is_def_fn",
];

/// Whether the engine folds constants before it judges. Only a differential test turns it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folding {
    Off,
    On,
}

/// An engine that reads a file for the gate: it accepts more than the gate does, so that the gate can report every
/// problem at once. It never runs anything.
pub(crate) fn reading(limits: &Limits) -> Engine {
    let mut engine = bare(limits);
    engine.set_strict_variables(false).set_allow_shadowing(true).set_allow_looping(true);
    engine
}

/// An engine that judges: it knows no function but what is registered later.
pub(crate) fn judging(limits: &Limits, folding: Folding) -> Engine {
    let mut engine = bare(limits);
    engine.set_optimization_level(match folding {
        Folding::Off => OptimizationLevel::None,
        Folding::On => OptimizationLevel::Simple,
    });
    engine.set_strict_variables(true).set_allow_shadowing(false).set_allow_looping(true);
    for word in DISABLED {
        engine.disable_symbol(word);
    }
    engine
}

fn bare(limits: &Limits) -> Engine {
    let mut engine = Engine::new_raw();
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_max_operations(limits.fuel)
        .set_max_call_levels(limits.call_levels)
        .set_max_expr_depths(limits.expression_depth, limits.expression_depth)
        .set_max_variables(limits.variables)
        .set_max_functions(limits.functions)
        .set_max_modules(limits.modules)
        .set_max_string_size(limits.text)
        .set_max_array_size(limits.array)
        .set_max_map_size(limits.map)
        .set_fail_on_invalid_map_property(true)
        .set_fast_operators(false)
        .set_allow_anonymous_fn(true)
        .set_allow_if_expression(true)
        .set_allow_switch_expression(false)
        .set_allow_loop_expressions(false)
        .set_allow_statement_expression(true);
    // A rule is only ever read; its place in the tree is where the host finds its body. The form is constant and valid.
    let _ = engine.register_custom_syntax(RULE, false, |_, _| {
        Err(Box::<EvalAltResult>::from("a rule is called by the host, never evaluated"))
    });
    engine
}
