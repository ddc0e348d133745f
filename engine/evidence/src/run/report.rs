//! The report document of a verification of ours, `runmill.evidence-report/v1`.

use serde::Serialize;

use super::RunVerification;
use crate::{Check, FailureClass, ReportPaths, Thoroughness};

/// The schema of the report.
pub const SCHEMA: &str = "runmill.evidence-report/v1";

/// The report of one verification.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    schema: &'static str,
    verified: bool,
    /// The class of the first failure; null when it is verified.
    failure: Option<FailureClass>,
    /// The first failure, in one line; null when it is verified.
    reason: Option<String>,
    /// The verdict of the run; null in a refusal, so that nothing reads as ready that was not verified.
    verdict: Option<String>,
    /// Whether the verdict was reached again from facts and packs.
    replayed: bool,
    bundle_digest: Option<String>,
    run: Option<String>,
    candidate: Option<String>,
    issued_at: Option<String>,
    /// The trusted keys that signed.
    signers: Vec<String>,
    bundle: String,
    trust: String,
    expectations: String,
    artifacts_dir: Option<String>,
    /// Everything that was checked, where that was asked for.
    checks: Vec<Check>,
}

impl RunReport {
    /// The report of `verification`.
    pub fn new(verification: &RunVerification, thoroughness: Thoroughness, paths: ReportPaths) -> Self {
        let verified = verification.outcome.as_ref().ok();
        let refusal = verification.outcome.as_ref().err();
        Self {
            schema: SCHEMA,
            verified: verified.is_some(),
            failure: refusal.map(|refusal| refusal.class),
            reason: refusal.map(|refusal| refusal.reason.clone()),
            verdict: verified.map(|verified| verified.verdict.clone()),
            replayed: verified.is_some_and(|verified| verified.replayed),
            bundle_digest: verified.map(|verified| verified.bundle_digest.to_string()),
            run: verified.map(|verified| verified.run.clone()),
            candidate: verified.map(|verified| verified.candidate.to_string()),
            issued_at: verified.map(|verified| verified.issued_at.clone()),
            signers: verified.map(|verified| verified.signers.clone()).unwrap_or_default(),
            bundle: paths.bundle_path,
            trust: paths.trust_path,
            expectations: paths.expectations_path,
            artifacts_dir: paths.artifacts_directory,
            checks: match thoroughness {
                Thoroughness::Everything => verification.checks.clone(),
                Thoroughness::FirstFailure => Vec::new(),
            },
        }
    }
}
