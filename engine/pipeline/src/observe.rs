//! What happened, as facts: invocations and their reports.

use runmill_host::{
    redact::Secrets,
    sandbox::{Ended, Exited, Irregular, PreExisting, ReportFile},
};
use runmill_manifest::{Check, OperatorPolicy, ReportSpec, checks};
use runmill_model::{
    Digest, GraphBuilder, ReportState, Status,
    facts::{Invocation, Repeat, Report},
};
use runmill_report::{Options, TestReport, text::Notice};

use crate::{
    execute::{self, Done},
    runners::Runners,
    without_secrets,
};

/// How an invocation ended, in the vocabulary of facts.
pub(crate) fn status_of(ended: &Ended) -> Status {
    match ended {
        Ended::Exit(0) => Status::Passed,
        Ended::Exit(_) | Ended::Signal(_) | Ended::OutputLimit => Status::Failed,
        Ended::Timeout => Status::Timeout,
        Ended::Interrupted => Status::Interrupted,
        Ended::NotStarted { .. } => Status::NotRun,
    }
}

/// Adds the invocation, and the report where its check declares one.
pub(crate) fn observe(
    builder: &mut GraphBuilder,
    done: &Done,
    check: &Check,
    policy: &OperatorPolicy,
    secrets: &Secrets,
    runners: &Runners,
) {
    let mut invocation = invocation(done, check.argv().words(), policy, runners);
    secrets.redact_all(&mut invocation.notes);
    builder.add(invocation);
    if let Some(spec) = check.report() {
        let report = report(builder, done, spec, secrets);
        builder.add(report);
    }
}

fn invocation(done: &Done, argv: &[String], policy: &OperatorPolicy, runners: &Runners) -> Invocation {
    let exited = done.exited.as_ref();
    let status = exited.map_or(Status::Interrupted, |exited| status_of(&exited.ended));
    let ran = exited.filter(|_| status != Status::NotRun);
    let notices = exited.map(|exited| runners.scan(argv, &output(exited))).unwrap_or_default();
    let lines = |notices: &[Notice]| notices.iter().map(|notice| notice.text.clone()).collect();
    Invocation {
        status,
        exit_code: exited.and_then(|exited| if let Ended::Exit(code) = exited.ended { Some(code) } else { None }),
        signal: exited.and_then(|exited| if let Ended::Signal(signal) = exited.ended { Some(signal) } else { None }),
        duration_ms: ran.map_or(0, |exited| u64::try_from(exited.duration.as_millis()).unwrap_or(u64::MAX)),
        tree_before: done.tree_before,
        tree_after: done.tree_after,
        isolation: policy.verification().isolation(),
        checkout: execute::checkout(policy),
        sandbox_digest: ran.and(done.prints).map(|prints| prints.sandbox),
        platform_digest: ran.and(done.prints).map(|prints| prints.platform),
        dependencies_digest: ran.and(done.prints).and_then(|prints| prints.dependencies),
        stdout_digest: ran.map(|exited| exited.stdout.digest),
        stdout_bytes: ran.map_or(0, |exited| exited.stdout.bytes),
        stdout_truncated: ran.is_some_and(|exited| exited.stdout.truncated),
        stderr_digest: ran.map(|exited| exited.stderr.digest),
        stderr_bytes: ran.map_or(0, |exited| exited.stderr.bytes),
        stderr_truncated: ran.is_some_and(|exited| exited.stderr.truncated),
        leftovers: exited.map_or(0, |exited| exited.leftovers),
        zero_test_notices: lines(&notices.zero_tests),
        focus_notices: lines(&notices.focus),
        skipped_in_output: notices.skipped,
        notes: notes(done),
        ..Invocation::not_run(done.check.clone(), done.side, done.commit.clone())
    }
}

