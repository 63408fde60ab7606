//! What a process of this run needs in its box: the folder it works in, and what it must never change.

use std::path::Path;

use ralph_core::input::{Failure, FailureClass};

use super::Live;
use crate::sandbox::{EncloseError, Errand};

impl Live {
    /// The errand of a process that works in `workspace`.
    pub(super) fn errand(&self, workspace: &Path) -> Errand {
        let mut errand = Errand::work(workspace, self.repository.common_dir(), self.layout.views());
        if let Some(worktree) = self.worktree.as_ref().filter(|it| it.root() == workspace) {
            errand.protected.extend(worktree.dot_gits());
        }
        errand
    }
}

/// Without its box nothing is started.
pub(super) fn cannot_enclose(error: &EncloseError) -> Failure {
    Failure {
        class: FailureClass::Policy,
        what: error.to_string(),
        help: "run ralph doctor; --sandbox=off works without isolation".into(),
    }
}
