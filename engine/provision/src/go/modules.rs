//! The module cache: extracted modules and their `go.mod` files, each with the hash of `go.sum`.

use base64::{Engine, engine::general_purpose::STANDARD};
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use runmill_model::{Digest, Hasher};

use super::{
    GO, REPAIR, fault,
    sums::{Module, Required, Sums},
};
use crate::{
    Fault, FaultKind,
    fault::some,
    layout::{Layout, Part},
};

const PROOF: &str = "every module and every go.mod has its hash of go.sum";

/// Where a module is in the cache, and where its download is.
struct Place {
    extracted: Utf8PathBuf,
    download: Utf8PathBuf,
}

impl Place {
    fn of(module: &Module) -> Self {
        let (path, version) = (escaped(&module.path), escaped(&module.version));
        Self {
            extracted: format!("{path}@{version}").into(),
            download: format!("cache/download/{path}/@v/{version}").into(),
        }
    }
}

/// Upper-case letters as `!` and the lower-case one, as the cache has them on every file system.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(character.to_ascii_lowercase());
    }
    escaped
}

/// Finds everything `go.sum` names that is there, and everything `go.mod` requires.
pub(super) fn inspect(required: &Required, sums: &Sums, cache: &Utf8Path) -> Result<Layout, Fault> {
    let mut layout = Layout::new(GO, PROOF, format!("run `go clean -modcache`, then {REPAIR}"));
    layout.parts.push(Part::Directory { at: "modules".into() });
    for (module, sum) in &sums.manifests {
        manifest(module, sum, cache, &mut layout)?;
    }
    let modules: Vec<_> = sums.files.iter().collect();
    let found = modules.par_iter().map(|(module, sum)| extracted(module, sum, cache, &layout));
    let found = found.collect::<Result<Vec<_>, Fault>>()?;
    let mut missing = Vec::new();
    for ((module, sum), parts) in modules.into_iter().zip(found) {
        match parts {
            Some(parts) => {
                layout.packages.insert(module.shown());
                layout.parts.extend(parts);
                let at = Utf8Path::new("modules").join(format!("{}.ziphash", Place::of(module).download));
                layout.parts.push(Part::Write { at, bytes: sum.clone().into_bytes() });
            }
            None if required.modules().any(|needed| needed == module) => missing.push(module.shown()),
            // Sums of versions that were considered and not chosen stay in the file.
            None => drop(layout.omitted.insert(module.shown())),
        }
    }
    if missing.is_empty() {
        return Ok(layout);
    }
    let message = format!("required modules are not in `{cache}`: {}", some(missing.iter().map(String::as_str)));
    Err(fault(FaultKind::Missing, message, REPAIR))
}

/// The `go.mod` of a module: needed to choose versions, also of modules whose files are not needed.
fn manifest(module: &Module, sum: &str, cache: &Utf8Path, layout: &mut Layout) -> Result<(), Fault> {
    let download = Place::of(module).download;
    let from = cache.join(format!("{download}.mod"));
    let bytes = match std::fs::read(&from) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Fault::io(GO, "read", &from, &error)),
    };
    if h1(&[("go.mod".to_owned(), Digest::of(&bytes))]) != sum {
        return Err(
            layout.mismatch(format!("`{from}` does not have the hash that `go.sum` has for `{}`", module.shown()))
        );
    }
    let at = |extension: &str| Utf8Path::new("modules").join(format!("{download}.{extension}"));
    let info = serde_json::json!({ "Version": module.version }).to_string();
    layout.parts.push(Part::Write { at: at("mod"), bytes });
    layout.parts.push(Part::Write { at: at("info"), bytes: info.into_bytes() });
    Ok(())
}

/// The extracted files of a module; none when it is not extracted.
fn extracted(module: &Module, sum: &str, cache: &Utf8Path, layout: &Layout) -> Result<Option<Vec<Part>>, Fault> {
    let place = Place::of(module).extracted;
    let root = cache.join(&place);
    if !root.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(None);
    }
    let mut files = Vec::new();
    list(&root, &root, &mut files, layout)?;
    files.sort();
    let hashed = files.iter().map(|file| {
        let path = root.join(file);
        let bytes = std::fs::read(&path).map_err(|error| Fault::io(GO, "read", &path, &error))?;
        Ok((format!("{}/{file}", module.shown()), Digest::of(&bytes)))
    });
    let hashed = hashed.collect::<Result<Vec<_>, Fault>>()?;
    if h1(&hashed) != sum {
        return Err(layout.mismatch(format!("`{root}` does not have the hash that `go.sum` has for it")));
    }
    let at = Utf8Path::new("modules").join(&place);
    let parts = files.iter().zip(&hashed).map(|(file, (_, digest))| Part::Copy {
        from: root.join(file),
        at: at.join(file),
        expect: Some(*digest),
    });
    Ok(Some(parts.collect()))
}

fn list(root: &Utf8Path, directory: &Utf8Path, files: &mut Vec<String>, layout: &Layout) -> Result<(), Fault> {
    let entries = directory.read_dir_utf8().and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    for entry in entries.map_err(|error| Fault::io(GO, "list", directory, &error))? {
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| Fault::io(GO, "look at", path, &error))?;
        if kind.is_dir() {
            list(root, path, files, layout)?;
        } else if kind.is_file() {
            files.extend(path.strip_prefix(root).ok().map(|path| path.to_string()));
        } else {
            return Err(layout.mismatch(format!("`{path}` is neither a file nor a directory")));
        }
    }
    Ok(())
}

/// The hash `h1:` of files by name (golang.org/x/mod/sumdb/dirhash): SHA-256 over one line for each, sorted by name.
pub(super) fn h1(files: &[(String, Digest)]) -> String {
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort();
    let mut hasher = Hasher::new();
    for (name, digest) in sorted {
        hasher.update(format!("{}  {name}\n", digest.hex()).as_bytes());
    }
    format!("h1:{}", STANDARD.encode(hasher.finish().as_bytes()))
}
