use runmill_model::TestArena;

use crate::{Format, Identity, Options, Reason, parse};

fn check(text: &str, expect: Result<[usize; 3], Reason>) {
    let found = parse(Format::GoJson, text.as_bytes(), &Options::default(), &mut TestArena::new())
        .map(|report| [report.passed.len(), report.failed.len(), report.skipped.len()])
        .map_err(|rejection| rejection.reason);
    assert_eq!(found, expect, "{text}");
}

/// Events as words: `run a`, `pass a`, `fail` (of the package).
fn stream(events: &str) -> String {
    let event = |event: &str| match event.split_once(' ') {
        Some((action, test)) => format!("{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\"}}\n"),
        None => format!("{{\"Action\":\"{event}\",\"Package\":\"p\"}}\n"),
    };
    events.split(", ").map(event).collect()
}

#[test]
fn terminal_events_are_tests() {
    check(&stream("start, run T, output T, pass T, run U, fail U, run V, skip V, fail"), Ok([1, 1, 1]));
    check(&stream("start, run T, pause T, cont T, bench T, unheard-of T, pass T, pass"), Ok([1, 0, 0]));
    check(&stream("start, run T, run T/a, pass T/a, pass T, pass"), Ok([2, 0, 0]));
    check(&stream("start, run T, Pass T, pass T, pass"), Ok([1, 0, 0]));
}

#[test]
fn what_starts_must_end() {
    check(&stream("start, run T, run U, pass T, fail"), Err(Reason::NotCompleted));
    check(&stream("start, run T, run T, pass T, pass"), Err(Reason::NotCompleted));
    check(&stream("start, run T, pass T"), Err(Reason::UnfinishedPackage));
    check(&stream("start, run T, pass T, run BenchmarkB, output BenchmarkB, pass"), Ok([1, 0, 0]));
}

#[test]
fn a_package_fails_by_its_tests_alone() {
    check(&stream("start, run T, pass T, fail"), Err(Reason::PackageFailed));
    check(&stream("start, fail"), Err(Reason::PackageFailed));
    let build = "{\"ImportPath\":\"q\",\"Action\":\"build-fail\"}\n";
    check(&format!("{build}{}", stream("start, run T, pass T, pass")), Err(Reason::BuildFailed));
}

#[test]
fn nothing_ran_is_zero_tests() {
    check(&stream("start, pass"), Err(Reason::ZeroTests));
    check(&stream("start, skip"), Err(Reason::ZeroTests));
    check(&stream("start, run BenchmarkB, pass"), Err(Reason::ZeroTests));
}

#[test]
fn repeats_and_empty_ids_are_refused() {
    check(&stream("run T, pass T, run T, pass T, pass"), Err(Reason::DuplicateId));
    check("{\"Action\":\"pass\",\"Test\":\"T\"}", Err(Reason::EmptyId));
    check("{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\" \"}", Err(Reason::EmptyId));
}

#[test]
fn every_line_is_one_object_without_repeated_keys() {
    let good = stream("start, run T, pass T, pass");
    for line in [
        "FAIL p [build failed]",
        "[]",
        "1",
        "null",
        "{\"Action\":\"pass\"",
        "{} {}",
        "{},",
        "{\"Test\":1}",
        "{\"Test\":null}",
        "{\"Action\":\"run\",\"Action\":\"pass\"}",
        "{\"x\":{\"y\":1,\"y\":2}}",
        "{\"x\":1,\"x\":1}",
        "{\"Output\":\"\\ud800\"}",
        "{\"a\":1,\"\\u0061\":1}",
    ] {
        check(&format!("{line}\n{good}"), Err(Reason::Malformed));
    }
    check(&format!("\n{{\"x\":[{{\"y\":null}},1.5,true,-1],\"z\":\"\\n\"}}\r\n\n{good}"), Ok([1, 0, 0]));
    let deep = format!("{{\"x\":{}{}}}\n", "[".repeat(64), "]".repeat(64));
    check(&format!("{deep}{good}"), Err(Reason::TooDeep));
    let escaped = "{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"T\\u0041\\\"\"}";
    check(escaped, Ok([1, 0, 0]));
}

#[test]
fn other_identities_need_attributes_that_go_does_not_write() {
    let options = Options { identity: Identity::Suite, ..Options::default() };
    for format in [Format::GoJson, Format::Tap] {
        let rejection = parse(format, b"{}\n1..1\nok 1 - a", &options, &mut TestArena::new()).unwrap_err();
        assert_eq!(rejection.reason, Reason::MissingAttribute);
    }
}
