//! Coverage as a tracefile of lcov: <https://manpages.debian.org/bookworm/lcov/geninfo.1.en.html>, section FILES.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use runmill_policy::coverage::{Unit, UnitName, What};

/// One record for each file, in the order of their paths.
pub(super) fn records(pack: &str, units: &[Unit]) -> String {
    let files: BTreeSet<&str> = units.iter().map(|unit| &*unit.place.file).collect();
    files.into_iter().map(|file| record(pack, file, units)).collect()
}

fn record(pack: &str, file: &str, units: &[Unit]) -> String {
    let units: Vec<&Unit> = units.iter().filter(|unit| &*unit.place.file == file).collect();
    let mut out = format!("TN:\nSF:{pack}/{file}\n");
    for unit in &units {
        let _ = writeln!(out, "FN:{},{}", unit.place.line, name(unit));
    }
    for unit in &units {
        let _ = writeln!(out, "FNDA:{},{}", unit.calls, name(unit));
    }
    let called = units.iter().filter(|unit| unit.calls > 0).count();
    let _ = writeln!(out, "FNF:{}\nFNH:{called}", units.len());
    branches(&mut out, &units);
    lines(&mut out, &units);
    out.push_str("end_of_record\n");
    out
}

fn name(unit: &Unit) -> &str {
    match &unit.name {
        UnitName::Rule { id, .. } => id.as_str(),
        UnitName::Function(name) => name,
    }
}

/// Each `if`, loop, closure and part of a condition is a block of its own; its sides are the branches.
fn branches(out: &mut String, units: &[&Unit]) {
    let (mut found, mut hit) = (0, 0);
    let mut blocks: BTreeMap<(usize, usize, bool), usize> = BTreeMap::new();
    for unit in units {
        for point in unit.points.iter().filter(|point| point.what.is_branch() || point.what.is_condition()) {
            let next = blocks.len();
            let place = (point.place.line, point.place.column, point.what.is_condition());
            let block = *blocks.entry(place).or_insert(next);
            let side = match point.what {
                What::Branch(holds) | What::Condition(holds) => usize::from(!holds),
                What::Statement | What::Body | What::Result => 0,
            };
            let taken = if unit.calls == 0 { "-".to_owned() } else { point.hits.to_string() };
            let _ = writeln!(out, "BRDA:{},{block},{side},{taken}", point.place.line);
            found += 1;
            hit += usize::from(point.hits > 0);
        }
    }
    let _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
}

fn lines(out: &mut String, units: &[&Unit]) {
    let mut lines: BTreeMap<usize, u64> = BTreeMap::new();
    for point in units.iter().flat_map(|unit| &unit.points) {
        let hits = lines.entry(point.place.line).or_default();
        *hits = point.hits.max(*hits);
    }
    for (line, hits) in &lines {
        let _ = writeln!(out, "DA:{line},{hits}");
    }
    let _ = writeln!(out, "LF:{}\nLH:{}", lines.len(), lines.values().filter(|hits| **hits > 0).count());
}
