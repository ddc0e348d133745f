//! Verification of a signed run.

use std::io::{self, Write};

use runmill_evidence::{
    Artifacts, EvidenceError, Thoroughness,
    error::Document,
    json::DOCUMENT_LIMIT,
    run::{RunDocuments, RunReport, RunVerification, RunVerifier},
};
use runmill_pipeline::{PackFolder, bundle::Rejudger, load_pack};

use super::{
    foreign::{self, ArtifactDirectory, Fault},
    verify::BundleArgs,
};

/// Verifies and returns the exit code: 0 verified, 3 refused, 1 unusable input.
pub fn verify(
    args: &BundleArgs,
    bundle: &[u8],
    json: bool,
    quiet: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let thoroughness = if args.common.explain { Thoroughness::Everything } else { Thoroughness::FirstFailure };
    match judge(args, bundle, thoroughness) {
        Err(fault) if json => foreign::write_json(out, &fault.document()).map(|()| foreign::UNUSABLE),
        Err(fault) => fault.write(err).map(|()| foreign::UNUSABLE),
        Ok(verification) => {
            if json {
                let report = RunReport::new(&verification, thoroughness, foreign::paths(&args.common));
                foreign::write_json(out, &report)?;
            } else {
                write_human(out, &verification, args.common.explain, quiet)?;
            }
            Ok(if verification.outcome.is_ok() { foreign::VERIFIED } else { foreign::REFUSED })
        }
    }
}

fn judge(args: &BundleArgs, bundle: &[u8], thoroughness: Thoroughness) -> Result<RunVerification, Fault> {
    let trust = foreign::read_document(Document::Trust, &args.common.trust, DOCUMENT_LIMIT)?;
    let expectations = foreign::read_document(Document::Expectations, &args.common.expectations, DOCUMENT_LIMIT)?;
    let directory = args.common.artifacts_dir.as_deref().map(ArtifactDirectory::open).transpose()?;
    let packs = args.pack.iter().map(|dir| load_pack(dir)).collect::<Result<Vec<PackFolder>, _>>();
    let packs = packs.map_err(|problems| Fault::new(problems.to_string(), "name a folder that holds a `pack.kdl`"))?;
    let rejudger = Rejudger { packs: &packs };
    let verifier = RunVerifier {
        now: foreign::now(),
        thoroughness,
        artifacts: directory.as_ref().map(|directory| directory as &dyn Artifacts),
        rejudge: args.replay.then_some(&rejudger),
    };
    let documents = RunDocuments { bundle, trust: &trust, expectations: &expectations };
    verifier.verify(&documents).map_err(|error: EvidenceError| Fault::of_evidence(&error, &args.common))
}

fn write_human(out: &mut dyn Write, verification: &RunVerification, explain: bool, quiet: bool) -> io::Result<()> {
    if explain && !quiet {
        for check in &verification.checks {
            foreign::write_check(out, check)?;
        }
    }
    match &verification.outcome {
        Ok(_) if quiet => Ok(()),
        Ok(verified) => {
            let signers = verified.signers.join("`, `");
            let candidate = verified.candidate.short();
            writeln!(out, "verified: run `{}` of `{candidate}` was {}", verified.run, verified.verdict)?;
            if verified.replayed {
                writeln!(out, "  judged again with the same result")?;
            }
            writeln!(out, "  signed by `{signers}` at {}", verified.issued_at)?;
            writeln!(out, "  {}", verified.bundle_digest)
        }
        Err(refusal) => writeln!(out, "refused ({}): {}", refusal.class, refusal.reason),
    }
}
