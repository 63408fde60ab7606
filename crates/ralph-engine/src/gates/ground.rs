//! What a gate's command stands on: the tree it judges, and what becomes of what it writes there.

use std::path::PathBuf;

use ralph_core::gates::setup::Setup;

use crate::{git::GitError, sandbox::SandboxRequest};

/// The ground of all commands that judge one tree, one after the other.
pub trait Ground {
    /// What the next command needs in its box.
    fn sandbox_request(&self) -> SandboxRequest;

    /// After its last process is gone: what it changed of the tree is put back and named, so that the next command sees
    /// the tree again.
    fn put_back(&self) -> Result<Meddling, GitError>;

    /// Forgets what a setup wrote in folders of packages that are none of its business, and in other caches than these.
    fn after_setup(&self, setup: &Setup, caches: &[PathBuf]) -> Result<(), GitError>;

    /// After a gate or a check has said its last word: what the next one must not judge with is forgotten.
    fn hand_on(&self, command: &str) -> Result<(), GitError>;

    /// Forgets everything that the last command wrote: it runs again, and what it left must not decide about that.
    fn forget(&self) -> Result<(), GitError>;
}

/// What a command wrote besides what git ignores. It was put back.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Meddling {
    /// Files of the tree that it changed.
    pub changed: Vec<String>,
    /// Files that were not there.
    pub made: Vec<String>,
}

/// A place that nobody looks after.
impl Ground for SandboxRequest {
    fn sandbox_request(&self) -> SandboxRequest {
        self.clone()
    }

    fn after_setup(&self, _: &Setup, _: &[PathBuf]) -> Result<(), GitError> {
        Ok(())
    }

    fn hand_on(&self, _: &str) -> Result<(), GitError> {
        Ok(())
    }

    fn put_back(&self) -> Result<Meddling, GitError> {
        Ok(Meddling::default())
    }

    fn forget(&self) -> Result<(), GitError> {
        Ok(())
    }
}
