//! The one model behind all outputs: what of a printed verdict they tell.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A verdict, read back from its document.
#[derive(Debug, Deserialize)]
pub struct Told {
    pub run: String,
    pub verdict: String,
    pub target: String,
    pub base: String,
    pub candidate: String,
    #[serde(default)]
    pub merged: Option<String>,
    #[serde(default)]
    pub conflicts: Vec<String>,
    pub mode: String,
    pub facts_digest: String,
    pub policy: Value,
    pub packs: Vec<Pack>,
    pub relaxations: Vec<String>,
    pub waivers: Vec<Waiver>,
    pub waiting: Vec<Waiting>,
    pub manifest: Manifest,
    pub results: Vec<ToldResult>,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Pack {
    pub name: String,
    pub version: String,
    pub digest: String,
}

#[derive(Debug, Deserialize)]
pub struct Manifest {
    pub read_from: String,
    pub checks: Vec<Check>,
    #[serde(default)]
    pub ignored_proposals: Vec<Ignored>,
}

#[derive(Debug, Deserialize)]
pub struct Ignored {
    pub id: String,
    pub reason: String,
}

#[derive(Debug, Deserialize)]
pub struct Check {
    pub id: String,
    pub required: bool,
    pub sources: Vec<String>,
    #[serde(default)]
    pub reasons: Vec<String>,
    pub argv: Vec<String>,
    pub definition_digest: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct ToldResult {
    pub check: String,
    pub side: String,
    pub executor: String,
    pub commit: String,
    pub tree_before: Option<String>,
    pub tree_after: Option<String>,
    pub status: String,
    pub exit_code: Option<i64>,
    pub signal: Option<i64>,
    pub duration_ms: u64,
    pub coverage: String,
    pub isolation: String,
    pub checkout: String,
    pub reused_from: Option<String>,
    #[serde(default)]
    pub attested_by: Vec<String>,
    pub stdout: Stream,
    pub stderr: Stream,
    pub report: Option<Report>,
    pub notes: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Stream {
    pub sha256: Option<String>,
    pub bytes: u64,
    pub truncated: bool,
}

#[derive(Debug, Deserialize)]
pub struct Report {
    pub format: String,
    pub digest: Option<String>,
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
    pub total: u64,
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

#[derive(Debug, Deserialize)]
pub struct Waiver {
    pub fingerprint: String,
    pub reason: String,
    pub approver: String,
    pub expires: String,
}

#[derive(Debug, Deserialize)]
pub struct Waiting {
    pub context: String,
    pub until: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub pack: String,
    pub code: String,
    pub level: String,
    pub outcome: String,
    pub fault: bool,
    pub waived: bool,
    #[serde(default)]
    pub waiting: bool,
    pub subject: Subject,
    pub message: String,
    pub tests: Vec<String>,
    pub fix: String,
    #[serde(default)]
    pub evidence: Vec<Subject>,
    pub fingerprint: String,
}

#[derive(Debug, Deserialize)]
pub struct Subject {
    pub kind: String,
    pub key: String,
}

/// How a finding stands to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It blocks.
    Blocks,
    /// It leaves the verdict open: a rule faulted, or something has not happened yet.
    Open,
    /// It would block, and a waiver lets it pass.
    Waived,
    /// It warns.
    Warns,
}

impl Told {
    /// A verdict from the bytes of its document.
    ///
    /// # Errors
    /// It is no such document.
    pub fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }

    /// What was found and is neither proven nor beside the point, what blocks first.
    pub fn open(&self) -> Vec<(Standing, &Finding)> {
        let open = self.findings.iter().filter(|finding| finding.is_open());
        let mut open: Vec<_> = open.map(|finding| (finding.standing(), finding)).collect();
        open.sort_by_key(|(standing, _)| *standing);
        open
    }

    /// The checks and contexts that the change must pass.
    pub fn required(&self) -> impl Iterator<Item = &Check> {
        self.manifest.checks.iter().filter(|check| check.required)
    }

    /// The result of a check at the candidate.
    pub fn candidate(&self, check: &Check) -> Option<&ToldResult> {
        self.result(check, "candidate")
    }

    /// The result of a check on a side. A context has none, not even that of a check of its name.
    pub fn result(&self, check: &Check, side: &str) -> Option<&ToldResult> {
        let mut results = self.results.iter().filter(|_| !check.is_context());
        results.find(|result| result.side == side && result.check == check.id)
    }

    /// What is worst of all that was found about a check or context; absent when nothing is open about it.
    pub fn standing(&self, check: &Check) -> Option<Standing> {
        let about = self.open().into_iter().filter(|(_, finding)| finding.subject.is_about(check));
        about.map(|(standing, _)| standing).min()
    }

    /// How a check ended at the candidate, or what is known of a context, in a word or two.
    pub fn state(&self, check: &Check) -> &str {
        if !check.is_context() {
            return self.candidate(check).map_or("no result", |result| result.status.as_str());
        }
        match self.standing(check) {
            _ if self.waiting.iter().any(|it| it.context == check.id) => "awaited",
            Some(Standing::Blocks) => "not successful",
            Some(Standing::Open) => "not judged",
            Some(Standing::Waived) => "not successful, waived",
            Some(Standing::Warns) | None => "successful",
        }
    }

    /// The waiver of a finding.
    pub fn waiver(&self, finding: &Finding) -> Option<&Waiver> {
        self.waivers.iter().find(|waiver| finding.waived && waiver.fingerprint == finding.fingerprint)
    }

    /// The verdict in one sentence.
    pub fn sentence(&self) -> &'static str {
        match self.verdict.as_str() {
            "ready" => "this change may merge",
            "blocked" => "this change may not merge",
            _ => "could not tell whether this change may merge",
        }
    }
}

impl Check {
    /// Whether it is a context of a forge: nothing runs here.
    pub fn is_context(&self) -> bool {
        self.argv.is_empty()
    }
}

impl Finding {
    /// Whether it counts and nothing supports it.
    pub fn is_open(&self) -> bool {
        self.level != "off" && matches!(self.outcome.as_str(), "refuted" | "unproven")
    }

    fn standing(&self) -> Standing {
        match (self.level.as_str(), self.fault || self.waiting, self.waived) {
            ("block", _, true) => Standing::Waived,
            ("block", true, _) => Standing::Open,
            ("block", false, false) => Standing::Blocks,
            _ => Standing::Warns,
        }
    }
}

impl Subject {
    /// The check or context that it belongs to; its own key for any other.
    pub fn check(&self) -> &str {
        let key = self.key.as_str();
        match self.kind.as_str() {
            "requirement" => key.split_once(':').map_or(key, |(_, id)| id),
            "invocation" | "report" | "prior_run" => key.rsplit_once('@').map_or(key, |(id, _)| id),
            "declaration" => key.split_once('#').map_or(key, |(id, _)| id),
            "remote_check" => key.rsplit_once('#').map_or(key, |(id, _)| id),
            _ => key,
        }
    }

    /// Whether it belongs to this check or context. One is never taken for the other, whatever their names.
    pub fn is_about(&self, check: &Check) -> bool {
        let remote = matches!(self.kind.as_str(), "remote_requirement" | "remote_check")
            || (self.kind == "requirement" && self.key.starts_with("context:"));
        remote == check.is_context() && self.check() == check.id
    }
}

impl Waiting {
    /// Until when, in words.
    pub fn told(&self) -> String {
        let until =
            self.until.as_ref().map_or("it ends".to_owned(), |until| format!("it begins, at the latest {until}"));
        format!("{} until {until}", self.context)
    }
}
