//! A handful of scenarios as somebody without privileges. Where the suite is not root, they are what it is already.

use super::{network, nothing_ran, processes, reports, tree_moves};
use crate::harness::{Repo, User, unique_seconds};

#[test]
fn judges_a_change_without_privileges() {
    let repo = Repo::of_with_tests(User::Ordinary, ["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
    repo.check().verdict().is("ready").only_codes([]);
}

#[test]
fn names_a_vanished_test_without_privileges() {
    let repo = Repo::of_with_tests(User::Ordinary, ["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

#[test]
fn blocks_zero_tests_without_privileges() {
    nothing_ran::moved_folder(User::Ordinary);
}

#[test]
fn rejects_a_retried_test_without_privileges() {
    reports::retried_test(User::Ordinary);
}

#[test]
fn never_lets_a_check_append_to_a_file_without_privileges() {
    tree_moves::never_passes(User::Ordinary, "echo more >> source.txt");
}

#[test]
fn never_lets_a_check_make_a_file_executable_without_privileges() {
    tree_moves::never_passes(User::Ordinary, "chmod +x source.txt && [ -x source.txt ]");
}

#[test]
fn ends_a_grandchild_that_holds_the_pipe_without_privileges() {
    let seconds = unique_seconds();
    processes::leaves_nothing_alive(User::Ordinary, &seconds, &format!("(setsid sleep {seconds} &)"));
}

#[test]
fn reaches_nothing_but_its_own_loopback_without_privileges() {
    network::reaches_nothing(User::Ordinary);
}
