//! The tree of an invocation without mounts: `.git`, scratch, prepared dependencies and the report are put into it for the
//! time of the run, and taken out again, so that its hash says what the check did.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RepoPath;

use crate::sandbox::{
    PreExisting, SandboxError, Spec,
    inside::{
        files::Grant,
        lower::{Found, look},
        mounts::make_dir,
        report::Slot,
        step::Step,
        view::{ReportPlan, ViewError, in_the_way, is_in, outermost},
    },
};

/// What was put into a tree.
pub(in crate::sandbox::inside) struct Laid {
    room: Utf8PathBuf,
    tree: Utf8PathBuf,
    /// Directories that came from elsewhere or go elsewhere: where they are now, and where they belong. In the order of the moves.
    moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// Directories made on the way to something, outermost first.
    parents: Vec<Utf8PathBuf>,
    /// Files and links.
    files: Vec<Utf8PathBuf>,
    /// What the check may do where.
    grants: Vec<(Utf8PathBuf, Grant)>,
}

impl Laid {
    /// Puts everything in. With it comes the report's place.
    pub(super) fn lay(spec: &Spec, room: &Utf8Path) -> Result<(Self, Slot), ViewError> {
        let mut laid = Self {
            room: room.to_owned(),
            tree: spec.view.lower.clone(),
            moves: Vec::new(),
            parents: Vec::new(),
            files: Vec::new(),
            grants: Vec::new(),
        };
        let scratch = outermost(&spec.scratch);
        let plan = ReportPlan::make(spec, &scratch, &laid.tree)?;
        if let Some(git_dir) = &spec.view.git_dir {
            laid.lay_git(git_dir)?;
        }
        let upon = |path: &&RepoPath| spec.overlays.iter().any(|overlay| is_in(path, overlay.at.as_str()));
        if let Some(path) = scratch.iter().find(upon) {
            let reason =
                format!("the scratch directory `{path}` lies in prepared dependencies, which needs namespaces");
            return Err(ViewError::NotStarted(reason));
        }
        for path in &scratch {
            laid.lay_scratch(path)?;
        }
        for overlay in &spec.overlays {
            laid.lay_link(&overlay.host, &overlay.at)?;
        }
        let slot = laid.lay_report(spec, plan)?;
        Ok((laid, slot))
    }

    /// What the check may write to.
    pub(super) fn grants(&self) -> impl Iterator<Item = (Utf8PathBuf, Grant)> {
        self.grants.iter().cloned()
    }

    /// Takes everything out. Call it when nothing is alive that could use it.
    pub(in crate::sandbox::inside) fn take_out(self) -> Result<(), SandboxError> {
        for file in self.files.iter().rev() {
            // A check may have removed its own report; whatever else is there shows in the hash of the tree.
            let _ = fs::remove_file(file);
        }
        for (now, belongs) in self.moves.iter().rev() {
            fs::rename(now, belongs).step(format!("take {now} out of the tree"))?;
        }
        for parent in self.parents.iter().rev() {
            let _ = fs::remove_dir(parent);
        }
        Ok(())
    }

    /// A sealed tree holds an empty `.git` to be covered.
    fn lay_git(&mut self, git_dir: &Utf8Path) -> Result<(), SandboxError> {
        let at = self.tree.join(".git");
        if at.is_dir() {
            self.set_aside(&at)?;
        }
        self.rename(git_dir, &at)
    }

    fn lay_scratch(&mut self, path: &RepoPath) -> Result<(), ViewError> {
        let at = self.tree.join(path.as_str());
        match look(&self.tree, Utf8Path::new(path.as_str())) {
            Found::Missing => self.make_parents(&at)?,
            Found::Directory => self.set_aside(&at)?,
            found => return Err(in_the_way(found, "scratch directory", path)),
        }
        fs::create_dir(&at).step(format!("create {at}"))?;
        self.grants.push((at.clone(), Grant::Write));
        let away = self.aside();
        self.moves.push((at, away));
        Ok(())
    }

    /// Prepared dependencies are linked where nothing is.
    fn lay_link(&mut self, host: &Utf8Path, path: &RepoPath) -> Result<(), ViewError> {
        let at = self.tree.join(path.as_str());
        if is_in(path, ".git") {
            let reason = format!("prepared dependencies cannot be laid into `{path}` with `isolation: landlock`");
            return Err(ViewError::NotStarted(reason));
        }
        match look(&self.tree, Utf8Path::new(path.as_str())) {
            Found::Missing => self.make_parents(&at)?,
            found => return Err(in_the_way(found, "place of prepared dependencies", path)),
        }
        std::os::unix::fs::symlink(host, &at).step(format!("link {at}"))?;
        self.files.push(at);
        Ok(())
    }

    fn lay_report(&mut self, spec: &Spec, plan: ReportPlan) -> Result<Slot, SandboxError> {
        let Some(report) = &spec.report else { return Ok(Slot::none()) };
        let at = self.tree.join(report.path.as_str());
        if matches!(look(&self.tree, Utf8Path::new(report.path.as_str())), Found::File) {
            return Ok(Slot::pre_existing(PreExisting::File));
        }
        match plan {
            ReportPlan::None => Ok(Slot::none()),
            ReportPlan::Blocked(what) => Ok(Slot::pre_existing(what)),
            ReportPlan::InPlace(_) => {
                self.make_parents(&at)?;
                let slot = Slot::in_place(&at)?;
                self.grants.push((at.clone(), Grant::Use));
                self.files.push(at);
                Ok(slot)
            }
            ReportPlan::Atomic { directory, name } => {
                self.make_parents(&at)?;
                let directory = self.tree.join(directory);
                let slot = Slot::atomic(&directory, name)?;
                self.grants.push((directory, Grant::Write));
                self.files.push(at);
                Ok(slot)
            }
            ReportPlan::InScratch { scratch, rest } => Slot::in_scratch(&self.tree.join(scratch.as_str()), rest),
        }
    }

    /// Makes the directories above `at` that the tree does not have.
    fn make_parents(&mut self, at: &Utf8Path) -> Result<(), SandboxError> {
        let missing: Vec<_> = at.ancestors().skip(1).take_while(|parent| !parent.exists()).collect();
        for parent in missing.into_iter().rev() {
            make_dir(parent)?;
            self.parents.push(parent.to_owned());
        }
        Ok(())
    }

    /// Moves a directory of the tree out of the way.
    fn set_aside(&mut self, at: &Utf8Path) -> Result<(), SandboxError> {
        let away = self.aside();
        self.rename(at, &away)
    }

    fn rename(&mut self, from: &Utf8Path, to: &Utf8Path) -> Result<(), SandboxError> {
        fs::rename(from, to).step(format!("move {from} to {to}"))?;
        self.moves.push((to.to_owned(), from.to_owned()));
        Ok(())
    }

    /// A path in the room that nothing has.
    fn aside(&self) -> Utf8PathBuf {
        self.room.join(format!("aside-{}", self.moves.len()))
    }
}
