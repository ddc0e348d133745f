//! A trust document of any bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runmill_evidence::Trust;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(trust) = Trust::parse(bytes) {
        let names: Vec<&str> = trust.key_ids().collect();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert!((1..=128).contains(&names.len()));
        assert_eq!(names.len(), distinct.len());
    }
});
