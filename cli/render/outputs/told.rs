//! The one model behind all outputs: what of a printed verdict they tell.

use serde::Deserialize;
use serde_json::Value;

/// A verdict, read back from its document.
#[derive(Debug, Deserialize)]
pub struct Told {
    pub run: String,
    pub verdict: String,
    pub target: String,
    pub base: String,
    pub candidate: String,
    pub mode: String,
    pub facts_digest: String,
    pub policy: Value,
    pub packs: Vec<Value>,
    pub relaxations: Vec<String>,
    pub waivers: Vec<Waiver>,
    pub waiting: Vec<Waiting>,
    pub manifest: Manifest,
    pub results: Vec<ToldResult>,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
pub struct Manifest {
    pub checks: Vec<Check>,
}

#[derive(Debug, Deserialize)]
pub struct Check {
    pub id: String,
    pub required: bool,
    pub sources: Vec<String>,
    pub argv: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct ToldResult {
    pub check: String,
    pub side: String,
    pub status: String,
    pub report: Option<Report>,
}

#[derive(Debug, Deserialize)]
pub struct Report {
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
    /// A verdict from the text of its document.
    ///
    /// # Errors
    /// It is no such document.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// What was found and is neither proven nor beside the point, what blocks first.
    pub fn open(&self) -> Vec<(Standing, &Finding)> {
        let counts =
            |finding: &&Finding| finding.level != "off" && matches!(finding.outcome.as_str(), "refuted" | "unproven");
        let open = self.findings.iter().filter(counts);
        let mut open: Vec<_> = open.map(|finding| (finding.standing(), finding)).collect();
        open.sort_by_key(|(standing, _)| *standing);
        open
    }

    /// The checks and contexts that the change must pass.
    pub fn required(&self) -> impl Iterator<Item = &Check> {
        self.manifest.checks.iter().filter(|check| check.required)
    }

    /// The result of a check at the candidate.
    pub fn candidate(&self, check: &str) -> Option<&ToldResult> {
        self.results.iter().find(|result| result.side == "candidate" && result.check == check)
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

impl Finding {
    fn standing(&self) -> Standing {
        match (self.level.as_str(), self.fault || self.waiting, self.waived) {
            ("block", _, true) => Standing::Waived,
            ("block", true, _) => Standing::Open,
            ("block", false, false) => Standing::Blocks,
            _ => Standing::Warns,
        }
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
