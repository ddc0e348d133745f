//! What a forge must report, and what it did.

use serde::{Deserialize, Serialize};

use super::{Accessor, Fact, Facts, Kind};
use crate::{CommitId, ContextName, Digest, Type, Value, declare, derived, value::Field, words::Observer};

declare::facts! {
    /// A context that must succeed on a forge.
    RemoteRequirement, remote_requirements, |this| this.context.to_string(), {
        /// Who observed it.
        observed_by: Observer,
        /// The context's name. In the operator's policy `*` stands for any text and `?` for any character.
        context: ContextName,
        /// The app that must report it; absent when any may.
        app: Option<String>,
        /// The workflow that must report it, as a path in the repository; absent when any may.
        workflow: Option<String>,
        /// Whether the operator's policy requires it.
        in_policy: bool,
        /// Whether the protection of the branch on the forge requires it.
        in_protection: bool,
    } derived {
        /// What the forge reports under this name, on whichever commit.
        observed: Type::List(&Type::Fact(Kind::RemoteCheck)), derived::remote_requirement_observed;
        /// The forge as it was observed; absent when runmill was given no observation.
        forge: Type::Optional(&Type::Fact(Kind::Forge)), derived::remote_requirement_forge;
    }

    /// A forge as it was observed. Absent when runmill was given no observation.
    Forge, forge, |_this| "forge".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The digest of the document of observations.
        digest: Digest,
        /// The repository there, as `owner/name`.
        repository: String,
        /// The commit that was asked about.
        sha: CommitId,
        /// The branch whose protection was asked for; absent when none was.
        base_branch: Option<String>,
        /// When this commit was first asked about, RFC 3339 in UTC, to the millisecond.
        first_observed_at: String,
        /// When it was last asked about, RFC 3339 in UTC, to the millisecond.
        observed_at: String,
        /// From the first observation to the last, in milliseconds.
        observed_for_ms: u64,
        /// How long after the first observation a context may stay unscheduled, in milliseconds.
        deadline_ms: u64,
        /// The end of that time, RFC 3339 in UTC, to the millisecond.
        deadline_at: String,
        /// Whether the protection of the branch could be read. What it requires is unknown otherwise.
        protection_readable: bool,
        /// The labels of the pull requests that hold the commit, sorted; absent when they are not known.
        labels: Option<Vec<String>>,
    } derived {}

    /// One run of a check on a forge, or one commit status there.
    RemoteCheck, remote_checks, |this| format!("{}#{}", this.context, this.position), {
        /// Who observed it.
        observed_by: Observer,
        /// Its name.
        context: ContextName,
        /// Its place among all that was observed, 0-based.
        position: u32,
        /// The app that reported it; absent for a commit status, which nobody vouches for.
        app: Option<String>,
        /// The workflow it is part of, as a path in the repository; absent when it is part of none.
        workflow: Option<String>,
        /// The suite it is part of; absent when it is part of none.
        suite: Option<String>,
        /// The forge's number for it, which ascends; absent when there is none.
        number: Option<u64>,
        /// The commit it is about.
        head_sha: CommitId,
        /// `completed`, or any other word for what is not yet.
        status: String,
        /// How it ended, in the forge's word; absent when it has not, or did not say.
        conclusion: Option<String>,
        /// When it started, RFC 3339 in UTC, to the millisecond; absent when it has not.
        started_at: Option<String>,
        /// When it ended, RFC 3339 in UTC, to the millisecond; absent when it has not.
        completed_at: Option<String>,
    } derived {
        /// Later runs of the same name on the same commit by the same app, workflow and suite.
        newer: Type::List(&Type::Fact(Kind::RemoteCheck)), derived::remote_check_newer;
    }
}
