//! The view: the sealed base with `.git`, scratch, prepared dependencies and the report laid in.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RepoPath;

use super::{
    lower::{Found, look},
    mounts::{Tree, detach, make_dir, make_file, overlay_sealed, overlay_writable, tmpfs},
    report::Slot,
    step::Step,
};
use crate::sandbox::{self, CHECKOUT, GIT_DIR, PreExisting, Replace, SandboxError, Spec};

/// Where the view is put together; gone before the check starts.
const STAGE: &str = "/run/runmill/stage";

/// Why there is no view.
pub(super) enum ViewError {
    /// The machine's fault.
    Sandbox(SandboxError),
    /// The check's fault.
    NotStarted(String),
}

impl From<SandboxError> for ViewError {
    fn from(error: SandboxError) -> Self {
        Self::Sandbox(error)
    }
}

/// Directories of the host, taken before their surroundings are hidden.
pub(super) struct Sources {
    base: Tree,
    git_dir: Option<Tree>,
    overlays: Vec<(RepoPath, Tree)>,
    mounts: Vec<(Utf8PathBuf, Tree)>,
}

/// A finished view.
pub(super) struct Finished {
    /// Where the report will be found.
    pub(super) slot: Slot,
    /// What the check may write to below the checkout.
    pub(super) writable: Vec<Utf8PathBuf>,
}

impl Sources {
    /// Takes what the view is made of.
    pub(super) fn take(spec: &Spec) -> Result<Self, SandboxError> {
        let take = |path: &Utf8Path| Tree::take_sealed(path).step(format!("take {path}"));
        let base = match spec.view.tree {
            sandbox::Tree::Sealed | sandbox::Tree::Live => take(&spec.view.lower)?,
            sandbox::Tree::LiveWritable => {
                Tree::take_plain(&spec.view.lower).step(format!("take {} to write", spec.view.lower))?
            }
        };
        Ok(Self {
            base,
            git_dir: spec.view.git_dir.as_deref().map(take).transpose()?,
            overlays: spec
                .overlays
                .iter()
                .map(|overlay| Ok((overlay.at.clone(), take(&overlay.host)?)))
                .collect::<Result<_, SandboxError>>()?,
            mounts: spec
                .mounts
                .iter()
                .map(|mount| Ok((mount.at.clone(), take(&mount.host)?)))
                .collect::<Result<_, SandboxError>>()?,
        })
    }

    /// Puts the view at [`CHECKOUT`].
    pub(super) fn build(self, spec: &Spec) -> Result<Finished, ViewError> {
        let stage = Stage::raise(self.base)?;
        let all_scratch = outermost(&spec.scratch);
        let in_overlay = |path: &RepoPath| spec.overlays.iter().any(|overlay| is_in(path, overlay.at.as_str()));
        let (upon, scratch): (Vec<_>, Vec<_>) = all_scratch.iter().cloned().partition(in_overlay);
        let plan = ReportPlan::make(spec, &all_scratch, &stage.base)?;
        for path in &scratch {
            stage.want_dir(path, "scratch directory")?;
        }
        let in_scratch = |path: &RepoPath| scratch.iter().any(|scratch| is_in(path, scratch.as_str()));
        for (path, tree) in self.overlays.iter().filter(|(path, _)| !is_in(path, ".git") && !in_scratch(path)) {
            stage.want(path, tree.is_dir(), "place of prepared dependencies")?;
        }
        let git = GitPlace::of(spec, &stage.base);
        if git == GitPlace::Laid {
            stage.want_dir_here(Utf8Path::new(".git"))?;
        }
        if let ReportPlan::InPlace(path) = &plan {
            stage.want(path, false, "report")?;
        }
        stage.attach_checkout(&plan)?;
        let mut writable = stage.attach_report_directory(&plan)?;
        if spec.view.tree == sandbox::Tree::LiveWritable {
            writable.push(CHECKOUT.into());
        }
        if let Some(tree) = self.git_dir {
            tree.attach(&git.open()?)?;
        }
        for path in &scratch {
            tmpfs(&inside(path.as_str()), "0755")?;
            writable.push(inside(path.as_str()));
        }
        for (path, tree) in self.overlays {
            let at = inside(path.as_str());
            if in_scratch(&path) {
                if tree.is_dir() { make_dir(&at)? } else { make_file(&at)? }
            }
            tree.attach(&at)?;
        }
        for path in &upon {
            let at = inside(path.as_str());
            if !at.is_dir() {
                let reason = format!("the scratch directory `{path}` is not there in the prepared dependencies");
                return Err(ViewError::NotStarted(reason));
            }
            tmpfs(&at, "0755")?;
            writable.push(at);
        }
        for (at, tree) in self.mounts {
            if fs::metadata(&at).is_err() {
                if tree.is_dir() { make_dir(&at)? } else { make_file(&at)? }
            }
            tree.attach(&at)?;
        }
        let slot = stage.open_slot(spec, plan, &mut writable)?;
        stage.strike()?;
        if let Some(at) = &spec.checkout_at {
            make_dir(at)?;
            Tree::take(Utf8Path::new(CHECKOUT)).step("take the checkout")?.attach(at)?;
        }
        Ok(Finished { slot, writable })
    }
}

