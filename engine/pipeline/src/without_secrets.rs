//! A report read as it was written, and kept without secrets.
//!
//! A secret may be a common word, such as `test`: replacing it in the bytes would break the report. What is replaced are
//! the names that reach the graph.

use runmill_host::redact::Secrets;
use runmill_model::{TestArena, TestId, TestSet};
use runmill_report::{Format, Options, Reason, Rejection, TestReport, Warning};

/// Parses a report; nothing of a secret reaches the arena, the report or the rejection.
pub(crate) fn parse(
    format: Format,
    bytes: &[u8],
    options: &Options,
    arena: &mut TestArena,
    secrets: &Secrets,
) -> Result<TestReport, Rejection> {
    if *secrets.redact_bytes(bytes) == *bytes {
        return runmill_report::parse(format, bytes, options, arena);
    }
    let mut raw = TestArena::new();
    let report = runmill_report::parse(format, bytes, options, &mut raw).map_err(|mut rejection| {
        secrets.redact_all([&mut rejection.message].into_iter().chain(&mut rejection.id));
        rejection
    })?;
    renamed(report, &raw, arena, secrets)
}

/// The report over the names without secrets.
fn renamed(
    mut report: TestReport,
    raw: &TestArena,
    arena: &mut TestArena,
    secrets: &Secrets,
) -> Result<TestReport, Rejection> {
    let mut ids = Vec::with_capacity(raw.len());
    let mut taken = TestSet::new();
    for id in raw.ids() {
        let group = raw.group(id);
        let name = raw.shown(id).get(group.map_or(0, |group| group.len() + "::".len())..).unwrap_or_default();
        let (group, name) = (group.map(|group| secrets.redact(group)), secrets.redact(name));
        let new = arena.intern(group.as_deref(), &name).ok().filter(|new| taken.insert(*new));
        ids.push(new.ok_or_else(|| look_alike(&name))?);
    }
    let rename = |set: &TestSet| {
        let mut renamed = TestSet::new();
        for id in set.iter().filter_map(|id| ids.get(id.index())) {
            renamed.insert(*id);
        }
        renamed
    };
    for set in [&mut report.passed, &mut report.failed, &mut report.skipped, &mut report.flaky] {
        *set = rename(set);
    }
    let known = |id: TestId| ids.get(id.index()).copied();
    report.repeats = report.repeats.iter().filter_map(|(id, times)| Some((known(*id)?, *times))).collect();
    for Warning { id, message, .. } in &mut report.warnings {
        secrets.redact_all([message].into_iter().chain(id));
    }
    Ok(report)
}

fn look_alike(name: &str) -> Rejection {
    Rejection {
        reason: Reason::AmbiguousId,
        line: 1,
        column: 1,
        id: Some(name.to_owned()),
        message: format!("two tests differ in a secret only, and are both shown as `{name}`"),
        fix: "keep values of credentials out of the names of tests".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(secret: &str, names: &[&str]) -> Result<Vec<String>, Rejection> {
        let cases: String = names.iter().map(|name| format!("<testcase classname=\"c\" name=\"{name}\"/>")).collect();
        let bytes = format!("<testsuite>{cases}</testsuite>");
        let secrets = Secrets::from_values([secret.as_bytes()]);
        let mut arena = TestArena::new();
        arena.intern(None, "another side's test").unwrap();
        let report = parse(Format::Junit, bytes.as_bytes(), &Options::default(), &mut arena, &secrets)?;
        Ok(report.passed.iter().map(|id| arena.shown(id).to_owned()).collect())
    }

    #[test]
    fn a_secret_that_is_a_common_word_breaks_no_report() {
        for word in ["test", "name", "testsuite", "classname"] {
            assert_eq!(read(word, &["adds", "takes"]).unwrap(), ["c::adds", "c::takes"], "{word}");
        }
        assert_eq!(read("hunter22", &["logs in with hunter22"]).unwrap(), ["c::logs in with [redacted]"]);
    }

    #[test]
    fn two_tests_never_become_one() {
        assert_eq!(read("hunter22", &["a hunter22", "a [redacted]"]).unwrap_err().reason, Reason::AmbiguousId);
        let twice = read("hunter22", &["hunter22", "hunter22"]).unwrap_err();
        assert_eq!((twice.reason, twice.id.as_deref()), (Reason::DuplicateId, Some("c::[redacted]")));
        assert!(!twice.to_string().contains("hunter22"));
    }
}
