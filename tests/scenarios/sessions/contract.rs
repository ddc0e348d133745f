//! What a caller sees, what a contract holds, and how a session begins and ends.

use super::{POLICY, Session, at, repo, session, session_under};
use crate::harness::{Recorded, Terminal, fits};

#[test]
fn a_caller_sees_ids_limits_and_digests_and_never_a_command() {
    let repo = repo();
    let listed = session(&repo, ["profiles"]).document();
    let ids: Vec<_> = listed["profiles"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!((ids, &listed["profiles"][0]["description"]), (vec!["a", "b", "write"], &"the first".into()));
    let required: Vec<_> = listed["profiles"].as_array().unwrap().iter().map(|it| it["required"].clone()).collect();
    assert_eq!(required, [true, true, false]);
    fits(&repo.runmill(["schema", "profiles"]).document(), &listed);
    at(&repo, ["begin"]);
    at(&repo, ["verify", "a"]);
    let run = at(&repo, ["verify", "b"]).document["session"].as_str().unwrap().to_owned();
    at(&repo, ["complete"]).exits(0);
    // Not in any answer, on any screen, and in nothing that is kept.
    let mut told = listed.to_string();
    for words in [&["profiles"][..], &["draft"], &["status", "--session", &run]] {
        for format in ["human", "json"] {
            told.push_str(&session(&repo, words.iter().copied()).args(["--format", format]).output().stdout);
        }
    }
    for words in [["facts", run.as_str()], ["inspect", run.as_str()]] {
        told.push_str(&repo.runmill(words).arg("--json").output().stdout);
    }
    for hidden in ["test -e", "a-fails", "\"-c\"", "mkdir"] {
        assert!(!told.contains(hidden), "`{hidden}` is in {told}");
    }
    for file in crate::harness::files(&repo.place("state")) {
        let kept = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!kept.contains("test -e") && !kept.contains("a-fails"), "{} holds a command", file.display());
    }
}

#[test]
fn every_required_profile_is_in_and_only_known_ids_can_be_added() {
    let repo = repo();
    let begun = at(&repo, ["begin", "--profile", "write", "--intent", "mend it"]);
    assert_eq!(begun.document["contract"]["profiles"], serde_json::json!(["a", "b", "write"]), "{begun}");
    assert_eq!(begun.document["contract"]["intent"], "mend it");
    let named = at(&repo, ["begin", "--profile", "a"]);
    assert_eq!(named.document["contract"]["profiles"], serde_json::json!(["a", "b"]), "{named}");
    for unknown in ["nothing", "a --fast", "a;true", "sh", ""] {
        session(&repo, ["begin", "--profile", unknown])
            .error()
            .is("RM-CONFIG-004", 2)
            .says("name one of `a`, `b`, `write`");
        session(&repo, ["verify", unknown]).error().is("RM-CONFIG-004", 2).says("takes no arguments");
    }
    session_under(&repo, ["begin"], "version: 1\n").error().is("RM-CONFIG-004", 2).says("no profile");
    let rivals = POLICY
        .replace("required: false", "required: true")
        .replace("{ id: b, ", "{ id: b, sandboxMode: workspace-write, ");
    session_under(&repo, ["begin"], &rivals).error().is("RM-CONFIG-002", 2).says("take").says("at most one profile");
}

#[test]
fn a_draft_is_good_once_and_for_exactly_its_contract() {
    let repo = repo();
    let draft = |words: &[&str]| {
        let drafted = session(&repo, ["draft"]).args(words.iter().copied()).document();
        fits(&repo.runmill(["schema", "draft"]).document(), &drafted);
        drafted["draft"].as_str().unwrap().to_owned()
    };
    let first = draft(&["--intent", "mend it"]);
    let begin = |draft: &str| session(&repo, ["begin", "--draft", draft]);
    let begun = Session::of(begin(&first));
    assert_eq!(begun.document["contract"]["intent"], "mend it", "{begun}");
    begin(&first).error().is("RM-STATE-005", 1).says("was used already");
    begin("draft-unknown").error().is("RM-STATE-005", 1).says("there is no draft");
    begin(begun.document["session"].as_str().unwrap()).error().is("RM-STATE-005", 1);
    let second = draft(&[]);
    begin(&second).args(["--profile", "write"]).error().is("RM-STATE-005", 1).says("another contract");
    begin(&second).args(["--intent", "else"]).error().is("RM-STATE-005", 1).says("another contract");
    let changed = POLICY.replace("! test -e b-fails", "true");
    session_under(&repo, ["begin", "--draft", &second], &changed).error().is("RM-STATE-005", 1).says("no longer makes");
    begin(&second).args(["--profile", "a"]).output();
    begin(&second).error().says("was used already");
}

