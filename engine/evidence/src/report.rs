//! The report document, `runmill.asf-evidence-verification-report/v1`.

use serde::Serialize;

use crate::{Check, FailureClass, Finding, Thoroughness, Verification};

/// The schema of the report.
pub const SCHEMA: &str = "runmill.asf-evidence-verification-report/v1";

/// Where the inputs came from, as absolute paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportPaths {
    /// The bundle.
    pub bundle_path: String,
    /// The trust document.
    pub trust_path: String,
    /// The expectations document.
    pub expectations_path: String,
    /// The artifact directory; none when bodies were not checked.
    pub artifacts_directory: Option<String>,
}

/// The report of one verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "Members")]
pub struct Report {
    outcome: Outcome,
    paths: ReportPaths,
    findings: Vec<Finding>,
    checks: Vec<Check>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Verified { bundle_digest: String, candidate: Option<String>, key_id: String, bodies: Option<BodiesMember> },
    Refused { failure: FailureClass, reason: String },
}

impl Report {
    /// The report of `verification`, with the checks when all of them were recorded.
    pub fn new(verification: &Verification, thoroughness: Thoroughness, paths: ReportPaths) -> Self {
        let outcome = match &verification.outcome {
            Ok(verified) => Outcome::Verified {
                bundle_digest: verified.bundle_digest.to_string(),
                candidate: verified.candidate.clone(),
                key_id: verified.key_id.clone(),
                bodies: verified.bodies.as_ref().map(|bodies| BodiesMember {
                    verified: true,
                    count: bodies.count,
                    total_bytes: bodies.total_bytes,
                    manifest_digest: bodies.manifest_digest.to_string(),
                }),
            },
            Err(refusal) => Outcome::Refused { failure: refusal.class, reason: refusal.reason.clone() },
        };
        let checks = match thoroughness {
            Thoroughness::Everything => verification.checks.clone(),
            Thoroughness::FirstFailure => Vec::new(),
        };
        Self { outcome, paths, findings: verification.findings.clone(), checks }
    }
}

/// The members of the document, in the order in which they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    schema: &'static str,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_digest: Option<String>,
    /// Two levels: absent in a refusal, null for a run without a candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate_sha: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<Signer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Option<BodiesMember>>,
    bundle_path: String,
    trust_path: String,
    expectations_path: String,
    artifacts_directory: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<Check>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Signer {
    key_id: String,
    algorithm: &'static str,
    verified: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct BodiesMember {
    verified: bool,
    count: u64,
    total_bytes: u64,
    manifest_digest: String,
}

impl From<Report> for Members {
    fn from(report: Report) -> Self {
        let ReportPaths { bundle_path, trust_path, expectations_path, artifacts_directory } = report.paths;
        let empty = Self {
            schema: SCHEMA,
            verified: false,
            failure: None,
            reason: None,
            verification_level: None,
            bundle_digest: None,
            candidate_sha: None,
            signer: None,
            artifacts: None,
            bundle_path,
            trust_path,
            expectations_path,
            artifacts_directory,
            findings: report.findings,
            checks: report.checks,
        };
        match report.outcome {
            Outcome::Refused { failure, reason } => Self { failure: Some(failure), reason: Some(reason), ..empty },
            Outcome::Verified { bundle_digest, candidate, key_id, bodies } => Self {
                verified: true,
                verification_level: Some(match bodies {
                    Some(_) => "artifact-contents",
                    None => "statement-and-signature",
                }),
                bundle_digest: Some(bundle_digest),
                candidate_sha: Some(candidate),
                signer: Some(Signer { key_id, algorithm: "EdDSA", verified: true }),
                artifacts: Some(bodies),
                ..empty
            },
        }
    }
}
