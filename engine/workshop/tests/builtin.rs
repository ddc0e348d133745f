//! The built-in packs prove themselves.

use std::collections::BTreeSet;

use runmill_model::{Kind, Outcome, Problem, Stage, Verdict};
use runmill_policy::Pack;
use runmill_rules::{Settings, builtin, builtin_files, builtin_names};
use runmill_workshop::cases::{Case, CaseFile, Company, Expect, Judged, Params, Suite};

/// Calls this with every built-in pack.
pub(crate) fn every_pack(mut call: impl FnMut(&str, &Suite<'_>)) {
    for name in builtin_names() {
        let files = builtin_files(name).unwrap();
        let suite = Suite::read(name, &files).unwrap_or_else(|problems| {
            panic!("{}", problems.iter().map(told).collect::<Vec<_>>().join("\n"));
        });
        call(name, &suite);
    }
}

#[test]
fn every_builtin_pack_passes_the_gate() {
    for name in builtin_names() {
        let source = builtin(name, &Settings::default()).unwrap();
        if let Err(problems) = Pack::load(source, &runmill_stdlib::registry()) {
            let told: Vec<_> = problems.iter().map(told).collect();
            panic!("{name}:\n{}", told.join("\n"));
        }
    }
}

#[test]
fn the_checker_finds_nothing_in_a_builtin_pack() {
    for name in builtin_names() {
        let source = builtin(name, &Settings::default()).unwrap();
        none(&Pack::check(&source, &runmill_stdlib::registry()).iter().map(told).collect::<Vec<_>>());
    }
}

fn told(problem: &Problem) -> String {
    let at = problem.labels.first().and_then(|label| problem.position(label));
    let file = problem.source.as_ref().map(|source| source.name.as_str()).unwrap_or("the pack");
    format!("{file} {at:?} {} {} ({})", problem.code, problem.message, problem.help)
}

#[track_caller]
fn none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_case_comes_out_as_it_says() {
    every_pack(|_, suite| {
        let outcomes = suite.cases().map(|(_, case)| suite.run(case).unwrap());
        let differences = outcomes.flat_map(|outcome| outcome.differences).map(|differs| format!("{differs:?}"));
        none(&differences.collect::<Vec<_>>());
    });
}

/// A name that cases, rules and files share.
fn last(rule: &str) -> &str {
    rule.rsplit('/').next().unwrap_or(rule)
}

#[test]
fn every_rule_says_what_it_is_for_in_a_file_of_its_name() {
    every_pack(|pack, suite| {
        let mut problems = Vec::new();
        for rule in suite.judge.rules() {
            let id = rule.head.rule.as_str();
            let mut must = |holds: bool, what: &str| {
                if !holds {
                    problems.push(format!("{pack}: `{id}` {what}"));
                }
            };
            must(rule.path == format!("{}/{}.rhai", rule.stage, last(id)), "is not in the file of its name");
            must(sentence(&rule.doc), "has no `//!` sentences");
            must(sentence(&rule.why), "has no sentence as `why`");
            must(rule.may_be_empty.as_deref().is_none_or(|why| !why.is_empty()), "does not say why it may be empty");
            must(!rule.head.code.title().is_empty(), "has a code without a meaning");
            if rule.stage == Stage::Discovery {
                must(rule.head.source.is_some(), "has no source");
            } else {
                must(sentence(&rule.head.fix), "has no sentence as `fix`");
            }
        }
        none(&problems);
    });
}

fn sentence(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(|first: char| first.is_uppercase() || first == '`') && text.ends_with('.')
}

/// The outcomes that the text of a rule can give, as its constructors say.
fn possible(text: &str) -> BTreeSet<&'static str> {
    let words: BTreeSet<_> = text.split(|mark: char| !mark.is_ascii_alphanumeric() && mark != '_').collect();
    ["proven", "refuted", "unproven", "waiting", "not_applicable", "require", "ignore"]
        .into_iter()
        .filter(|outcome| words.contains(outcome) && text.contains(&format!("{outcome}(")))
        .collect()
}

fn expects_of<'a>(suite: &'a Suite<'_>, rule: &'a str) -> impl Iterator<Item = (&'a CaseFile, &'a Case, &'a Expect)> {
    let expects = suite.cases().flat_map(|(file, case)| case.expects.iter().map(move |expect| (file, case, expect)));
    expects.filter(move |(_, _, expect)| expect.rule == rule)
}

/// Whether a case shows what a rule says when evidence is not there: a fact, or a field of one, was taken away.
fn is_about_absence(case: &Case) -> bool {
    case.observations.lacks().iter().any(|fact| !fact.starts_with(Kind::Requirement.as_str()))
}

