//! `runmill.inspection/v1`: what is on record about a run, joined from its record, its fact graph and its verdict.

use std::collections::BTreeMap;

use runmill_model::{
    CheckId, Checkout, Code, CommitId, Digest, Isolation, Level, Observer, Origin, Outcome, ReportState,
    RequirementSource, RunId, Side, Status,
};
use runmill_store::{Names, RunKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything on record about a run. Lists are in the order of ids; of one check, the base comes first.
#[derive(Debug, Serialize)]
pub struct Inspection {
    /// `runmill.inspection/v1`.
    pub schema: &'static str,
    /// The run.
    pub run: RunId,
    /// What was judged.
    pub kind: RunKind,
    /// What it came to.
    pub outcome: String,
    /// The version of runmill that ran.
    pub engine: String,
    /// RFC 3339, in UTC.
    pub started_at: String,
    /// RFC 3339, in UTC.
    pub ended_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The tip that the change would merge into; absent where there is none.
    pub target: Option<CommitId>,
    /// The merge base; absent where there is none.
    pub base: Option<CommitId>,
    /// The commit that was judged; absent where there is none.
    pub candidate: Option<CommitId>,
    /// How the person named target and candidate.
    pub names: Names,
    /// The digest of the sealed fact graph.
    pub facts_digest: Digest,
    /// The operator's policy, as the verdict has it; absent without a verdict.
    pub policy: Option<Value>,
    /// The packs that judged.
    pub packs: Vec<InspectedPack>,
    /// Everything the operator loosened.
    pub relaxations: Vec<String>,
    /// The waivers that let a finding pass, as the verdict has them.
    pub waivers: Vec<Value>,
    /// The documents on record, by name.
    pub documents: BTreeMap<String, Digest>,
    /// The document of a receipt or a session; absent in a run about a change.
    pub attested: Option<Value>,
    /// The configured checks, run or not.
    pub checks: Vec<InspectedCheck>,
    /// What rules and floor found.
    pub findings: Vec<Finding>,
}

/// A pack that judged.
#[derive(Debug, Serialize)]
pub struct InspectedPack {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: Digest,
    /// The blob that holds all its files.
    pub source: Digest,
}

/// A configured check.
#[derive(Debug, Serialize)]
pub struct InspectedCheck {
    /// Its id.
    pub id: CheckId,
    /// Whether this change had to pass it.
    pub required: bool,
    /// Who required it.
    pub sources: Vec<RequirementSource>,
    /// Why, one reason for each rule that required it.
    pub reasons: Vec<String>,
    /// Whose definition governed.
    pub origin: Origin,
    /// The command.
    pub argv: Vec<String>,
    /// The working directory inside the checkout.
    pub cwd: String,
    /// The time limit.
    pub timeout_ms: u64,
    /// Where the command writes its report; absent when it declares none.
    pub report_path: Option<String>,
    /// The digest of its definition.
    pub definition_digest: Digest,
    /// The exceptions that are declared for it, whether they count or not.
    pub declarations: Vec<InspectedDeclaration>,
    /// Its earlier invocations on the same candidate, with the same definition, that did not pass.
    pub earlier: Vec<InspectedEarlier>,
    /// Its executions, the base first; empty when it never ran.
    pub invocations: Vec<InspectedInvocation>,
}

/// A declared exception for one test.
#[derive(Debug, Serialize)]
pub struct InspectedDeclaration {
    /// The test's shown id.
    pub test_id: String,
    /// Why the exception is there.
    pub cause: String,
    /// Whose declaration it is.
    pub origin: Origin,
    /// Whether the target's manifest carries it.
    pub in_target: bool,
    /// Whether the candidate's manifest carries it.
    pub in_candidate: bool,
    /// Whether it counts.
    pub counts: bool,
}

/// An earlier invocation that did not pass.
#[derive(Debug, Serialize)]
pub struct InspectedEarlier {
    /// Its run.
    pub run: RunId,
    /// How it ended.
    pub status: Status,
    /// When its run ended, RFC 3339 in UTC.
    pub ended_at: String,
}

/// One execution.
#[derive(Debug, Serialize)]
pub struct InspectedInvocation {
    /// The side.
    pub side: Side,
    /// Who executed it.
    pub executor: Observer,
    /// The commit it ran on.
    pub commit: CommitId,
    /// The tree hash before; absent when it never ran.
    pub tree_before: Option<Digest>,
    /// The tree hash after; absent when it never ran.
    pub tree_after: Option<Digest>,
    /// How it ended.
    pub status: Status,
    /// The exit code, where there is one.
    pub exit_code: Option<i32>,
    /// The signal, where one ended it.
    pub signal: Option<i32>,
    /// How long after the beginning of the run it started, in milliseconds; absent when it did not start in this run.
    pub started_ms: Option<u64>,
    /// How long it ran.
    pub duration_ms: u64,
    /// `proven` or `unproven`; absent without a verdict.
    pub coverage: Option<Outcome>,
    /// How it was isolated.
    pub isolation: Isolation,
    /// How the commit was laid out.
    pub checkout: Checkout,
    /// The run whose invocation stands in for it; absent when it ran in this run.
    pub reused_from: Option<RunId>,
    /// The keys that signed that run, where it is known by its signature and not on record here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attested_by: Vec<String>,
    /// The digest of what a command can notice of the sandbox; absent when it is not known.
    pub sandbox_digest: Option<Digest>,
    /// The digest of the machine's kind; absent when it is not known.
    pub platform_digest: Option<Digest>,
    /// The digest of the prepared dependencies; absent when there are none.
    pub dependencies_digest: Option<Digest>,
    /// Standard output.
    pub stdout: InspectedStream,
    /// Standard error.
    pub stderr: InspectedStream,
    /// The report; absent when none was declared.
    pub report: Option<InspectedReport>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// One stream of an execution.
#[derive(Debug, Default, Serialize)]
pub struct InspectedStream {
    /// The digest of the whole; absent when it never ran.
    pub sha256: Option<Digest>,
    /// The length of the whole, in bytes.
    pub bytes: u64,
    /// Whether less than the whole was kept.
    pub truncated: bool,
    /// The blob of what was kept; absent when nothing was.
    pub kept: Option<Digest>,
    /// What was kept, secrets replaced; absent when nothing was.
    pub preview: Option<String>,
}

/// The report of an execution, in numbers.
#[derive(Debug, Serialize)]
pub struct InspectedReport {
    /// Its format.
    pub format: String,
    /// What became of it.
    pub state: ReportState,
    /// The digest of the bytes that were written; absent when there are none.
    pub digest: Option<Digest>,
    /// The blob of what was kept of it; absent when nothing was.
    pub kept: Option<Digest>,
    /// Whether secrets were replaced in what was kept.
    pub redacted: bool,
    /// Tests listed.
    pub total: usize,
    /// Tests passed.
    pub passed: usize,
    /// Tests failed.
    pub failed: usize,
    /// Tests skipped.
    pub skipped: usize,
    /// Tests that passed after failing.
    pub flaky: usize,
    /// What is wrong with it, in words; absent when it was accepted.
    pub message: Option<String>,
    /// What to change; absent when it was accepted.
    pub fix: Option<String>,
}

/// One finding, as the verdict has it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// Its pack.
    pub pack: String,
    /// The code.
    pub code: Code,
    /// How it counts.
    pub level: Level,
    /// The judgement.
    pub outcome: Outcome,
    /// Whether the rule failed to judge.
    pub fault: bool,
    /// Whether a waiver let it pass.
    pub waived: bool,
    /// Whether it leaves the verdict open until something happens; only there when it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// What it is about.
    pub subject: Subject,
    /// What was found.
    pub message: String,
    /// The tests concerned, sorted.
    pub tests: Vec<String>,
    /// What to do next.
    pub fix: String,
    /// The facts it stands on.
    pub evidence: Vec<Subject>,
    /// What a waiver names it by.
    pub fingerprint: String,
}

/// A fact, by kind and key.
#[derive(Debug, Serialize, Deserialize)]
pub struct Subject {
    /// Its kind.
    pub kind: String,
    /// Its key.
    pub key: String,
}

impl Finding {
    /// Whether nothing supports it.
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Refuted | Outcome::Unproven)
    }

    /// Whether it stands in the way of a ready verdict.
    pub fn blocks(&self) -> bool {
        self.level == Level::Block && self.is_open() && !self.waived && !self.fault && !self.waiting
    }

    /// Whether it is about this check, or about the change as a whole and so about every check.
    pub fn concerns(&self, check: &str) -> bool {
        self.is_about_the_change() || self.check() == check
    }

    /// Whether it is about no check or context in particular.
    pub fn is_about_the_change(&self) -> bool {
        ["change", "policy", "run", "proposal"].contains(&self.subject.kind.as_str())
    }

    /// The id of the check that it is about; the subject's own key for any other subject.
    pub fn check(&self) -> &str {
        let key = self.subject.key.as_str();
        match self.subject.kind.as_str() {
            "requirement" => key.split_once(':').map_or(key, |(_, id)| id),
            "invocation" | "report" | "prior_run" => key.rsplit_once('@').map_or(key, |(id, _)| id),
            "declaration" => key.split_once('#').map_or(key, |(id, _)| id),
            _ => key,
        }
    }
}
