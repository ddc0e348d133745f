//! What a forge reported, from a file.

use std::fs;

use camino::Utf8Path;
use runmill_forge::Observation;
use runmill_model::{Code, Problem, Problems};

/// Reads `runmill.remote/v1`.
///
/// # Errors
/// RM-CI-001: there is no such file, or it is no usable observation.
pub fn read(path: &Utf8Path) -> Result<Observation, Problems> {
    let bytes = fs::read(path).map_err(|error| {
        let help = "name a file of `runmill.remote/v1`; docs/remote.md says what is in it";
        Problem::new(Code::Ci001, format!("cannot read `{path}`: {error}"), help)
    })?;
    runmill_forge::parse(path.as_str(), &bytes)
}
