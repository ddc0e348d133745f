//! `runmill schema`: JSON Schemas of what runmill reads and prints.

mod documents;

use clap::{Args, ValueEnum};
use runmill_manifest::schema;
use runmill_model::Problems;
use serde_json::Value;

use crate::{exit::Exit, render::Output};

/// Print the JSON Schema of a file or document
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// What to describe
    #[arg(value_name = "NAME")]
    pub name: Name,
}

/// What can be described. A document is called as its form is: `runmill.<name>/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// `.runmill/checks.yaml`
    Checks,
    /// The operator's `policy.yaml`
    Policy,
    /// `runmill.verdict/v1`, of `check`
    Verdict,
    /// `runmill.report/v1`, of `report read`
    Report,
    /// `runmill.doctor/v1`, of `doctor`
    Doctor,
    /// `runmill.init/v1`, of `init`
    Init,
    /// `runmill.demo/v1`, of `demo`
    Demo,
    /// `runmill.runs/v1`, of `runs`
    Runs,
    /// `runmill.store/v1`, of `runs verify`
    Store,
    /// `runmill.collection/v1`, of `runs gc`
    Collection,
    /// `runmill.inspection/v1`, of `inspect`
    Inspection,
    /// `runmill.facts/v1`, of `facts`
    Facts,
    /// `runmill.code/v1`, of `explain CODE`
    Code,
    /// `runmill.explanation/v1`, of `explain RUN`
    Explanation,
    /// `runmill.replay/v1`, of `replay`
    Replay,
    /// `runmill.approval/v1`, of `approve`
    Approval,
    /// `runmill.declaration/v1`, of `declare`
    Declaration,
    /// `runmill.prepared/v1`, of `deps prepare`
    Prepared,
    /// `runmill.dependency-status/v1`, of `deps status`
    DependencyStatus,
    /// `runmill.dependency-collection/v1`, of `deps gc`
    DependencyCollection,
    /// `runmill.fingerprint/v1`, of `deps fingerprint`
    Fingerprint,
    /// `runmill.rules-check/v1`, of `rules check`
    RulesCheck,
    /// `runmill.rules-test/v1`, of `rules test`
    RulesTest,
    /// `runmill.rules-coverage/v1`, of `rules coverage`
    RulesCoverage,
    /// `runmill.rules-laws/v1`, of `rules laws`
    RulesLaws,
    /// `runmill.rules-doc/v1`, of `rules doc`
    RulesDoc,
    /// `runmill.rules-diff/v1`, of `rules diff`
    RulesDiff,
    /// `runmill.rules-new/v1`, of `rules new`
    RulesNew,
    /// `runmill.rule-explanation/v1`, of `rules explain`
    RuleExplanation,
    /// `runmill.keygen/v1`, of `evidence keygen`
    Keygen,
    /// `runmill.signed/v1`, of `evidence sign`
    Signed,
    /// `runmill.exported/v1`, of `evidence export`
    Exported,
    /// `runmill.pack/v1`, of `rules lock`, `rules sign` and `rules verify`
    Pack,
    /// `runmill.trusted/v1`, of `evidence trust`
    Trusted,
    /// `runmill.expectations/v1`, of `evidence expect`
    Expectations,
    /// `runmill.evidence-report/v1`, of `evidence verify`
    EvidenceReport,
    /// `runmill.asf-evidence-verification-report/v1`, of `evidence verify` for bundles of the TypeScript runmill
    AsfEvidenceVerificationReport,
    /// `runmill.receipt/v1`, of `verify`
    Receipt,
    /// `runmill.registry/v1`, of `verify --list`
    Registry,
    /// `runmill.session/v1`, of `session`
    Session,
    /// `runmill.profiles/v1`, of `session profiles`
    Profiles,
    /// `runmill.draft/v1`, of `session draft`
    Draft,
    /// `runmill.proposal/v1`, of the tool `propose_check` of `mcp`
    Proposal,
    /// `runmill.hooks/v1`, of `hook install`
    Hooks,
    /// `runmill.hook-test/v1`, of `hook self-test`
    HookTest,
    /// `runmill.remote/v1`, of `remote observe`, and for `check --remote`
    Remote,
    /// `runmill.published/v1`, of `remote publish`
    Published,
    /// `runmill.gates/v1`, of `policy explain`
    Gates,
    /// `runmill.error/v1`, of every verb that cannot do its work
    Error,
}

/// Prints the schema.
pub fn run(args: &SchemaArgs, output: &Output) -> Result<Exit, Problems> {
    Ok(output.text(&text(args.name), Exit::Ready))
}

/// The schema as a file.
pub fn text(name: Name) -> String {
    // A schema is texts and numbers, and can be written.
    serde_json::to_string_pretty(&value(name)).unwrap_or_default() + "\n"
}

/// The schema.
pub fn value(name: Name) -> Value {
    match name {
        Name::Checks => schema::checks(),
        Name::Policy => schema::policy(),
        Name::Verdict => documents::verdict(),
        Name::Report => documents::report(),
        Name::Doctor => documents::doctor(),
        Name::Init => documents::init(),
        Name::Demo => documents::demo(),
        Name::Runs => documents::runs(),
        Name::Store => documents::store(),
        Name::Collection => documents::collection(),
        Name::Inspection => documents::inspection(),
        Name::Facts => runmill_workshop::schema::json_schema(),
        Name::Code => documents::code(),
        Name::Explanation => documents::explanation(),
        Name::Replay => documents::replay(),
        Name::Approval => documents::approval(),
        Name::Declaration => documents::declaration(),
        Name::Prepared => documents::prepared(),
        Name::DependencyStatus => documents::dependency_status(),
        Name::DependencyCollection => documents::dependency_collection(),
        Name::Fingerprint => documents::fingerprint(),
        Name::RulesCheck => documents::rules_check(),
        Name::RulesTest => documents::rules_test(),
        Name::RulesCoverage => documents::rules_coverage(),
        Name::RulesLaws => documents::rules_laws(),
        Name::RulesDoc => documents::rules_doc(),
        Name::RulesDiff => documents::rules_diff(),
        Name::RulesNew => documents::rules_new(),
        Name::RuleExplanation => documents::rule_explanation(),
        Name::Keygen => documents::keygen(),
        Name::Signed => documents::signed(),
        Name::Exported => documents::exported(),
        Name::Pack => documents::pack(),
        Name::Trusted => documents::trusted(),
        Name::Expectations => documents::expectations(),
        Name::EvidenceReport => documents::evidence_report(),
        Name::AsfEvidenceVerificationReport => documents::verification(),
        Name::Receipt => documents::receipt(),
        Name::Registry => documents::registry(),
        Name::Session => documents::session(),
        Name::Profiles => documents::profiles(),
        Name::Draft => documents::draft(),
        Name::Proposal => documents::proposal(),
        Name::Hooks => documents::hooks(),
        Name::HookTest => documents::hook_test(),
        Name::Remote => documents::remote(),
        Name::Published => documents::published(),
        Name::Gates => documents::gates(),
        Name::Error => documents::error(),
    }
}
