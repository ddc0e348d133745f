//! The machine as the check sees it, put together in the order of the specification.

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::CWD,
    mount::{MountPropagationFlags, mount_change},
};

use super::{
    devices::{Nodes, fresh_proc, own_network},
    hidden::Hidden,
    mounts::SEALED,
    raw::{Reach, restrict_mount},
    report::Slot,
    step::Step,
    view::{Sources, ViewError, make_places},
};
use crate::sandbox::{HOME, TMPDIR, protocol::Order};

/// A finished machine.
pub(super) struct Machine {
    /// Where the report will be found.
    pub(super) slot: Slot,
    /// What the check may write to.
    pub(super) writable: Vec<Utf8PathBuf>,
}

/// Builds it around process 1.
pub(super) fn build(order: &Order, sockets: &[Utf8PathBuf], notes: &mut Vec<String>) -> Result<Machine, ViewError> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).step("make mounts private")?;
    let hidden = Hidden::find(&order.config);
    let sources = Sources::take(&order.spec)?;
    let toolbox = hidden.take(&order.spec, notes);
    let nodes = Nodes::take()?;
    restrict_mount(CWD, "/", SEALED, Reach::Tree).step("make the file system read-only")?;
    hidden.cover()?;
    make_places()?;
    let view = sources.build(&order.spec)?;
    let mut writable = view.writable;
    writable.extend([TMPDIR, "/var/tmp", HOME].map(Utf8PathBuf::from).into_iter().filter(|path| path.is_dir()));
    writable.extend(toolbox.private());
    toolbox.attach()?;
    hidden.seal()?;
    nodes.attach()?;
    fresh_proc()?;
    hidden.cover_files(sockets)?;
    own_network()?;
    rustix::process::chdir(Utf8Path::new("/").as_str()).step("leave the old tree")?;
    Ok(Machine { slot: view.slot, writable })
}
