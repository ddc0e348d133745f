//! `go test -json`: one event a line.

mod event;
mod package;

use crate::{
    Identity, Options, Reason, Rejection,
    inventory::{Identified, Inventory, Outcome},
    rejection::Fault,
};
use event::{Action, Event};
use package::Packages;

/// Reads the terminal events.
///
/// # Errors
/// A line that is no JSON object, a test or package that never ended, a package that failed on its own.
pub(crate) fn read(text: &str, options: &Options) -> Result<Inventory, Rejection> {
    let mut reader = Reader { inventory: Inventory::new(options), packages: Packages::default() };
    reader.all(text, options).map(|()| reader.inventory).map_err(|fault| fault.in_text(text.as_bytes()))
}

struct Reader {
    inventory: Inventory,
    packages: Packages,
}

impl Reader {
    fn all(&mut self, text: &str, options: &Options) -> Result<(), Fault> {
        if options.identity != Identity::Classname {
            let message = format!("`go test -json` has no attribute for `identity: {}`", options.identity);
            let fix = "say `identity: classname`, which tells tests apart by package and name";
            return Err(Fault::new(Reason::MissingAttribute, 0, message, fix));
        }
        let mut offset = 0;
        while offset < text.len() {
            let rest = text.get(offset..).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let line = rest.get(..end).unwrap_or_default();
            if !line.trim_ascii().is_empty() {
                self.event(&event::read(line, options.limits.depth, offset)?, offset)?;
            }
            offset += end + 1;
        }
        self.packages.finish(text.len())
    }

    fn event(&mut self, event: &Event<'_>, offset: usize) -> Result<(), Fault> {
        let package = event.package.as_deref().unwrap_or_default().trim();
        let outcome = match event.action {
            Action::Start => return self.packages.open(package, offset),
            Action::Run => {
                let Some(test) = event.test.as_deref() else { return Ok(()) };
                return self.packages.run(package, test.trim(), offset);
            }
            Action::BuildFail => {
                let target = event.import_path.as_deref().unwrap_or(package);
                self.packages.build_failed(target, offset);
                return Ok(());
            }
            Action::Other => return Ok(()),
            Action::Pass => Outcome::Passed,
            Action::Fail => Outcome::Failed,
            Action::Skip => Outcome::Skipped,
        };
        match event.test.as_deref() {
            Some(test) => self.test(package, test.trim(), outcome, offset),
            None => self.packages.close(package, outcome, offset),
        }
    }

    fn test(&mut self, package: &str, test: &str, outcome: Outcome, offset: usize) -> Result<(), Fault> {
        if package.is_empty() || test.is_empty() {
            let message = format!("an event of the test `{test}` without a package or a name");
            let fix = "write the report with `go test -json`, or give `go tool test2json` its `-p`";
            return Err(Fault::new(Reason::EmptyId, offset, message, fix));
        }
        self.packages.ended(package, test, outcome, offset)?;
        let who = Identified { group: Some(package), exact_group: None, name: test };
        self.inventory.record(who, outcome, offset)
    }
}

#[cfg(test)]
mod tests;
