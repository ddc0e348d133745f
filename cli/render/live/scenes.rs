//! What the view shows, scene by scene, without a clock or a terminal.

use std::time::Duration;

use runmill_model::{CheckId, Side, Status};
use runmill_pipeline::Upcoming;
use textwrap::core::display_width;

use super::view::{Key, Keys, View, Wish};
use crate::render::paint::Paint;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn id(text: &str) -> CheckId {
    text.parse().unwrap()
}

/// A view of so many checks, both sides of each.
fn planned(checks: &[&str]) -> View {
    let mut view = View::new(Paint::when(false));
    let sides = [Side::Base, Side::Candidate];
    let both = checks.iter().flat_map(|check| sides.map(|side| Upcoming { check: id(check), side, timeout: s(600) }));
    view.planned(&both.collect::<Vec<_>>());
    view
}

fn shown(view: &mut View, now: u64, width: usize, height: usize) -> String {
    let lines = view.lines(s(now), width, height, Keys::Read);
    assert!(lines.len() < height, "{} lines on {height}", lines.len());
    assert!(lines.iter().all(|line| display_width(line) < width), "{lines:#?}");
    lines.join("\n")
}

#[test]
fn begins_with_what_is_prepared() {
    let mut view = View::new(Paint::when(false));
    assert_eq!(shown(&mut view, 0, 80, 24), "preparing · 0 s\no show output · q stop");
    view.planned(&[Upcoming { check: id("unit"), side: Side::Base, timeout: s(600) }]);
    view.sealing(Side::Base);
    assert_eq!(shown(&mut view, 3, 80, 24), "0 of 1 done · laying out the base · 3 s\no show output · q stop");
}

#[test]
fn the_slowest_is_last_and_failures_stay() {
    let mut view = planned(&["unit", "lint", "integration"]);
    view.started(&id("integration"), Side::Base, s(1));
    view.started(&id("lint"), Side::Candidate, s(2));
    view.started(&id("unit"), Side::Candidate, s(4));
    view.ended(&id("lint"), Side::Candidate, Status::Failed, s(2));
    view.ended(&id("lint"), Side::Base, Status::Passed, s(2));
    view.reused(&id("unit"), Side::Base);
    assert_eq!(
        shown(&mut view, 75, 80, 24),
        "✗ lint (candidate)  failed after 2.0 s\n\
         \x20 unit (candidate)    1 min 11 s of at most 10 min\n\
         \x20 integration (base)  1 min 14 s of at most 10 min\n\
         3 of 6 done · 1 failed · 1 reused · 2 running · 1 min 15 s\n\
         o show output · q stop"
    );
}

#[test]
fn a_key_shows_what_the_slowest_check_printed_and_hides_it() {
    let mut view = planned(&["unit", "lint"]);
    view.started(&id("unit"), Side::Candidate, s(1));
    view.started(&id("lint"), Side::Candidate, s(2));
    view.output(&id("unit"), Side::Candidate, b"one\n\x1b[31mtwo\x1b[0m\nthree\n");
    view.output(&id("lint"), Side::Candidate, b"of lint\n");
    let before = shown(&mut view, 5, 80, 24);
    assert_eq!(view.press(Key::Output), None);
    assert_eq!(
        shown(&mut view, 5, 80, 24),
        "│ one\n│ two\n│ three\n\
         \x20 lint (candidate)  3 s of at most 10 min\n\
         ▸ unit (candidate)  4 s of at most 10 min\n\
         0 of 4 done · 2 running · 5 s\n\
         o hide output · n next · q stop"
    );
    view.press(Key::Next);
    assert!(shown(&mut view, 5, 80, 24).starts_with("│ of lint\n▸ lint"));
    view.press(Key::Next);
    assert!(shown(&mut view, 5, 80, 24).starts_with("│ one\n"), "around");
    view.press(Key::Output);
    assert_eq!(shown(&mut view, 5, 80, 24), before);
}

