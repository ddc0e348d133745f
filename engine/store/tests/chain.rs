//! Every way to interfere with the chain, the blobs or the index is found, and named by place and run.

use std::fs;

use proptest::prelude::*;
use runmill_model::{Code, Digest};
use runmill_store::{RunRecord, Store};

use crate::harness::{Place, began, finished, invocation, lines, listed, minute, run};

/// Entries 1 and 2 are r1, 3 and 4 are r2, which failed, 5 and 6 are r3.
fn three_runs() -> (Place, [RunRecord; 2]) {
    let place = Place::new();
    let store = place.open();
    let blocked = |record: &mut RunRecord| record.outcome = "blocked".to_owned();
    let first = finished(&store, "r1", minute(0), blocked);
    store.begin(&began("r2", minute(1))).unwrap();
    store.fail(&run("r2"), Code::Sandbox001, "no namespaces", minute(2)).unwrap();
    let last = finished(&store, "r3", minute(3), |record| {
        record.invocations = vec![invocation(&store, "unit", runmill_model::Side::Candidate)];
    });
    (place, [first, last])
}

/// Changes the text of an entry and its digest with it.
fn rewrite(place: &Place, seq: i64, from: &str, to: &str) {
    let ledger = rusqlite::Connection::open(place.ledger()).unwrap();
    let query = "SELECT body FROM entry WHERE seq = ?1";
    let body: Vec<u8> = ledger.query_row(query, [seq], |row| row.get(0)).unwrap();
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains(from), "{text}");
    let text = text.replace(from, to);
    let digest = Digest::of(text.as_bytes()).to_string();
    let update = "UPDATE entry SET body = ?2, digest = ?3 WHERE seq = ?1";
    ledger.execute(update, (seq, text.into_bytes(), digest)).unwrap();
}

#[track_caller]
fn check(sql: &str, expect: &[&str]) {
    let (place, _) = three_runs();
    place.tamper(sql);
    assert_eq!(place.faults(), expect, "{sql}");
}

#[test]
fn an_untouched_store_has_no_fault() {
    let (place, _) = three_runs();
    let seen = place.read().verify().unwrap();
    assert_eq!(lines(&seen), Vec::<String>::new());
    assert_eq!((seen.entries, seen.runs), (6, 3));
    // Two records, two documents each, and what one invocation left.
    assert_eq!(seen.blobs, 2 + 4 + 3);
    assert_eq!(place.read().verify_against(&seen.head.unwrap()).unwrap(), seen);
}

#[test]
fn an_empty_ledger_holds_together_and_has_no_head() {
    let place = Place::new();
    let seen = place.open().verify().unwrap();
    assert_eq!((seen.entries, seen.runs, seen.blobs, seen.head, lines(&seen)), (0, 0, 0, None, Vec::new()));
}

#[test]
fn finds_an_edited_entry() {
    let edit = "UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'blocked', 'ready') AS BLOB) WHERE seq = 2";
    check(edit, &["2 r1 was edited"]);
    check("UPDATE entry SET body = x'00' WHERE seq = 2", &["2 - was edited"]);
    check("UPDATE entry SET digest = replace(digest, '0', '1') WHERE seq = 2", &["2 r1 was edited"]);
}

#[test]
fn finds_an_edited_entry_whose_digest_was_edited_too() {
    let (place, [first, _]) = three_runs();
    rewrite(&place, 2, "blocked", "ready");
    let [chain, record] = place.faults().try_into().unwrap();
    assert_eq!(chain, "3 r2 does not follow the one before: that was changed, or this was put in");
    assert!(record.starts_with("2 r1 blob ") && record.ends_with("of run `r1` is the record of another"), "{record}");
    assert_eq!(place.read().record("r1").unwrap_err().problem().code, Code::State004, "{first:?}");

    let (place, _) = three_runs();
    rewrite(&place, 6, "2024-05-01T10:03:30Z", "2024-05-01T10:03:31Z");
    assert_eq!(place.faults(), ["6 - is not the one that is noted as the last one"]);
}

