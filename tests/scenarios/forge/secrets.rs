//! The token goes to the forge, and nowhere else.

use std::fs;

use serde_json::json;

use super::{BUILD, look, observed};
use crate::harness::{Forge, Reply, Repo};

const TOKEN: &str = "ghp_aVerySecretToken0123456789";

fn authorizations(forge: &Forge) -> Vec<Option<String>> {
    forge.asked().iter().map(|asked| asked.header("authorization").map(str::to_owned)).collect()
}

#[test]
fn the_token_comes_from_the_environment_or_from_gh() {
    let bearer = |token: &str| Some(format!("Bearer {token}"));
    let (repo, forge) = observed();
    let asks_with = |set: &[(&str, &str)]| {
        let before = forge.asked().len();
        let run = set.iter().fold(look(&repo, &forge), |run, (name, value)| run.env(name, *value));
        run.document();
        let all = authorizations(&forge).split_off(before);
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all[0].clone()
    };
    assert_eq!(asks_with(&[]), None);
    assert_eq!(asks_with(&[("GITHUB_TOKEN", "b")]), bearer("b"));
    assert_eq!(asks_with(&[("GITHUB_TOKEN", "b"), ("GH_TOKEN", "a")]), bearer("a"));
    assert_eq!(asks_with(&[("GITHUB_TOKEN", "b"), ("GH_TOKEN", "")]), bearer("b"));
    let gh = repo.place("bin/gh");
    fs::create_dir_all(gh.parent().unwrap()).unwrap();
    repo.executable_at(&gh, "#!/bin/sh\n[ \"$*\" = 'auth token --hostname 127.0.0.1' ] && echo from-gh\n");
    let path = format!("{}:{}", gh.parent().unwrap().display(), crate::harness::path());
    assert_eq!(asks_with(&[("PATH", &path)]), bearer("from-gh"));
    assert_eq!(asks_with(&[("PATH", &path), ("GH_TOKEN", "a")]), bearer("a"));
}

/// Everything that a run left behind, as text.
fn left_behind(repo: &Repo) -> String {
    let mut all = String::new();
    let mut folders = vec![repo.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap())),
                _ => {}
            }
        }
    }
    all
}

/// A forge that says the token back, in whatever it says.
#[test]
fn the_token_is_in_no_output_no_record_and_no_error() {
    let (repo, forge) = observed();
    let mut state = forge.state();
    state.run(&format!("build {TOKEN}"), "success");
    state.run("build", &format!("x{TOKEN}"))["app"]["slug"] = TOKEN.into();
    state.status(TOKEN, TOKEN);
    state.pull([TOKEN]);
    state.protect([(TOKEN, None)]);
    drop(state);
    let with_token = || look(&repo, &forge).env("GH_TOKEN", TOKEN);
    let silent = |told: &str| assert!(!told.contains(TOKEN), "{told}");
    let document = with_token().document().to_string();
    assert!(document.contains("build [redacted]"), "{document}");
    silent(&document);
    let output = with_token().args(["--out", "../remote.json", "-v"]).output();
    silent(&format!("{}{}", output.stdout, output.stderr));
    repo.check().env("GH_TOKEN", TOKEN).policy(BUILD).args(["--remote", "../remote.json"]).verdict();
    let words = json!({ "message": format!("no {TOKEN}") });
    for lie in [
        Reply::status(401).with(&words),
        Reply::status(404).with(&words),
        Reply::status(200).with(&json!(TOKEN)),
        Reply::status(301).header("location", &format!("http://example.invalid/{TOKEN}")),
        Reply::status(301).header("location", &format!("/{TOKEN}")),
        Reply::status(200).with(&json!([])).header("link", &format!("<http://example.invalid/{TOKEN}>; rel=\"next\"")),
    ] {
        forge.instead("statuses", lie.clone());
        let error = with_token().error();
        silent(&error.document().to_string());
        assert!(error.document().to_string().contains("[redacted]"), "{:#}", error.document());
        forge.instead("statuses", lie);
        let output = with_token().output();
        silent(&format!("{}{}", output.stdout, output.stderr));
    }
    let seen = authorizations(&forge);
    assert!(!seen.is_empty() && seen.iter().all(|one| one.as_deref() == Some(&format!("Bearer {TOKEN}"))));
    silent(&left_behind(&repo));
}

#[test]
fn the_token_goes_to_no_other_host() {
    let (repo, forge) = observed();
    let (_, other) = observed();
    for reply in [
        Reply::status(302).header("location", &format!("{}/check-runs", other.api())),
        Reply::status(307).header("location", &format!("//{}/check-runs", other.api().trim_start_matches("http://"))),
        Reply::status(200)
            .with(&json!({ "total_count": 0, "check_runs": [] }))
            .header("link", &format!("<{}/check-runs?page=2>; rel=\"next\"", other.api())),
    ] {
        forge.instead("check-runs", reply);
        look(&repo, &forge).env("GH_TOKEN", TOKEN).error().is("RM-CI-009", 1);
    }
    assert!(other.asked().is_empty(), "{:?}", other.asked());
}
