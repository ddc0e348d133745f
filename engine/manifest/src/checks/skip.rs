//! Exceptions from the test inventory.

use serde::Serialize;

use crate::{
    faults::{Fault, Faults, Once, Span},
    invalid::quoted,
    yaml::{self, Entries, Node},
};

/// An exception from the test inventory: a test that may be skipped or missing, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredSkip {
    test_id: String,
    cause: String,
    renamed_to: Option<String>,
}

impl DeclaredSkip {
    /// The test's identity as reports show it, compared exactly; not blank.
    pub fn test_id(&self) -> &str {
        &self.test_id
    }

    /// Why; not blank.
    pub fn cause(&self) -> &str {
        &self.cause
    }

    /// The identity the test has now; not blank, another than [`Self::test_id`].
    pub fn renamed_to(&self) -> Option<&str> {
        self.renamed_to.as_deref()
    }
}

pub(super) fn read(node: &Node, has_report: bool, faults: &mut Faults) -> Vec<DeclaredSkip> {
    let items = yaml::list(node, "declared_skips", faults);
    if !has_report && !items.is_empty() {
        let fault = Fault::new(
            "`declared_skips` needs a report to be held against",
            "declare a `report` for this check, or remove the skips",
        );
        faults.add(fault.at(node.span, "no report in this check"));
    }
    let mut seen = Once::default();
    let mut skips = Vec::new();
    for item in items {
        let Some(mut entries) = Entries::of(item, "a declared skip", faults) else { continue };
        let skip = SkipNodes::of(&mut entries, faults);
        entries.close(faults);
        let Some((skip, span)) = skip.read(faults) else { continue };
        seen.note(skip.test_id.clone(), span, faults, || {
            Fault::new(format!("the test {} is declared twice", quoted(&skip.test_id)), "keep one of the two")
        });
        skips.push(skip);
    }
    skips
}

/// The members every declaration has, the operator's too.
pub(crate) struct SkipNodes<'n> {
    test_id: Option<&'n Node>,
    cause: Option<&'n Node>,
    renamed_to: Option<&'n Node>,
}

impl<'n> SkipNodes<'n> {
    pub(crate) fn of(entries: &mut Entries<'n>, faults: &mut Faults) -> Self {
        Self {
            test_id: entries.need("test_id", "write the test's id exactly as the report shows it", faults),
            cause: entries.need("cause", "write why the test may be skipped", faults),
            renamed_to: entries.get("renamed_to"),
        }
    }

    /// The declaration and where its test id stands.
    pub(crate) fn read(self, faults: &mut Faults) -> Option<(DeclaredSkip, Span)> {
        let test_id =
            self.test_id.and_then(|node| yaml::text(node, "test_id", faults).map(|text| (text.to_owned(), node.span)));
        let cause = self.cause.and_then(|node| yaml::text(node, "cause", faults)).map(str::to_owned);
        let renamed_to = self.renamed_to.and_then(|node| yaml::text(node, "renamed_to", faults)).map(str::to_owned);
        let (test_id, span) = test_id?;
        if let (Some(node), true) = (self.renamed_to, renamed_to.as_ref() == Some(&test_id)) {
            faults.add(
                Fault::new("a test is renamed to itself", "write its new id, or remove `renamed_to`")
                    .at(node.span, "the same id"),
            );
        }
        Some((DeclaredSkip { test_id, cause: cause?, renamed_to }, span))
    }
}
