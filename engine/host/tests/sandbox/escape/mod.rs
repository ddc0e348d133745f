//! Attempts to get out. One table: what is tried, and what stops it, with namespaces and without.
//!
//! Each attempt is a run of its own, as the user who started the tests and as an ordinary user. It must fail with the error number
//! of the layer that the table names, and the outside must look as before.

mod bombs;
mod doors;
mod files;
mod ground;
mod kernel;
mod mounts;
mod namespaces;
mod others;
mod page;
mod privileges;
mod proc;
mod reports;
mod sockets;
pub mod system;
mod terminals;

use std::io;

use runmill_host::sandbox::{Config, Isolation, Sandbox, SandboxError};

use self::ground::{Ground, Outside};
use crate::{
    fixture::{Fixture, out, own_binary},
    inside, user,
};

/// One way to get out.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// `area/what`.
    pub name: &'static str,
    /// What is tried, for a reader.
    pub tried: &'static str,
    /// What stops it.
    pub stopped: Stop,
    /// What stops it without namespaces.
    pub reduced: Reduced,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// Inside: a function that must fail with one of these error numbers; with namespaces these, without them any.
    Inside(&'static [i32], fn(&Ground) -> io::Result<()>),
    /// A whole run that is looked at from outside.
    Whole(fn(Isolation)),
}

/// A layer of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// The system call filter.
    Filter,
    /// Read-only, nosuid, nodev mounts.
    Mounts,
    /// What is covered, and the fresh `/dev` and `/proc`.
    Covers,
    /// Landlock: files, signals, abstract sockets.
    Landlock,
    /// The PID namespace and its process 1.
    Pids,
    /// The network namespace.
    Network,
    /// The IPC namespace.
    Ipc,
    /// No capabilities, and none to be had.
    Capabilities,
    /// Descriptors and the environment are not inherited.
    Inheritance,
    /// Limits and control groups.
    Limits,
    /// How the report is read.
    Harvest,
}

impl Stop {
    /// Every layer, in the order of the page.
    pub const ALL: [Self; 11] = [
        Self::Filter,
        Self::Mounts,
        Self::Covers,
        Self::Landlock,
        Self::Pids,
        Self::Network,
        Self::Ipc,
        Self::Capabilities,
        Self::Inheritance,
        Self::Limits,
        Self::Harvest,
    ];

    /// Its name on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Mounts => "mounts",
            Self::Covers => "covers",
            Self::Landlock => "landlock",
            Self::Pids => "pid namespace",
            Self::Network => "network namespace",
            Self::Ipc => "ipc namespace",
            Self::Capabilities => "capabilities",
            Self::Inheritance => "inheritance",
            Self::Limits => "limits",
            Self::Harvest => "harvest",
        }
    }
}

/// The same attempt with `isolation: landlock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduced {
    /// Stopped too.
    Stopped,
    /// The sandbox refuses to run anything.
    Refused,
    /// It gets through, and the page says so.
    Open,
}

impl Attempt {
    const fn inside(
        name: &'static str,
        tried: &'static str,
        stopped: Stop,
        errors: &'static [i32],
        attack: fn(&Ground) -> io::Result<()>,
    ) -> Self {
        Self { name, tried, stopped, reduced: Reduced::Stopped, how: How::Inside(errors, attack) }
    }

    const fn whole(name: &'static str, tried: &'static str, stopped: Stop, run: fn(Isolation)) -> Self {
        Self { name, tried, stopped, reduced: Reduced::Stopped, how: How::Whole(run) }
    }

    const fn refused_without_namespaces(self) -> Self {
        Self { reduced: Reduced::Refused, ..self }
    }

    const fn open_without_namespaces(self) -> Self {
        Self { reduced: Reduced::Open, ..self }
    }
}

/// Every attempt, in the order of the page.
pub fn table() -> Vec<Attempt> {
    [
        mounts::ATTEMPTS,
        namespaces::ATTEMPTS,
        others::ATTEMPTS,
        proc::ATTEMPTS,
        sockets::ATTEMPTS,
        files::ATTEMPTS,
        reports::ATTEMPTS,
        privileges::ATTEMPTS,
        terminals::ATTEMPTS,
        doors::ATTEMPTS,
        kernel::ATTEMPTS,
        bombs::ATTEMPTS,
    ]
    .concat()
}

/// Cases beside the table.
pub const CASES: &[crate::Case] = &[
    ("escape::the_page_has_the_table", page::has_the_table),
    ("escape::the_page_names_what_each_layer_alone_stops", page::has_every_layer),
    ("escape::every_layer_stops_something_and_no_attempt_is_there_twice", every_layer),
];