/// Where the git directory of the view goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GitPlace {
    /// There is none.
    Nowhere,
    /// Over `.git`, which is made for it.
    Laid,
    /// Over the `.git` that a working tree has.
    Own,
    /// Elsewhere: `.git` of the working tree is a file, and is covered by one that leads there.
    Named,
}

impl GitPlace {
    fn of(spec: &Spec, base: &Utf8Path) -> Self {
        match (&spec.view.git_dir, spec.view.tree, look(base, Utf8Path::new(".git"))) {
            (None, ..) => Self::Nowhere,
            (Some(_), sandbox::Tree::Sealed, _) => Self::Laid,
            (Some(_), _, Found::Directory) => Self::Own,
            (Some(_), ..) => Self::Named,
        }
    }

    /// The place, ready to be covered.
    fn open(self) -> Result<Utf8PathBuf, SandboxError> {
        if self != Self::Named {
            return Ok(inside(".git"));
        }
        let (file, place) = (Utf8Path::new(STAGE).join("git"), Utf8PathBuf::from(GIT_DIR));
        make_dir(&place)?;
        fs::write(&file, format!("gitdir: {GIT_DIR}\n")).step("write a `.git` file")?;
        Tree::take_sealed(&file).step("take the `.git` file")?.attach(&inside(".git"))?;
        Ok(place)
    }
}

/// How the report comes to be.
pub(super) enum ReportPlan {
    None,
    /// The commit has something there already, and it is not a plain file.
    Blocked(PreExisting),
    /// A pre-created file is bound over the place.
    InPlace(RepoPath),
    /// The directory is writable in private.
    Atomic {
        directory: Utf8PathBuf,
        name: String,
    },
    /// It lies in a scratch directory, where everything is possible anyway.
    InScratch {
        scratch: RepoPath,
        rest: Utf8PathBuf,
    },
}

impl ReportPlan {
    /// What is to be done in a tree that looks like `base`.
    pub(super) fn make(spec: &Spec, scratch: &[RepoPath], base: &Utf8Path) -> Result<Self, ViewError> {
        let Some(report) = &spec.report else { return Ok(Self::None) };
        let path = Utf8Path::new(report.path.as_str());
        if report.path.is_root() || is_in(&report.path, ".git") {
            return Err(ViewError::NotStarted(format!("the report path `{path}` is no place for a report")));
        }
        if let Some((scratch, rest)) = scratch
            .iter()
            .find_map(|scratch| Some((scratch, path.strip_prefix(scratch.as_str()).ok().filter(|rest| *rest != "")?)))
        {
            return Ok(Self::InScratch { scratch: scratch.clone(), rest: rest.to_owned() });
        }
        if spec.overlays.iter().any(|overlay| path.starts_with(overlay.at.as_str())) {
            return Err(ViewError::NotStarted(format!("the report path `{path}` lies in prepared dependencies")));
        }
        match look(base, path) {
            Found::Directory => return Ok(Self::Blocked(PreExisting::Directory)),
            Found::Symlink => return Ok(Self::Blocked(PreExisting::Symlink)),
            Found::BlockedParent => return Ok(Self::Blocked(PreExisting::BlockedParent)),
            Found::File | Found::Missing => {}
        }
        match (report.replace, path.file_name()) {
            (Replace::Atomic, Some(name)) => {
                let directory = path.parent().map(Utf8Path::to_owned).unwrap_or_default();
                Ok(Self::Atomic { directory, name: name.to_owned() })
            }
            _ => Ok(Self::InPlace(report.path.clone())),
        }
    }
}

