//! The error codes, each listed once. A code never changes its meaning.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($name:ident = $text:literal, $title:literal;)*) => {
        /// A code of runmill. Its text is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable text, such as `RM-VERIFY-001`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it means, in one line.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    Verify001 = "RM-VERIFY-001", "a required check is missing, has nothing to run, or produced no result";
    Verify002 = "RM-VERIFY-002", "the tree changed during the check";
    Verify003 = "RM-VERIFY-003", "the test inventory is unproven or changed";
    Verify004 = "RM-VERIFY-004", "the manifest is invalid";
    Verify005 = "RM-VERIFY-005", "dependencies are not trusted";
    Verify006 = "RM-VERIFY-006", "zero tests ran";
    Verify007 = "RM-VERIFY-007", "a focused run";
    Verify008 = "RM-VERIFY-008", "a check failed or timed out";
    Verify009 = "RM-VERIFY-009", "coverage is unproven where proof is required";
    Verify010 = "RM-VERIFY-010", "the candidate does not contain the target, or does not merge with it";
    Verify011 = "RM-VERIFY-011", "the working tree is not the one that was expected";
    Verify012 = "RM-VERIFY-012", "an id names nothing that the operator defined";
    Verify013 = "RM-VERIFY-013", "a session's contract does not hold";
    Ci001 = "RM-CI-001", "an observation of the forge is unusable";
    Ci002 = "RM-CI-002", "a required context was never scheduled";
    Ci003 = "RM-CI-003", "a context or its source does not match";
    Ci004 = "RM-CI-004", "a required context is not successful";
    Ci005 = "RM-CI-005", "the protection of the branch could not be read";
    Ci006 = "RM-CI-006", "the forge gives no answer";
    Ci007 = "RM-CI-007", "the forge refuses to answer";
    Ci008 = "RM-CI-008", "the forge's limit of requests is reached";
    Ci009 = "RM-CI-009", "an answer of the forge cannot be believed";
    Merge001 = "RM-MERGE-001", "a run is no ground for a merge";
    Merge002 = "RM-MERGE-002", "a person must decide about the merge";
    Sandbox001 = "RM-SANDBOX-001", "isolation is unavailable";
    Sandbox002 = "RM-SANDBOX-002", "an escape probe got through";
    Policy001 = "RM-POLICY-001", "a pack manifest is invalid";
    Policy002 = "RM-POLICY-002", "a rule does not parse";
    Policy003 = "RM-POLICY-003", "a rule uses what the gate refuses";
    Policy004 = "RM-POLICY-004", "rule metadata is missing, not literal or wrong";
    Policy005 = "RM-POLICY-005", "a pack's folder, stage or content does not fit";
    Policy006 = "RM-POLICY-006", "a pack is not the one the operator named";
    Policy020 = "RM-POLICY-020", "a rule reads a property or kind that is not there";
    Policy021 = "RM-POLICY-021", "a rule gives something of a wrong type";
    Policy022 = "RM-POLICY-022", "a rule compares across types";
    Policy023 = "RM-POLICY-023", "a rule reads what may be absent";
    Policy024 = "RM-POLICY-024", "a path of a rule has no result that its stage allows";
    Policy025 = "RM-POLICY-025", "a rule holds what is never reached";
    Policy026 = "RM-POLICY-026", "a pack holds what nothing uses";
    Policy030 = "RM-POLICY-030", "a fixture or a case of a pack cannot be used";
    Policy010 = "RM-POLICY-010", "a rule faulted while judging";
    Policy011 = "RM-POLICY-011", "a rule ran out of fuel or hit a limit";
    Policy012 = "RM-POLICY-012", "a rule returned something that is no result of its stage";
    Policy013 = "RM-POLICY-013", "a rule matched no subject";
    Config001 = "RM-CONFIG-001", "the operator policy cannot be read";
    Config002 = "RM-CONFIG-002", "the operator policy is invalid";
    Config003 = "RM-CONFIG-003", "the operator policy loosens what its autonomy forbids";
    Config004 = "RM-CONFIG-004", "a command-line value is unusable";
    Config005 = "RM-CONFIG-005", "a waiver has ended, lets nothing pass, or reaches too far";
    Evidence001 = "RM-EVIDENCE-001", "an evidence input is unusable";
    Evidence002 = "RM-EVIDENCE-002", "a bundle is refused";
    Evidence003 = "RM-EVIDENCE-003", "a signing key cannot be used or made";
    State001 = "RM-STATE-001", "the run store cannot be used";
    State002 = "RM-STATE-002", "a run record cannot be written";
    State003 = "RM-STATE-003", "a run is unknown or ambiguous, or has no record";
    State004 = "RM-STATE-004", "the run store does not hold together";
    State005 = "RM-STATE-005", "a session or draft cannot be used";
    Repo001 = "RM-REPO-001", "there is no repository here";
    Repo002 = "RM-REPO-002", "a revision is unknown or ambiguous";
    Repo003 = "RM-REPO-003", "history or objects are missing from this clone";
    Repo004 = "RM-REPO-004", "the repository is of a kind runmill does not judge";
    Repo005 = "RM-REPO-005", "candidate and target are the same commit";
    Repo006 = "RM-REPO-006", "a commit cannot be checked out byte for byte";
    Report001 = "RM-REPORT-001", "a report file cannot be read";
    Output001 = "RM-OUTPUT-001", "an output cannot be written";
    Internal001 = "RM-INTERNAL-001", "a fault inside runmill";
    Internal002 = "RM-INTERNAL-002", "the run was interrupted";
}

impl Code {
    /// The code with this text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_text(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a code of runmill")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_used_twice() {
        let texts: std::collections::BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| Code::from_text(code.as_str()) == Some(*code)));
    }
}
