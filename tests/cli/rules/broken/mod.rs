//! `runmill rules check`: packs with one fault each are told that fault, in its place, and nothing else.

mod table;

use serde_json::Value;

use crate::harness::{PackDir, Repo, Runmill, User, snapshot};
use table::{Fault, PACKS};

const MARK: char = '«';

const RULE: &str = "//! A rule of a test.\nrule \"team/test\" #{\n    stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-008\", \
                    level: \"block\",\n    why: \"Because.\", fix: \"Mend it.\",\n} when |check, cx| {\n    BODY\n}\n";

const FIXTURE: &str = "fixture \"ready\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    \
                       add \"check\" \"unit\"\n}\n";

/// A pack in a folder of its own, and where its fault is: file, line and column.
struct Broken<'a> {
    repo: &'a Repo,
    name: &'a str,
    place: Option<(String, u64, u64)>,
}

impl<'a> Broken<'a> {
    fn new(repo: &'a Repo, name: &'a str, fault: &Fault) -> Self {
        let rule = RULE.replace("BODY", "proven([check])");
        let mut files = vec![("verdict/test.rhai", rule.clone()), ("fixtures/ready.kdl", FIXTURE.to_owned())];
        let mut put = |path: &'static str, text: String| {
            files.retain(|(known, _)| *known != path);
            files.push((path, text));
        };
        let mut without = None;
        match *fault {
            Fault::Body(body) => put("verdict/test.rhai", RULE.replace("BODY", body)),
            Fault::Instead(from, to) => {
                assert!(rule.contains(from), "{name}");
                put("verdict/test.rhai", rule.replacen(from, to, 1));
            }
            Fault::Manifest(text) => put("pack.kdl", text.to_owned()),
            Fault::File(path, text) => put(path, text.to_owned()),
            Fault::FileAndBody(path, text, body) => {
                put(path, text.to_owned());
                put("verdict/test.rhai", RULE.replace("BODY", body));
            }
            Fault::Without(path) => without = Some(path),
        }
        let mut broken = Self { repo, name, place: None };
        let mut pack = PackDir::at(&repo.place(name), "team");
        for (path, text) in files {
            broken.place = broken.place.or(marked(path, &text));
            pack = pack.file(path, &text.replace(MARK, ""));
        }
        if let Some(path) = without {
            // Without its last rule, a pack is told at its manifest.
            broken.place = (path != "pack.kdl").then(|| ("pack.kdl".to_owned(), 1, 1));
            std::fs::remove_file(pack.path().join(path)).unwrap();
        }
        broken
    }

    fn check(&self) -> Runmill {
        self.repo.runmill(["rules", "check", self.name, "--color", "never"]).in_dir(self.repo.root())
    }
}

fn marked(path: &str, text: &str) -> Option<(String, u64, u64)> {
    let before = text.split_once(MARK)?.0;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some((path.to_owned(), line as u64, column as u64))
}

fn place(problem: &Value) -> Option<(String, u64, u64)> {
    let label = problem["labels"].get(0)?;
    let file = label["file"].as_str()?.split_once('/')?.1.to_owned();
    Some((file, label["line"].as_u64()?, label["column"].as_u64()?))
}

#[test]
fn a_pack_with_one_fault_is_told_that_fault_in_its_place() {
    let repo = Repo::bare_directories(User::Same);
    let mut wrong = Vec::new();
    for (name, code, fault) in PACKS {
        let broken = Broken::new(&repo, name, fault);
        let output = broken.check().arg("--json").output();
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        let problems = document["packs"][0]["problems"].as_array().unwrap();
        let told: Vec<_> = problems.iter().map(|it| (it["code"].as_str().unwrap(), place(it))).collect();
        if output.exit != 2 || told != [(*code, broken.place.clone())] {
            wrong.push(format!("{name}: exit {}, {code} {:?}, told {told:?}", output.exit, broken.place));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(PACKS.len() >= 60);
}

#[test]
fn every_fault_is_shown_with_an_excerpt_and_what_to_do() {
    let repo = Repo::bare_directories(User::Same);
    for (name, _, fault) in PACKS {
        let output = Broken::new(&repo, name, fault).check().output();
        assert_eq!((output.exit, output.stderr.as_str()), (2, ""), "{name}: {}", output.stdout);
        assert!(output.stdout.contains("help: "), "{name}: {}", output.stdout);
        snapshot(&repo, "broken-packs", name, &output.stdout);
    }
}
