//! Where an agent call happens: the worktree, or a place for an agent that only looks, of which nothing stays: a layer
//! over the worktree, or a throwaway copy of a commit.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use ralph_core::{effect::AgentCall, input::Failure};

use super::{Live, layers::Writer};
use crate::git::ThrowawayCopy;

/// Variables by which git finds another repository than the one of the folder it runs in.
const LEADING_AWAY: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "OLDPWD",
];

/// The folder an agent gets.
pub(super) enum CallWorkspace {
    Worktree(PathBuf),
    /// The worktree, at the commit to be looked at, with everything that is written going elsewhere.
    Over(PathBuf),
    Copy(ThrowawayCopy),
}

impl Live {
    /// Makes ready what the call asks for.
    pub(super) fn call_workspace(&mut self, call: &AgentCall) -> Result<CallWorkspace, Failure> {
        let state_home = self.state_home.clone();
        self.clear_layers(Writer::Reviewer)?;
        if let (Some(glance), Some(commit)) = (&self.glance, &call.copy_of) {
            return Ok(CallWorkspace::Copy(glance.copy(commit, &state_home)?));
        }
        let has_room = self.enclosure.has_room();
        let worktree = self.worktree()?;
        let root = worktree.root().to_owned();
        Ok(match &call.copy_of {
            None => CallWorkspace::Worktree(root),
            Some(commit) if has_room => {
                let tree = worktree.ensure_commit(commit)?;
                self.lay_out(&tree)?;
                CallWorkspace::Over(root)
            }
            Some(commit) => CallWorkspace::Copy(worktree.copy(commit, &state_home)?),
        })
    }
}

impl CallWorkspace {
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Worktree(root) | Self::Over(root) => root,
            Self::Copy(copy) => copy.root(),
        }
    }

    /// Whose layers are written in it.
    pub(super) fn writer(&self) -> Writer {
        match self {
            Self::Worktree(_) => Writer::Agent,
            Self::Over(_) | Self::Copy(_) => Writer::Reviewer,
        }
    }

    /// What is missing in it.
    pub(super) fn notes(&self) -> &[String] {
        match self {
            Self::Worktree(_) | Self::Over(_) => &[],
            Self::Copy(copy) => copy.notes(),
        }
    }

    /// The environment for a process in it.
    pub(super) fn environment(&self, env: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
        match self {
            Self::Worktree(_) | Self::Over(_) => env,
            Self::Copy(copy) => shut_in(env, copy.root(), copy.holder()),
        }
    }

    /// After the last process in it is gone; says if something of a copy stays.
    pub(super) fn leave(self) -> Option<String> {
        match self {
            Self::Worktree(_) | Self::Over(_) => None,
            Self::Copy(copy) => copy.remove(),
        }
    }
}

/// Nothing leads back to the repository that a copy was made from, nor to one that happens to lie further up, even
/// after the copy's own repository was deleted.
fn shut_in(
    mut env: Vec<(OsString, OsString)>,
    root: &Path,
    holder: &Path,
) -> Vec<(OsString, OsString)> {
    let ours = [("PWD", root), ("GIT_CEILING_DIRECTORIES", holder)];
    let is_ours = |name: &OsStr| ours.iter().any(|(ours, _)| name == *ours);
    env.retain(|(name, _)| !is_ours(name) && !LEADING_AWAY.iter().any(|away| name == *away));
    env.extend(ours.map(|(name, path)| (name.into(), path.into())));
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_environment_of_a_copy_names_another_repository() {
        let env = ["PATH", "PWD", "OLDPWD", "GIT_DIR", "GIT_INDEX_FILE", "GIT_AUTHOR_NAME"];
        let env = env.map(|name| (name.into(), "old".into())).to_vec();
        let env = shut_in(env, Path::new("/copies/1/project"), Path::new("/copies/1"));
        let expected = [
            ("PATH", "old"),
            ("GIT_AUTHOR_NAME", "old"),
            ("PWD", "/copies/1/project"),
            ("GIT_CEILING_DIRECTORIES", "/copies/1"),
        ];
        assert_eq!(env, expected.map(|(name, value)| (name.into(), value.into())));
    }
}
