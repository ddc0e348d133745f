//! Bytes that no reporter writes: cut, changed, joined.

use std::sync::LazyLock;

use proptest::prelude::*;
use runmill_model::TestArena;
use runmill_report::{Format, Options, focus::focus_markers, guess, parse, text};

use crate::cases::{cases, fixture};

static FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    cases()
        .into_iter()
        .flat_map(|case| {
            let files = [case.base.clone(), Some(case.candidate.clone())];
            files.into_iter().flatten().map(move |file| (case.format, fixture(&format!("cases/{file}"))))
        })
        .collect()
});

/// Cut anywhere, a report is read or rejected; one that lists more than what it was cut from would be invented.
#[test]
fn no_panic_and_no_invention_at_any_cut() {
    for (format, bytes) in FILES.iter() {
        for end in 0..=bytes.len() {
            let cut = &bytes[..end];
            let mut arena = TestArena::new();
            let accepted = parse(*format, cut, &Options::default(), &mut arena).is_ok();
            let closed = *format != Format::Junit || bytes[end..].iter().all(u8::is_ascii_whitespace);
            assert!(
                !accepted || closed || bytes[end..].trim_ascii_start().starts_with(b"<?xml"),
                "{format}: cut at {end}"
            );
            guess(cut);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn mutated_reports_are_read_or_rejected(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let (format, mut bytes) = FILES[which.index(FILES.len())].clone();
        prop_assume!(!bytes.is_empty());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let mut arena = TestArena::new();
        let first = parse(format, &bytes, &Options::default(), &mut arena);
        let again = parse(format, &bytes, &Options::default(), &mut TestArena::new());
        prop_assert_eq!(&first, &again);
        prop_assert!(first.is_ok() || arena.is_empty());
        text::scan(&bytes, text::Table::builtin().unwrap());
        for path in ["a.test.js", "a_spec.rb", "a_test.go", "a.bats", "ASpec.swift", "test_a.py"] {
            focus_markers(path, &bytes);
        }
    }

    #[test]
    fn any_bytes_are_read_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in Format::ALL {
            let mut arena = TestArena::new();
            let accepted = parse(*format, &bytes, &Options::default(), &mut arena).is_ok();
            prop_assert!(accepted || arena.is_empty());
        }
    }
}