#[test]
fn a_review_asks_a_person_and_nobody_else() {
    let repo = repo();
    session(&repo, ["begin", "--review"]).error().is("RM-CONFIG-004", 2).says("asks a person");
    let mut terminal = Terminal::new();
    let mut json = terminal.start(session(&repo, ["begin", "--review", "--json"]));
    terminal.until("asks a person");
    assert_eq!(json.wait().unwrap().code(), Some(2));
    session(&repo, ["status"]).error().is("RM-STATE-005", 1).says("no session is open");
}

#[test]
fn a_review_shows_the_intent_first_and_the_evidence_second() {
    for (answers, begins) in
        [(&["n\n"][..], false), (&["y\n", "n\n"], false), (&["\n"], false), (&["y\n", "y\n"], true)]
    {
        let (repo, mut terminal) = (repo(), Terminal::new());
        let intent = "mend it\u{1b}[2Jand\nevidence\n  - nothing";
        let review = terminal.start(session(&repo, ["begin", "--review", "--intent", intent]));
        terminal.until("intent");
        terminal.until("mend it");
        assert!(!terminal.drawn().contains("- a"), "the evidence before the answer: {}", terminal.drawn());
        terminal.until("Is this what is meant? [y/N]");
        assert!(!terminal.drawn().contains("Is this enough"), "{}", terminal.drawn());
        for (number, answer) in answers.iter().enumerate() {
            if number == 1 {
                terminal.until("- a");
                terminal.until("- b");
                terminal.until("Is this enough to prove it? [y/N]");
            }
            terminal.press(answer);
        }
        terminal.until(if begins { "OPEN" } else { "nothing was begun" });
        assert_eq!(terminal.exit(review), Some(if begins { 0 } else { 3 }));
        let status = session(&repo, ["status"]).output();
        assert_eq!(status.exit == 0, begins, "{}", status.stdout);
    }
}

#[test]
fn what_the_operator_changes_meanwhile_counts() {
    let repo = repo();
    let fewer = POLICY.replace("{ id: b, ", "{ id: b, required: false, ");
    let under = |policy: &str, words: &[&str]| Session::of(session_under(&repo, words.iter().copied(), policy));
    under(&fewer, &["begin"]);
    under(&fewer, &["verify", "a"]).is("open", true);
    // Another profile is required now.
    let outdated = under(POLICY, &["complete"]);
    assert_eq!(outdated.exits(3).open(), ["session/contract-outdated"]);
    assert_eq!(outdated.next(), ["runmill session begin"]);
    under(POLICY, &["verify", "b"]).is("open", false);
    under(&fewer, &["complete"]).exits(0);
    // The definition of one is another.
    under(POLICY, &["begin"]);
    let changed = under(&POLICY.replace("! test -e b-fails", "true"), &["status"]);
    assert_eq!(changed.next(), ["runmill session begin"], "{changed}");
    // What a session may write can only become less.
    let narrow = POLICY.replace("profiles:", "session: { sandboxMode: read-only }\nprofiles:");
    let ran = under(&narrow, &["verify", "write"]);
    assert_eq!(ran.document["verified"]["sandbox"], "read-only", "{ran}");
    under(&narrow, &["begin"]);
    assert_eq!(under(POLICY, &["verify", "write"]).document["verified"]["sandbox"], "read-only");
}

