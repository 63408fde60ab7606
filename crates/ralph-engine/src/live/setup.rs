//! The packages that gates need in their room: installed there when a lock file changed, and once where they are missing.

use std::{
    ffi::OsString,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ralph_core::{
    effect::RunGates,
    gates::{
        report::{CommandEnd, FailedSetup, GateResults},
        setup::Setup,
    },
    ids::{CommitId, TreeId},
    input::Failure,
};

use ralph_text::fingerprint::digest;

use super::{Live, layers::Writer};
use crate::{
    gates::{GatePlace, install, not_judged},
    git::write_durably,
    process::Attention,
};

/// How a note on the layers below everybody's begins. Older ones say nothing about the tree they were written on.
const TAKEN: &str = "taken 3\n";

/// A setup that has to run before the gates.
pub(super) struct Pending {
    setup: Setup,
    /// If it fails, so do the gates: somebody asked for it in so many words, or they would judge with other packages
    /// than the tree asks for.
    is_needed: bool,
}

/// Whether gates can judge now.
pub(super) enum Prepared {
    Yes,
    /// What they need may be missing.
    Perhaps(FailedSetup),
    No(GateResults),
}

impl Live {
    /// What a tree says about its packages.
    pub(super) fn setup_of(&mut self, tree: &TreeId) -> Result<Setup, Failure> {
        let files = self.repository.top_files(tree)?;
        Ok(Setup::of(&files).by(&self.settings.gates.setup))
    }

    /// What must be installed before gates can judge this tree.
    pub(super) fn pending(
        &mut self,
        tree: &TreeId,
        writer: Writer,
    ) -> Result<Option<Pending>, Failure> {
        let setup = self.setup_of(tree)?;
        let root = self.worktree()?.root().to_owned();
        let up = self.written(Writer::Baseline)?;
        let is_there =
            |folder: &&'static str| root.join(folder).is_dir() || up.join(folder).is_dir();
        let is_missing = !setup.folders.iter().all(is_there);
        let is_named = !self.settings.gates.setup.trim().is_empty();
        let is_due = match (writer, self.base_key()) {
            (_, Some(key)) => key != setup.key,
            (Writer::Baseline, None) => is_missing || is_named,
            (_, None) => true,
        };
        let is_needed = is_named || self.base_key().is_some_and(|key| key != setup.key);
        Ok((is_due && !setup.command.is_empty()).then_some(Pending { setup, is_needed }))
    }

    /// Installs it.
    pub(super) fn install(
        pending: &Pending,
        request: &RunGates,
        place: &GatePlace<'_>,
        attention: &mut dyn Attention,
    ) -> Result<Prepared, Failure> {
        let command = &pending.setup.command;
        let failed = install(command, request, place, attention)?;
        place.ground.after_setup(&pending.setup, &caches(&pending.setup, place.env))?;
        Ok(match failed {
            None => Prepared::Yes,
            Some(failed) if pending.is_needed || failed.end == CommandEnd::Interrupted => {
                Prepared::No(not_judged(request, failed))
            }
            Some(failed) => Prepared::Perhaps(failed),
        })
    }

    /// The packages that the layers below everybody's were made with; `None` if there are none yet, or if it is not
    /// known that only gates on trees of people wrote them.
    pub(super) fn base_key(&self) -> Option<String> {
        Some(self.base_note()?.1)
    }

    /// Whether the layers below everybody's fit what the run begins with: the commit they were written on is below its
    /// own, and the user has changed nothing since that they would hide.
    pub(super) fn base_holds(&mut self) -> Result<bool, Failure> {
        let Some((commit, _)) = self.base_note() else { return Ok(false) };
        let written = fs::metadata(self.key_file()).and_then(|about| about.modified());
        let up = self.written(Writer::Baseline)?;
        let worktree = self.worktree()?;
        let Ok(since) = written else { return Ok(false) };
        Ok(worktree.begins_after(&commit)? && !is_newer_below(&up, worktree.root(), since))
    }

    fn base_note(&self) -> Option<(CommitId, String)> {
        let text = fs::read_to_string(self.key_file()).ok()?;
        let (commit, rest) = text.strip_prefix(TAKEN)?.split_once('\n')?;
        let (place, key) = rest.split_once('\n')?;
        let is_here = self.place().is_some_and(|here| here == place);
        is_here.then(|| (CommitId(commit.to_owned()), key.to_owned()))
    }

    /// Stands for the folder that is worked in: what was installed in another worktree is not there.
    fn place(&self) -> Option<String> {
        let root = self.worktree.as_ref()?.root();
        Some(digest(&[root.as_os_str().as_bytes()]))
    }

    /// From now on the layers below everybody's are made with the packages of this tree, which a person has taken.
    pub(super) fn remember_base(&mut self, tree: &TreeId) -> Result<(), Failure> {
        let key = self.setup_of(tree)?.key;
        let commit = self.worktree()?.first_commit().clone();
        let place = self.place().unwrap_or_default();
        let text = format!("{TAKEN}{commit}\n{place}\n{key}");
        Ok(write_durably(&self.key_file(), text.as_bytes())?)
    }

    fn key_file(&self) -> PathBuf {
        self.base_folder().join("packages")
    }
}

/// Where the caches of a setup are: below the home, or where a variable moves them.
fn caches(setup: &Setup, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let variable =
        |name: &str| env.iter().find(|(known, _)| known == name).map(|(_, at)| Path::new(at));
    let moved = [(".cargo", "CARGO_HOME"), ("go", "GOPATH")];
    let moved = |cache: &str| {
        moved.iter().find_map(|(folder, name)| {
            Some(variable(name)?.join(Path::new(cache).strip_prefix(folder).ok()?))
        })
    };
    let home = variable("HOME").unwrap_or(Path::new("/"));
    setup.caches.iter().flat_map(|cache| [Some(home.join(cache)), moved(cache)]).flatten().collect()
}

/// Whether something that lies in `up` lies below `root` too, and was changed there since.
fn is_newer_below(up: &Path, root: &Path, since: SystemTime) -> bool {
    fs::read_dir(up).into_iter().flatten().flatten().any(|entry| {
        let (above, below) = (entry.path(), root.join(entry.file_name()));
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return is_newer_below(&above, &below, since);
        }
        fs::symlink_metadata(below).is_ok_and(|about| changed_at(&about) > since)
    })
}

fn changed_at(about: &fs::Metadata) -> SystemTime {
    let seconds = Duration::from_secs(about.ctime().try_into().unwrap_or_default());
    UNIX_EPOCH + seconds + Duration::from_nanos(about.ctime_nsec().try_into().unwrap_or_default())
}
