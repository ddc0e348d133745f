//! Autonomy, and what it forbids.

use runmill_model::{Code, words::Autonomy};

use crate::{
    faults::{Fault, Faults, Span},
    yaml::{self, Entries, Node},
};

/// Who owns the merge, as far as other keys must know.
pub(super) struct Mode {
    autonomy: Autonomy,
    automatic_merge: bool,
    span: Option<Span>,
}

impl Mode {
    pub(super) fn read(autonomy: Option<&Node>, experimental: Option<&Node>, faults: &mut Faults) -> Self {
        let span = autonomy.map(|node| node.span);
        let autonomy = autonomy
            .and_then(|node| yaml::word(node, "autonomy", Autonomy::ALL, Autonomy::as_str, faults))
            .unwrap_or(Autonomy::PrOnly);
        let automatic_merge = experimental.and_then(|node| {
            let mut entries = Entries::of(node, "`experimental`", faults)?;
            let flag = entries.get("automatic_merge");
            entries.close(faults);
            yaml::flag(flag?, "automatic_merge", faults)
        });
        let mode = Self { autonomy, automatic_merge: automatic_merge.unwrap_or(false), span };
        if autonomy.is_unattended() && !mode.automatic_merge {
            let fault = Fault::new(
                format!("`{autonomy}` needs `experimental.automatic_merge: true`"),
                "write `experimental: { automatic_merge: true }`, or `autonomy: pr-only`",
            );
            faults.add(fault.coded(Code::Config003).at(span.unwrap_or(Span::new(0, 0)), "merges without a person"));
        }
        mode
    }

    pub(super) fn autonomy(&self) -> Autonomy {
        self.autonomy
    }

    pub(super) fn automatic_merge(&self) -> bool {
        self.automatic_merge
    }

    /// Reports a loosening where a machine owns the merge. `what` is the setting as it was written.
    pub(super) fn forbid(&self, what: &str, at: Span, help: &str, faults: &mut Faults) {
        if !self.autonomy.is_unattended() {
            return;
        }
        let fault = Fault::new(format!("`{}` does not allow `{what}`", self.autonomy), help).coded(Code::Config003);
        let fault = fault.at(at, "loosens the coverage contract");
        faults.add(match self.span {
            Some(span) => fault.at(span, "nobody looks before the merge"),
            None => fault,
        });
    }
}
