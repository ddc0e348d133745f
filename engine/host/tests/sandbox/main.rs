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

mod container;
mod escape;
mod fixture;
mod inside;
mod life;
mod lower_tree;
mod machine;
mod processes;
mod programs;
mod reduced;
mod reports;
mod streams;
mod user;

use libtest_mimic::{Arguments, Trial};
use runmill_host::sandbox::{VERB, helper_main};
use user::Who;

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
    [
        escape::CASES,
        lower_tree::CASES,
        machine::CASES,
        processes::CASES,
        programs::CASES,
        reports::CASES,
        streams::CASES,
        life::CASES,
    ]
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
        Trial::test(format!("as_ordinary_user::{name}"), move || {
            user::run(Who::Ordinary, &["case", name]).map_err(Into::into)
        })
    });
    own.chain(as_user).chain(attempts()).chain(reduced()).collect()
}

/// Every attempt to get out, with namespaces and, in the imitation of a container, without.
fn attempts() -> Vec<Trial> {
    let trial = |who, prefix: &str, how: &'static str, name: &'static str| {
        let title =
            format!("{prefix}{}::{name}", if how == "attempt" { "escape" } else { "escape_without_namespaces" });
        Trial::test(title, move || user::run(who, &[how, name]).map_err(Into::into))
    };
    let all = escape::areas().into_iter().flat_map(|area| ["attempt", "attempt-in-container"].map(|how| (how, area)));
    all.flat_map(|(how, name)| everybody().map(move |(who, prefix)| trial(who, prefix, how, name))).collect()
}

/// The cases of isolation without namespaces.
fn reduced() -> Vec<Trial> {
    let cases = reduced::CASES.iter().flat_map(|(name, _)| everybody().map(move |person| (person, *name)));
    cases
        .map(|((who, prefix), name)| {
            let run = move || user::run(who, &["case-in-container", name]).map_err(Into::into);
            Trial::test(format!("{prefix}{name}"), run)
        })
        .collect()
}

fn everybody() -> impl Iterator<Item = (Who, &'static str)> {
    let ordinary = user::is_root().then_some((Who::Ordinary, "as_ordinary_user::"));
    [(Who::Same, "")].into_iter().chain(ordinary)
}
