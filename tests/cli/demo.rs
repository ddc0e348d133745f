//! `runmill demo`: the real thing on a throw-away repository.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Repo, User};

#[test]
fn shows_one_ready_change_and_four_false_greens() {
    let nowhere = Repo::bare_directories(User::Same);
    let output = nowhere.runmill(["demo", "--json"]).in_dir(&nowhere.place("home")).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let scenes = document["scenes"].as_array().unwrap();
    let verdicts: Vec<_> = scenes.iter().map(|scene| scene["verdict"].clone()).collect();
    assert_eq!(verdicts, ["ready", "blocked", "blocked", "blocked", "blocked"].map(|word| json!(word)), "{document:#}");
    for (scene, code) in scenes[1..].iter().zip(["RM-VERIFY-006", "RM-VERIFY-007", "RM-VERIFY-003", "RM-VERIFY-008"]) {
        assert!(scene["codes"].as_array().unwrap().contains(&json!(code)), "{code} in {scene:#}");
    }
}

#[test]
fn tells_its_story_and_leaves_nothing_behind() {
    let nowhere = Repo::bare_directories(User::Same);
    let output = nowhere.runmill(["demo"]).in_dir(&nowhere.place("home")).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout.matches("BLOCKED").count(), 4, "{}", output.stdout);
    assert_eq!(output.stdout.matches("READY").count(), 1, "{}", output.stdout);
    for dir in ["home", "tmp", "config"] {
        assert_eq!(fs::read_dir(nowhere.place(dir)).unwrap().count(), 0, "something is left in {dir}");
    }
}

#[test]
fn works_without_privileges() {
    let nowhere = Repo::bare_directories(User::Ordinary);
    let output = nowhere.runmill(["demo"]).in_dir(&nowhere.place("home")).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn keeps_a_repository_in_which_its_commands_work() {
    let nowhere = Repo::bare_directories(User::Same);
    let kept = nowhere.place("kept");
    let output = nowhere.runmill(["demo", "--keep", kept.to_str().unwrap()]).in_dir(nowhere.root()).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    let commands: Vec<_> = output.stdout.lines().filter_map(|line| line.trim().strip_prefix("$ runmill ")).collect();
    assert_eq!(commands.len(), 5, "{}", output.stdout);
    let exits = commands
        .into_iter()
        .map(|line| nowhere.runmill(line.split(' ').collect::<Vec<_>>()).in_dir(&kept.join("shop")).output().exit);
    assert_eq!(exits.collect::<Vec<_>>(), [0, 3, 3, 3, 3]);
    // It never writes into what is there already.
    let again = nowhere.runmill(["demo", "--keep", kept.to_str().unwrap()]).in_dir(nowhere.root()).output();
    assert_ne!(again.exit, 0, "{}", again.stdout);
}
