//! `runmill.verdict/v1`: the one document of a verdict, behind every output.

use runmill_manifest::OperatorPolicy;
use runmill_model::{
    Autonomy, CheckId, Checkout, Code, CommitId, Digest, Finding, Graph, Isolation, Level, ManifestSource, Observer,
    Outcome, PackName, RepoPath, ReportState, RequirementSource, RuleId, RunId, Side, Status, Verdict, Waiting,
    facts::{Change, Invocation, Report, Requirement, Waiver},
    verdict::Waived,
};
use runmill_policy::{Host, Pack};
use serde::Serialize;

use crate::{discover::Discovery, packs};

/// What a verdict document is made from.
pub(crate) struct Recorded<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) graph: &'a Graph,
    /// The change that the graph is about.
    pub(crate) change: &'a Change,
    pub(crate) host: &'a Host,
    pub(crate) policy: Decided,
    pub(crate) discovery: &'a Discovery,
}

/// What the operator decided, as far as no fact says it.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    /// The digest of the policy's bytes; absent without a policy.
    pub(crate) digest: Option<Digest>,
    /// What it loosens, in words.
    pub(crate) relaxations: Vec<String>,
}

impl Decided {
    /// By a policy, and by packs of the repository in whose place the operator's judge.
    pub(crate) fn by(policy: &OperatorPolicy, replaced: &[PackName]) -> Self {
        let told = |name: &PackName| format!("pack {name}: the operator's judges in the place of the repository's");
        let relaxations = relaxations(policy).into_iter().chain(replaced.iter().map(told)).collect();
        Self { digest: policy.source_digest(), relaxations }
    }
}

/// The verdict of a run. Lists are in the order of ids; digests are `sha256:` and 64 hex digits.
#[derive(Debug, Clone, Serialize)]
pub struct VerdictDocument {
    /// `runmill.verdict/v1`.
    pub schema: &'static str,
    /// The run's name in the record.
    pub run: RunId,
    /// The verdict.
    pub verdict: Verdict,
    /// The tip the change would merge into.
    pub target: CommitId,
    /// The merge base.
    pub base: CommitId,
    /// The commit that was judged.
    pub candidate: CommitId,
    /// The commit that was merged into the target to make the candidate; absent when the candidate is no such merge.
    pub merged: Option<CommitId>,
    /// What keeps target and candidate from being merged, where that was asked for.
    pub conflicts: Vec<RepoPath>,
    /// The operator's autonomy mode.
    pub mode: Autonomy,
    /// The digest of the sealed fact graph.
    pub facts_digest: Digest,
    /// The operator's policy.
    pub policy: PolicyEntry,
    /// The packs that judged.
    pub packs: Vec<PackEntry>,
    /// Everything the operator loosened.
    pub relaxations: Vec<String>,
    /// The waivers that let a finding pass.
    pub waivers: Vec<WaiverEntry>,
    /// Contexts that are still awaited.
    pub waiting: Vec<WaitingEntry>,
    /// What was required.
    pub manifest: ManifestEntry,
    /// What was executed.
    pub results: Vec<ResultEntry>,
    /// What the rules and the floor found.
    pub findings: Vec<FindingEntry>,
}

/// The operator's policy: its digest, or the word `none`.
#[derive(Debug, Clone, Serialize)]
#[serde(into = "serde_json::Value")]
pub struct PolicyEntry(pub Option<Digest>);

impl From<PolicyEntry> for serde_json::Value {
    fn from(policy: PolicyEntry) -> Self {
        policy.0.map_or_else(|| "none".into(), |digest| serde_json::json!({ "digest": digest.to_string() }))
    }
}

/// A pack that judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackEntry {
    /// Its name.
    pub name: PackName,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: Digest,
}

/// A waiver that let a finding pass.
#[derive(Debug, Clone, Serialize)]
pub struct WaiverEntry {
    /// The finding's fingerprint.
    pub fingerprint: String,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub approver: String,
    /// Until when.
    pub expires: String,
}

/// A context that is still awaited.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingEntry {
    /// The context.
    pub context: String,
    /// Until when it may stay unscheduled, RFC 3339; absent for one that has begun and may take its time.
    pub until: Option<String>,
}

/// What was required.
#[derive(Debug, Clone, Serialize)]
pub struct ManifestEntry {
    /// Where the manifest was read from.
    pub read_from: ManifestSource,
    /// Every configured check, and every required context.
    pub checks: Vec<CheckEntry>,
    /// Proposals that name nothing.
    pub ignored_proposals: Vec<IgnoredProposal>,
}

/// A configured check, or a required context with an empty command.
#[derive(Debug, Clone, Serialize)]
pub struct CheckEntry {
    /// Its id, or the context's name.
    pub id: String,
    /// Whether this change must pass it.
    pub required: bool,
    /// Who requires it.
    pub sources: Vec<RequirementSource>,
    /// Why, one reason for each rule that required it.
    pub reasons: Vec<String>,
    /// The command.
    pub argv: Vec<String>,
    /// The digest of its definition; absent for a context.
    pub definition_digest: Option<Digest>,
}