#[test]
fn every_rule_has_a_case_for_each_outcome_and_one_without_its_evidence() {
    every_pack(|pack, suite| {
        let files = builtin_files(pack).unwrap();
        let mut problems = Vec::new();
        for rule in suite.judge.rules() {
            let id = rule.head.rule.as_str();
            let own = format!("tests/{}.kdl", last(id));
            let in_its_file = || expects_of(suite, id).filter(|(file, ..)| file.path == own);
            let shown: BTreeSet<&str> = in_its_file().map(|(_, _, expect)| expect.outcome.as_str()).collect();
            for outcome in possible(&files[&rule.path]).iter().filter(|outcome| !shown.contains(*outcome)) {
                problems.push(format!("{own}: no case expects {outcome}"));
            }
            let absent = in_its_file().filter(|(_, case, _)| is_about_absence(case));
            if !absent.into_iter().any(|(_, _, expect)| !["proven", "require"].contains(&expect.outcome.as_str())) {
                problems.push(format!("{own}: no case lacks a fact"));
            }
            if in_its_file().count() < 3 {
                problems.push(format!("{own}: there are fewer than 3 cases"));
            }
        }
        none(&problems);
    });
}

#[test]
fn every_file_of_cases_is_for_a_rule_and_every_fixture_is_used() {
    every_pack(|_, suite| {
        let mut problems = Vec::new();
        for file in &suite.files {
            if file.rule.as_ref().is_some_and(|rule| file.path != format!("tests/{}.kdl", last(rule))) {
                problems.push(format!("{}: the file is not named for its rule", file.path));
            }
        }
        let used: BTreeSet<&String> = suite.cases().map(|(_, case)| &case.fixture).collect();
        problems.extend(
            suite.fixtures.keys().filter(|name| !used.contains(name)).map(|name| format!("`{name}` is unused")),
        );
        none(&problems);
    });
}

fn judged(suite: &Suite<'_>, case: &Case) -> Judged {
    suite.judge.judge(&case.graph, &case.params, Company::WithContract).unwrap()
}

#[test]
fn every_rule_fires_where_everything_is_wrong() {
    every_pack(|_, suite| {
        let graph = suite.fixtures["every violation"].observations.seal().unwrap();
        let judged = suite.judge.judge(&graph, &Params::new(), Company::WithContract).unwrap();
        let open = judged.open(suite.judge.pack().name());
        let fired: BTreeSet<String> = open.into_iter().chain(judged.discovering()).collect();
        let rules: BTreeSet<String> = suite.judge.rules().iter().map(|rule| rule.head.rule.to_string()).collect();
        assert_eq!(fired, rules);
        assert!(["blocked", "INDETERMINATE", "denied", "refused"].contains(&judged.word()), "{}", judged.word());
    });
}

#[test]
fn every_message_is_one_line_that_reads_on() {
    let mut problems = Vec::new();
    every_pack(|_, suite| {
        for (_, case) in suite.cases() {
            let judged = judged(suite, case);
            for finding in judged.findings().iter().filter(|it| it.judgement.outcome != Outcome::Proven) {
                let message = &*finding.judgement.message;
                let reads = !message.starts_with(|first: char| first.is_uppercase() || first.is_whitespace())
                    && !message.ends_with(['.', ':', ' '])
                    && !message.contains(['\n', '\r'])
                    && !message.contains("``")
                    && message.matches('`').count() % 2 == 0;
                if !reads {
                    problems.push(format!("{}: {}: {message}", at(case), finding.head.rule));
                }
            }
        }
    });
    none(&problems);
}

/// Evidence for a change: invocations of both sides and reports. A base of a check that is new is none, as there is no
/// inventory to preserve.
fn is_evidence(case: &Case, kind: Kind, key: &str) -> bool {
    let new = case.graph.facts().checks.iter().filter(|check| !check.in_target);
    let of_new = |key: &str| new.clone().any(|check| key == format!("{}@base", check.id));
    matches!(kind, Kind::Invocation | Kind::Report) && !of_new(key)
}

#[test]
fn less_evidence_never_makes_a_case_ready() {
    every_pack(|_, suite| {
        let mut problems = Vec::new();
        for (_, case) in suite.cases() {
            if judged(suite, case).verdict() == Verdict::Ready {
                continue;
            }
            for (kind, key) in case.observations.keys().filter(|(kind, key)| is_evidence(case, *kind, key)) {
                let fewer = case.observations.without(*kind, key).seal().unwrap();
                let judged = suite.judge.judge(&fewer, &case.params, Company::WithContract).unwrap();
                if judged.verdict() == Verdict::Ready {
                    problems.push(format!("{}: ready without `{} {key}`", at(case), kind.as_str()));
                }
            }
        }
        none(&problems);
    });
}

fn at(case: &Case) -> String {
    format!("{}:{}", case.place.file, case.place.line)
}

#[test]
fn every_fixture_is_the_same_when_it_is_written_and_read_again() {
    every_pack(|pack, suite| {
        let mut files = builtin_files(pack).unwrap();
        files.retain(|path, _| !path.starts_with("fixtures/") && !path.starts_with("tests/"));
        let written = suite.fixtures.iter().map(|(name, fixture)| fixture.observations.written(name));
        files.insert("fixtures/written.kdl".to_owned(), written.collect());
        let again = Suite::read(pack, &files).unwrap();
        for (name, fixture) in &suite.fixtures {
            let digest = |suite: &Suite<'_>| suite.fixtures[name].observations.seal().unwrap().digest();
            assert_eq!(digest(&again), digest(suite), "{}", fixture.observations.written(name));
        }
    });
}
