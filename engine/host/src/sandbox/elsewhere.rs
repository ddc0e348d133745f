//! Where there is no Linux there is no sandbox, and nothing runs.

use super::{Config, Exited, Hear, Keep, SandboxError, Spec};
use crate::{interrupt::Interrupt, redact::Secrets};

/// A sandbox; never to be had here.
#[derive(Debug)]
pub struct Sandbox {
    never: std::convert::Infallible,
}

impl Sandbox {
    /// Says that there is no sandbox here.
    ///
    /// # Errors
    /// Always RM-SANDBOX-001.
    pub fn probe(_config: Config) -> Result<Self, SandboxError> {
        Err(SandboxError::Unavailable { step: "finding Linux".into(), errno: 0 })
    }

    /// Never called: there is no value of this type.
    ///
    /// # Errors
    /// None.
    pub fn run(&self, _spec: &Spec, _secrets: &Secrets, _interrupt: &Interrupt) -> Result<Exited, SandboxError> {
        match self.never {}
    }

    /// Never called: there is no value of this type.
    ///
    /// # Errors
    /// None.
    pub fn run_heard(
        &self,
        _spec: &Spec,
        _secrets: &Secrets,
        _interrupt: &Interrupt,
        _hear: Hear<'_>,
    ) -> Result<Exited, SandboxError> {
        match self.never {}
    }

    /// Never called: there is no value of this type.
    ///
    /// # Errors
    /// None.
    pub fn run_keeping(
        &self,
        _spec: &Spec,
        _secrets: &Secrets,
        _interrupt: &Interrupt,
        _heard: (Hear<'_>, Keep),
    ) -> Result<Exited, SandboxError> {
        match self.never {}
    }
}

/// There is no helper here; the value is the exit status of the process.
pub fn helper_main() -> i32 {
    1
}

/// Not known here.
pub fn stdout_was_closed() -> bool {
    false
}
