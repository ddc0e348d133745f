//! Packages and the tests that run in them: what started must end.

use runmill_model::{TestArena, TestId};

use crate::{Reason, inventory::Outcome, rejection::Fault};

const STARTED: &str = "every test and package that starts must end: check that the run was not cut off, and repair the \
                       panic, exit or time-out that ended it";

/// Every package of a stream.
#[derive(Debug, Default)]
pub(super) struct Packages {
    names: TestArena,
    packages: Vec<Package>,
    tests: TestArena,
    runs: Vec<Runs>,
    /// The first package or target that did not build.
    build_failed: Option<(String, usize)>,
    /// The first package that failed without a failed test.
    failed: Option<(TestId, usize)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Package {
    /// Where it started; none when it ended, or never started.
    open: Option<usize>,
    /// Whether one of its tests failed.
    failed_test: bool,
}

/// How often a test started without ending yet, and where it did last.
#[derive(Debug, Clone, Copy, Default)]
struct Runs {
    running: u32,
    offset: usize,
}

impl Packages {
    /// A package started.
    pub(super) fn open(&mut self, name: &str, offset: usize) -> Result<(), Fault> {
        self.package(name, offset)?.1.open.get_or_insert(offset);
        Ok(())
    }

    /// A test started.
    pub(super) fn run(&mut self, package: &str, test: &str, offset: usize) -> Result<(), Fault> {
        self.open(package, offset)?;
        let runs = self.runs(package, test, offset)?;
        *runs = Runs { running: runs.running.saturating_add(1), offset };
        Ok(())
    }

    /// A test ended.
    pub(super) fn ended(&mut self, package: &str, test: &str, outcome: Outcome, offset: usize) -> Result<(), Fault> {
        let runs = self.runs(package, test, offset)?;
        runs.running = runs.running.saturating_sub(1);
        if outcome == Outcome::Failed {
            self.package(package, offset)?.1.failed_test = true;
        }
        Ok(())
    }

    /// A package ended.
    pub(super) fn close(&mut self, name: &str, outcome: Outcome, offset: usize) -> Result<(), Fault> {
        let (id, package) = self.package(name, offset)?;
        package.open = None;
        if outcome == Outcome::Failed && !package.failed_test {
            self.failed.get_or_insert((id, offset));
        }
        Ok(())
    }

    /// A package or another target did not build.
    pub(super) fn build_failed(&mut self, target: &str, offset: usize) {
        self.build_failed.get_or_insert_with(|| (target.to_owned(), offset));
    }

    /// The stream ended at an offset.
    ///
    /// # Errors
    /// The first of: a test that did not end, a target that did not build, a package that failed on its own, a package
    /// that did not end.
    pub(super) fn finish(&self, end: usize) -> Result<(), Fault> {
        let unfinished =
            self.tests.ids().zip(&self.runs).find(|(test, runs)| runs.running > 0 && !self.is_benchmark(*test));
        if let Some((test, runs)) = unfinished {
            let shown = self.tests.shown(test);
            let message = format!("the test `{shown}` started and did not end");
            return Err(Fault::new(Reason::NotCompleted, runs.offset, message, STARTED).about(shown));
        }
        if let Some((target, offset)) = &self.build_failed {
            let message = format!("`{target}` did not build");
            let fix = "repair the build: a package that does not build runs no test";
            return Err(Fault::new(Reason::BuildFailed, *offset, message, fix).about(target));
        }
        if let Some((package, offset)) = self.failed {
            let name = self.names.shown(package);
            let message = format!("the package `{name}` failed without a failed test");
            let fix = "repair what fails outside the tests: `TestMain`, `init`, a data race, a panic or an early exit";
            return Err(Fault::new(Reason::PackageFailed, offset, message, fix).about(name));
        }
        if let Some((package, _)) = self.names.ids().zip(&self.packages).find(|(_, package)| package.open.is_some()) {
            let name = self.names.shown(package);
            let message = format!("the package `{name}` started and did not end");
            return Err(Fault::new(Reason::UnfinishedPackage, end, message, STARTED).about(name));
        }
        Ok(())
    }

    /// A benchmark that only reports its figures has no terminal event, and is no test.
    fn is_benchmark(&self, test: TestId) -> bool {
        let group = self.tests.group(test).map_or(0, |group| group.len() + "::".len());
        self.tests.shown(test).get(group..).is_some_and(|name| name.starts_with("Benchmark"))
    }

    fn package(&mut self, name: &str, offset: usize) -> Result<(TestId, &mut Package), Fault> {
        let id = self.names.intern(None, name).map_err(|_| full(offset))?;
        slot(&mut self.packages, id, offset).map(|package| (id, package))
    }

    fn runs(&mut self, package: &str, test: &str, offset: usize) -> Result<&mut Runs, Fault> {
        let id = self.tests.intern(Some(package), test).map_err(|_| full(offset))?;
        slot(&mut self.runs, id, offset)
    }
}

/// The slot of an id, which is at most one beyond the last.
fn slot<T: Default>(slots: &mut Vec<T>, id: TestId, offset: usize) -> Result<&mut T, Fault> {
    if slots.len() <= id.index() {
        slots.push(T::default());
    }
    slots.get_mut(id.index()).ok_or_else(|| full(offset))
}

fn full(offset: usize) -> Fault {
    Fault::new(Reason::TooLarge, offset, "the test ids are too long in total", "shorten the test names")
}
