//! Our report parsers in MB/s, beside quick-xml's bare events and the crate junit-parser on the same bytes, and the peak
//! of memory for a report with 60 MiB of captured output.

use std::{fs, hint::black_box, io::Cursor};

use quick_xml::events::Event;
use runmill_model::TestArena;
use runmill_report::{Format, Options, parse};

use crate::{median, timed};

const TESTS: usize = 200_000;
const OUTPUT: usize = 60 << 20;
const ROUNDS: usize = 9;

pub fn run() {
    let (junit, captured, tap, go) = (junit(), captured(), tap(), go_json());
    let mut contestants: Vec<(&str, &str, Box<dyn FnMut() + '_>)> = vec![
        ("junit", &junit, Box::new(|| ours(Format::Junit, &junit))),
        ("  quick-xml, bare events", &junit, Box::new(|| bare_events(&junit))),
        ("  junit-parser", &junit, Box::new(|| junit_parser(&junit))),
        ("junit, captured output", &captured, Box::new(|| ours(Format::Junit, &captured))),
        ("  quick-xml, bare events", &captured, Box::new(|| bare_events(&captured))),
        ("tap", &tap, Box::new(|| ours(Format::Tap, &tap))),
        ("go-json", &go, Box::new(|| ours(Format::GoJson, &go))),
    ];
    // One round of each in turn, so that a busy moment of the machine hits all of them.
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        for (times, (_, _, work)) in times.iter_mut().zip(&mut contestants) {
            times.push(timed(work));
        }
    }
    for ((name, text, _), times) in contestants.iter().zip(times) {
        let time = median(times);
        let rate = text.len() as f64 / time.as_secs_f64() / 1e6;
        println!("{name:<26} {:>6.1} MB  {time:>10.1?}  {rate:>7.0} MB/s", text.len() as f64 / 1e6);
    }
}

/// The same reports as files.
pub fn write(dir: &str) {
    for (name, text) in [("junit.xml", junit()), ("report.tap", tap()), ("go.json", go_json())] {
        fs::write(format!("{dir}/{name}"), text).unwrap();
    }
}

/// The peak of a process that does nothing but read one report.
pub fn memory() {
    let report = captured_output(OUTPUT);
    let before = peak();
    ours(Format::Junit, &report);
    println!("peak memory with {} MiB of captured output", OUTPUT >> 20);
    println!("the report alone           {:>6} KiB", before);
    println!("the report, read           {:>6} KiB", peak());
}

/// The peak of resident memory so far, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

fn ours(format: Format, text: &str) {
    let options = Options::default();
    let report = parse(format, text.as_bytes(), &options, &mut TestArena::new());
    black_box(report.unwrap_or_else(|rejection| panic!("{rejection}")).total);
}

fn bare_events(text: &str) {
    let mut events = quick_xml::Reader::from_str(text);
    let mut seen = 0;
    while !matches!(events.read_event().unwrap(), Event::Eof) {
        seen += 1;
    }
    black_box(seen);
}

fn junit_parser(text: &str) {
    black_box(junit_parser::from_reader(Cursor::new(text.as_bytes())).unwrap().suites.len());
}

fn junit() -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"s\">\n".to_owned();
    for number in 0..TESTS {
        let class = number % 997;
        text.push_str(&format!(
            "  <testcase classname=\"pkg.module.Class{class}\" name=\"test_number_{number} does a thing\" \
             time=\"0.001\" file=\"tests/a/b.py\" line=\"12\"/>\n"
        ));
    }
    text + "</testsuite></testsuites>\n"
}

fn captured() -> String {
    captured_output(OUTPUT / 2)
}

fn captured_output(bytes: usize) -> String {
    let mut text = "<testsuites><testsuite name=\"s\"><testcase name=\"a\"><system-out>".to_owned();
    text.reserve_exact(bytes);
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&format!("line {number} of some output &amp; more of it, ERROR maybe\n"));
        number += 1;
    }
    text + "</system-out></testcase></testsuite></testsuites>\n"
}

fn tap() -> String {
    let mut text = "TAP version 13\n".to_owned();
    for number in 1..=TESTS {
        let module = number % 997;
        text.push_str(&format!("ok {number} - module {module} > does thing number {number}\n"));
        text.push_str("  ---\n  duration_ms: 1.23\n  ...\n");
    }
    text + format!("1..{TESTS}\n").as_str()
}

fn go_json() -> String {
    let event = |fields: &str| {
        format!("{{\"Time\":\"2024-01-01T00:00:00.123456789Z\",\"Package\":\"example.test/m/a\",{fields}}}\n")
    };
    let mut text = event("\"Action\":\"start\"");
    // A quarter of the tests, as each has four lines and all must fit into what is read at most.
    for number in 0..TESTS / 4 {
        let test = format!("\"Test\":\"TestNumber{number}\"");
        text.push_str(&event(&format!("\"Action\":\"run\",{test}")));
        text.push_str(&event(&format!("\"Action\":\"output\",{test},\"Output\":\"=== RUN   TestNumber\\n\"")));
        text.push_str(&event(&format!("\"Action\":\"output\",{test},\"Output\":\"--- PASS: TestNumber (0.00s)\\n\"")));
        text.push_str(&event(&format!("\"Action\":\"pass\",{test},\"Elapsed\":0")));
    }
    text + event("\"Action\":\"pass\",\"Elapsed\":0.1").as_str()
}
