//! Which invocations may be remembered as inventories at all. Whether one is good enough stays for the rules to say.

use runmill_model::{
    Observer, ReportState, Status,
    facts::{Invocation, Report},
};

/// Whether an invocation ended by itself, on a tree that did not move, and lists tests that ran.
pub(crate) fn is_inventory(invocation: &Invocation, report: &Report) -> bool {
    let ended = matches!(invocation.status, Status::Passed | Status::Failed) && invocation.exit_code.is_some();
    let stood_still = invocation.tree_before.is_some() && invocation.tree_before == invocation.tree_after;
    let lists = report.state == ReportState::Accepted && !(report.passed.is_empty() && report.failed.is_empty());
    let own = invocation.executor == Observer::Orchestrator;
    own && ended && stood_still && lists && invocation.focus_notices.is_empty()
}

#[cfg(test)]
mod tests {
    use runmill_model::{CheckId, CommitId, Digest, Side, TestArena, TestSet};

    use super::*;

    fn tests() -> TestSet {
        std::iter::once(TestArena::new().intern(None, "a").unwrap()).collect()
    }

    fn passed() -> (Invocation, Report) {
        let check = CheckId::new("unit").unwrap();
        let commit = CommitId::new("a".repeat(40)).unwrap();
        let tree = Some(Digest::of(b"tree"));
        let blank = Invocation::not_run(check.clone(), Side::Base, commit);
        let run =
            Invocation { status: Status::Passed, exit_code: Some(0), tree_before: tree, tree_after: tree, ..blank };
        let report = Report::not_run(check, Side::Base, "junit");
        (run, Report { state: ReportState::Accepted, passed: tests(), ..report })
    }

    #[test]
    fn what_did_not_end_moved_its_tree_or_lists_nothing_is_none() {
        let (run, report) = passed();
        assert!(is_inventory(&run, &report));
        let changes: [fn(&mut Invocation, &mut Report); 9] = [
            |run, _| run.status = Status::Timeout,
            |run, _| run.status = Status::Interrupted,
            |run, _| run.exit_code = None,
            |run, _| run.tree_before = None,
            |run, _| run.tree_after = Some(Digest::of(b"moved")),
            |run, _| run.executor = Observer::Agent,
            |run, _| run.focus_notices.push("running 1 of 9 specs".into()),
            |_, report| report.state = ReportState::Rejected,
            |_, report| report.skipped = std::mem::take(&mut report.passed),
        ];
        for (at, change) in changes.iter().enumerate() {
            let (mut run, mut report) = passed();
            change(&mut run, &mut report);
            assert!(!is_inventory(&run, &report), "change {at}");
        }
        let (mut run, mut report) = passed();
        (run.status, run.exit_code) = (Status::Failed, Some(1));
        report.failed = std::mem::take(&mut report.passed);
        assert!(is_inventory(&run, &report), "what passes at a base that fails still counts");
    }
}
