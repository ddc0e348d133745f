//! Signed runs that stand in for bases: `check --baseline-bundle FILE --trust F`.

use runmill_evidence::{error::Document, json::DOCUMENT_LIMIT, run};
use runmill_model::Problem;
use runmill_pipeline::bundle::Baseline;

use super::foreign::{self, Fault};
use crate::args::CheckArgs;

/// The bundles that are named, verified. One that is not there or refused lets every base run, and each says why.
///
/// # Errors
/// RM-EVIDENCE-001: the trust document cannot be judged.
pub fn baselines(args: &CheckArgs) -> Result<Vec<Baseline>, Problem> {
    let Some(trust) = &args.trust else { return Ok(Vec::new()) };
    let trust = foreign::read_document(Document::Trust, trust.as_std_path(), DOCUMENT_LIMIT).map_err(Fault::problem)?;
    run::RunTrust::parse(&trust)?;
    let now = foreign::now();
    let baselines = args.baseline_bundle.iter().map(|path| {
        match foreign::read_document(Document::Bundle, path.as_std_path(), run::BUNDLE_LIMIT) {
            Ok(bundle) => Baseline::verify(path.as_str(), &bundle, &trust, now),
            Err(fault) => Baseline::unusable(path.as_str(), fault.problem().message),
        }
    });
    Ok(baselines.collect())
}
