//! Isolation without namespaces: a private copy of the tree, Landlock, the system call filter, and a domain that no signal leaves.
//!
//! Nothing can be covered here. What is not granted cannot be opened, but it can be seen that it is there.

mod grants;
mod sockets;
mod tree;

use std::{fs, os::unix::fs::MetadataExt};

use camino::{Utf8Path, Utf8PathBuf};

pub(super) use self::{sockets::refuse_reachable, tree::Laid};
use super::{
    files::{Grant, Rules},
    hidden::{Hidden, borrowed_objects},
    machine::{Cage, Machine},
    mounts::make_dir,
    population::{Population, Scope},
    step::Step,
    view::ViewError,
};
use crate::sandbox::{HOME, SandboxError, TMPDIR, Tree, protocol::Order};

/// Puts the machine together as far as that is possible without mounts.
pub(super) fn build(order: &mut Order, open: &[Utf8PathBuf], notes: &mut Vec<String>) -> Result<Machine, ViewError> {
    let room = order.room.clone().ok_or_else(|| SandboxError::Unavailable {
        step: "find the private directory of the invocation".into(),
        errno: 0,
    })?;
    if !order.spec.mounts.is_empty() || order.spec.checkout_at.is_some() {
        let reason = "prepared dependencies that name themselves by a path need namespaces";
        return Err(ViewError::NotStarted(reason.into()));
    }
    if order.spec.view.tree != Tree::Sealed {
        let step = "lay `.git` and a report over a working tree without namespaces".to_owned();
        return Err(SandboxError::Unavailable { step, errno: 0 }.into());
    }
    let scope = Scope::enter(order.parent)?;
    let hidden = Hidden::find(&order.config);
    let sockets = sockets::candidates(open, &hidden, &order.config.hide);
    let mut grants = readable(order, &hidden);
    let (laid, slot) = Laid::lay(&order.spec, &room)?;
    grants.extend(laid.grants());
    furnish(order, &room, &mut grants)?;
    count_others(order);
    notes.push("isolation: landlock (reduced: no namespaces, no network at all, other processes are listed)".into());
    let cage = Cage { checkout: order.spec.view.lower.clone(), rules: Rules::alone(grants), sockets };
    Ok(Machine { slot, population: Population::Scope(scope), cage, laid: Some(laid) })
}

/// What may be read, and the devices.
fn readable(order: &Order, hidden: &Hidden) -> Vec<(Utf8PathBuf, Grant)> {
    let spec = &order.spec;
    let permitted = |path: &&Utf8PathBuf| !hidden.forbids(path) && path.exists();
    let toolchains = spec.toolchains.visible.iter().filter(permitted).cloned();
    let borrowed = spec.view.git_dir.as_deref().map(borrowed_objects).unwrap_or_default();
    let overlays = spec.overlays.iter().map(|overlay| overlay.host.clone());
    let own = [spec.view.lower.clone()].into_iter().chain(overlays);
    let read = grants::in_sight(hidden).into_iter().chain(toolchains).chain(borrowed).chain(own);
    read.map(|path| (path, Grant::Read)).chain(grants::devices()).collect()
}

/// Private directories, and the variables that lead to them.
fn furnish(order: &mut Order, room: &Utf8Path, grants: &mut Vec<(Utf8PathBuf, Grant)>) -> Result<(), SandboxError> {
    let [tmp, home] = ["tmp", "home"].map(|name| room.join(name));
    let mut moved = vec![(Utf8PathBuf::from(TMPDIR), tmp), (HOME.into(), home)];
    for (number, private) in order.spec.toolchains.private.iter().enumerate() {
        moved.push((private.clone(), room.join(format!("private-{number}"))));
    }
    for (_, place) in &moved {
        make_dir(place)?;
        grants.push((place.clone(), Grant::Write));
    }
    for (private, place) in moved.iter().skip(2) {
        for visible in &order.spec.toolchains.visible {
            let Some(part) = visible.strip_prefix(private).ok().filter(|part| *part != "") else { continue };
            let at = place.join(part);
            at.parent().map_or(Ok(()), make_dir)?;
            std::os::unix::fs::symlink(visible, &at).step(format!("link {at}"))?;
        }
    }
    for value in order.spec.env.values_mut() {
        if let Some((_, place)) = moved.iter().find(|(from, _)| from == value.as_str()) {
            *value = place.to_string();
        }
    }
    Ok(())
}

/// A limit on processes that a user sets on itself counts everything this user has.
fn count_others(order: &mut Order) {
    let Some(limit) = &mut order.limits.processes else { return };
    let user = rustix::process::geteuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = processes.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user));
    let threads = own.filter_map(|entry| fs::read_dir(entry.path().join("task")).ok());
    *limit = limit.saturating_add(threads.map(|threads| threads.count() as u64).sum());
}
