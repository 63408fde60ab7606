//! The second half of opening: the user's untracked files are made safe, then the checkout changes.

use ralph_core::{ids::CommitId, input::Workspace};

use super::{
    error::{Before, GitError},
    files::{RelPath, is_ralphs, named, sample},
    open::Target,
    quarantine::Keep,
    record::Phase,
    scan::{Changes, Status},
    survey::{self, DotGit},
    uncommitted::SAMPLE,
    untracked::Untracked,
    worktree::Worktree,
};

impl Worktree {
    /// Refuses if the switch would overwrite files that are in no commit.
    pub(crate) fn check_way(
        &mut self,
        head: &CommitId,
        target: &Target,
        status: &Status,
        before: Before,
    ) -> Result<(), GitError> {
        let (from, to) = (self.tree_of(head)?, self.tree_of(&target.head)?);
        if from == to {
            return Ok(());
        }
        let dirty = status.dirty();
        let mut blockers = self.index.blockers(&from, &to)?;
        blockers.retain(|path| !dirty.contains(path));
        if blockers.is_empty() {
            return Ok(());
        }
        let sample = sample(&blockers, SAMPLE);
        Err(GitError::WouldOverwrite { branch: target.branch.clone(), sample, before })
    }

    /// Remembers the user's untracked files and keeps a copy of them in a ref.
    pub(crate) fn remember_untracked(
        &mut self,
        paths: &[RelPath],
        notes: &mut Vec<String>,
    ) -> Result<(), GitError> {
        let args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let mut ignored: Vec<RelPath> = self.repo.git.call(&args).reads().paths()?;
        ignored.retain(|path| !is_ralphs(path));
        self.untracked = Untracked::remember(&self.truth, paths, &ignored)?;
        let (mut present, large) = self.untracked.keepable(self.repo.root());
        notes.extend(large);
        let secret = self.holding_secrets(&present)?;
        present.retain(|path| !secret.contains(path));
        notes.extend(self.not_copied(&secret, "contain what looks like a secret"));
        self.untracked.leave(secret)?;
        if present.is_empty() {
            return Ok(());
        }
        let mut index = self.scratch_index("untracked-index")?;
        let tree = index.apply(&Changes { gone: Vec::new(), present }, &self.aside)?;
        let unfit: Vec<RelPath> = index.unfit().into_iter().map(|one| one.path).collect();
        notes.extend(self.not_copied(&unfit, "have content that git does not accept"));
        self.untracked.leave(unfit)?;
        let reference = self.keep(&Keep {
            tree: &tree,
            parents: &[],
            reference: self.own_ref("untracked"),
            message: "untracked files, kept by ralph when the run began",
        })?;
        self.record.untracked = Some(reference);
        Ok(())
    }

    fn not_copied(&self, paths: &[RelPath], why: &str) -> Option<String> {
        let names = named(paths, SAMPLE);
        let names = self.harmless(&names);
        (!paths.is_empty())
            .then(|| format!("untracked files that {why} are left alone but not copied: {names}"))
    }

    /// The checkout changes only here; everything before made the user's things safe.
    pub(crate) fn finish_opening(
        mut self,
        target: Target,
        from: &CommitId,
    ) -> Result<(Workspace, Self), GitError> {
        self.repo.place_branch(&target)?;
        let tree = self.tree_of(&target.head)?;
        self.settle(false, &tree, from, "opening")?;
        self.hold_refs(&target.head)?;
        self.line_up_users_index(&tree)?;
        // The run branch may hold repositories of its own as files, such as those that tests work on.
        let bares = survey::survey(self.repo.root())?.into_iter().filter(DotGit::is_bare);
        self.record.dot_gits.retain(|entry| !entry.is_bare());
        self.record.dot_gits.extend(bares);
        self.record.dot_gits.sort();
        self.record.phase = Phase::Open;
        self.record.save(&self.truth)?;
        self.described(target)
    }

    pub(crate) fn described(mut self, target: Target) -> Result<(Workspace, Self), GitError> {
        let tree = self.tree_of(&target.head)?;
        let mut notes = target.notes;
        if !self.record.submodules.is_empty() {
            notes.push(format!(
                "submodules are left alone, and gates see them as they are here: {}",
                named(&self.record.submodules, SAMPLE)
            ));
        }
        if self.repo.has_hooks() {
            notes.push("the repository's hooks do not run on ralph's commits".to_owned());
        }
        let workspace = Workspace {
            root: self.repo.root().display().to_string(),
            branch: self.record.branch.clone(),
            came_from: self.record.came_from.clone(),
            head: target.head,
            tree,
            stash: self.record.stash.clone(),
            untracked: self.untracked.len(),
            notes,
        };
        Ok((workspace, self))
    }
}