/// Both streams, as far as they were kept.
fn output(exited: &Exited) -> Vec<u8> {
    let mut bytes = Vec::new();
    for stream in [&exited.stdout, &exited.stderr] {
        bytes.extend_from_slice(stream.text().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

fn notes(done: &Done) -> Vec<String> {
    let mut notes = done.notes.clone();
    if let Some(exited) = &done.exited {
        end_notes(&mut notes, exited);
    }
    notes
}

/// What a reader should know of an execution.
pub(crate) fn exit_notes(exited: &Exited) -> Vec<String> {
    let mut notes = exited.notes.clone();
    end_notes(&mut notes, exited);
    notes
}

fn end_notes(notes: &mut Vec<String>, exited: &Exited) {
    match &exited.ended {
        Ended::NotStarted { reason } => notes.insert(0, reason.clone()),
        Ended::OutputLimit => notes.push("stopped: its output passed `limits.output`".to_owned()),
        _ => {}
    }
    match exited.leftovers {
        0 => {}
        1 => notes.push("1 process was still running when the command ended; it was killed".to_owned()),
        count => notes.push(format!("{count} processes were still running when the command ended; they were killed")),
    }
}

/// What became of the report of an invocation.
pub(crate) fn report(builder: &mut GraphBuilder, done: &Done, spec: &ReportSpec, secrets: &Secrets) -> Report {
    let blank = Report::not_run(done.check.clone(), done.side, spec.format().to_string());
    let Some(exited) = &done.exited else { return unread(blank, ReportState::NotRun, "the command never ran", "") };
    if matches!(exited.ended, Ended::NotStarted { .. }) {
        return unread(blank, ReportState::NotRun, "the command never ran", "");
    }
    let path = spec.path();
    match &exited.report {
        ReportFile::NotDeclared => unread(blank, ReportState::NotRun, "the command never ran", ""),
        ReportFile::PreExisting(what) => {
            let message = format!("`{path}` is {} in the commit already", pre_existing(*what));
            unread(blank, ReportState::PreExisting, &message, "take it out of version control and ignore it")
        }
        ReportFile::Untouched { hint } => {
            let message = format!("`{path}` was not written");
            let fix = hint.as_deref().unwrap_or("point the reporter at exactly this path, written in place");
            unread(blank, ReportState::Untouched, &message, fix)
        }
        ReportFile::Irregular(what) => {
            let message = format!("`{path}` is {}", irregular(what));
            unread(blank, ReportState::Irregular, &message, "let the reporter write one plain file")
        }
        ReportFile::TooLarge { bytes } => {
            let message = format!("`{path}` holds {bytes} bytes, more than is read");
            unread(
                blank,
                ReportState::Irregular,
                &message,
                "leave captured output out of the report, or split the check",
            )
        }
        ReportFile::Bytes(bytes) => parsed(builder, blank, bytes, spec, secrets),
    }
}

/// Parses what was written. The digest is over the raw bytes.
fn parsed(builder: &mut GraphBuilder, blank: Report, bytes: &[u8], spec: &ReportSpec, secrets: &Secrets) -> Report {
    let options =
        Options { identity: identity(spec), duplicates: duplicates(spec), limits: runmill_report::Limits::default() };
    let digest = Some(Digest::of(bytes));
    match without_secrets::parse(format(spec), bytes, &options, builder.tests_mut(), secrets) {
        Ok(TestReport { passed, failed, skipped, flaky, repeats, warnings, .. }) => Report {
            digest,
            state: ReportState::Accepted,
            passed,
            failed,
            skipped,
            flaky,
            repeats: repeats.into_iter().map(|(test, times)| Repeat { test, times }).collect(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
            ..blank
        },
        Err(rejection) => Report {
            digest,
            state: ReportState::Rejected,
            reason: Some(rejection.reason.to_string()),
            message: Some(format!("`{}` {rejection}", spec.path())),
            fix: Some(rejection.fix),
            line: Some(rejection.line),
            column: Some(rejection.column),
            test_id: rejection.id,
            ..blank
        },
    }
}

fn format(spec: &ReportSpec) -> runmill_report::Format {
    match spec.format() {
        checks::ReportFormat::Junit => runmill_report::Format::Junit,
        checks::ReportFormat::Tap => runmill_report::Format::Tap,
        checks::ReportFormat::GoJson => runmill_report::Format::GoJson,
    }
}

fn identity(spec: &ReportSpec) -> runmill_report::Identity {
    match spec.identity() {
        checks::Identity::Classname => runmill_report::Identity::Classname,
        checks::Identity::Suite => runmill_report::Identity::Suite,
        checks::Identity::File => runmill_report::Identity::File,
        checks::Identity::SuiteHostname => runmill_report::Identity::SuiteHostname,
    }
}

fn duplicates(spec: &ReportSpec) -> runmill_report::Duplicates {
    match spec.duplicates() {
        checks::Duplicates::Reject => runmill_report::Duplicates::Reject,
        checks::Duplicates::Group => runmill_report::Duplicates::Group,
    }
}

fn unread(blank: Report, state: ReportState, message: &str, fix: &str) -> Report {
    let fix = Some(fix).filter(|fix| !fix.is_empty()).map(str::to_owned);
    Report { state, message: Some(message.to_owned()), fix, ..blank }
}

fn pre_existing(what: PreExisting) -> &'static str {
    match what {
        PreExisting::File => "a file",
        PreExisting::Directory => "a directory",
        PreExisting::Symlink => "a symbolic link",
        PreExisting::BlockedParent => "below something that is no directory",
    }
}

fn irregular(what: &Irregular) -> String {
    match what {
        Irregular::Directory => "a directory".to_owned(),
        Irregular::Symlink => "a symbolic link".to_owned(),
        Irregular::Special => "a socket, pipe or device".to_owned(),
        Irregular::HardLinked => "a file with more than one name".to_owned(),
        Irregular::Others(paths) => format!("not the only thing that was changed beside it: {}", paths.join(", ")),
    }
}
