//! `runmill rules new`: a pack, a rule with its fixture and cases, or a recorded run as a fixture and a case that fails.

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{CheckId, Code, PackName, Problem, Problems, RuleId, Stage};
use runmill_pipeline::{RULES_FOLDER, replay::Recorded as Stored};
use runmill_workshop::{
    Home, PackFiles, scaffold,
    scaffold::{NewRule, On, Recorded},
    snapshots::FileChange,
};
use serde::Serialize;

use super::{files, packs};
use crate::{
    args::Global,
    command::{session, stored},
    exit::Exit,
    render::{Output, rules::new::screen},
};

/// `runmill rules new`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A name without `/` is a pack's: it gets a folder under .runmill/rules, and a first rule. A name with `/`, such as `team/no-slow-tests`, is \
a rule's: it gets a file, a fixture, and three cases that pass. Nothing that is there is written over.")]
pub struct NewArgs {
    /// The pack or the rule
    #[arg(value_name = "NAME")]
    name: String,
    /// When the rule speaks: discovery, skip, freshness or verdict
    #[arg(long, value_name = "STAGE", default_value = "verdict", value_parser = stage)]
    stage: Stage,
    /// What the rule is on: a kind of fact, or `run`
    #[arg(long, value_name = "KIND", default_value = "check", value_parser = on)]
    on: On,
    /// The pack's folder [default: under .runmill/rules; for a rule, the one pack that is there]
    #[arg(long, value_name = "DIR")]
    pack: Option<Utf8PathBuf>,
    /// Turn what was recorded of a check into a fixture, and into a case that fails until the rule says what it should
    #[arg(long, num_args = 2, value_names = ["RUN", "CHECK"])]
    from_run: Vec<String>,
}

/// `runmill.rules-new/v1`.
#[derive(Debug, Serialize)]
pub struct NewDocument {
    schema: &'static str,
    /// The pack's folder.
    pub pack: String,
    /// The rule.
    pub rule: RuleId,
    /// The files that were written, inside the pack.
    pub files: Vec<String>,
    /// Whether a case among them fails until something is done.
    pub fails: bool,
}

/// Writes the files and says what comes next.
pub fn run(global: &Global, args: &NewArgs, output: &Output) -> Result<Exit, Problems> {
    if args.stage == Stage::Discovery && scaffold::is_of_an_agent(args.on) {
        let message = format!("`discovery` requires checks of a change, and a change has no `{}`", args.on.as_str());
        return Err(usage(message, "leave out `--stage`").into());
    }
    let (pack, rule, changes) = match args.name.contains('/') {
        true => new_rule(global, args)?,
        false => new_pack(global, args)?,
    };
    files::apply(Utf8Path::new(&pack.place), &changes)?;
    let document = NewDocument {
        schema: "runmill.rules-new/v1",
        pack: pack.place,
        rule: rule.id,
        files: changes.into_iter().map(|change| change.path).collect(),
        fails: !args.from_run.is_empty(),
    };
    let (paint, width) = output.style();
    Ok(output.show(&document, || screen(&document, paint, width), Exit::Ready))
}

type Planned = (PackFiles, NewRule, Vec<FileChange>);

fn new_pack(global: &Global, args: &NewArgs) -> Result<Planned, Problems> {
    if !args.from_run.is_empty() {
        let message = format!("`{}` is a pack's name, and a recorded run makes a case of a rule", args.name);
        return Err(Problem::new(Code::Config004, message, "name a rule, such as `team/no-slow-tests`").into());
    }
    let name =
        PackName::new(args.name.as_str()).map_err(|error| usage(error.to_string(), "a pack is called `team-rules`"))?;
    let folder = match &args.pack {
        Some(folder) => folder.clone(),
        None => packs::shown(&work_dir(global)?.join(RULES_FOLDER).join(name.as_str())),
    };
    if folder.exists() {
        return Err(usage(format!("`{folder}` is there already"), "give the new pack a name of its own").into());
    }
    let id = RuleId::new(format!("{name}/first-rule"))
        .map_err(|error| usage(error.to_string(), "use lower-case letters"))?;
    let rule = NewRule { id, stage: args.stage, on: args.on };
    let changes = scaffold::pack(&name, &rule);
    let pack = PackFiles { place: folder.into_string(), files: Default::default(), home: Home::Folder };
    Ok((pack, rule, changes))
}

fn new_rule(global: &Global, args: &NewArgs) -> Result<Planned, Problems> {
    let id = RuleId::new(args.name.as_str())
        .map_err(|error| usage(error.to_string(), "a rule is called `team/no-slow-tests`"))?;
    let pack = packs::one(the_pack(global, args)?.as_str())?;
    let rule = NewRule { id, stage: args.stage, on: args.on };
    let [run, check] = args.from_run.as_slice() else {
        let changes = scaffold::rule(&rule);
        scaffold::refuse_existing(&pack, &changes)?;
        return Ok((pack, rule, changes));
    };
    if args.stage == Stage::Discovery {
        return Err(usage(
            "a recorded run is judged, and `discovery` judges nothing".to_owned(),
            "leave out `--stage`",
        )
        .into());
    }
    let stored = Stored::read(&stored::open(global)?, run)?;
    let judged = stored.replay.judge()?;
    let check = CheckId::new(check.as_str()).map_err(|error| usage(error.to_string(), "name a check of the run"))?;
    let recorded = Recorded { run: &stored.record.run, graph: &judged.graph, check: &check };
    let changes = scaffold::from_run(&pack, &rule, recorded)?;
    scaffold::refuse_existing(
        &pack,
        changes.iter().filter(|change| !change.path.starts_with("tests/")).cloned().collect::<Vec<_>>().as_slice(),
    )?;
    Ok((pack, rule, changes))
}

/// The pack that a rule goes into.
fn the_pack(global: &Global, args: &NewArgs) -> Result<Utf8PathBuf, Problems> {
    if let Some(folder) = &args.pack {
        return Ok(folder.clone());
    }
    let folders = packs::folders(&work_dir(global)?)?;
    match folders.as_slice() {
        [folder] => Ok(folder.clone()),
        [] => Err(usage(
            format!("there is no pack under `{}`", RULES_FOLDER),
            "make one first: `runmill rules new team-rules`",
        )
        .into()),
        several => {
            let names: Vec<&str> = several.iter().map(|folder| folder.as_str()).collect();
            let message = format!("there are {} packs under `{}`", names.len(), RULES_FOLDER);
            Err(usage(message, &format!("name one with `--pack`: {}", names.join(", "))).into())
        }
    }
}

fn work_dir(global: &Global) -> Result<Utf8PathBuf, Problem> {
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    Ok(repository.work_dir().to_owned())
}

fn usage(message: String, help: &str) -> Problem {
    Problem::new(Code::Config004, message, help)
}

fn stage(text: &str) -> Result<Stage, String> {
    Stage::from_text(text).ok_or_else(|| {
        let known: Vec<_> = Stage::ALL.iter().map(|stage| stage.as_str()).collect();
        format!("the stages are {}", known.join(", "))
    })
}

fn on(text: &str) -> Result<On, String> {
    scaffold::on_of(text).ok_or_else(|| {
        let known: Vec<_> = scaffold::every_on().iter().map(|on| on.as_str()).collect();
        format!("a rule is on one of {}", known.join(", "))
    })
}