/// The place where the layers are put together.
struct Stage {
    /// The sealed base.
    base: Utf8PathBuf,
    /// Places to mount on that the base does not have; the top layer.
    skeleton: Utf8PathBuf,
    /// Whether the skeleton has anything in it.
    needed: std::cell::Cell<Need>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    BaseAlone,
    Skeleton,
}

impl Stage {
    fn raise(base: Tree) -> Result<Self, SandboxError> {
        let stage = Utf8Path::new(STAGE);
        make_dir(stage)?;
        tmpfs(stage, "0700")?;
        let made = Self {
            base: stage.join("base"),
            skeleton: stage.join("skeleton"),
            needed: std::cell::Cell::new(Need::BaseAlone),
        };
        make_dir(&made.base)?;
        make_dir(&made.skeleton)?;
        base.attach(&made.base)?;
        Ok(made)
    }

    fn want_dir(&self, path: &RepoPath, what: &str) -> Result<(), ViewError> {
        self.want(path, true, what)
    }

    /// Makes sure that there is something to mount on.
    fn want(&self, path: &RepoPath, directory: bool, what: &str) -> Result<(), ViewError> {
        let relative = Utf8Path::new(path.as_str());
        match (look(&self.base, relative), directory) {
            (Found::Directory, true) | (Found::File, false) => Ok(()),
            (Found::Missing, true) => Ok(self.want_dir_here(relative)?),
            (Found::Missing, false) => {
                self.want_parents(relative)?;
                Ok(make_file(&self.skeleton.join(relative))?)
            }
            (found, _) => Err(in_the_way(found, what, path)),
        }
    }

    fn want_dir_here(&self, path: &Utf8Path) -> Result<(), SandboxError> {
        self.want_parents(path)?;
        make_dir(&self.skeleton.join(path))
    }

    /// Makes the parents in the skeleton, each looking like the one of the base that it will cover.
    fn want_parents(&self, path: &Utf8Path) -> Result<(), SandboxError> {
        self.needed.set(Need::Skeleton);
        let parents: Vec<_> = path.ancestors().skip(1).collect();
        for parent in parents.into_iter().rev() {
            let (there, here) = (self.base.join(parent), self.skeleton.join(parent));
            make_dir(&here)?;
            if let Ok(metadata) = fs::symlink_metadata(&there) {
                fs::set_permissions(&here, metadata.permissions()).step(format!("prepare {parent}"))?;
            }
        }
        Ok(())
    }

    /// Layers of one directory of the checkout, each at a path without a character that options would have to escape.
    fn layers(&self, directory: &Utf8Path) -> Result<Vec<Utf8PathBuf>, SandboxError> {
        let mut layers = Vec::new();
        for (source, name) in [(&self.skeleton, "over"), (&self.base, "under")] {
            let (source, layer) = (source.join(directory), Utf8Path::new(STAGE).join(name));
            make_dir(&layer)?;
            if source.is_dir() {
                Tree::take(&source).step("take a layer of the report's directory")?.attach(&layer)?;
                layers.push(layer);
            }
        }
        if layers.is_empty() {
            layers.push(Utf8Path::new(STAGE).join("over"));
        }
        Ok(layers)
    }

    fn attach_checkout(&self, plan: &ReportPlan) -> Result<(), SandboxError> {
        let checkout = Utf8Path::new(CHECKOUT);
        if let ReportPlan::Atomic { directory, .. } = plan {
            // The place for the report's own overlay.
            if !self.base.join(directory).is_dir() {
                self.want_dir_here(directory)?;
            }
        }
        match self.needed.get() {
            Need::BaseAlone => Tree::take(&self.base).step("take the checkout")?.attach(checkout),
            Need::Skeleton => overlay_sealed(checkout, &[&self.skeleton, &self.base]),
        }
    }