fn every_layer() {
    let table = table();
    assert!(table.len() >= 40, "{}", table.len());
    for layer in Stop::ALL {
        assert!(table.iter().any(|attempt| attempt.stopped == layer), "{layer:?}");
    }
    let names: std::collections::BTreeSet<_> = table.iter().map(|attempt| attempt.name).collect();
    assert_eq!(names.len(), table.len());
}

/// Areas of the table, in its order.
pub fn areas() -> Vec<&'static str> {
    let mut areas: Vec<_> = table().iter().map(|attempt| area(attempt.name)).collect();
    areas.dedup();
    areas
}

fn area(name: &str) -> &str {
    name.split_once('/').expect("an area").0
}

/// Makes every attempt of an area, and names those that did not end as they should.
pub fn attempt(wanted: &str, isolation: Isolation) {
    let attempts: Vec<_> = table().into_iter().filter(|attempt| area(attempt.name) == wanted).collect();
    let failures: Vec<_> = attempts.iter().filter_map(|attempt| one(attempt, isolation).err()).collect();
    assert!(failures.is_empty(), "{} of {} attempts:\n{}", failures.len(), attempts.len(), failures.join("\n"));
}

fn one(attempt: &Attempt, isolation: Isolation) -> Result<(), String> {
    match (attempt.how, attempt.reduced, isolation) {
        (How::Whole(run), _, _) => {
            std::panic::catch_unwind(|| run(isolation)).map_err(|_| format!("{}: see above", attempt.name))
        }
        (How::Inside(..), Reduced::Refused, Isolation::Landlock) => refused(attempt.name),
        (How::Inside(errors, _), _, _) => from_inside(attempt, errors, isolation),
    }
}

/// The sandbox cannot be had while somebody listens.
fn refused(name: &str) -> Result<(), String> {
    let outside = Outside::new();
    let config = Config::new(outside.home(), outside.hidden()).isolated_by(Isolation::Landlock);
    match Sandbox::probe(config) {
        Err(SandboxError::SocketsInSight { paths }) if !paths.is_empty() => Ok(()),
        other => Err(format!("{name}: {other:?}")),
    }
}

fn from_inside(attempt: &Attempt, errors: &[i32], isolation: Isolation) -> Result<(), String> {
    let name = attempt.name;
    let outside = match isolation {
        Isolation::Landlock => Outside::without_listeners(),
        Isolation::Namespaces => Outside::new(),
    };
    let mut fixture = Fixture::new().git_dir().scratch("target");
    outside.show_to(&mut fixture);
    let own = own_binary();
    let raised = own.with_file_name(user::raised_for(rustix::process::getuid().as_raw()));
    fixture.spec.toolchains.visible.extend(raised.exists().then_some(raised));
    let config = Config::new(outside.home(), outside.hidden()).isolated_by(isolation);
    let sandbox = Sandbox::probe(config).map_err(|error| format!("{name}: {error}"))?;
    fixture.spec.argv = [own.as_str(), inside::VERB, "escape", name].map(String::from).into();
    let before = outside.look(&fixture);
    let exited = sandbox.run(&fixture.spec, &fixture.secrets, &fixture.interrupt).unwrap();
    let after = outside.look(&fixture);
    let changed: Vec<_> = before.iter().filter(|(key, value)| after.get(*key) != Some(value)).collect();
    let came: Vec<_> = after.keys().filter(|key| !before.contains_key(*key)).collect();
    let said = out(&exited);
    let context = || format!("{name}: {} {:?} {:?} {}", said.trim(), exited.ended, exited.notes, exited.stderr.text());
    if !changed.is_empty() || !came.is_empty() {
        return Err(format!("{} and the outside changed: {changed:?} {came:?}", context()));
    }
    let error = said.strip_prefix("refused ").and_then(|rest| rest.trim().parse::<i32>().ok());
    let as_it_should = match (isolation, attempt.reduced) {
        (Isolation::Landlock, Reduced::Open) => said == "through\n",
        (Isolation::Landlock, _) => error.is_some(),
        (Isolation::Namespaces, _) => error.is_some_and(|error| errors.contains(&error)),
    };
    if as_it_should { Ok(()) } else { Err(format!("{}, expected one of {errors:?}", context())) }
}

/// The attacker's side.
pub fn inside(name: &str) {
    let How::Inside(_, attack) = find(name).how else { panic!("`{name}` is not tried inside") };
    match attack(&Ground::from_environment()) {
        Ok(()) => println!("through"),
        Err(error) => println!("refused {}", error.raw_os_error().unwrap_or_default()),
    }
}

fn find(name: &str) -> Attempt {
    table().into_iter().find(|attempt| attempt.name == name).expect("an attempt of the table")
}
