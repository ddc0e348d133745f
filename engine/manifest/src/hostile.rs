//! Properties of all three parsers: no text makes one panic or speak out of form, and what is valid comes back.

use proptest::prelude::*;
use runmill_model::{Code, RepoPath};

use crate::{ByteSize, checks, pack, policy, rendered::rendered};

const CHECKS: &str = include_str!("../samples/checks.yaml");
const POLICY: &str = include_str!("../samples/policy.yaml");
const PACK: &str = include_str!("../samples/pack.kdl");

fn read_all(text: &str) {
    rendered(&checks::parse("checks.yaml", text), Code::Verify004);
    rendered(&policy::parse("policy.yaml", text), Code::Config002);
    rendered(&pack::parse("pack.kdl", text), Code::Policy001);
}

#[test]
fn the_samples_are_valid() {
    assert_eq!(rendered(&checks::parse("checks.yaml", CHECKS), Code::Verify004), "ok");
    assert_eq!(rendered(&policy::parse("policy.yaml", POLICY), Code::Config002), "ok");
    assert_eq!(rendered(&pack::parse("pack.kdl", PACK), Code::Policy001), "ok");
}

/// A sample with a few pieces cut out, doubled or replaced.
fn mutated(sample: &'static str) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,3}",
        Just("\n".to_owned()),
        Just("é".to_owned()),
        Just("\t".to_owned()),
        Just("{".to_owned()),
        Just("\"".to_owned()),
        Just("&a *a".to_owned()),
        Just("null".to_owned())
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, piece), 1..5).prop_map(move |edits| {
        edits.into_iter().fold(sample.to_owned(), |text, (at, length, piece)| {
            let starts: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
            let from = starts.len().saturating_sub(1).min(at.index(starts.len().max(1)));
            let to = (from + length).min(starts.len());
            let byte = |index: usize| starts.get(index).copied().unwrap_or(text.len());
            format!("{}{piece}{}", &text[..byte(from)], &text[byte(to)..])
        })
    })
}

/// A text of the kind that people put into these files, and some that nobody should.
fn words() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "[ -~]{1,20}", "\\PC{1,10}"].prop_filter("not blank", |text| !text.trim().is_empty())
}

fn path() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9._-]{0,5}(/[a-z][a-z0-9._-]{0,5}){0,2}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read_all(&text);
    }

    #[test]
    fn a_mutated_manifest_is_read_or_refused(text in mutated(CHECKS)) {
        rendered(&checks::parse("checks", &text), Code::Verify004);
    }

    #[test]
    fn a_mutated_policy_is_read_or_refused(text in mutated(POLICY)) {
        rendered(&policy::parse("policy", &text), Code::Config002);
    }

    #[test]
    fn a_mutated_pack_is_read_or_refused(text in mutated(PACK)) {
        rendered(&pack::parse("pack", &text), Code::Policy001);
    }

    /// JSON is YAML, and an independent writer.
    #[test]
    fn a_valid_manifest_comes_back_as_it_was_written(
        id in "[A-Za-z0-9][A-Za-z0-9._:-]{0,12}", argv in prop::collection::vec(words(), 1..4), minutes in 1_u64..600, cwd in path(), report in path(),
        set in prop::collection::btree_map("V_[A-Z0-9_]{1,6}", "\\PC{0,10}", 0..3), test_id in words(), cause in words(), mebibytes in 1_u64..4096,
    ) {
        let text = serde_json::json!({ "checks": [{
            "id": id, "argv": argv, "timeout": format!("{minutes}m"), "cwd": cwd, "env": { "set": set }, "required": false,
            "report": { "path": report, "format": "go-json" }, "declared_skips": [{ "test_id": test_id, "cause": cause }], "limits": { "memory": format!("{mebibytes}MiB") },
        }] }).to_string();
        let manifest = checks::parse("checks.json", &text).map_err(|problems| TestCaseError::fail(format!("{text}: {problems}")))?;
        let check = &manifest.checks()[0];
        prop_assert_eq!(check.id().as_str(), &id);
        prop_assert_eq!(check.argv().words(), &argv);
        prop_assert_eq!(check.timeout().as_millis(), minutes * 60_000);
        prop_assert_eq!(check.cwd(), &RepoPath::new(cwd).unwrap());
        prop_assert_eq!(check.report().unwrap().path().as_str(), &report);
        let values: Vec<_> = check.env().set().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        prop_assert_eq!(values, set.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(check.declared_skips()[0].test_id(), &test_id);
        prop_assert_eq!(check.limits().memory(), ByteSize::new(mebibytes << 20).unwrap());
        prop_assert!(!check.is_required());
        let again = checks::parse("checks.json", &text).unwrap();
        prop_assert_eq!(again, manifest);
    }
}
