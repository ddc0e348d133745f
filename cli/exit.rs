//! Exit codes. Each means the same everywhere.

use std::process::ExitCode;

use runmill_model::{Code, GatesOutcome, Problems, ReceiptOutcome, Verdict};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: ready, verified, all passed.
    Ready,
    /// 1: could not run: unusable input, I/O, sandbox or store not to be had, internal fault.
    CouldNotRun,
    /// 2: usage, or configuration, manifest or pack invalid.
    Usage,
    /// 3: blocked, refused, failed.
    Blocked,
    /// 4: indeterminate.
    Indeterminate,
    /// 2, of `runmill hook` alone: what coding agents treat as blocking.
    HookBlocks,
}

impl Exit {
    /// The exit with this number; anything unknown is no success.
    pub fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Ready,
            2 => Self::Usage,
            3 => Self::Blocked,
            4 => Self::Indeterminate,
            _ => Self::CouldNotRun,
        }
    }
}

impl Exit {
    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            Self::Ready => 0,
            Self::CouldNotRun => 1,
            Self::Usage | Self::HookBlocks => 2,
            Self::Blocked => 3,
            Self::Indeterminate => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Ready => Self::Ready,
            Verdict::Blocked => Self::Blocked,
            Verdict::Indeterminate => Self::Indeterminate,
        }
    }
}

impl From<ReceiptOutcome> for Exit {
    fn from(outcome: ReceiptOutcome) -> Self {
        match outcome {
            ReceiptOutcome::Verified => Self::Ready,
            ReceiptOutcome::Failed => Self::Blocked,
            ReceiptOutcome::Indeterminate => Self::Indeterminate,
        }
    }
}

impl From<GatesOutcome> for Exit {
    fn from(outcome: GatesOutcome) -> Self {
        match outcome {
            GatesOutcome::Permitted => Self::Ready,
            GatesOutcome::Refused => Self::Blocked,
            GatesOutcome::Undecided => Self::Indeterminate,
        }
    }
}

/// Invalid configuration is 2, everything else that keeps a run from a verdict is 1.
pub fn of_problems(problems: &Problems) -> Exit {
    let configured = problems.iter().any(|problem| is_configuration(problem.code));
    if configured { Exit::Usage } else { Exit::CouldNotRun }
}

fn is_configuration(code: Code) -> bool {
    let text = code.as_str();
    code == Code::Verify004 || text.starts_with("RM-CONFIG-") || text.starts_with("RM-POLICY-")
}

/// The sandbox helper's own exit code, which only its parent reads.
pub fn from_helper(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