#[test]
fn the_next_slowest_follows_where_the_shown_check_ended() {
    let mut view = planned(&["unit", "lint"]);
    view.started(&id("unit"), Side::Candidate, s(1));
    view.started(&id("lint"), Side::Candidate, s(2));
    view.press(Key::Output);
    view.ended(&id("unit"), Side::Candidate, Status::Passed, s(2));
    assert!(shown(&mut view, 5, 80, 24).starts_with("│ nothing printed yet\n▸ lint (candidate)"));
    view.ended(&id("lint"), Side::Candidate, Status::Passed, s(2));
    assert_eq!(shown(&mut view, 5, 80, 24), "2 of 4 done · 5 s\no show output · q stop");
}

#[test]
fn the_wish_to_stop_is_shown() {
    let mut view = planned(&["unit"]);
    view.started(&id("unit"), Side::Base, s(1));
    assert_eq!(view.press(Key::Stop), Some(Wish::Stop));
    assert!(shown(&mut view, 2, 80, 24).contains("stopping · 1 running · 2 s"));
}

#[test]
fn two_hundred_checks_fit_any_terminal() {
    let names: Vec<String> = (0..200).map(|at| format!("check-with-a-rather-long-name-{at:03}-数数数")).collect();
    let names: Vec<String> = names.iter().map(|name| name.replace('数', "x")).collect();
    let mut view = planned(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (at, name) in names.iter().enumerate() {
        view.started(&id(name), Side::Base, s(at as u64));
        view.ended(&id(name), Side::Base, if at % 3 == 0 { Status::Timeout } else { Status::Passed }, s(1));
        view.started(&id(name), Side::Candidate, s(at as u64));
        view.output(&id(name), Side::Candidate, "wide 数 line ".repeat(40).as_bytes());
    }
    for width in [1, 20, 60, 80, 200] {
        for height in [1, 2, 3, 5, 10, 24, 60] {
            shown(&mut view, 500, width, height);
            view.press(Key::Output);
        }
    }
    let mut view = planned(&["a", "b", "c", "d", "e"]);
    for (at, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        view.ended(&id(name), Side::Base, Status::Failed, s(1));
        view.started(&id(name), Side::Candidate, s(at as u64));
    }
    assert_eq!(
        shown(&mut view, 10, 60, 6),
        "  3 more\n\
         \x20 b (candidate)  9 s of at most 10 min\n\
         \x20 a (candidate)  10 s of at most 10 min\n\
         5 of 10 done · 5 failed · 5 running · 10 s\n\
         o show output · q stop"
    );
    assert!(shown(&mut view, 10, 60, 10).starts_with("✗ 4 more\n✗ e (base)  failed after 1.0 s\n  e (candidate)"));
}

#[test]
fn names_no_keys_where_none_are_read() {
    let mut view = planned(&["unit"]);
    assert_eq!(view.lines(s(1), 80, 24, Keys::None), ["0 of 2 done · 1 s"]);
}

#[test]
fn a_long_name_leaves_room_for_the_time() {
    let mut view = planned(&["a-check-with-a-name-that-is-much-too-long-for-sixty"]);
    view.started(&id("a-check-with-a-name-that-is-much-too-long-for-sixty"), Side::Candidate, s(0));
    assert!(shown(&mut view, 59, 60, 24).starts_with("  a-check-with-a-… (candidate)  59 s of at most 10 min\n"));
}

#[test]
fn what_took_time_before_is_compared_with_that() {
    let mut view = planned(&["unit", "lint"]);
    let took = [((id("unit"), Side::Candidate), Duration::from_millis(14_200)), ((id("lint"), Side::Base), s(0))];
    view.expects(took.into());
    view.started(&id("unit"), Side::Candidate, s(0));
    view.started(&id("lint"), Side::Base, s(1));
    view.started(&id("lint"), Side::Candidate, s(2));
    let shown = shown(&mut view, 9, 80, 24);
    let lines = [
        "  lint (candidate)  7 s of at most 10 min",
        "  lint (base)       8 s of about 1 s",
        "  unit (candidate)  9 s of about 15 s",
    ];
    assert!(shown.starts_with(&lines.join("\n")), "{shown}");
}
