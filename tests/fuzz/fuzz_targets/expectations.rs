//! Expectations of any bytes, for the two baseline bundles.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runmill_evidence::{
    Documents, EvidenceError, Strictness, Thoroughness, Verifier, error::Document, timestamp::Instant,
};

const BASELINES: [(&[u8], &[u8]); 2] = [
    (include_bytes!("../seeds/bundle/delivery.json"), include_bytes!("../seeds/trust/delivery.json")),
    (include_bytes!("../seeds/bundle/terminal.json"), include_bytes!("../seeds/trust/terminal.json")),
];

fuzz_target!(|expectations: &[u8]| {
    for (bundle, trust) in BASELINES {
        let verifier = Verifier {
            now: Instant::from_millis(1_751_328_000_000),
            strictness: Strictness::Refuse,
            thoroughness: Thoroughness::FirstFailure,
            artifacts: None,
        };
        match verifier.verify(&Documents { bundle, trust, expectations }) {
            Ok(_) => {}
            // Nothing but the expectations can be at fault.
            Err(
                EvidenceError::TooLarge { document, .. }
                | EvidenceError::Json { document, .. }
                | EvidenceError::Invalid { document, .. },
            ) => assert_eq!(document, Document::Expectations),
            Err(other) => panic!("{other}"),
        }
    }
});
