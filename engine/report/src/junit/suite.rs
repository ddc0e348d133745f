//! Suites: their names, and whether what they declare is what they list.

use std::borrow::Cow;

use super::attributes::Attributes;
use crate::inventory::{Inventory, Outcome, WarningKind};

/// `testsuites`, or `testsuite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// `testsuites`: no part of an identity.
    Root,
    /// `testsuite`.
    Suite,
}

/// What a suite lists, its inner suites included.
#[derive(Debug, Default)]
pub(super) struct Listed {
    tests: u64,
    failed: u64,
    skipped: u64,
}

impl Listed {
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.tests += 1;
        match outcome {
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
            Outcome::Passed | Outcome::Flaky => {}
        }
    }

    pub(super) fn add_all(&mut self, inner: &Self) {
        self.tests += inner.tests;
        self.failed += inner.failed;
        self.skipped += inner.skipped;
    }
}

/// An open suite.
#[derive(Debug)]
pub(super) struct Suite<'a> {
    pub level: Level,
    pub depth: u32,
    pub name: Option<Cow<'a, str>>,
    pub file: Option<Cow<'a, str>>,
    pub hostname: Option<Cow<'a, str>>,
    pub listed: Listed,
    offset: usize,
    declared: [(&'static str, Option<u64>); 3],
}

impl<'a> Suite<'a> {
    pub(super) fn new(level: Level, attributes: &Attributes<'a>, depth: u32, offset: usize) -> Self {
        let present = |name: &str| attributes.value(name).filter(|value| !value.is_empty());
        let sum = |names: [&str; 2]| {
            let mut counts = names.into_iter().filter_map(|name| attributes.raw(name)?.trim().parse::<u64>().ok());
            counts.next().map(|first| counts.fold(first, u64::saturating_add))
        };
        Self {
            level,
            depth,
            name: present("name"),
            file: present("file"),
            hostname: present("hostname"),
            listed: Listed::default(),
            offset,
            declared: [
                ("tests", sum(["tests", ""])),
                ("failures", sum(["failures", "errors"])),
                ("skipped", sum(["skipped", "disabled"])),
            ],
        }
    }

    /// Notes counters that contradict the list.
    pub(super) fn compare(&self, inventory: &mut Inventory) {
        let listed = [self.listed.tests, self.listed.failed, self.listed.skipped];
        let wrong: Vec<String> = self
            .declared
            .iter()
            .zip(listed)
            .filter_map(|((name, declared), listed)| Some((name, (*declared)?, listed)))
            .filter(|(_, declared, listed)| declared != listed)
            .map(|(name, declared, listed)| format!("{declared} {name} and lists {listed}"))
            .collect();
        if !wrong.is_empty() {
            let name = self.name.as_deref();
            let message = format!("the suite `{}` declares {}", name.unwrap_or_default(), wrong.join(", "));
            inventory.remark(WarningKind::Counters, self.offset, name.map(str::to_owned), message);
        }
    }
}
