//! Fixtures, which extend one another.

use std::collections::{BTreeMap, BTreeSet};

use kdl::KdlDocument;
use runmill_model::{Code, Problem, Problems};

use super::{
    edit::{self, Edit},
    nodes::{Node, Source},
    observations::Observations,
};
use crate::{explanation::Spot, words};

/// A fact graph that cases start from.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// Where it stands.
    pub place: Spot,
    /// Its facts.
    pub observations: Observations,
    /// The bytes of text that it and all it stands on are written in.
    pub(super) weight: usize,
}

/// What fixtures and cases may add up to: a few lines that extend a long text many times are a long text each time.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(64 << 20)
    }

    pub(super) fn take(&mut self, weight: usize, node: Node<'_>) -> Result<(), Problem> {
        self.0 = self.0.checked_sub(weight).ok_or_else(|| {
            let message = "the fixtures and cases up to here add up to more than 64 MiB of facts";
            node.problem(message, "split the pack, or let fewer of them extend a long one")
        })?;
        Ok(())
    }
}

struct Raw<'a> {
    node: Node<'a>,
    extends: Option<&'a str>,
    edits: Vec<Edit<'a>>,
}

/// The facts of a fixture that stands on no other, from its text.
///
/// # Errors
/// RM-POLICY-030: it is no such fixture.
pub(crate) fn of_text(name: &str, text: &str) -> Result<Observations, Problems> {
    let (file, text) = ("fixture".to_owned(), text.to_owned());
    let mut problems = Vec::new();
    let mut read = read([(&file, &text)].into_iter(), &mut Budget::new(), &mut problems);
    match (Problems::from_list(problems), read.remove(name)) {
        (Some(problems), _) => Err(problems),
        (None, Some(fixture)) => Ok(fixture.observations),
        (None, None) => Err(Problem::new(Code::Policy030, format!("there is no fixture `{name}`"), HELP).into()),
    }
}

/// The fixtures of some files, by name. Those with problems are left out.
pub(super) fn read<'a>(
    files: impl Iterator<Item = (&'a String, &'a String)>,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Fixture> {
    let mut documents: Vec<(Source, KdlDocument)> = Vec::new();
    for (path, text) in files {
        let source = Source::new(path, text);
        match source.parse() {
            Ok(document) => documents.push((source, document)),
            Err(found) => problems.extend(found),
        }
    }
    let mut raws: BTreeMap<&str, Raw<'_>> = BTreeMap::new();
    for (source, document) in &documents {
        for node in document.nodes() {
            let node = source.node(node);
            let Some((name, raw)) = raw(node, problems) else { continue };
            if let Some(other) = raws.get(name) {
                let at = other.node.spot();
                let message = format!("fixture `{name}` is also at {}:{}", at.file, at.line);
                problems.push(node.problem(message, "give it a name of its own"));
                continue;
            }
            raws.insert(name, raw);
        }
    }
    let mut building = Building { raws: &raws, built: BTreeMap::new(), failed: BTreeSet::new(), budget };
    for name in raws.keys() {
        if let Err(problem) = building.build(name, &mut Vec::new()) {
            problems.push(problem);
        }
    }
    building.built
}

fn raw<'a>(node: Node<'a>, problems: &mut Vec<Problem>) -> Option<(&'a str, Raw<'a>)> {
    if node.name() != "fixture" {
        problems.push(node.wrong("is no `fixture`", "a file of `fixtures/` holds `fixture \"name\" { .. }`"));
        return None;
    }
    let head = node.only(&["extends"]).and_then(|()| Ok((node.texts::<1>()?, node.property("extends")?)));
    let mut edits = Vec::new();
    let mut sound = true;
    for child in node.children() {
        let read = edit::read(child);
        let read =
            read.unwrap_or_else(|| Err(child.wrong("is no change", "a fixture holds `add`, `set` and `remove`")));
        match read {
            Ok(edit) => edits.push(edit),
            Err(problem) => {
                problems.push(problem);
                sound = false;
            }
        }
    }
    match head {
        Ok(([name], extends)) => sound.then_some((name, Raw { node, extends, edits })),
        Err(problem) => {
            problems.push(problem);
            None
        }
    }
}

/// So many fixtures may stand on one another.
const DEEPEST: usize = 32;

struct Building<'a, 'b> {
    raws: &'b BTreeMap<&'a str, Raw<'a>>,
    built: BTreeMap<String, Fixture>,
    failed: BTreeSet<&'a str>,
    budget: &'b mut Budget,
}

impl<'a> Building<'a, '_> {
    /// Builds a fixture and those it stands on, each once. A fixture that stands on one with a problem has that problem,
    /// which is told once.
    fn build(&mut self, name: &'a str, above: &mut Vec<&'a str>) -> Result<Option<Fixture>, Problem> {
        if let Some(built) = self.built.get(name) {
            return Ok(Some(built.clone()));
        }
        let Some(raw) = self.raws.get(name).filter(|_| !self.failed.contains(name)) else { return Ok(None) };
        self.failed.insert(name);
        above.push(name);
        if above.len() > DEEPEST {
            let message = format!("fixture `{name}` stands on more than {DEEPEST} others");
            return Err(raw.node.problem(message, "let it extend an earlier one"));
        }
        let below = match raw.extends {
            Some(extends) if above.contains(&extends) => {
                return Err(raw.node.problem(format!("fixture `{name}` extends itself"), "let it extend another one"));
            }
            Some(extends) if !self.raws.contains_key(extends) => {
                let names: Vec<&str> = self.raws.keys().copied().collect();
                let message = format!("there is no fixture `{extends}`");
                return Err(raw.node.problem(message, words::one_of(extends, &names)));
            }
            Some(extends) => match self.build(extends, above)? {
                Some(below) => below,
                None => return Ok(None),
            },
            None => Fixture { place: raw.node.spot(), weight: 0, observations: Observations::default() },
        };
        let Fixture { weight, mut observations, .. } = below;
        let weight = weight + raw.node.length();
        self.budget.take(weight, raw.node)?;
        raw.edits.iter().try_for_each(|edit| observations.apply(edit))?;
        let sealed = observations.seal();
        sealed.map_err(|why| raw.node.problem(format!("fixture `{name}` is no graph: {why}"), HELP))?;
        let fixture = Fixture { place: raw.node.spot(), weight, observations };
        self.built.insert(name.to_owned(), fixture.clone());
        Ok(Some(fixture))
    }
}

/// What to do about facts that contradict one another.
pub(super) const HELP: &str = "facts must fit together as a run's own do; `runmill facts RUN` shows such facts";
