//! What keeps prepared dependencies from being trusted, each with the command that repairs it.

use runmill_model::{Code, Problem};

use crate::Whose;

/// What is wrong, as a word for documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The commit has no lockfile.
    Unlocked,
    /// The lockfile cannot be read, or does not lock everything.
    InvalidLock,
    /// The lockfile does not fit the manifest beside it.
    StaleLock,
    /// Git does not ignore the place the dependencies are installed to.
    NotIgnored,
    /// Nothing, or not everything, is installed.
    Missing,
    /// What is installed is not what is locked.
    Mismatch,
    /// A prepared copy was changed after it was made.
    Altered,
    /// Only the candidate locks this, and nobody prepared it.
    NotAgreed,
    /// Something this version cannot prove.
    Unsupported,
    /// Something could not be read or written.
    Unreadable,
}

/// A reason not to run: RM-VERIFY-005, or what git says when a commit cannot be read.
#[derive(Debug, Clone)]
pub struct Fault {
    ecosystem: Whose,
    kind: FaultKind,
    problem: Problem,
}

impl Fault {
    pub(crate) fn new(
        ecosystem: impl Into<Whose>,
        kind: FaultKind,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { ecosystem: ecosystem.into(), kind, problem: Problem::new(Code::Verify005, message, help) }
    }

    /// A commit could not be read.
    pub(crate) fn git(ecosystem: impl Into<Whose>, problem: Problem) -> Self {
        Self { ecosystem: ecosystem.into(), kind: FaultKind::Unreadable, problem }
    }

    /// A file or directory could not be used.
    pub(crate) fn io(
        ecosystem: impl Into<Whose>,
        doing: &str,
        path: &camino::Utf8Path,
        error: &std::io::Error,
    ) -> Self {
        let ecosystem = ecosystem.into();
        let message = format!("cannot {doing} `{path}` for the {ecosystem} dependencies: {error}");
        Self::new(ecosystem, FaultKind::Unreadable, message, "make it readable, or install the dependencies anew")
    }

    /// The same, with the commit it is about.
    pub(crate) fn of_commit(mut self, name: &str) -> Self {
        self.problem.message = format!("{} ({name})", self.problem.message);
        self
    }

    /// Whose dependencies.
    pub fn ecosystem(&self) -> Whose {
        self.ecosystem
    }

    /// What is wrong.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// What happened, in one line.
    pub fn message(&self) -> &str {
        &self.problem.message
    }

    /// The fault as a person sees it, with the repairing command in its help.
    pub fn problem(&self) -> Problem {
        self.problem.clone()
    }
}

/// Names for a message: the first few, and how many more there are.
pub(crate) fn some<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 3;
    let names: Vec<_> = names.into_iter().collect();
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_first_few() {
        assert_eq!(some(["a", "b"]), "`a`, `b`");
        assert_eq!(some(["a", "b", "c", "d", "e"]), "`a`, `b`, `c` and 2 more");
    }
}
