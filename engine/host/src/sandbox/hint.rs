//! Why a report stayed untouched, where the output shows it.

use super::{Replace, Spec, Stream};

/// Words of a failed replacement, as the C library and Node.js say them.
const SIGNS: &[&str] = &[
    "read-only file system",
    "device or resource busy",
    "invalid cross-device link",
    "file exists",
    "permission denied",
    "operation not permitted",
    "erofs",
    "ebusy",
    "exdev",
    "eexist",
    "eacces",
    "eperm",
];

/// A hint when a line of the output names the report or its directory and says that it could not be replaced.
pub(super) fn replaced(spec: &Spec, streams: [&Stream; 2]) -> Option<String> {
    let report = spec.report.as_ref()?;
    let path = report.path.as_str();
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let shows = |line: &str| {
        let lower = line.to_lowercase();
        (line.contains(name) || (!directory.is_empty() && line.contains(directory)))
            && SIGNS.iter().any(|sign| lower.contains(sign))
    };
    let line = streams.iter().find_map(|stream| stream.text().lines().rev().find(|line| shows(line)).map(shorten))?;
    Some(match report.replace {
        Replace::InPlace => {
            format!(
                "the report was to be replaced, not written (`{line}`); write it in place, or set `atomic: true` for it"
            )
        }
        Replace::Atomic => format!("the report could not be written (`{line}`)"),
    })
}

fn shorten(line: &str) -> String {
    const MOST: usize = 200;
    line.trim().chars().filter(|letter| !letter.is_control() && *letter != '`').take(MOST).collect()
}
