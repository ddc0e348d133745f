//! Reading an expectations document of either kind.

use crate::{
    EvidenceError,
    error::Document,
    json::Parsed,
    shape::{Issues, Place, Shape},
};

pub(crate) fn read<T: Shape>(parsed: &Parsed) -> Result<T, EvidenceError> {
    if let Some(fault) = &parsed.lone_surrogate {
        return Err(EvidenceError::Json { document: Document::Expectations, fault: fault.clone() });
    }
    let mut issues = Issues::default();
    T::read(&parsed.root, &Place::ROOT, &mut issues)
        .filter(|_| issues.is_empty())
        .ok_or_else(|| EvidenceError::Invalid { document: Document::Expectations, issues: issues.to_string() })
}
