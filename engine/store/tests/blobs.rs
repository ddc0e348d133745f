//! Bytes by their digest.

use std::{fs, time::SystemTime};

use runmill_model::{Code, Digest};

use crate::harness::{Place, finished, minute};

#[test]
fn the_same_bytes_are_kept_once_and_count_as_put_again() {
    let place = Place::new();
    let store = place.open();
    let digest = store.put(b"bytes").unwrap();
    assert_eq!(digest, Digest::of(b"bytes"));
    let file = fs::OpenOptions::new().write(true).open(place.blob(&digest)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(place.blob(&digest)).unwrap());
    let before = inode();
    assert_eq!(store.put(b"bytes").unwrap(), digest);
    assert_eq!(inode(), before);
    assert!(fs::metadata(place.blob(&digest)).unwrap().modified().unwrap() > SystemTime::UNIX_EPOCH);
    assert_eq!(place.blob_files().len(), 1);
}

#[test]
fn many_are_put_at_once_in_their_order() {
    let place = Place::new();
    let store = place.open();
    let all: Vec<Vec<u8>> = (0..100_u8).map(|number| vec![number % 40; 10]).collect();
    let digests = store.put_all(&all.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    assert_eq!(digests, all.iter().map(|bytes| Digest::of(bytes)).collect::<Vec<_>>());
    assert_eq!(place.blob_files().len(), 40);
    assert!(digests.iter().zip(&all).all(|(digest, bytes)| store.blob(digest).unwrap() == *bytes));
    assert_eq!(store.put_all(&[]).unwrap(), []);
}

#[test]
fn a_damaged_blob_is_noticed_and_made_whole_when_it_is_put_again() {
    let place = Place::new();
    let store = place.open();
    let record = finished(&store, "r1", minute(0), |_| {});
    let verdict = record.documents["verdict"];
    fs::write(place.blob(&verdict), "verdict of r2").unwrap();
    let problem = store.blob(&verdict).unwrap_err().problem();
    assert_eq!(problem.code, Code::State004);
    assert_eq!(problem.message, format!("blob `{verdict}` of run `r1` was edited"));
    assert!(problem.help.contains("runmill runs verify"), "{}", problem.help);
    store.put(b"verdict of r1").unwrap();
    assert_eq!(store.blob(&verdict).unwrap(), b"verdict of r1");
}

#[test]
fn a_blob_that_nobody_ever_put_is_an_error() {
    let store = Place::new();
    let error = store.open().blob(&Digest::of(b"nothing")).unwrap_err();
    assert_eq!(error.problem().code, Code::State004);
    assert!(error.to_string().ends_with("is missing"), "{error}");
}
