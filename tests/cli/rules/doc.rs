//! `runmill rules doc`: the catalogue, as Markdown, as a document, and as a page of HTML.

use std::fs;

use super::{
    built_in,
    test::{CASES, pack},
};
use crate::harness::{Repo, User, snapshot};

/// A pack whose texts would like to be something else.
fn hostile(repo: &Repo) {
    let manifest = "pack \"team-rules\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    \
                    description \"</style><script>alert(1)</script> & \\\"more\\\"\"\n    \
                    param \"limit\" type=\"text\" default=\"<b>\" doc=\"<img src=x onerror=alert(1)>\"\n}\n";
    let cases = CASES.replace("a quick run", "a <i>quick</i> run").replace("a slow run", "a * slow _run_ # no");
    pack(repo, &cases).file("pack.kdl", manifest);
}

#[test]
fn the_catalogue_says_what_a_rule_is_for_and_shows_a_case_for_each_outcome() {
    let repo = Repo::new();
    pack(&repo, CASES);
    let output = repo.runmill(["rules", "doc"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "doc", &output.stdout);
    let document = repo.runmill(["rules", "doc"]).document();
    assert_eq!((&document["schema"], &document["empty"]), (&"runmill.rules-doc/v1".into(), &serde_json::json!([])));
    let rule = &document["packs"][0]["rules"][0];
    assert_eq!(rule["cases"][1]["message"], "unit took 90000 ms", "{rule:#}");
}

#[test]
fn what_is_left_out_is_said() {
    let repo = Repo::new();
    let manifest = "pack \"team-rules\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    \
                    param \"limit\" type=\"int\" default=3\n}\n";
    let (before, _) = CASES.split_once("case \"a slow run\"").unwrap();
    pack(&repo, before).file("pack.kdl", manifest);
    let document = repo.runmill(["rules", "doc"]).document();
    assert_eq!(
        document["empty"],
        serde_json::json!([
            "team-rules: the pack has no description",
            "team-rules: parameter `limit` has no doc",
            "team-rules: parameter `limit` is read by no rule",
            "team-rules: rule `team/slow` has no case that expects not_applicable",
            "team-rules: rule `team/slow` has no case that expects refuted",
        ])
    );
    let output = repo.runmill(["rules", "doc"]).output();
    assert!(output.stdout.contains("## What is left out"), "{}", output.stdout);
}

#[test]
fn nothing_that_a_pack_says_becomes_markup() {
    let repo = Repo::new();
    hostile(&repo);
    let file = repo.place("rules.html");
    let output = repo.runmill(["rules", "doc", "--html", "--out"]).arg(&file).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""));
    let page = fs::read_to_string(&file).unwrap();
    for markup in ["<script", "<img", "<i>", "<b>", "http:", "https:", "url("] {
        assert!(!page.contains(markup), "{markup}: {page}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    let markdown = repo.runmill(["rules", "doc"]).output().stdout;
    for markup in ["\n<", " <script", " <img", " <i>", " * "] {
        assert!(!markdown.contains(markup), "{markup}: {markdown}");
    }
    repo.runmill(["rules", "doc", "--html"]).error().is("RM-CONFIG-004", 2);
    repo.runmill(["rules", "doc", "--out", "/nowhere/at/all"]).error().is("RM-CONFIG-004", 2);
}

#[test]
fn the_catalogue_of_the_built_in_packs_has_no_empty_field() {
    let nowhere = Repo::bare_directories(User::Same);
    let args = ["rules".to_owned(), "doc".to_owned()].into_iter().chain(built_in());
    let args: Vec<String> = args.collect();
    let document = nowhere.runmill(args.iter().map(String::as_str)).in_dir(nowhere.root()).document();
    assert_eq!(document["empty"], serde_json::json!([]));
    for rule in document["packs"].as_array().unwrap().iter().flat_map(|pack| pack["rules"].as_array().unwrap()) {
        for field in ["what", "why", "fix", "means", "on", "stage", "level"] {
            assert!(!rule[field].as_str().unwrap().is_empty(), "{field}: {rule:#}");
        }
        assert!(rule["cases"].as_array().unwrap().iter().all(|case| case["case"].is_string()), "{rule:#}");
    }
}

/// What only a browser can tell. Needs `chromium`.
#[cfg(feature = "real-world")]
mod browser {
    use std::fs;

    use super::*;
    use crate::harness::{Browser, View};

    const MEASURE: &str = "(() => {
        const root = document.documentElement, all = [...document.querySelectorAll('main *')];
        const wide = all.filter(it => it.getBoundingClientRect().right > root.clientWidth + 1).length;
        const links = [...document.querySelectorAll('nav a')];
        const lost = links.filter(it => !document.getElementById(decodeURIComponent(it.hash.slice(1)))).length;
        const shown = [...document.querySelectorAll('article')].filter(it => it.getBoundingClientRect().height > 40).length;
        return { width: root.clientWidth, scroll: root.scrollWidth, wide, links: links.length, lost, shown };
    })()";

    #[test]
    fn the_page_fits_wide_and_narrow_windows_and_every_link_leads_somewhere() {
        let repo = Repo::new();
        let page = repo.place("rules.html");
        let output = repo.runmill(["rules", "doc", "coverage-contract", "--html", "--out"]).arg(&page).output();
        assert_eq!(output.exit, 0, "{}", output.stderr);
        let rules = fs::read_to_string(&page).unwrap().matches("<article").count();
        let mut browser = Browser::start(&repo.place("browser"));
        for width in [1280, 640, 390] {
            browser.open(&page, View::of(width, "light"));
            let measured = browser.eval(MEASURE);
            assert_eq!(measured["scroll"], measured["width"], "{measured}");
            assert_eq!((&measured["wide"], &measured["lost"]), (&0.into(), &0.into()), "{measured}");
            assert_eq!((&measured["links"], &measured["shown"]), (&rules.into(), &rules.into()), "{measured}");
            assert!(browser.complaints().is_empty() && browser.requests().len() == 1, "{:#?}", browser.complaints());
        }
    }
}
