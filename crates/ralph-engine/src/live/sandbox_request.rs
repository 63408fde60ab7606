//! What a process of this run needs in its box: the folder it works in, what it must never change, and where what it
//! writes beside its work goes.

use std::path::Path;

use ralph_core::input::{Failure, FailureClass};

use super::{Live, layers::Writer};
use crate::sandbox::{EncloseError, Layers, SandboxRequest};

impl Live {
    /// What a process that works in `workspace` needs.
    pub(super) fn sandbox_request(&self, workspace: &Path, writer: Writer) -> SandboxRequest {
        let mut request =
            SandboxRequest::work(workspace, self.repository.common_dir(), self.layout.views());
        let worktree = self.worktree.as_ref().filter(|it| it.root() == workspace);
        if let Some(worktree) = worktree {
            request.protected.extend(worktree.dot_gits());
        }
        let folders = self.layers();
        let judges = writer != Writer::Agent;
        if judges {
            request = request.judging(self.layout.views(), self.repository.common_dir());
        }
        if matches!(writer, Writer::Gate | Writer::Baseline) {
            request = request.without_views(self.layout.views());
        }
        if let Some(worktree) = worktree.filter(|_| judges && folders.index().is_file()) {
            request.index = Some((folders.index(), worktree.repository().git_dir().join("index")));
        }
        request.layers = Some(Layers {
            base: folders.base(writer),
            top: folders.top(writer),
            workspace: self.enclosure.has_room() && worktree.is_some(),
        });
        request
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
