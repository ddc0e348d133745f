//! A bundle of any bytes, judged with the trust and expectations of the two baselines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runmill_evidence::{
    Documents, Strictness, Thoroughness, Verification, Verifier, error::Document, json, timestamp::Instant,
};

/// The seeds that verify: their key signed them and the expectations fit. Nothing else can be signed here.
const GENUINE: [&[u8]; 3] = [
    include_bytes!("../seeds/bundle/delivery.json"),
    include_bytes!("../seeds/bundle/terminal.json"),
    include_bytes!("../seeds/bundle/t-ok-budget-floor.json"),
];
const DELIVERY: [&[u8]; 2] =
    [include_bytes!("../seeds/trust/delivery.json"), include_bytes!("../seeds/expectations/delivery.json")];
const TERMINAL: [&[u8]; 2] =
    [include_bytes!("../seeds/trust/terminal.json"), include_bytes!("../seeds/expectations/terminal.json")];

fuzz_target!(|bundle: &[u8]| {
    for [trust, expectations] in [DELIVERY, TERMINAL] {
        let verify = |thoroughness| -> Option<Verification> {
            let verifier = Verifier {
                now: Instant::from_millis(1_751_328_000_000),
                strictness: Strictness::Report,
                thoroughness,
                artifacts: None,
            };
            verifier.verify(&Documents { bundle, trust, expectations }).ok()
        };
        let first = verify(Thoroughness::FirstFailure);
        let all = verify(Thoroughness::Everything);
        assert_eq!(first.as_ref().map(|of| &of.outcome), all.as_ref().map(|of| &of.outcome));
        if first.is_some_and(|verification| verification.outcome.is_ok()) {
            assert!(GENUINE.iter().any(|genuine| canonical(bundle) == canonical(genuine)));
        }
    }
});

fn canonical(bytes: &[u8]) -> Option<Vec<u8>> {
    json::parse(Document::Bundle, bytes).ok()?.root.canonical()
}