/// A proposal that names nothing.
#[derive(Debug, Clone, Serialize)]
pub struct IgnoredProposal {
    /// The text that was proposed.
    pub id: String,
    /// Why it was ignored.
    pub reason: String,
}

/// One execution.
#[derive(Debug, Clone, Serialize)]
pub struct ResultEntry {
    /// The check.
    pub check: CheckId,
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
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// `proven` or `unproven`, for display.
    pub coverage: Outcome,
    /// How it was isolated.
    pub isolation: Isolation,
    /// How the commit was laid out.
    pub checkout: Checkout,
    /// The run whose result stands in; absent when it ran in this run.
    pub reused_from: Option<RunId>,
    /// The keys that signed that run, where it is known by its signature and not on record here; absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attested_by: Vec<String>,
    /// Standard output.
    pub stdout: StreamEntry,
    /// Standard error.
    pub stderr: StreamEntry,
    /// The report; absent when none was declared.
    pub report: Option<ReportEntry>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// One stream of an execution.
#[derive(Debug, Clone, Serialize)]
pub struct StreamEntry {
    /// The digest of the whole; absent when it never ran.
    pub sha256: Option<Digest>,
    /// The length of the whole, in bytes.
    pub bytes: u64,
    /// Whether less than the whole was kept.
    pub truncated: bool,
}

/// The report of an execution, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct ReportEntry {
    /// Its format.
    pub format: String,
    /// The digest of its bytes; absent when there are none.
    pub digest: Option<Digest>,
    /// What became of it.
    pub state: ReportState,
    /// Why it was refused, where it was.
    pub reason: Option<String>,
    /// Tests listed.
    pub total: usize,
    /// Tests passed.
    pub passed: usize,
    /// Tests failed.
    pub failed: usize,
    /// Tests skipped.
    pub skipped: usize,
}

