//! Everything of an invocation's boundary that its command can notice, but the commit and what is laid over it.

use std::collections::BTreeMap;

use runmill_model::{Checkout, Digest, RepoPath, canonical};
use serde::Serialize;

use super::{CHECKOUT, HOME, Isolation, Limits, ReportSlot, Spec, TMPDIR, View};
use crate::toolchain::Toolchains;

/// Raised by whoever changes what a command can notice of the sandbox in a way that no field of [`Boundary`] shows.
const VERSION: u32 = 1;

/// The network of every invocation.
const NETWORK: &str = "private loopback";

/// What surrounds a command, whichever commit it runs on.
#[derive(Debug, Clone)]
pub struct Boundary {
    /// How it is isolated.
    pub isolation: Isolation,
    /// How commits are laid out.
    pub checkout: Checkout,
    /// Working directory inside the checkout.
    pub cwd: RepoPath,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// The report it may write.
    pub report: Option<ReportSlot>,
    /// Private writable directories.
    pub scratch: Vec<RepoPath>,
    /// Directories shown although their surroundings are hidden.
    pub toolchains: Toolchains,
    /// The limits.
    pub limits: Limits,
}

#[derive(Serialize)]
struct Noticed<'a> {
    version: u32,
    network: &'a str,
    places: [&'a str; 3],
    user: [u32; 2],
    isolation: Isolation,
    checkout: Checkout,
    cwd: &'a RepoPath,
    /// Values may be secrets: what is digested holds their digests only.
    env: BTreeMap<&'a str, Digest>,
    report: &'a Option<ReportSlot>,
    scratch: &'a [RepoPath],
    toolchains: &'a Toolchains,
    limits: &'a Limits,
    surroundings: Digest,
}

impl Boundary {
    /// SHA-256 over the canonical JSON of all of it, for this user. `surroundings` is what the `.git` of the view says
    /// beyond the commit, see [`crate::git::Repository::surroundings_digest`].
    pub fn digest(&self, surroundings: Digest) -> Digest {
        let Self { isolation, checkout, cwd, env, report, scratch, toolchains, limits } = self;
        let noticed = Noticed {
            version: VERSION,
            network: NETWORK,
            places: [CHECKOUT, TMPDIR, HOME],
            user: [rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()],
            isolation: *isolation,
            checkout: *checkout,
            cwd,
            env: env.iter().map(|(name, value)| (name.as_str(), Digest::of(value.as_bytes()))).collect(),
            report,
            scratch,
            toolchains,
            limits,
            surroundings,
        };
        // INVARIANT: texts, whole numbers, lists and maps with text keys have a canonical form.
        canonical::digest(&noticed).unwrap_or_else(|_| Digest::of(b""))
    }

    /// The invocation of a command on a view, inside this boundary. Nothing is laid over the view.
    pub fn around(self, view: View, argv: Vec<String>) -> Spec {
        let Self { isolation: _, checkout: _, cwd, env, report, scratch, toolchains, limits } = self;
        Spec {
            view,
            cwd,
            argv,
            env,
            report,
            scratch,
            overlays: Vec::new(),
            mounts: Vec::new(),
            checkout_at: None,
            toolchains,
            limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::sandbox::Replace;

    fn boundary() -> Boundary {
        Boundary {
            isolation: Isolation::Namespaces,
            checkout: Checkout::Sealed,
            cwd: RepoPath::root(),
            env: [("TZ".to_owned(), "UTC".to_owned())].into_iter().collect(),
            report: None,
            scratch: Vec::new(),
            toolchains: Toolchains::default(),
            limits: Limits::default(),
        }
    }

    #[test]
    fn everything_that_can_be_noticed_changes_the_digest() {
        let surroundings = Digest::of(b"no tags");
        let digest = |boundary: &Boundary| boundary.digest(surroundings);
        assert_eq!(digest(&boundary()), digest(&boundary()));
        assert_ne!(digest(&boundary()), boundary().digest(Digest::of(b"a tag")));
        let changes: [fn(&mut Boundary); 12] = [
            |it| it.checkout = Checkout::FreshWorktree,
            |it| it.cwd = RepoPath::new("web").unwrap(),
            |it| drop(it.env.insert("TZ".into(), "Asia/Tokyo".into())),
            |it| drop(it.env.insert("LANG".into(), "C".into())),
            |it| {
                let path = RepoPath::new("unit.xml").unwrap();
                it.report = Some(ReportSlot { path, replace: Replace::InPlace, max_bytes: 1 });
            },
            |it| it.scratch.push(RepoPath::new("target").unwrap()),
            |it| it.toolchains.visible.push("/opt/node".into()),
            |it| it.limits.timeout = Duration::from_secs(1),
            |it| it.limits.memory = 1,
            |it| it.limits.processes = 1,
            |it| it.limits.output = 1,
            |it| it.limits.file_size = 1,
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut other = boundary();
            change(&mut other);
            assert_ne!(digest(&other), digest(&boundary()), "change {at}");
        }
    }
}
