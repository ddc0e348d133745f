//! Streams of commands: previews, digests, and what neither takes.

use runmill_model::Digest;

use super::{came_to, policy, repo, verify};

#[test]
fn a_secret_is_replaced_before_a_preview_is_cut() {
    let secret = "hunter22-and-more";
    let repo = repo();
    for bound in 0..24 {
        let registry = format!(
            "{{ id: say, version: 1, argv: [printf, '%s', 'aaaa{secret}zzzz'], preview_bytes: {bound}, env: [A_TOKEN] }}"
        );
        let receipt = verify(&repo, ["say"], &registry).env("A_TOKEN", secret).receipt();
        let stdout = &receipt.is("VERIFIED").command("say")["stdout"];
        let clean = "aaaa[redacted]zzzz";
        assert_eq!(stdout["preview"], clean[..bound.min(clean.len())], "{bound}: {receipt}");
        assert_eq!(stdout["truncated"], bound < clean.len(), "{bound}: {receipt}");
        assert_eq!(stdout["sha256"], Digest::of(format!("aaaa{secret}zzzz").as_bytes()).to_string());
        assert_eq!(receipt.command("say")["argv"][2], "aaaa[redacted]zzzz");
    }
    // Nor does the list of the registry show it.
    let registry = format!("{{ id: say, version: 1, argv: [printf, '{secret}'] }}");
    for format in ["human", "json"] {
        let list = repo.runmill(["verify", "--list", "--format", format]).policy(&policy(&registry));
        let list = list.env("A_TOKEN", secret).output().stdout;
        assert!(list.contains("[redacted]") && !list.contains("hunter"), "{list}");
    }
}

#[test]
fn ids_that_hold_secrets_are_told_apart_without_them() {
    let repo = repo();
    let run = verify(&repo, ["hunter22", "swordfish", "unit", "hunter22"], "{ id: unit, version: 1, argv: ['true'] }");
    let receipt = run.env("A_TOKEN", "hunter22").env("B_SECRET", "swordfish").env("C_AUTH", "unit").receipt();
    let ids: Vec<_> = receipt.document()["commands"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, ["[redacted]", "[redacted] (2)", "[redacted] (3)"], "{receipt}");
    receipt.is("FAILED").came_to("[redacted] (2)", "REJECTED").came_to("[redacted] (3)", "PASS");
}

#[test]
fn bytes_that_are_no_text_are_replaced_in_the_preview_and_counted_in_the_digest() {
    let repo = repo();
    let registry = r"{ id: say, version: 1, argv: [printf, '\377ok\000\342\202'], preview_bytes: 64 }";
    let receipt = verify(&repo, ["say"], registry).receipt();
    let stdout = &receipt.is("VERIFIED").command("say")["stdout"];
    assert_eq!(
        (&stdout["preview"], &stdout["truncated"]),
        (&"\u{fffd}ok\0\u{fffd}".into(), &false.into()),
        "{receipt}"
    );
    assert_eq!(stdout["sha256"], Digest::of(b"\xffok\0\xe2\x82").to_string());
    let screen = verify(&repo, ["say"], registry).arg("-v").output().stdout;
    assert!(!screen.contains('\0'), "{screen:?}");
}

/// 1 GiB goes by in a process that may not have half of that.
#[test]
fn a_stream_takes_no_memory() {
    let repo = repo();
    let big = "{ id: big, version: 1, argv: [head, -c, '1073741824', /dev/zero] }";
    let policy = policy(big) + "verification: { limits: { output: 2GiB } }\n";
    let run = repo.runmill(["verify", "big"]).policy(&policy).traced("big");
    let receipt = run.through(["sh", "-c", "ulimit -v 500000; exec \"$@\"", "sh"]).receipt();
    let stdout = &receipt.is("VERIFIED").command("big")["stdout"];
    assert_eq!((&stdout["bytes"], &stdout["truncated"]), (&1_073_741_824_u64.into(), &true.into()));
    assert_eq!(stdout["sha256"], "sha256:49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14");
    assert_eq!(stdout["preview"].as_str().unwrap().len(), 4096);
    assert!(came_to(&repo, "big", "ended"));
}
