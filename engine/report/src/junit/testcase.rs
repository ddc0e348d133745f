//! One test case: who it is and how it ended.

use std::borrow::Cow;

use super::{
    attributes::Attributes,
    suite::{Level, Suite},
};
use crate::{
    Identity, Options, Reason,
    inventory::{Identified, Inventory, Outcome, WarningKind},
    rejection::Fault,
};

/// No report holds it: control characters are refused.
const EXACT: &str = "\u{1f}";
const SHOWN: &str = " > ";

/// An open test case.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub depth: u32,
    /// A `failure` or `error` inside.
    pub failed: bool,
    /// A `skipped` inside.
    pub skipped: bool,
    /// A failed attempt inside.
    pub attempts: bool,
    offset: usize,
    classname: Option<Cow<'a, str>>,
    name: Cow<'a, str>,
    file: Option<Cow<'a, str>>,
    status: Option<&'a str>,
    result: Option<&'a str>,
}

impl<'a> Case<'a> {
    pub(super) fn new(attributes: &Attributes<'a>, depth: u32, offset: usize) -> Self {
        let present = |name: &str| attributes.value(name).filter(|value| !value.is_empty());
        Self {
            depth,
            failed: false,
            skipped: false,
            attempts: false,
            offset,
            classname: present("classname"),
            name: attributes.value("name").unwrap_or_default(),
            file: present("file"),
            status: attributes.raw("status"),
            result: attributes.raw("result"),
        }
    }

    /// Adds the case to the inventory and gives its outcome.
    ///
    /// # Errors
    /// No name, an attribute that the identity needs is absent, or what [`Inventory::record`] refuses.
    pub(super) fn record(
        &self,
        suites: &[Suite<'_>],
        options: &Options,
        inventory: &mut Inventory,
    ) -> Result<Outcome, Fault> {
        if self.name.is_empty() {
            let class = self.classname.as_deref().unwrap_or_default();
            let message = format!("a test case of the class `{class}` has no name");
            let fix = "give each test a name, in the reporter's settings or in the test";
            return Err(Fault::new(Reason::EmptyId, self.offset, message, fix));
        }
        let outcome = self.outcome();
        let name = self.name.as_ref();
        if options.identity == Identity::Classname {
            let who = Identified { group: self.classname.as_deref(), exact_group: None, name };
            inventory.record(who, outcome, self.offset)?;
        } else {
            let mut scope = self.scope(suites, options.identity)?;
            let shown = joined(&scope, self.classname.as_deref(), SHOWN, "::");
            scope.push(self.classname.as_deref().unwrap_or_default());
            let who = Identified { group: Some(&shown), exact_group: Some(&scope.join(EXACT)), name };
            inventory.record(who, outcome, self.offset)?;
        }
        self.remark_status(inventory);
        Ok(outcome)
    }

    fn outcome(&self) -> Outcome {
        if self.failed || self.status.is_some_and(is_failure) {
            Outcome::Failed
        } else if self.skipped || self.status.is_some_and(is_skip) || self.result.is_some_and(is_skipped_result) {
            Outcome::Skipped
        } else if self.attempts {
            Outcome::Flaky
        } else {
            Outcome::Passed
        }
    }

    fn remark_status(&self, inventory: &mut Inventory) {
        const PASSED: [&str; 8] = ["run", "pass", "passed", "success", "successful", "ok", "completed", ""];
        let Some(status) = self.status else { return };
        if !is_failure(status) && !is_skip(status) && !is_one_of(status, &PASSED) {
            let message = format!("the test `{}` has the unknown status `{status}`", self.name);
            inventory.remark(WarningKind::UnknownStatus, self.offset, Some(self.name.to_string()), message);
        }
    }

    /// What the identity adds to the pair.
    fn scope<'s>(&'s self, suites: &'s [Suite<'_>], identity: Identity) -> Result<Vec<&'s str>, Fault> {
        let nearest = |file: &'s dyn Fn(&'s Suite<'_>) -> Option<&'s str>| suites.iter().rev().find_map(file);
        if identity == Identity::File {
            let file = self.file.as_deref().or_else(|| nearest(&|suite| suite.file.as_deref()));
            return file.map(|file| vec![file]).ok_or_else(|| self.without("file", identity));
        }
        let path: Option<Vec<&str>> =
            suites.iter().filter(|suite| suite.level == Level::Suite).map(|suite| suite.name.as_deref()).collect();
        let mut path = path.filter(|path| !path.is_empty()).ok_or_else(|| self.without("name", identity))?;
        if identity == Identity::SuiteHostname {
            let hostname = nearest(&|suite| suite.hostname.as_deref());
            path.push(hostname.ok_or_else(|| self.without("hostname", identity))?);
        }
        Ok(path)
    }

    fn without(&self, attribute: &str, identity: Identity) -> Fault {
        let place =
            if attribute == "file" { "neither the test nor a suite around it" } else { "no suite around the test" };
        let message = format!("`identity: {identity}` needs `{attribute}`, and {place} `{}` has it", self.name);
        let fix = "let the reporter write the attribute, or choose another identity in the base's manifest";
        Fault::new(Reason::MissingAttribute, self.offset, message, fix).about(self.name.as_ref())
    }
}

fn joined(scope: &[&str], classname: Option<&str>, between: &str, before_class: &str) -> String {
    let mut shown = scope.join(between);
    if let Some(classname) = classname {
        shown.push_str(before_class);
        shown.push_str(classname);
    }
    shown
}

fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}

fn is_failure(status: &str) -> bool {
    is_one_of(status, &["fail", "failed", "failure", "error", "errored", "broken"])
}

fn is_skip(status: &str) -> bool {
    is_one_of(status, &["disabled", "notrun", "skipped", "ignored", "inactive", "skip", "pending", "todo"])
}

fn is_skipped_result(result: &str) -> bool {
    is_one_of(result, &["suppressed", "skipped"])
}