#[test]
fn finds_a_removed_entry_wherever_it_stood() {
    check("DELETE FROM entry WHERE seq = 1", &["1 - is missing", "2 r1 ends a run that never began"]);
    check("DELETE FROM entry WHERE seq = 3", &["3 - is missing", "4 r2 ends a run that never began"]);
    check("DELETE FROM entry WHERE seq IN (3, 4)", &["3 - and those up to 4 are missing"]);
    check("DELETE FROM entry WHERE seq = 6", &["6 - is missing, at the end"]);
    check("DELETE FROM entry WHERE seq >= 5", &["5 - and those up to 6 are missing, at the end"]);
    check("DELETE FROM entry", &["1 - and those up to 6 are missing, at the end"]);
}

#[test]
fn finds_entries_in_another_order() {
    let swap = "UPDATE entry SET seq = 99 WHERE seq = 3; UPDATE entry SET seq = 3 WHERE seq = 4;
                UPDATE entry SET seq = 4 WHERE seq = 99";
    check(swap, &["3 r2 is entry 4 in another place", "4 r2 is entry 3 in another place"]);
    let closed_up = "DELETE FROM entry WHERE seq = 4; UPDATE entry SET seq = seq - 1 WHERE seq > 4";
    let expect = ["4 r3 is entry 5 in another place", "5 r3 is entry 6 in another place", "6 - is missing, at the end"];
    check(closed_up, &expect);
}

#[test]
fn finds_an_entry_that_stands_there_twice() {
    let copy = "INSERT INTO entry SELECT 7, body, digest FROM entry WHERE seq = 6";
    let expect = ["7 r3 is entry 6 in another place", "7 - stands after 6, which is noted as the last one"];
    check(copy, &expect);
}

#[test]
fn finds_an_entry_that_was_put_in() {
    let (place, _) = three_runs();
    // In the form of an entry, with the right place and digest, and the head moved to it.
    place.tamper("INSERT INTO entry SELECT 7, body, digest FROM entry WHERE seq = 6");
    rewrite(&place, 7, "\"seq\":6", "\"seq\":7");
    rewrite(&place, 7, "\"run\":\"r3\"", "\"run\":\"r2\"");
    place.tamper("UPDATE head SET seq = 7, digest = (SELECT digest FROM entry WHERE seq = 7)");
    let expect = [
        "7 r2 does not follow the one before: that was changed, or this was put in",
        "7 r2 ends a run that ended in entry 4",
    ];
    assert_eq!(place.faults(), expect);

    let at_the_front = "INSERT INTO entry SELECT 0, body, digest FROM entry WHERE seq = 1";
    check(at_the_front, &["0 r1 is entry 1 in another place"]);
}

#[test]
fn finds_a_lost_note_of_the_last_entry() {
    check("DELETE FROM head", &["6 - is the last one, and noted nowhere as such"]);
    check(
        "UPDATE head SET digest = 'sha256:0'",
        &["- - entry 6 of the ledger is noted as the last one without a digest"],
    );
    check("UPDATE head SET seq = 5", &["6 - stands after 5, which is noted as the last one"]);
}

#[test]
fn an_entry_that_was_removed_stays_missing_when_more_are_added() {
    let (place, _) = three_runs();
    place.tamper("DELETE FROM entry WHERE seq = 6");
    finished(&place.open(), "r4", minute(9), |_| {});
    assert_eq!(place.faults(), ["6 - is missing"]);
}

#[test]
fn nothing_is_added_where_the_note_of_the_last_entry_is_wrong() {
    for sql in ["DELETE FROM head", "UPDATE head SET seq = 5"] {
        let (place, _) = three_runs();
        place.tamper(sql);
        let error = place.open().begin(&began("r4", minute(9))).unwrap_err();
        assert_eq!(error.problem().code, Code::State004, "{sql}");
    }
}

#[test]
fn a_chain_that_was_cut_consistently_is_found_by_a_digest_written_down_elsewhere() {
    let (place, _) = three_runs();
    let noted = place.read().verify().unwrap().head.unwrap();
    place.tamper(
        "DELETE FROM entry WHERE seq = 6;
         UPDATE head SET seq = 5, digest = (SELECT digest FROM entry WHERE seq = 5)",
    );
    let store = place.open();
    assert_eq!(lines(&store.verify().unwrap()), Vec::<String>::new());
    let fault = format!("- - no entry has the digest `{noted}`: the chain is not the one it is from");
    assert_eq!(lines(&store.verify_against(&noted).unwrap()), [fault]);
    // A run that lost its end is no run that was ready.
    assert_eq!(listed(&store)[0], "r3 unfinished");
}

