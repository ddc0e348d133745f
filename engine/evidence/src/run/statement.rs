//! The statement as it is read. What the verdict document holds beyond these members is covered by its digest and by
//! judging again.

use runmill_model::{CommitId, Digest};

use crate::{
    json::Json,
    shape::{
        Issues, Kept, Members, Place, Shape, choice, closed,
        numbers::Positive,
        scalars::{PlainText, Sentence, Timestamp},
        sequences::{Any, List, UpTo},
    },
};

choice! {
    enum StatementType { V1 = "https://in-toto.io/Statement/v1", }
    enum PredicateType { Run = "https://runmill.dev/attestations/run/v1", }
    enum PredicateSchema { V1 = "runmill.evidence/v1", }
    enum VerdictSchema { V1 = "runmill.verdict/v1", }
    enum Word { Ready = "ready", Blocked = "blocked", Indeterminate = "indeterminate", }
    enum Level { Block = "block", Warn = "warn", Off = "off", }
    enum Outcome { Proven = "proven", Refuted = "refuted", Unproven = "unproven", NotApplicable = "not_applicable", }
    enum Side { Base = "base", Candidate = "candidate", }
}

closed! {
    struct Statement {
        kind = "_type": StatementType,
        subject: List<Subject, 1, 1>,
        predicate_type = "predicateType": PredicateType,
        predicate: Predicate,
    }

    struct Subject { name: PlainText, digest: GitCommit, }

    struct GitCommit { commit = "gitCommit": CommitId, }

    struct Predicate {
        schema: PredicateSchema,
        issued_at: Timestamp,
        repository: PlainText,
        branch: Option<PlainText>,
        pull_request: Option<Positive>,
        run: RunPart,
        engine: PlainText,
        facts: Body,
        packs: List<Pack, 1, 256>,
        verdict: VerdictBody,
    }

    struct RunPart { id: PlainText, started_at: Timestamp, ended_at: Timestamp, }

    struct Body { digest: Digest, inline: Option<Json>, }

    struct Pack { name: PlainText, version: PlainText, digest: Digest, source: Body, }

    struct VerdictBody { digest: Digest, printed: Digest, document: Kept<Document>, }

    struct NamedPack { name: PlainText, version: PlainText, digest: Digest, }
}

/// Declares structs that are read from objects which may hold more.
macro_rules! open {
    ($(struct $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        #[derive(Debug, Clone)]
        #[allow(dead_code, reason = "some members only have to be well-formed")]
        pub(crate) struct $name { $(pub(crate) $field: $type,)* }

        impl Shape for $name {
            fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
                let members = Members::of_open(json, place, issues)?;
                $(let $field = members.read(stringify!($field), issues);)*
                Some(Self { $($field: $field?,)* })
            }
        }
    )*};
}

open! {
    struct Document {
        schema: VerdictSchema,
        run: PlainText,
        verdict: Word,
        target: CommitId,
        base: CommitId,
        candidate: CommitId,
        facts_digest: Digest,
        policy: PolicyWord,
        packs: UpTo<NamedPack, 256>,
        relaxations: Any<Sentence>,
        waivers: Any<Waiver>,
        manifest: Manifest,
        results: Any<RunResult>,
        findings: Any<Finding>,
    }

    struct Manifest { checks: Any<Check>, }

    struct Check { id: PlainText, required: bool, definition_digest: Option<Digest>, }

    struct Waiver { fingerprint: PlainText, }

    struct RunResult { check: PlainText, side: Side, }

    struct Finding {
        rule: PlainText,
        pack: PlainText,
        level: Level,
        outcome: Outcome,
        fault: bool,
        waived: bool,
        subject: FindingSubject,
    }

    struct FindingSubject { kind: PlainText, key: PlainText, }
}

/// The operator's policy: the digest of its bytes, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PolicyWord(pub(crate) Option<Digest>);

impl PolicyWord {
    pub(crate) fn shown(self) -> String {
        self.0.map_or_else(|| "none".to_owned(), |digest| digest.to_string())
    }
}

impl Shape for PolicyWord {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Text(text) if &**text == "none" => Some(Self(None)),
            Json::Object(_) => {
                let members = Members::of(json, place, &["digest"], issues)?;
                members.read("digest", issues).map(|digest| Self(Some(digest)))
            }
            _ => issues.add(place, "is neither `none` nor an object with a digest"),
        }
    }
}

impl Finding {
    /// Whether it keeps a run from being ready.
    pub(crate) fn stands_in_the_way(&self) -> bool {
        let open = matches!(self.outcome, Outcome::Refuted | Outcome::Unproven);
        self.fault || (self.level == Level::Block && open && !self.waived)
    }

    pub(crate) fn shown(&self) -> String {
        format!("{} on {} {}", self.rule, self.subject.kind, self.subject.key)
    }
}

/// What the parts of a statement must say of one another.
pub(super) fn agree(statement: &Statement, issues: &mut Issues) {
    let predicate = &statement.predicate;
    let document = &predicate.verdict.document.value;
    let root = Place::ROOT;
    let place = root.member("predicate");
    for subject in statement.subject.iter() {
        let subjects = root.member("subject");
        issues.require(&subjects, subject.name == predicate.repository, "does not name the repository");
        let same = subject.digest.commit == document.candidate;
        issues.require(&subjects, same, "is not the candidate of the verdict");
    }
    let verdict = place.member("verdict");
    issues.require(&verdict, predicate.run.id == document.run, "is of another run");
    issues.require(&verdict, predicate.facts.digest == document.facts_digest, "is about other facts");
    let named = document.packs.iter().map(|pack| (&pack.name, &pack.version, pack.digest));
    let same = named.eq(predicate.packs.iter().map(|pack| (&pack.name, &pack.version, pack.digest)));
    issues.require(&verdict, same, "names other packs");
    let run = place.member("run");
    let (started, ended) = (predicate.run.started_at.instant, predicate.run.ended_at.instant);
    issues.require(&run, started <= ended, "ended before it started");
    let issued = predicate.issued_at.instant;
    issues.require(&place.member("issued_at"), ended <= issued, "is before the end of the run");
}
