//! What only a browser can tell. Needs `chromium`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{HOSTILE, hostile, outputs};
use crate::harness::{Browser, Repo, View};

/// A phone and a desk.
const WIDTHS: [u32; 2] = [390, 1280];

fn page(repo: &Repo) -> PathBuf {
    super::written(repo);
    repo.place("page.html")
}

fn browser(repo: &Repo) -> Browser {
    Browser::start(&repo.place("browser"))
}

/// What stands out of the window, and the texts that are hard to read (WCAG 2.2, 1.4.3), with everything opened.
const MEASURE: &str = r"(() => {
    document.querySelectorAll('details').forEach((it) => { it.open = true; });
    const root = document.documentElement, all = [...document.querySelectorAll('body *')];
    const seen = all.filter((it) => it.checkVisibility() && !it.closest('.skip, caption'));
    const wide = seen.filter((it) => it.getBoundingClientRect().right > root.clientWidth + 1).map((it) => it.outerHTML.slice(0, 200));
    const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const linear = [r, g, b].map((it) => it / 255).map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const ground = (it) => {
        for (let at = it; at; at = at.parentElement) {
            const colour = parts(getComputedStyle(at).backgroundColor);
            if (colour.length === 3) return colour;
        }
        return parts(getComputedStyle(root).backgroundColor);
    };
    const texts = seen.filter((it) => [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    const faint = texts.map((it) => {
        const [a, b] = [light(parts(getComputedStyle(it).color)), light(ground(it))];
        return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), it.outerHTML.slice(0, 120)];
    }).filter(([ratio]) => ratio < 4.5);
    const small = texts.filter((it) => parseFloat(getComputedStyle(it).fontSize) < 11).length;
    return { scroll: root.scrollWidth - root.clientWidth, wide, faint, small, texts: texts.length };
})()";

#[test]
fn fits_a_phone_and_a_desk_and_is_readable_in_light_and_dark() {
    let (repo, _) = outputs::judged();
    let other = hostile();
    other.check().verdict();
    let mut browser = browser(&repo);
    for file in [page(&repo), page(&other)] {
        for width in WIDTHS {
            for scheme in ["light", "dark"] {
                browser.open(&file, View::of(width, scheme));
                let found = browser.eval(MEASURE);
                let nothing = json!([]);
                assert_eq!(
                    (&found["scroll"], &found["wide"], &found["faint"], &found["small"]),
                    (&json!(0), &nothing, &nothing, &json!(0)),
                    "{width} {scheme}: {found:#}"
                );
                assert!(found["texts"].as_u64().unwrap() > 100, "{found:#}");
                let ground = browser.eval("getComputedStyle(document.body).backgroundColor");
                assert_eq!(ground == "rgb(19, 23, 26)", scheme == "dark", "{ground}");
                assert_eq!(browser.complaints(), Vec::<&Value>::new());
                assert_eq!(browser.requests(), [format!("file://{}", file.display())]);
            }
        }
    }
}

#[test]
fn what_was_loosened_is_seen_without_scrolling() {
    let (repo, verdict) = outputs::judged();
    let (file, mut browser) = (page(&repo), browser(&repo));
    for width in WIDTHS {
        browser.open(&file, View::of(width, "light"));
        let seen = browser.eval(
            "[...document.querySelectorAll('#loosened li')].filter(it => it.getBoundingClientRect().bottom <= innerHeight).map(it => it.innerText)",
        );
        let relaxations = verdict.document()["relaxations"].as_array().unwrap();
        assert!(relaxations.iter().all(|it| seen.as_array().unwrap().contains(it)), "{width}: {seen:#}");
    }
}

#[test]
fn nothing_of_the_change_runs_or_shows_as_anything_but_text() {
    let repo = hostile();
    repo.check().verdict();
    let (file, mut browser) = (page(&repo), browser(&repo));
    browser.open(&file, View::of(1280, "light"));
    let found = browser.eval(
        "({ title: document.title, scripts: document.scripts.length, foreign: document.querySelectorAll('img, iframe, object, embed, \
         link, base, [onerror], [onload], [onmouseover], [style]').length, svg: document.querySelectorAll('svg [onload]').length })",
    );
    assert!(found["title"].as_str().unwrap().starts_with("Blocked: "), "{found}");
    assert_eq!((&found["scripts"], &found["foreign"], &found["svg"]), (&json!(2), &json!(0), &json!(0)), "{found}");
    // The search shows the names as the static rows do.
    let names = browser.eval("[...document.querySelectorAll('#rows code')].map(it => it.innerText)");
    assert!(names.as_array().unwrap().contains(&HOSTILE[0].into()), "{names:#}");
    assert_eq!((browser.complaints(), browser.requests().len()), (Vec::<&Value>::new(), 1));
    // And if something could write into the page, it could not write markup, nor run or load anything.
    let refused = browser.eval(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'written'; } catch (error) { return error.name; } })()",
    );
    assert_eq!(refused, "TypeError");
    let added = "(() => { const made = document.createElement('script'); made.append('document.title = \"owned\"'); \
                 document.body.append(made); const image = new Image(); image.src = 'http://127.0.0.1:9/x'; \
                 document.body.append(image); return document.title; })()";
    assert!(browser.eval(added).as_str().unwrap().starts_with("Blocked: "));
}

