//! The sandbox: one process tree over a read-only view of a commit, with nothing to write to but what was declared.
//!
//! The parent ([`Sandbox::run`]) is threaded, so everything that needs a single thread happens in a helper: the same
//! binary, started again with the hidden verb [`VERB`]. Its `main` must call [`helper_main`] first.

mod boundary;
mod error;
mod outcome;
mod spec;

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod hint;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod protocol;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod stream;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

pub use boundary::Boundary;
pub use error::SandboxError;
pub use outcome::{Ended, Exited, Irregular, PreExisting, ReportFile, Stream};
pub use spec::{Config, Hear, Isolation, Keep, Limits, Mount, Overlay, Replace, ReportSlot, Spec, Tree, View};

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Sandbox, helper_main, stdout_was_closed};
#[cfg(target_os = "linux")]
pub use inside::{helper_main, stdout_was_closed};
#[cfg(target_os = "linux")]
pub use run::Sandbox;

/// The hidden verb: the first argument of the helper.
pub const VERB: &str = "__sandbox";

/// Where the view of the commit appears inside, on both sides alike.
pub const CHECKOUT: &str = "/run/runmill/checkout";

/// The private temporary directory inside.
pub const TMPDIR: &str = "/tmp";

/// Where the git directory of a view is inside, where `.git` of the tree is a file.
pub const GIT_DIR: &str = "/run/runmill/git";

/// The private, empty home directory inside.
pub const HOME: &str = "/run/runmill/home";
