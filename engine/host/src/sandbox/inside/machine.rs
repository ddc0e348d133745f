//! The machine as the check sees it, put together in the order of the specification.

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::CWD,
    mount::{MountPropagationFlags, mount_change},
};

use super::{
    devices::{Nodes, fresh_proc, own_network},
    files::Rules,
    hidden::Hidden,
    mounts::SEALED,
    population::Population,
    raw::{Reach, restrict_mount},
    reduced::Laid,
    report::Slot,
    step::Step,
    view::{Sources, ViewError, make_places},
};
use crate::sandbox::{CHECKOUT, HOME, TMPDIR, protocol::Order};

/// A finished machine.
pub(super) struct Machine {
    /// Where the report will be found.
    pub(super) slot: Slot,
    /// What holds the check's processes together.
    pub(super) population: Population,
    /// What the main process needs to know.
    pub(super) cage: Cage,
    /// What is to be taken out of the tree at the end.
    pub(super) laid: Option<Laid>,
}

/// What the main process binds itself to.
pub(super) struct Cage {
    /// Where the view is.
    pub(super) checkout: Utf8PathBuf,
    /// The Landlock rules.
    pub(super) rules: Rules,
    /// Unix sockets that must not answer.
    pub(super) sockets: Vec<Utf8PathBuf>,
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
    let cage = Cage { checkout: CHECKOUT.into(), rules: Rules::beside_mounts(writable), sockets: Vec::new() };
    Ok(Machine { slot: view.slot, population: Population::Namespace, cage, laid: None })
}