#[test]
fn the_tests_are_searched_by_the_keyboard_alone() {
    let repo = Repo::with_tests(many("pass", 250).iter().map(String::as_str));
    let mut after = many("pass", 249);
    after[7] = "fail number 7 of many".to_owned();
    repo.tests("unit", after.iter().map(String::as_str)).commit("change");
    repo.check().verdict().is("blocked");
    let (file, mut browser) = (page(&repo), browser(&repo));
    browser.open(&file, View::of(390, "light"));
    let shown = |browser: &mut Browser| {
        let rows = browser.eval("document.querySelectorAll('#rows tr').length");
        (
            rows.as_u64().unwrap(),
            browser.eval("document.getElementById('count').innerText").as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(shown(&mut browser), (100, "250 of 250 tests, the first 100 are shown".to_owned()));
    browser.press("Tab");
    assert_eq!(browser.eval("document.activeElement.className"), "skip", "the first stop");
    browser.tab_to("#search");
    browser.enter("NUMBER 24");
    assert_eq!(shown(&mut browser), (11, "11 of 250 tests".to_owned()));
    assert_eq!(browser.eval("document.querySelector('#rows mark').innerText"), "number 24");
    browser.enter("zzz");
    assert_eq!(shown(&mut browser), (0, "No test matches.".to_owned()));
    browser.eval("document.getElementById('search').select()");
    browser.enter("number");
    browser.tab_to("input[name=kind]");
    browser.press("ArrowRight");
    assert_eq!(browser.eval("document.querySelector('input[name=kind]:checked').parentElement.innerText"), "failed 1");
    assert_eq!(shown(&mut browser), (1, "1 of 250 tests".to_owned()));
    browser.press("ArrowRight");
    assert_eq!(shown(&mut browser), (1, "1 of 250 tests".to_owned()));
    assert!(browser.eval("document.getElementById('rows').innerText").as_str().unwrap().contains("number 249 of many"));
    browser.open(&file, View::of(390, "light"));
    browser.tab_to("#more");
    browser.press("Enter");
    assert_eq!(shown(&mut browser), (200, "250 of 250 tests, the first 200 are shown".to_owned()));
    assert_eq!(browser.eval("[...document.querySelectorAll('#rows tr')].indexOf(document.activeElement)"), 100);
    // Whoever follows a link by keyboard finds what it leads to open.
    browser.tab_to("a[href='#check-0']");
    browser.eval("document.getElementById('check-0').open = false");
    browser.press("Enter");
    assert_eq!(browser.eval("document.getElementById('check-0').open"), true);
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

fn many(word: &str, number: usize) -> Vec<String> {
    (0..number).map(|at| format!("{word} number {at} of many")).collect()
}

/// How long it takes is the machine's affair; how much the browser is given at a time is ours.
#[test]
fn twenty_thousand_tests_are_searched_and_a_hundred_are_shown() {
    const TESTS: usize = 20_000;
    let repo = Repo::with_tests(many("pass", TESTS).iter().map(String::as_str));
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    let (file, mut browser) = (page(&repo), browser(&repo));
    for scripts in [true, false] {
        browser.open(&file, View { scripts, ..View::of(390, "light") });
        let found = browser.eval(
            "({ rows: document.querySelectorAll('#rows tr').length, elements: document.querySelectorAll('*').length, \
             search: document.getElementById('filter').checkVisibility(), count: document.getElementById('count').innerText })",
        );
        assert_eq!((&found["rows"], &found["search"]), (&json!(100), &json!(scripts)), "{found}");
        assert!(found["elements"].as_u64().unwrap() < 3000, "{found}");
        assert!(found["count"].as_str().unwrap().contains("20000 tests"), "{found}");
    }
    browser.open(&file, View::of(390, "light"));
    browser.eval("document.getElementById('search').focus()");
    browser.enter("number 1999");
    assert_eq!(browser.eval("document.getElementById('count').innerText"), "11 of 20000 tests");
    let spent = browser.eval(
        "(() => { const search = document.getElementById('search'); search.value = 'number'; const start = performance.now(); \
         search.dispatchEvent(new Event('input', { bubbles: true })); return [document.querySelectorAll('#rows tr').length, \
         performance.now() - start]; })()",
    );
    assert_eq!(spent[0], 100);
    println!("one search of {TESTS} tests: {} ms", spent[1]);
}
