//! The program: looked up, and started in place of this process.

use std::{fs, io, os::unix::process::CommandExt, process::Command};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{Access, access};

use crate::sandbox::Spec;

/// Becomes the program. Returns only where that fails, with the reason in one line.
pub(super) fn become_program(spec: &Spec, checkout: &Utf8Path) -> String {
    let cwd = checkout.join(spec.cwd.as_str());
    if let Err(error) = rustix::process::chdir(cwd.as_str()) {
        return format!("the working directory `{}` cannot be entered: {error}", spec.cwd);
    }
    let Some((name, arguments)) = spec.argv.split_first() else { return "there is no program to run".into() };
    let program = match find(name, spec.env.get("PATH").map_or("", String::as_str)) {
        Ok(program) => program,
        Err(reason) => return reason,
    };
    let error = Command::new(&program).arg0(name).args(arguments).env_clear().envs(&spec.env).exec();
    describe(name, &program, &error)
}

/// The file to run. A name with `/` is relative to the working directory.
fn find(name: &str, path: &str) -> Result<Utf8PathBuf, String> {
    if name.contains('/') {
        return match fs::metadata(name) {
            Ok(_) => Ok(name.into()),
            Err(error) => Err(format!("program `{name}` cannot be found: {error}")),
        };
    }
    let candidates =
        path.split(':').filter(|directory| !directory.is_empty()).map(|directory| Utf8Path::new(directory).join(name));
    let mut unusable = None;
    for candidate in candidates.filter(|candidate| candidate.is_file()) {
        if access(candidate.as_str(), Access::EXEC_OK).is_ok() {
            return Ok(candidate);
        }
        unusable.get_or_insert(candidate);
    }
    Err(match unusable {
        Some(file) => format!("program `{name}` is `{file}`, which may not be executed"),
        None => format!("program `{name}` is in no directory of PATH `{path}`"),
    })
}

fn describe(name: &str, program: &Utf8Path, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT) => format!("program `{name}` is `{program}`, whose interpreter or loader is missing"),
        Some(libc::EACCES) => format!("program `{name}` is `{program}`, which may not be executed"),
        Some(libc::E2BIG) => format!("the arguments and the environment of `{name}` are too long"),
        _ => format!("program `{name}` is `{program}`, which cannot be started: {error}"),
    }
}