    /// With an atomic report, makes its directory writable in private. Returns what became writable.
    fn attach_report_directory(&self, plan: &ReportPlan) -> Result<Vec<Utf8PathBuf>, SandboxError> {
        let ReportPlan::Atomic { directory, .. } = plan else { return Ok(Vec::new()) };
        let (upper, work) = (Utf8Path::new(STAGE).join("upper"), Utf8Path::new(STAGE).join("work"));
        make_dir(&upper)?;
        make_dir(&work)?;
        let layers = self.layers(directory)?;
        let at = Utf8Path::new(CHECKOUT).join(directory);
        overlay_writable(&at, &layers.iter().map(Utf8PathBuf::as_path).collect::<Vec<_>>(), &upper, &work)?;
        Ok(vec![at])
    }

    /// Opens the place where the report will be found, and makes it writable.
    fn open_slot(&self, spec: &Spec, plan: ReportPlan, writable: &mut Vec<Utf8PathBuf>) -> Result<Slot, SandboxError> {
        let Some(report) = &spec.report else { return Ok(Slot::none()) };
        let slot = match plan {
            ReportPlan::None => Slot::none(),
            ReportPlan::Blocked(what) => Slot::pre_existing(what),
            ReportPlan::InPlace(path) => {
                let (file, at) = (Utf8Path::new(STAGE).join("report"), inside(path.as_str()));
                let slot = Slot::in_place(&file)?;
                Tree::take(&file).step("take the report file")?.attach(&at)?;
                writable.push(at);
                slot
            }
            ReportPlan::Atomic { name, .. } => Slot::atomic(&Utf8Path::new(STAGE).join("upper"), name)?,
            ReportPlan::InScratch { scratch, rest } => Slot::in_scratch(&inside(scratch.as_str()), rest)?,
        };
        let pre_existing = matches!(look(&self.base, Utf8Path::new(report.path.as_str())), Found::File);
        Ok(if pre_existing { Slot::pre_existing(PreExisting::File) } else { slot })
    }

    /// Removes the stage. The mounts of the view keep what they use.
    fn strike(self) -> Result<(), SandboxError> {
        detach(Utf8Path::new(STAGE))?;
        fs::remove_dir(STAGE).step("remove the stage")
    }
}

/// Makes the run-time directory of the sandbox in the cover of `/run`.
pub(super) fn make_places() -> Result<(), SandboxError> {
    make_dir(Utf8Path::new(CHECKOUT))?;
    make_dir(Utf8Path::new(sandbox::HOME))?;
    tmpfs(Utf8Path::new(sandbox::HOME), "0700")
}

/// What the commit has is in the way of what was declared.
pub(super) fn in_the_way(found: Found, what: &str, path: &RepoPath) -> ViewError {
    let by = match found {
        Found::Missing => "nothing",
        Found::Directory => "a directory",
        Found::File => "a file",
        Found::Symlink => "a symbolic link",
        Found::BlockedParent => "a file or symbolic link",
    };
    ViewError::NotStarted(format!("{by} of the commit is in the way of the {what} `{path}`"))
}

fn inside(path: &str) -> Utf8PathBuf {
    if path == "." { CHECKOUT.into() } else { Utf8Path::new(CHECKOUT).join(path) }
}

pub(super) fn is_in(path: &RepoPath, directory: &str) -> bool {
    Utf8Path::new(path.as_str()).starts_with(directory)
}

/// The directories that lie in no other, sorted.
pub(super) fn outermost(paths: &[RepoPath]) -> Vec<RepoPath> {
    let mut sorted: Vec<_> = paths.to_vec();
    sorted.sort();
    let mut outer: Vec<RepoPath> = Vec::new();
    for path in sorted {
        if !outer.iter().any(|above| is_in(&path, above.as_str())) {
            outer.push(path);
        }
    }
    outer
}
