//! The sandbox, attacked. Each case runs as the user who started the tests, and as an ordinary user too when that is root.
//!
//! This binary is its own helper ([`VERB`]), and its own attacker: inside, it is started again with [`inside::VERB`]. As an ordinary user
//! it runs one case in a copy of itself that everybody may execute.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests of effects; without the usual harness the compiler does not know that they are tests"
)]

mod fixture;
mod inside;
mod life;
mod lower_tree;
mod machine;
mod processes;
mod programs;
mod reports;
mod streams;
mod user;

use libtest_mimic::{Arguments, Trial};
use runmill_host::sandbox::{VERB, helper_main};

/// A case: it panics where the sandbox does not do as said.
type Case = (&'static str, fn());

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(VERB) => std::process::exit(helper_main()),
        Some(inside::VERB) => inside::main(&arguments[2..]),
        Some(life::VERB) => life::main(&arguments[2..]),
        Some(user::VERB) => user::main(&arguments[2..], &cases()),
        _ => {
            let conclusion = libtest_mimic::run(&Arguments::from_args(), trials());
            user::remove_copy();
            conclusion.exit()
        }
    }
}

fn cases() -> Vec<Case> {
    [lower_tree::CASES, machine::CASES, processes::CASES, programs::CASES, reports::CASES, streams::CASES, life::CASES]
        .concat()
}

fn trials() -> Vec<Trial> {
    let own = cases().into_iter().map(|(name, case)| {
        Trial::test(name, move || {
            case();
            Ok(())
        })
    });
    let as_user = cases().into_iter().filter(|_| user::is_root()).map(|(name, _)| {
        Trial::test(format!("as_ordinary_user::{name}"), move || user::run_case(name).map_err(Into::into))
    });
    own.chain(as_user).collect()
}