/// One finding.
#[derive(Debug, Clone, Serialize)]
pub struct FindingEntry {
    /// The rule.
    pub rule: RuleId,
    /// Its pack.
    pub pack: PackName,
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// What it is about: a fact's kind and key.
    pub subject: SubjectEntry,
    /// What was found.
    pub message: String,
    /// The tests concerned, sorted.
    pub tests: Vec<String>,
    /// What to do next.
    pub fix: String,
    /// The facts it stands on.
    pub evidence: Vec<SubjectEntry>,
    /// SHA-256 over pack, rule, code, subject and tests.
    pub fingerprint: Digest,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubjectEntry {
    /// Its kind.
    pub kind: &'static str,
    /// Its key.
    pub key: String,
}

impl FindingEntry {
    /// Whether it stands in the way of a ready verdict.
    pub fn blocks(&self) -> bool {
        let open = matches!(self.outcome, Outcome::Refuted | Outcome::Unproven);
        self.level == Level::Block && open && !self.waived && !self.fault && !self.waiting
    }
}

impl VerdictDocument {
    /// Its text as it is printed and recorded, with a line break at the end.
    ///
    /// # Errors
    /// It cannot be expressed as JSON.
    pub(crate) fn text(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Makes the document.
pub(crate) fn verdict(
    recorded: &Recorded<'_>,
    verdict: Verdict,
    findings: &[Finding],
    waived: &[Waived],
) -> VerdictDocument {
    let Recorded { run, graph, change, host, policy, discovery } = recorded;
    let waiting = findings.iter().filter_map(|finding| waiting(graph, finding)).collect();
    let findings: Vec<FindingEntry> = findings
        .iter()
        .enumerate()
        .map(|(at, finding)| entry(graph, finding, waived.iter().any(|waived| waived.finding == at)))
        .collect();
    VerdictDocument {
        schema: "runmill.verdict/v1",
        run: (*run).clone(),
        verdict,
        target: change.target.clone(),
        base: change.base.clone(),
        candidate: change.candidate.clone(),
        merged: change.merged.clone(),
        conflicts: change.conflicts.clone(),
        mode: change.mode,
        facts_digest: graph.digest(),
        policy: PolicyEntry(policy.digest),
        packs: pack_entries(host),
        relaxations: policy.relaxations.clone(),
        waivers: used_waivers(graph, waived),
        waiting,
        manifest: manifest(graph, change, discovery),
        results: graph.facts().invocations.iter().map(|run| result(graph, run, &findings)).collect(),
        findings,
    }
}

pub(crate) fn relaxations(policy: &OperatorPolicy) -> Vec<String> {
    let told = policy.relaxations();
    told.iter().map(ToString::to_string).chain(packs::changed_params(policy)).collect()
}

/// The context that a finding waits for; of several rules that wait for one, each says until when.
fn waiting(graph: &Graph, finding: &Finding) -> Option<WaitingEntry> {
    let until = match finding.judgement.waiting.as_ref()? {
        Waiting::Until(time) => Some(time.to_string()),
        Waiting::Completion => None,
    };
    let (_, context) = finding.subject_key(graph);
    finding.waits().then_some(WaitingEntry { context, until })
}

fn used_waivers(graph: &Graph, waived: &[Waived]) -> Vec<WaiverEntry> {
    let waivers = waived.iter().filter_map(|waived| graph.get::<Waiver>(waived.waiver));
    waivers
        .map(|waiver| WaiverEntry {
            fingerprint: waiver.fingerprint.clone(),
            reason: waiver.reason.clone(),
            approver: waiver.approver.clone(),
            expires: waiver.expires.clone(),
        })
        .collect()
}

fn manifest(graph: &Graph, change: &Change, discovery: &Discovery) -> ManifestEntry {
    let requirements = &graph.facts().requirements;
    let required = |found: Option<&Requirement>| {
        found.map_or((Vec::new(), Vec::new()), |found| (found.sources.clone(), found.reasons.clone()))
    };
    let checks = graph.facts().checks.iter().map(|check| {
        let requirement = requirements.iter().find(|requirement| requirement.check.as_ref() == Some(&check.id));
        let (sources, reasons) = required(requirement);
        CheckEntry {
            id: check.id.to_string(),
            required: requirement.is_some(),
            sources,
            reasons,
            argv: check.argv.clone(),
            definition_digest: Some(check.definition_digest),
        }
    });
    let contexts = requirements.iter().filter_map(|requirement| {
        let context = requirement.context.as_ref()?;
        let (sources, reasons) = required(Some(requirement));
        let id = context.to_string();
        Some(CheckEntry { id, required: true, sources, reasons, argv: Vec::new(), definition_digest: None })
    });
    let ignored = discovery.ignored.iter().cloned();
    ManifestEntry {
        read_from: change.read_from,
        checks: checks.chain(contexts).collect(),
        ignored_proposals: ignored.map(|(id, reason)| IgnoredProposal { id, reason }).collect(),
    }
}

fn result(graph: &Graph, run: &Invocation, findings: &[FindingEntry]) -> ResultEntry {
    let report = graph.report_of(&run.check, run.side);
    ResultEntry {
        check: run.check.clone(),
        side: run.side,
        executor: run.executor,
        commit: run.commit.clone(),
        tree_before: run.tree_before,
        tree_after: run.tree_after,
        status: run.status,
        exit_code: run.exit_code,
        signal: run.signal,
        duration_ms: run.duration_ms,
        coverage: coverage(run, report, findings),
        isolation: run.isolation,
        checkout: run.checkout,
        reused_from: run.reused_from.clone(),
        attested_by: run.attested_by.clone(),
        stdout: StreamEntry { sha256: run.stdout_digest, bytes: run.stdout_bytes, truncated: run.stdout_truncated },
        stderr: StreamEntry { sha256: run.stderr_digest, bytes: run.stderr_bytes, truncated: run.stderr_truncated },
        report: report.map(|report| ReportEntry {
            format: report.format.clone(),
            digest: report.digest,
            state: report.state,
            reason: report.reason.clone(),
            total: report.passed.len() + report.failed.len() + report.skipped.len(),
            passed: report.passed.len(),
            failed: report.failed.len(),
            skipped: report.skipped.len(),
        }),
        notes: run.notes.clone(),
    }
}

/// For display: what the findings coded 009 say of the candidate; at the base, whether there is an inventory.
fn coverage(run: &Invocation, report: Option<&Report>, findings: &[FindingEntry]) -> Outcome {
    let proven = match run.side {
        Side::Base => report.is_some_and(|report| report.state == ReportState::Accepted),
        Side::Candidate => {
            let key = format!("check:{}", run.check);
            findings.iter().any(|finding| {
                finding.code == Code::Verify009 && finding.outcome == Outcome::Proven && finding.subject.key == key
            })
        }
    };
    if proven { Outcome::Proven } else { Outcome::Unproven }
}

/// The packs of a run.
pub(crate) fn pack_entries(host: &Host) -> Vec<PackEntry> {
    let entry = |pack: &Pack| PackEntry {
        name: pack.name().clone(),
        version: pack.version().to_owned(),
        digest: pack.digest(),
    };
    host.packs().iter().map(entry).collect()
}

/// A finding as documents have it.
pub(crate) fn entry(graph: &Graph, finding: &Finding, waived: bool) -> FindingEntry {
    let (kind, key) = finding.subject_key(graph);
    let evidence = finding.judgement.evidence.iter();
    FindingEntry {
        rule: finding.head.rule.clone(),
        pack: finding.head.pack.clone(),
        code: finding.code,
        level: finding.head.level,
        outcome: finding.judgement.outcome,
        fault: finding.fault,
        waived,
        waiting: finding.waits() && !waived,
        subject: SubjectEntry { kind, key },
        message: finding.judgement.message.to_string(),
        tests: finding.test_ids(graph).map(str::to_owned).collect(),
        fix: finding.fix().to_owned(),
        evidence: evidence.map(|fact| SubjectEntry { kind: fact.kind.as_str(), key: graph.key(*fact) }).collect(),
        fingerprint: finding.fingerprint(graph),
    }
}
