//! Why nothing ran.

use std::io;

use camino::Utf8PathBuf;
use runmill_model::{Code, Problem};
use serde::{Deserialize, Serialize};

/// The sandbox could not be had. Nothing ran, or what ran is not to be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum SandboxError {
    /// RM-SANDBOX-001: a step of the set-up failed.
    #[error("the sandbox cannot be set up: {step} failed{}", describe(*errno))]
    Unavailable {
        /// The step, such as `mount /proc`.
        step: String,
        /// The error number of the system; 0 where there is none.
        errno: i32,
    },
    /// RM-SANDBOX-001: without namespaces, unix sockets of the host could be reached.
    #[error("the sandbox cannot be set up: without namespaces a check could reach {}", listed(paths))]
    SocketsInSight {
        /// Their paths; not empty.
        paths: Vec<Utf8PathBuf>,
    },
    /// RM-SANDBOX-002: an attack that must fail did not.
    #[error("the sandbox does not hold: {probe}")]
    Escaped {
        /// The attack, such as `wrote to the checkout`.
        probe: String,
    },
}

impl SandboxError {
    /// RM-SANDBOX-001 or RM-SANDBOX-002.
    pub fn code(&self) -> Code {
        match self {
            Self::Unavailable { .. } | Self::SocketsInSight { .. } => Code::Sandbox001,
            Self::Escaped { .. } => Code::Sandbox002,
        }
    }

    /// What to do next.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Escaped { .. } => {
                "nothing was run; this is a fault of runmill or of this machine's kernel, please report it"
            }
            Self::Unavailable { errno, .. } if !cfg!(target_os = "linux") => {
                let _ = errno;
                "checks run on Linux only; use a Linux machine, a virtual machine or CI"
            }
            Self::SocketsInSight { .. } => {
                "stop what listens there or do not mount it into the container; or run where namespaces are available, which hide it"
            }
            Self::Unavailable { step, .. } if step.contains("Landlock") => {
                "`isolation: landlock` needs Linux 6.12 or newer with Landlock switched on (`lsm=landlock,..` at boot)"
            }
            Self::Unavailable { errno, .. } => advice(*errno),
        }
    }

    /// The same where nothing but the whole isolation will do.
    pub fn whole(self) -> Problem {
        let help = self.help().split(REDUCED).next().unwrap_or_default();
        Problem::new(self.code(), self.to_string(), help)
    }
}

impl From<SandboxError> for Problem {
    fn from(error: SandboxError) -> Self {
        Self::new(error.code(), error.to_string(), error.help())
    }
}

/// Where an advice goes on with less isolation.
const REDUCED: &str = "; where none of this can be had";

/// What an error number usually means here; the numbers are Linux's.
fn advice(errno: i32) -> &'static str {
    match errno {
        1 | 13 => {
            "something forbids namespaces: in Docker run with `--security-opt seccomp=unconfined --security-opt \
             apparmor=unconfined --security-opt systempaths=unconfined`; on Ubuntu see `sysctl kernel.apparmor_restrict_unprivileged_userns`; elsewhere run as root with \
             CAP_SYS_ADMIN or set `sysctl kernel.unprivileged_userns_clone=1`; where none of this can be had, the operator's policy \
             can choose the reduced `isolation: landlock`"
        }
        28 => {
            "too many user namespaces or too deep: raise `sysctl user.max_user_namespaces` or leave the outer sandbox"
        }
        22 => {
            "the kernel has no user namespaces, or no overlay of read-only directories in them: Linux 5.12 or newer is needed"
        }
        38 => "the kernel is too old: Linux 5.12 or newer is needed",
        12 | 23 | 24 => "the machine is short of memory or file descriptors: run fewer checks at once with `--jobs`",
        _ => "run `strace -f` on the same command to see the system call, and compare with a fresh virtual machine",
    }
}

/// How many sockets a message names.
const NAMED: usize = 3;

fn listed(paths: &[Utf8PathBuf]) -> String {
    let named: Vec<_> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the unix sockets {}{more}", named.join(", "))
}

fn describe(errno: i32) -> String {
    if errno == 0 { String::new() } else { format!(" ({})", io::Error::from_raw_os_error(errno)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_step_error_and_what_to_do() {
        let refused = SandboxError::Unavailable { step: "create a user namespace".into(), errno: 1 };
        let problem = Problem::from(refused);
        assert_eq!(problem.code, Code::Sandbox001);
        let expect =
            "the sandbox cannot be set up: create a user namespace failed (Operation not permitted (os error 1))";
        assert_eq!(problem.message, expect);
        assert!(problem.help.contains("--security-opt"), "{}", problem.help);
        let escaped = SandboxError::Escaped { probe: "wrote to the checkout".into() };
        assert_eq!(escaped.code(), Code::Sandbox002);
    }
}
