//! The ground of gates: each command writes into a layer of its own, over those of the commands before it, and what it
//! changed of the tree is taken out before the next one looks.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use ralph_core::{
    gates::setup::{Setup, installed_besides, installs_into},
    ids::TreeId,
    settings::GateRoom,
};

use super::packages::Room;
use crate::{
    gates::{Ground, Meddling},
    git::{GitError, RelPath, Worktree, shown},
    remove::remove_all,
    sandbox::{Layers, SandboxRequest},
};

/// So many layers lie over each other at most; the kernel has a limit too. Further commands share the last one.
const MOST: u32 = 64;

/// The ground of all commands that judge one tree.
pub(super) struct Layered<'a> {
    worktree: RefCell<&'a mut Worktree>,
    tree: &'a TreeId,
    /// Of whoever works in the worktree, with the layers that all of them read.
    sandbox_request: SandboxRequest,
    /// Whether each command has a layer of its own; otherwise all write the same one, which stays.
    is_own: bool,
    /// Whether the next command sees nothing of what the last one wrote.
    is_apart: bool,
    number: Cell<u32>,
    /// The tree's paths, once somebody wrote something.
    paths: OnceCell<BTreeSet<RelPath>>,
}

impl<'a> Layered<'a> {
    /// Each command has a layer of its own, in the folder that the request names as its top.
    pub(super) fn of_their_own(
        worktree: &'a mut Worktree,
        tree: &'a TreeId,
        sandbox_request: SandboxRequest,
        room: GateRoom,
    ) -> Self {
        let is_apart = room == GateRoom::Apart;
        Self { is_own: true, is_apart, ..Self::shared(worktree, tree, sandbox_request) }
    }

    /// All of them write what the request names as its top.
    pub(super) fn shared(
        worktree: &'a mut Worktree,
        tree: &'a TreeId,
        sandbox_request: SandboxRequest,
    ) -> Self {
        let (worktree, number) = (RefCell::new(worktree), Cell::new(0));
        let (is_own, is_apart) = (false, false);
        Self { worktree, tree, sandbox_request, is_own, is_apart, number, paths: OnceCell::new() }
    }

    /// The layers of the command with this number.
    fn layers(&self, number: u32) -> Option<Layers> {
        let layers = self.sandbox_request.layers.clone()?;
        if !self.is_own {
            return Some(layers);
        }
        let own = |number: u32| layers.top.join(number.to_string());
        let earlier = (1..number).rev().map(own);
        let base = earlier.chain(layers.base.iter().cloned()).collect();
        Some(Layers { base, top: own(number), ..layers })
    }

    /// What the last command wrote over the worktree, if that was not written itself.
    fn written(&self) -> Option<PathBuf> {
        let layers = self.layers(self.number.get()).filter(|layers| layers.workspace)?;
        Some(Layers::written(&layers.top, &self.sandbox_request.workspace))
    }

    /// What a command wrote over the worktree, and what lies beneath.
    fn room(&self, layers: &Layers) -> Room {
        let folder = &self.sandbox_request.workspace;
        let written = |layers: &PathBuf| Layers::written(layers, folder);
        let beneath = layers.base.iter().map(written).chain([folder.clone()]).collect();
        Room { up: written(&layers.top), beneath }
    }

    fn paths(&self) -> Result<&BTreeSet<RelPath>, GitError> {
        if self.paths.get().is_none() {
            let _ = self.paths.set(self.worktree.borrow().tree_paths()?);
        }
        Ok(self.paths.get_or_init(BTreeSet::new))
    }

    fn put_back_in_place(&self) -> Result<Meddling, GitError> {
        let names = self.worktree.borrow_mut().undo_meddling(self.tree)?;
        if names.is_empty() {
            return Ok(Meddling::default());
        }
        let tracked: BTreeSet<String> = self.paths()?.iter().map(|path| shown(path)).collect();
        let (changed, made) = names.into_iter().partition(|name| tracked.contains(name));
        Ok(Meddling { changed, made })
    }

    #[cfg(target_os = "linux")]
    fn strip(&self, up: &Path) -> Result<Meddling, GitError> {
        if !Worktree::is_written(up) {
            return Ok(Meddling::default());
        }
        let paths = self.paths()?.clone();
        let worktree = self.worktree.borrow();
        let base = self.sandbox_request.layers.iter().flat_map(|layers| &layers.base);
        let shown = base.map(|base| Layers::written(base, worktree.root()));
        let folders = shown.chain([worktree.root().to_owned()]).collect();
        let stripped = worktree.strip(up, &crate::git::Beneath { paths, folders })?;
        Ok(Meddling { changed: stripped.changed, made: stripped.made })
    }

    #[cfg(not(target_os = "linux"))]
    fn strip(&self, _: &Path) -> Result<Meddling, GitError> {
        Ok(Meddling::default())
    }
}

impl Ground for Layered<'_> {
    fn sandbox_request(&self) -> SandboxRequest {
        self.number.set((self.number.get() + 1).min(MOST));
        SandboxRequest { layers: self.layers(self.number.get()), ..self.sandbox_request.clone() }
    }

    fn put_back(&self) -> Result<Meddling, GitError> {
        match self.written() {
            Some(up) => self.strip(&up),
            None => self.put_back_in_place(),
        }
    }

    fn after_setup(&self, setup: &Setup, caches: &[PathBuf]) -> Result<(), GitError> {
        let Some(layers) = self.layers(self.number.get()).filter(|_| self.is_own) else {
            return Ok(());
        };
        // A command of the user's own may do all.
        if setup.foreign.is_empty() {
            return Ok(());
        }
        let folder = &self.sandbox_request.workspace;
        let kept: Vec<&Path> = caches.iter().chain([folder]).map(PathBuf::as_path).collect();
        let forget_caches = || layers.forget_besides(&kept);
        let room = self.room(&layers);
        let forget = || forget_caches().and_then(|()| room.forget_in(&setup.foreign, &setup.own));
        forget().map_err(GitError::io("cannot put back what a setup changed"))
    }

    fn hand_on(&self, command: &str) -> Result<(), GitError> {
        let number = self.number.get();
        let Some(layers) = self.layers(number).filter(|_| self.is_own) else { return Ok(()) };
        let result = if self.is_apart {
            layers.forget()
        } else {
            let own = installs_into(command);
            let folder = &self.sandbox_request.workspace;
            let forget_caches = || match own {
                None => layers.forget_besides(&[folder]),
                Some(_) => Ok(()),
            };
            let foreign = installed_besides(own.as_deref().unwrap_or_default());
            forget_caches().and_then(|()| self.room(&layers).forget_in(&foreign, &[]))
        };
        result.map_err(GitError::io("cannot put back what a gate changed of installed packages"))
    }

    fn forget(&self) -> Result<(), GitError> {
        let number = self.number.get();
        if let Some(layers) = self.layers(number).filter(|_| self.is_own && number < MOST)
            && layers.top.exists()
        {
            remove_all(&layers.top)
                .map_err(GitError::io("cannot remove what a gate wrote before it ran again"))?;
            self.number.set(number - 1);
        }
        Ok(())
    }
}