#[test]
fn finds_a_blob_that_was_edited_or_is_missing() {
    let (place, [first, last]) = three_runs();
    let (verdict, stdout) = (first.documents["verdict"], last.invocations[0].stdout.unwrap());
    fs::write(place.blob(&verdict), "ready").unwrap();
    fs::remove_file(place.blob(&stdout)).unwrap();
    let expect = [
        format!("2 r1 blob `{verdict}` that its record names was edited"),
        format!("6 r3 blob `{stdout}` that its record names is missing"),
    ];
    assert_eq!(place.faults(), expect);
}

#[test]
fn finds_a_record_that_was_edited_or_is_missing() {
    let (place, [first, last]) = three_runs();
    let digest = |record| Digest::of(&runmill_model::canonical::to_bytes(record).unwrap());
    let (first, last) = (digest(&first), digest(&last));
    fs::write(place.blob(&first), "{}").unwrap();
    fs::remove_file(place.blob(&last)).unwrap();
    let expect =
        [format!("2 r1 blob `{first}` of run `r1` was edited"), format!("6 r3 blob `{last}` of run `r3` is missing")];
    assert_eq!(place.faults(), expect);
    let problem = place.read().record("r1").unwrap_err().problem();
    assert_eq!((problem.code, problem.message), (Code::State004, format!("blob `{first}` of run `r1` was edited")));
}

#[test]
fn finds_an_index_that_disagrees_and_a_collection_makes_it_anew() {
    let what = "the index disagrees with the ledger about it; `runmill runs gc` makes it anew";
    for sql in [
        "UPDATE run SET ended = NULL WHERE run = 'r1'",
        "DELETE FROM run WHERE run = 'r1'",
        "UPDATE run SET ended = 6 WHERE run = 'r1'",
        "UPDATE run SET began = 5 WHERE run = 'r1'",
    ] {
        let (place, _) = three_runs();
        place.tamper(sql);
        assert_eq!(place.faults(), [format!("- r1 {what}")], "{sql}");
        let store = place.open();
        store.gc(&runmill_store::Retention::default(), minute(9)).unwrap();
        assert_eq!(place.faults(), Vec::<String>::new(), "{sql}");
    }
    let (place, _) = three_runs();
    place.tamper("UPDATE invocation SET status = 'passed' WHERE run = 'r3'; DELETE FROM invocation WHERE run = 'r3'");
    assert_eq!(place.faults(), [format!("- r3 {what}")]);
}

#[test]
fn an_index_that_points_to_another_run_is_not_believed() {
    let (place, _) = three_runs();
    place.tamper("UPDATE run SET ended = 6 WHERE run = 'r2'");
    let store = place.read();
    let error = store.runs(&runmill_store::Filter::default()).unwrap_err();
    assert_eq!(error.problem().code, Code::State004);
    assert!(store.record("r2").is_err());
}

/// The bytes of the ledger and the place, to begin again from.
fn bytes(place: &Place) -> Vec<u8> {
    fs::read(place.ledger()).unwrap()
}

fn is_faulty(store: &Store) -> bool {
    !store.verify().unwrap().faults.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_of_a_byte_and_no_removal_goes_unnoticed(
        changes in proptest::collection::vec((1_i64..=6, any::<prop::sample::Index>(), 1_u8..), 40),
        removals in proptest::collection::btree_set(1_i64..=6, 1..=6),
    ) {
        let (place, _) = three_runs();
        let whole = bytes(&place);
        for (seq, at, mask) in changes {
            let ledger = rusqlite::Connection::open(place.ledger()).unwrap();
            let query = "SELECT body FROM entry WHERE seq = ?1";
            let mut body: Vec<u8> = ledger.query_row(query, [seq], |row| row.get(0)).unwrap();
            let at = at.index(body.len());
            body[at] ^= mask;
            ledger.execute("UPDATE entry SET body = ?2 WHERE seq = ?1", (seq, body)).unwrap();
            drop(ledger);
            prop_assert!(is_faulty(&place.read()), "entry {} byte {}", seq, at);
            fs::write(place.ledger(), &whole).unwrap();
        }
        let removed: Vec<String> = removals.iter().map(i64::to_string).collect();
        place.tamper(&format!("DELETE FROM entry WHERE seq IN ({})", removed.join(",")));
        prop_assert!(is_faulty(&place.read()), "without {:?}", removed);
    }
}
