//! `runmill rules laws`: what must hold of every pack.

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem, Problems};
use runmill_workshop::{LawsOutcome, PackFiles, TriedPacks, laws::Counterexample, snapshots::FileChange};

use super::{files, packs};
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::laws::Screen},
};

/// `runmill rules laws`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The laws: taking evidence away (an invocation, a report, a test that passed, an exit code, a tree hash) never turns a run that is not \
ready into one that is, nor lets a rule prove what it did not prove before; the order of observations changes nothing; rules say the \
same when the engine has folded their constants. A counterexample is shrunk until every fact that is left is needed.

Exit codes: 0 every law holds; 3 one does not; 4 a pack has no case; 2 a pack, fixture or case cannot be used; 1 as everywhere.")]
pub struct LawsArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Write each counterexample into the `fixtures/` and `tests/` of its pack, as new files
    #[arg(long)]
    write: bool,
}

/// Tries the laws and shows what breaks them.
pub fn run(global: &Global, args: &LawsArgs, output: &Output) -> Result<Exit, Problems> {
    let packs = packs::named(global, &args.packs)?;
    let tried = runmill_workshop::laws(&packs)?;
    let written = if args.write { write(&packs, &tried)? } else { Vec::new() };
    let exit = match tried.outcome {
        LawsOutcome::Held => Exit::Ready,
        LawsOutcome::Broken => Exit::Blocked,
        LawsOutcome::NothingRan => Exit::Indeterminate,
    };
    let (paint, width) = output.style();
    let screen = || Screen { tried: &tried, written: &written, paint, width, detail: output.detail() }.text();
    Ok(output.show(&tried, screen, exit))
}

fn write(packs: &[PackFiles], tried: &TriedPacks) -> Result<Vec<Utf8PathBuf>, Problem> {
    let mut written = Vec::new();
    for (pack, tried) in packs.iter().zip(&tried.packs) {
        let found = tried.laws.iter().flat_map(|law| &law.counterexamples);
        for counterexample in found {
            if pack.home == runmill_workshop::Home::Builtin {
                let message = format!("`{}` is part of runmill, and nothing can be written into it", pack.place);
                return Err(Problem::new(Code::Config004, message, "leave out `--write`"));
            }
            written.extend(write_one(Utf8Path::new(&pack.place), counterexample)?);
        }
    }
    Ok(written)
}

/// Writes a counterexample under the first number that is free.
fn write_one(pack: &Utf8Path, counterexample: &Counterexample) -> Result<Vec<Utf8PathBuf>, Problem> {
    let path = |folder: &str, number: u32| format!("{folder}/counterexample-{number}.kdl");
    let taken = |number: &u32| ["fixtures", "tests"].iter().any(|folder| pack.join(path(folder, *number)).exists());
    let number = (1..).find(|number| !taken(number)).unwrap_or(u32::MAX);
    let files = [("fixtures", Some(&counterexample.fixture)), ("tests", counterexample.test.as_ref())];
    let changes: Vec<_> = files
        .into_iter()
        .filter_map(|(folder, text)| Some(FileChange { path: path(folder, number), text: Some(text?.clone()) }))
        .collect();
    files::apply(pack, &changes)?;
    Ok(changes.iter().map(|change| pack.join(&change.path)).collect())
}

#[cfg(test)]
mod tests {
    use runmill_workshop::Home;

    use super::*;

    /// A pack whose one rule holds what has no report for proven.
    fn trusting(place: &Utf8Path, home: Home) -> PackFiles {
        let rule = "//! A rule of a test.\nrule \"team/trusting\" #{\n    stage: \"verdict\", on: \"check\", code: \"RM-VERIFY-001\", \
                    level: \"block\",\n    why: \"A test asks for it.\", fix: \"Change the test.\",\n} when |check, cx| {\n    \
                    let run = check.candidate;\n    if run == () { return not_applicable(\"nothing ran\"); }\n    \
                    if run.report == () { return proven([run]); }\n    refuted(\"a report\", [run.report])\n}\n";
        let fixture = "fixture \"red\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    \
                       add \"check\" \"unit\"\n    add \"requirement\" \"check:unit\"\n    \
                       add \"invocation\" \"unit@candidate\"\n    \
                       add \"report\" \"unit@candidate\" { passed \"a\"; }\n}\n";
        let case =
            "rule \"team/trusting\"\ncase \"red\" fixture=\"red\" {\n    expect \"refuted\" subject=\"unit\"\n}\n";
        let manifest = "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n    description \"A pack of a test\"\n}\n";
        let files = [
            ("pack.kdl", manifest),
            ("verdict/trusting.rhai", rule),
            ("fixtures/red.kdl", fixture),
            ("tests/trusting.kdl", case),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        PackFiles { place: place.to_string(), files, home }
    }

    #[test]
    fn a_counterexample_is_written_beside_the_pack_and_into_no_built_in_one() {
        let dir = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(dir.path()).unwrap();
        for home in [Home::Builtin, Home::Folder] {
            let packs = [trusting(place, home)];
            let tried = runmill_workshop::laws(&packs).unwrap();
            assert_eq!(tried.outcome, LawsOutcome::Broken);
            match write(&packs, &tried) {
                Err(problem) => assert_eq!((home, problem.code), (Home::Builtin, Code::Config004)),
                Ok(written) => {
                    assert!(home == Home::Folder && written.iter().all(|file| file.is_file()), "{written:?}")
                }
            }
            let there = std::fs::read_dir(place).unwrap().count();
            assert_eq!(there > 0, home == Home::Folder);
        }
    }
}
