//! Closed vocabularies: each word is declared once and has one spelling in documents, rules and messages.

macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $word_doc:literal])* $word:ident = $text:literal,)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $word_doc])* #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];

            /// Its spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)* }
            }

            /// The word with this spelling.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$word),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl crate::value::Field for $name {
            const TYPE: crate::Type = crate::Type::Text;
            const FORM: crate::Form = crate::Form::Words(&[$($text,)*]);
            fn value(&self) -> crate::Value {
                crate::Value::Text(self.as_str().into())
            }
        }
    )*};
}

words! {
    /// How far runmill may be trusted to act; the operator's choice.
    Autonomy {
        /// Selection only.
        Observe = "observe",
        /// A person owns the merge.
        PrOnly = "pr-only",
        /// Merges behind gates.
        GuardedMerge = "guarded-merge",
        /// Merges by itself.
        Continuous = "continuous",
    }
    /// Where a definition comes from.
    Origin {
        /// The manifest at the target commit, or one that is new in the change.
        Repository = "repository",
        /// The candidate's manifest, which may only tighten.
        Candidate = "candidate",
        /// The operator's policy.
        Operator = "operator",
    }
    /// Who required a check.
    RequirementSource {
        /// The repository's manifest.
        RepositoryPolicy = "repository-policy",
        /// The operator's policy or pack.
        Operator = "operator",
        /// A path rule.
        ChangedPath = "changed-path",
        /// A context that the forge requires.
        Github = "github",
        /// A proposal.
        Agent = "agent",
    }
    /// Which commit an invocation ran on.
    Side {
        /// The merge base.
        Base = "base",
        /// The commit being judged.
        Candidate = "candidate",
    }
    /// Who ran or saw something.
    Observer {
        /// runmill's own executor.
        Orchestrator = "orchestrator",
        /// The repository's content.
        Repository = "repository",
        /// The operator.
        Operator = "operator",
        /// An agent: advisory, never counted.
        Agent = "agent",
        /// A forge.
        Forge = "forge",
    }
    /// How an invocation ended.
    Status {
        /// Exit code 0.
        Passed = "passed",
        /// Another exit code, or a signal.
        Failed = "failed",
        /// Stopped at its time limit.
        Timeout = "timeout",
        /// Never started.
        NotRun = "not-run",
        /// Stopped because the run was.
        Interrupted = "interrupted",
    }
    /// Where the manifest was read from.
    ManifestSource {
        /// The target commit.
        BaseRef = "base-ref",
        /// The candidate, because the manifest is new in the change.
        WorkingTree = "working-tree",
        /// Nowhere: there is none.
        None = "none",
    }
    /// What became of the report file.
    ReportState {
        /// Parsed and counted.
        Accepted = "accepted",
        /// Written, and refused by the parser.
        Rejected = "rejected",
        /// Never written.
        Untouched = "untouched",
        /// Already there before the command ran.
        PreExisting = "pre-existing",
        /// Not a regular file with one link, or over its limit.
        Irregular = "irregular",
        /// Never ran, so never looked for.
        NotRun = "not-run",
    }
    /// How processes are isolated.
    Isolation {
        /// Linux namespaces with Landlock and seccomp.
        Namespaces = "namespaces",
        /// Landlock alone; reduced.
        Landlock = "landlock",
        /// Nothing ran.
        None = "none",
    }
    /// How a commit is laid out for an invocation.
    Checkout {
        /// One sealed base for each commit, a disposable read-only view for each invocation.
        Sealed = "sealed",
        /// One directory for each invocation.
        FreshWorktree = "fresh-worktree",
    }
    /// What the tree hash covers.
    TreeHash {
        /// All bytes, before and after.
        Content = "content",
        /// All bytes once for each commit, file status around each invocation.
        Sealed = "sealed",
    }
    /// How a finding counts.
    Level {
        /// Not evaluated.
        Off = "off",
        /// Shown, never blocking.
        Warn = "warn",
        /// Blocks unless proven or not applicable.
        Block = "block",
    }
    /// A rule's judgement on one subject.
    Outcome {
        /// The evidence shows it.
        Proven = "proven",
        /// The evidence shows the opposite.
        Refuted = "refuted",
        /// The evidence is missing.
        Unproven = "unproven",
        /// The rule has nothing to say here.
        NotApplicable = "not_applicable",
    }
    /// When a rule speaks.
    Stage {
        /// Which checks are required.
        Discovery = "discovery",
        /// Which tests were left out.
        Skip = "skip",
        /// Whether results describe the exact commit.
        Freshness = "freshness",
        /// Everything else, with the findings of earlier stages.
        Verdict = "verdict",
    }
    /// A property of a change that asks for a person.
    Condition {
        /// The change came without acceptance criteria.
        MissingAcceptanceCriteria = "missing_acceptance_criteria",
        /// The configuration of checks changed.
        CheckConfigChanged = "check_config_changed",
        /// A lockfile changed.
        LockfileChanged = "lockfile_changed",
        /// A public interface changed; never provable.
        PublicApiChange = "public_api_change",
        /// Permissions changed; never provable.
        PermissionsChange = "permissions_change",
        /// Something about secrets changed; never provable.
        SecretRelatedChange = "secret_related_change",
    }
    /// Where a day of a budget begins.
    DailyWindow {
        /// At midnight in UTC.
        Utc = "utc",
        /// At midnight where the operator is.
        Local = "local",
    }
    /// How a budget of costs is held to.
    CostEnforcement {
        /// By costs, where they are known.
        Auto = "auto",
        /// By time and number of invocations alone.
        WallAndInvocationsOnly = "wall-and-invocations-only",
    }
    /// What a command may write; a ceiling.
    SandboxMode {
        /// Nothing of the working tree.
        ReadOnly = "read-only",
        /// The working tree.
        WorkspaceWrite = "workspace-write",
    }
    /// What happened in a session.
    EventKind {
        /// The contract was made.
        Begun = "begun",
        /// The agent called a tool, which may have changed anything.
        ToolCall = "tool-call",
        /// A profile was about to run.
        Verifying = "verifying",
        /// A profile had run.
        Verified = "verified",
        /// Completion was asked for, and denied.
        Denied = "denied",
        /// Completion was asked for, and allowed.
        Completed = "completed",
    }
    /// How a profile ended.
    VerificationOutcome {
        /// It exited 0.
        Passed = "passed",
        /// It exited otherwise, or a signal ended it.
        Exit = "exit",
        /// Its time was up.
        Timeout = "timeout",
        /// Its program could not be found, or it is not as the contract has it.
        Configuration = "configuration",
        /// The boundary it must run in could not be had.
        Infrastructure = "infrastructure",
    }
    /// How a command of a receipt came out.
    CommandOutcome {
        /// It exited 0 within its bounds.
        Pass = "PASS",
        /// It exited otherwise, or a signal ended it.
        Fail = "FAIL",
        /// Its time was up.
        Timeout = "TIMEOUT",
        /// Nothing of that id is defined, so there was no process.
        Rejected = "REJECTED",
        /// It was not run to an end of its own, so there is no evidence.
        Error = "ERROR",
    }
    /// What a receipt comes to. Never an acceptance.
    ReceiptOutcome {
        /// Every command passed, on a tree that did not move.
        Verified = "VERIFIED",
        /// A command failed or was rejected.
        Failed = "FAILED",
        /// Cannot tell.
        Indeterminate = "INDETERMINATE",
    }
    /// How a gate of a merge stands.
    GateState {
        /// It holds.
        Met = "met",
        /// It does not hold.
        NotMet = "not-met",
        /// A person must decide.
        NeedsPerson = "needs-a-person",
        /// Cannot tell.
        Unknown = "unknown",
    }
    /// What the gates of a merge come to.
    GatesOutcome {
        /// Every gate is met: a machine may merge.
        Permitted = "permitted",
        /// A gate is not met.
        Refused = "refused",
        /// No gate is refused, and not every gate is met: a person decides, or more must be known.
        Undecided = "undecided",
    }
    /// The fold of all findings.
    Verdict {
        /// May merge.
        Ready = "ready",
        /// May not merge.
        Blocked = "blocked",
        /// Cannot tell.
        Indeterminate = "indeterminate",
    }
}

impl Autonomy {
    /// Whether a machine owns the merge, so that nothing of the coverage contract may be loosened.
    pub const fn is_unattended(self) -> bool {
        matches!(self, Self::GuardedMerge | Self::Continuous)
    }
}

impl SandboxMode {
    /// What both allow: a ceiling, never an escalation.
    #[must_use]
    pub const fn within(self, ceiling: Self) -> Self {
        match (self, ceiling) {
            (Self::WorkspaceWrite, Self::WorkspaceWrite) => Self::WorkspaceWrite,
            _ => Self::ReadOnly,
        }
    }
}
