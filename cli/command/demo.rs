//! `runmill demo`: a throw-away repository, one good change, four false greens, the real thing.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::{
    clock::Clock,
    interrupt::Interrupt,
    throwaway::{Edit, ThrowAway, ThrowAwayError},
};
use runmill_model::{Code, Problem, Problems, Verdict};
use runmill_pipeline::{CheckRequest, Judged, Machine, Reuse, Run, Silent};
use runmill_store::Store;
use serde::Serialize;

use super::session;
use crate::{
    args::{DemoArgs, Format, Global},
    exit::Exit,
    render::{Output, flow::Flow, human},
};

const MANIFEST: &str = include_str!("../demo/checks.yaml");
const RUNNER: &str = include_str!("../demo/test.sh");
const PRICE: &str = include_str!("../demo/price.sh");
const TESTS: &str = include_str!("../demo/price.test.js");
const DISCOUNT: &str = "[ \"$#\" -ge 10 ] && total=$((total * 9 / 10))\n";
const DISCOUNT_TEST: &str = "test(\"ten articles are a tenth cheaper\"";

/// One change to the example.
struct Scene {
    branch: &'static str,
    title: &'static str,
    story: &'static str,
    edits: Vec<(&'static str, Option<String>)>,
    expect: Verdict,
    codes: &'static [Code],
}

/// The good change and the four false greens: in each of those the runner itself exits 0, or would.
fn scenes() -> Vec<Scene> {
    let tests = |text: String| ("tests/price.test.js", Some(text));
    let broken = || ("src/price.sh", Some(PRICE.replace(DISCOUNT, "")));
    vec![
        Scene {
            branch: "add-a-test",
            title: "an honest change",
            story: "adds a test, and every test of the base still passes",
            edits: vec![tests(format!("{TESTS}test(\"one price\", () => sh(\"[ $(sh src/price.sh 7) = 7 ]\"));\n"))],
            expect: Verdict::Ready,
            codes: &[],
        },
        Scene {
            branch: "move-the-tests",
            title: "zero tests",
            story: "moves the tests to spec/; the runner still looks in tests/, finds none, and exits 0",
            edits: vec![("tests/price.test.js", None), ("spec/price.test.js", Some(TESTS.to_owned()))],
            expect: Verdict::Blocked,
            codes: &[Code::Verify006, Code::Verify003],
        },
        Scene {
            branch: "leave-only-behind",
            title: "a focused run",
            story: "breaks the discount, with a `.only` left on another test; the runner exits 0",
            edits: vec![tests(TESTS.replace("test(\"adds", "test.only(\"adds")), broken()],
            expect: Verdict::Blocked,
            codes: &[Code::Verify007, Code::Verify003],
        },
        Scene {
            branch: "drop-a-test",
            title: "a vanished test",
            story: "breaks the discount and deletes the test that would notice; the runner exits 0",
            edits: vec![
                tests(
                    TESTS
                        .lines()
                        .filter(|line| !line.starts_with(DISCOUNT_TEST))
                        .map(|line| format!("{line}\n"))
                        .collect(),
                ),
                broken(),
            ],
            expect: Verdict::Blocked,
            codes: &[Code::Verify003],
        },
        Scene {
            branch: "edit-while-testing",
            title: "a tree that moves",
            story: "breaks the discount; the runner mends the source before it tests, and puts it back afterwards",
            edits: vec![("tools/test.sh", Some(mending_runner())), broken()],
            expect: Verdict::Blocked,
            codes: &[Code::Verify008],
        },
    ]
}

/// The runner, with the source mended around the tests. The sandbox shows it a tree that nothing can change.
fn mending_runner() -> String {
    let mend = "cp src/price.sh \"$TMPDIR/kept\"\nsed 's|^echo|[ $# -lt 10 ] \\|\\| total=$((total * 9 / 10)); echo|' \"$TMPDIR/kept\" >src/price.sh\n";
    let restore = "cp \"$TMPDIR/kept\" src/price.sh\n[ \"$failed\" -eq 0 ]\n";
    let mended = RUNNER.replace("folder=$1 report=$2\n", &format!("folder=$1 report=$2\n{mend}"));
    mended.replace("[ \"$failed\" -eq 0 ]\n", restore)
}

#[derive(Serialize)]
struct DemoDocument {
    schema: &'static str,
    scenes: Vec<SceneEntry>,
}

#[derive(Serialize)]
struct SceneEntry {
    branch: &'static str,
    title: &'static str,
    expected: Verdict,
    verdict: Verdict,
    codes: Vec<Code>,
}

/// Plays every scene.
pub fn run(global: &Global, args: &DemoArgs, output: &mut Output) -> Result<Exit, Problems> {
    let stage = Stage::set(args)?;
    let environment = session::environment();
    let store = Store::open(&stage.root.join("state")).map_err(|error| error.problem())?;
    let interrupt = session::interrupt()?;
    let human = output.format() == Format::Human;
    if human && !global.quiet {
        output.say(&introduction(&stage.repository));
    }
    let mut entries = Vec::new();
    for (number, scene) in (1..).zip(scenes()) {
        stage.play(&scene).map_err(|error| unmade(&error))?;
        let judged = judge(&stage, &scene, &store, &environment, &interrupt)?;
        if human {
            output.say(&told(output, number, &scene, &judged));
        }
        entries.push(entry(&scene, &judged));
        came_out(&scene, entries.last())?;
    }
    if human {
        output.say(&conclusion(args));
        return Ok(Exit::Ready);
    }
    Ok(output.document(&DemoDocument { schema: "runmill.demo/v1", scenes: entries }))
}

/// The repository, and the directory that goes when the demo ends.
struct Stage {
    root: Utf8PathBuf,
    repository: ThrowAway,
    _gone_at_the_end: Option<tempfile::TempDir>,
}

impl Stage {
    fn set(args: &DemoArgs) -> Result<Self, Problems> {
        let unwritable = |path: &str, error: std::io::Error| {
            Problem::new(
                Code::State001,
                format!("cannot make `{path}`: {error}"),
                "name a directory that is not there yet",
            )
        };
        let (root, guard) = match &args.keep {
            Some(dir) => {
                std::fs::create_dir(dir).map_err(|error| unwritable(dir.as_str(), error))?;
                (dir.canonicalize_utf8().map_err(|error| unwritable(dir.as_str(), error))?, None)
            }
            None => {
                let dir = tempfile::Builder::new().prefix("runmill-demo-").tempdir();
                let dir = dir.map_err(|error| unwritable("a temporary directory", error))?;
                let root = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap_or_default();
                (root, Some(dir))
            }
        };
        let repository = Self::repository(&root.join("shop")).map_err(|error| unmade(&error))?;
        Ok(Self { root, repository, _gone_at_the_end: guard })
    }

