//! Which packs a verb is about: those that are named, or every pack of the repository.

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::{RULES_FOLDER, load_pack};
use runmill_workshop::PackFiles;

use super::super::session;
use crate::args::Global;

/// The packs that are named, each as a folder or by the name of a built-in pack; without a name, those of the repository.
///
/// # Errors
/// RM-POLICY-005: one cannot be read. RM-CONFIG-004: there is none.
pub fn named(global: &Global, names: &[String]) -> Result<Vec<PackFiles>, Problems> {
    if !names.is_empty() {
        return names.iter().map(|name| one(name)).collect();
    }
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    let folders = folders(repository.work_dir())?;
    if folders.is_empty() {
        let message = format!("this repository has no rule pack under `{RULES_FOLDER}`");
        return Err(Problem::new(Code::Config004, message, "name a pack's folder").into());
    }
    folders.iter().map(|folder| Ok(load_pack(folder)?.into())).collect()
}

/// A pack's folder, or a built-in pack by its name.
pub fn one(name: &str) -> Result<PackFiles, Problems> {
    let folder = Utf8Path::new(name.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(name));
    match PackFiles::builtin(name).filter(|_| !folder.is_dir()) {
        Some(builtin) => Ok(builtin),
        None => Ok(load_pack(folder)?.into()),
    }
}

/// The folders of a repository that hold a `pack.kdl`, sorted; below the working directory they have relative paths.
pub fn folders(work_dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, Problem> {
    let home = work_dir.join(RULES_FOLDER);
    if !home.is_dir() {
        return Ok(Vec::new());
    }
    let entries = home.read_dir_utf8().and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| {
        let message = format!("cannot read `{home}`: {error}");
        Problem::new(Code::Policy005, message, "make the folder readable, or name a pack's folder")
    })?;
    let mut folders: Vec<Utf8PathBuf> = entries.into_iter().map(camino::Utf8DirEntry::into_path).collect();
    folders.retain(|folder| folder.join("pack.kdl").exists());
    folders.sort();
    Ok(folders.iter().map(|folder| shown(folder)).collect())
}

/// A path as a person would type it here.
pub fn shown(path: &Utf8Path) -> Utf8PathBuf {
    let here = std::env::current_dir().ok().and_then(|dir| Utf8PathBuf::from_path_buf(dir).ok());
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Utf8Path::to_owned));
    below.filter(|below| !below.as_str().is_empty()).unwrap_or_else(|| path.to_owned())
}