#[test]
fn completion_is_recorded_and_ends_the_session() {
    let repo = repo();
    for verb in ["status", "complete"] {
        session(&repo, [verb]).error().is("RM-STATE-005", 1);
    }
    let begun = at(&repo, ["begin"]);
    assert_eq!(begun.is("open", false).open(), ["session/never-verified"]);
    let steps = ["runmill session verify a", "runmill session verify b", "runmill session complete"];
    assert_eq!(begun.next(), steps);
    at(&repo, ["verify", "a"]).exits(0).is("open", false);
    let second = at(&repo, ["verify", "b"]);
    assert_eq!(second.exits(0).is("open", true).next(), ["runmill session complete"]);
    at(&repo, ["status"]).exits(0).is("open", true);
    let run = begun.document["session"].as_str().unwrap();
    let completed = at(&repo, ["complete"]);
    completed.exits(0).is("completed", true);
    let recorded = Recorded::of(&completed.output.state, run);
    assert_eq!((recorded.record().outcome.as_str(), recorded.record().kind.as_str()), ("completed", "session"));
    assert_eq!(recorded.document("session"), completed.output.stdout.as_bytes());
    for words in [&["verify", "a"][..], &["complete"], &["event", "--kind", "tool-call", "Edit"]] {
        let again = session(&repo, words.iter().copied()).args(["--session", run]).error();
        again.is("RM-STATE-005", 1).says("is completed");
    }
    at(&repo, ["status", "--session", run]).is("completed", true);
    let listed = repo.runmill(["runs"]).output().stdout;
    assert!(listed.contains("completed"), "{listed}");
    assert_eq!(repo.runmill(["runs", "verify"]).output().exit, 0);
}

#[test]
fn completion_is_denied_only_so_often() {
    let repo = repo();
    at(&repo, ["begin"]);
    let policy = POLICY.replace("profiles:", "session: { maxAttempts: 2 }\nprofiles:");
    let under = |words: &[&str]| Session::of(session_under(&repo, words.iter().copied(), &policy));
    let begun = under(&["begin"]);
    under(&["complete"]).exits(3).is("open", false);
    let last = under(&["complete"]);
    last.exits(3).is("exhausted", false);
    assert!(last.open().contains(&"session/attempts-spent"), "{last}");
    let run = begun.document["session"].as_str().unwrap().to_owned();
    session(&repo, ["complete", "--session", &run]).error().is("RM-STATE-005", 1).says("is exhausted");
    assert_eq!(Recorded::of(&last.output.state, &run).record().outcome, "exhausted");
    // The latest open one is the one before it.
    at(&repo, ["status"]).is("open", false);
}

#[test]
fn a_session_belongs_to_its_repository_also_in_a_shared_state_directory() {
    let (one, other) = (repo(), repo());
    let begun = at(&one, ["begin"]);
    let run = begun.document["session"].as_str().unwrap();
    let elsewhere = |words: &[&str]| session(&other, words.iter().copied()).state_dir(&one.place("state"));
    elsewhere(&["status"]).error().is("RM-STATE-005", 1).says("no session is open");
    elsewhere(&["status", "--session", run]).error().is("RM-STATE-005", 1);
}

#[test]
fn what_to_run_next_names_the_session_where_another_one_is_meant_otherwise() {
    let repo = repo();
    let first = at(&repo, ["begin"]).document["session"].as_str().unwrap().to_owned();
    at(&repo, ["begin"]);
    let next: Vec<String> =
        at(&repo, ["status", "--session", &first]).next().iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(next.len(), 3, "{next:?}");
    for step in next {
        let words = shell_words::split(&step).unwrap();
        assert_eq!(words[0], "runmill");
        assert_eq!(repo.runmill(words[1..].iter().map(String::as_str)).policy(POLICY).output().exit, 0, "{step}");
    }
    at(&repo, ["status", "--session", &first]).is("completed", true);
    at(&repo, ["status"]).is("open", false);
}

#[test]
fn a_session_fits_its_schema() {
    let repo = repo();
    let schema = repo.runmill(["schema", "session"]).document();
    at(&repo, ["begin"]);
    repo.file("a-fails", "");
    for words in [&["verify", "a"][..], &["verify", "write"], &["event", "--kind", "tool-call", "Edit"], &["complete"]]
    {
        fits(&schema, &at(&repo, words.iter().copied()).document);
    }
}
