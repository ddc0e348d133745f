//! Artifact directories, made at test time from the one that is kept.

use std::{fs, os::unix::fs::symlink, path::Path};

/// The body the cases change.
pub const UNIT: &str = "54975c26fe333f63a59c9ce9760efb2444f8c26d47ece82c4c6b074462bbc109";

/// Makes the directory that `name` asks for inside `home`.
pub fn make(name: &str, home: &Path) {
    let directory = home.join(name);
    if matches!(name, "artifacts-link" | "nope") {
        copy(&home.join("artifacts"));
        if name == "artifacts-link" {
            symlink("artifacts", directory).unwrap();
        }
        return;
    }
    copy(&directory);
    let unit = directory.join(UNIT);
    let body = fs::read_to_string(&unit).unwrap();
    match name {
        "artifacts" => {}
        "artifacts-extra" => fs::write(directory.join("unreferenced"), "x").unwrap(),
        "artifacts-missing" => fs::remove_file(unit).unwrap(),
        "artifacts-short" => fs::write(unit, body.strip_suffix('}').unwrap()).unwrap(),
        "artifacts-tampered" => fs::write(unit, body.replace("unit", "unix")).unwrap(),
        "artifacts-hardlink" => fs::hard_link(unit, directory.join("second-name")).unwrap(),
        "artifacts-dir-entry" => {
            fs::remove_file(&unit).unwrap();
            fs::create_dir(unit).unwrap();
        }
        "artifacts-symlink" => {
            copy(&home.join("artifacts"));
            fs::remove_file(&unit).unwrap();
            symlink(Path::new("../artifacts").join(UNIT), unit).unwrap();
        }
        other => panic!("no way to make `{other}`"),
    }
}

pub fn copy(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    for body in fs::read_dir(super::vectors().join("delivery/artifacts")).unwrap() {
        let body = body.unwrap();
        fs::write(directory.join(body.file_name()), fs::read(body.path()).unwrap()).unwrap();
    }
}