    fn repository(root: &Utf8Path) -> Result<ThrowAway, ThrowAwayError> {
        let repository = ThrowAway::create(root)?;
        let files = [
            (".runmill/checks.yaml", MANIFEST),
            ("tools/test.sh", RUNNER),
            ("src/price.sh", PRICE),
            ("tests/price.test.js", TESTS),
        ];
        let edits = files.map(|(path, text)| Edit { path, text: Some(text) });
        repository.commit("A price calculator with its tests", &edits)?;
        Ok(repository)
    }

    fn play(&self, scene: &Scene) -> Result<(), ThrowAwayError> {
        self.repository.branch(scene.branch)?;
        let edits = scene.edits.iter().map(|(path, text)| Edit { path, text: text.as_deref() });
        self.repository.commit(scene.title, &edits.collect::<Vec<_>>())
    }
}

fn unmade(error: &ThrowAwayError) -> Problem {
    Problem::new(Code::State001, error.to_string(), "make the temporary directory writable, or use `--keep DIR`")
}

fn judge(
    stage: &Stage,
    scene: &Scene,
    store: &Store,
    environment: &std::collections::BTreeMap<String, String>,
    interrupt: &Interrupt,
) -> Result<Run, Problems> {
    let request = CheckRequest {
        remote: None,
        start: stage.repository.root().to_owned(),
        target: Some("main".to_owned()),
        candidate: scene.branch.to_owned(),
        judged: Judged::Candidate,
        proposals: Vec::new(),
        policy: None,
        packs: Vec::new(),
        jobs: session::processors(),
        reuse: Reuse::WhereEqual,
        baselines: Vec::new(),
    };
    let run = session::run_id(Clock::System)?;
    let clock = Clock::System;
    runmill_pipeline::check(
        &request,
        None,
        Machine { store, environment, clock, run: &run, interrupt, progress: &Silent },
    )
}

fn introduction(repository: &ThrowAway) -> String {
    format!(
        "A repository of its own in {}: a price calculator, three tests, one\nrequired check. Five changes to it, each judged for real.\n",
        repository.root()
    )
}

fn told(output: &Output, number: usize, scene: &Scene, run: &Run) -> String {
    let (paint, width) = output.style();
    let mut text = String::new();
    let title = format!("{number}. {}: {}", scene.title, scene.story);
    Flow::new(width).push(&mut text, "", "   ", &title);
    let _ = writeln!(text, "   $ runmill check --base main --candidate {}", scene.branch);
    text.push_str(&human::short(run, paint, width, "   "));
    text
}

fn entry(scene: &Scene, run: &Run) -> SceneEntry {
    let blocking = run.document.findings.iter().filter(|finding| finding.blocks()).map(|finding| finding.code);
    let codes: std::collections::BTreeSet<_> = blocking.collect();
    SceneEntry {
        branch: scene.branch,
        title: scene.title,
        expected: scene.expect,
        verdict: run.verdict,
        codes: codes.into_iter().collect(),
    }
}

/// A demo that does not show what it says is a fault of ours, and must not look like success.
fn came_out(scene: &Scene, entry: Option<&SceneEntry>) -> Result<(), Problem> {
    let as_told = entry.is_some_and(|entry| {
        entry.verdict == scene.expect && scene.codes.iter().all(|code| entry.codes.contains(code))
    });
    if as_told {
        return Ok(());
    }
    let message = format!("the scene `{}` did not come out {}", scene.title, scene.expect);
    Err(Problem::new(Code::Internal001, message, "report this, with what is printed above"))
}

fn conclusion(args: &DemoArgs) -> String {
    let kept = match &args.keep {
        Some(dir) => format!("The repository is {}: go there and run the commands above.", dir.join("shop")),
        None => "Keep the repository with `runmill demo --keep DIR` and run the commands above.".to_owned(),
    };
    format!("One honest change ready, four false greens caught.\n{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_changes_the_example() {
        for scene in scenes() {
            for (path, text) in &scene.edits {
                let same = [MANIFEST, RUNNER, PRICE, TESTS].iter().any(|base| text.as_deref() == Some(base));
                assert!(!same || *path == "spec/price.test.js", "{path} of {}", scene.title);
            }
            assert_eq!(scene.codes.is_empty(), scene.expect == Verdict::Ready, "{}", scene.title);
        }
    }
}
