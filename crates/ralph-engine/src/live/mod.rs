//! The live world: real git, real processes, a real disk.

mod agent;
mod call_files;
mod call_home;
mod call_workspace;
mod gates;
mod graph;
mod ground;
mod hook_inputs;
mod keys;
mod layers;
mod login;
mod packages;
mod prepare;
mod reset;
mod sandbox_request;
mod scm;
mod setup;
mod transcript;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use ralph_core::{
    effect::{Effect, GiveUp},
    ids::RunId,
    input::{Done, Failure, FailureClass, Looked},
    settings::Settings,
};

use crate::{
    git::{Glance, Repository, Worktree},
    inbox,
    layout::Layout,
    ports::{Publish, World},
    process::{Attention, Supervisor},
    project_file::{self, Unfit},
    sandbox::Enclosure,
    sink::RedactedFiles,
    trust::Ledger,
};

/// Everything an effect needs to know about where it happens.
pub(crate) struct Live {
    pub(crate) run: RunId,
    pub(crate) repository: Repository,
    pub(crate) layout: Layout,
    pub(crate) settings: Settings,
    /// Folder for linked worktrees and throwaway copies.
    pub(crate) state_home: PathBuf,
    /// The environment agents get.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The environment gates get: no keys.
    pub(crate) gate_environment: Vec<(OsString, OsString)>,
    /// The box that agents and gates run in.
    pub(crate) enclosure: Enclosure,
    pub(crate) supervisor: Supervisor,
    pub(crate) publish: Publish,
    /// The way of every text to disk.
    pub(crate) redacted: RedactedFiles,
    pub(crate) worktree: Option<Worktree>,
    /// In the place of a worktree where nothing is worked on.
    pub(crate) glance: Option<Glance>,
    /// What agent configuration of the repository the user trusts.
    pub(crate) trust: Ledger,
    pub(crate) told_lost_trust: bool,
    /// What was said of agents' keys and logins: each once.
    pub(crate) told_keys: std::collections::BTreeSet<String>,
    /// What agents wrote to ignored files; a folder once.
    pub(crate) ignored: std::collections::BTreeSet<Vec<u8>>,
    /// Context windows that agents told, by agent and model.
    pub(crate) windows: BTreeMap<(String, String), u64>,
}

impl World for Live {
    fn reconcile(&mut self, effect: &Effect) -> Option<Done> {
        match effect {
            Effect::Commit(commit) => {
                let found = self.worktree.as_ref()?.find_commit(commit);
                found.ok().flatten().map(|commit| Done::Committed { commit })
            }
            _ => None,
        }
    }

    fn perform(&mut self, effect: &Effect, attention: &mut dyn Attention) -> Done {
        match self.attempt(effect, attention) {
            Ok(done) => done,
            Err(failure) => Done::Failed(failure),
        }
    }

    fn waited(&mut self) {
        if let Some(worktree) = &mut self.worktree {
            worktree.disturbed();
        }
    }
}

impl Live {
    fn attempt(&mut self, effect: &Effect, attention: &mut dyn Attention) -> Result<Done, Failure> {
        Ok(match effect {
            Effect::OpenWorkspace(open) if open.only_looks => {
                let truth = self.layout.run(&self.run);
                let (workspace, glance) = self.repository.glance(&truth, &self.state_home)?;
                self.glance = Some(glance);
                Done::WorkspaceOpened(workspace)
            }
            Effect::OpenWorkspace(open) => {
                let truth = self.layout.run(&self.run);
                let (mut workspace, worktree) =
                    self.repository.open(open, &self.run, &truth, &self.state_home)?;
                self.worktree = Some(worktree);
                let has_room = self.enclosure.has_room();
                self.worktree()?.be_layered(has_room)?;
                self.clear_old_layers(open.resume_at.is_none())?;
                // A call that was killed may have left some of its work.
                workspace.notes.extend(self.carry()?);
                workspace.notes.extend(self.note_untracked());
                self.repository.try_signing(&workspace.tree)?;
                workspace.notes.extend(self.repository.note_unsigned()?);
                Done::WorkspaceOpened(workspace)
            }
            Effect::RunBaseline(request) => {
                let results = self.baseline(request, attention)?;
                // Gates take their time, and people go on.
                self.worktree()?.disturbed();
                Done::BaselineRan(results)
            }
            Effect::Look(look) => Done::Looked(self.look(look.prompt_file.as_deref())?),
            Effect::Checkpoint(request) => {
                Done::CheckpointTaken(self.worktree()?.checkpoint(request)?)
            }
            Effect::RunAgent(call) => Done::AgentEnded(Box::new(self.run_agent(call, attention)?)),
            Effect::CaptureTree(request) => {
                let captured = self.worktree()?.capture(request)?;
                self.write_patch(request, &captured);
                Done::TreeCaptured(captured)
            }
            Effect::RunGates(request) => Done::GatesRan(self.run_gates(request, attention)?),
            Effect::Commit(request) => {
                Done::Committed { commit: self.worktree()?.commit(request)? }
            }
            Effect::RunScmTasks(request) => {
                Done::ScmTasksRan(self.run_scm_tasks(request, attention)?)
            }
            Effect::Quarantine(request) => {
                let worktree = self.worktree()?;
                let files = worktree.files_hinted_at(request)?;
                Done::Quarantined { reference: worktree.quarantine(request)?, files }
            }
            Effect::GiveUp(request) => {
                let request = &GiveUp { message: self.with_state(request), ..request.clone() };
                let (branch, head) = self.worktree()?.give_up(request)?;
                let tree = self.repository.tree_at(head.as_str())?;
                let pushed = request.push.map(|most| self.push_kept(&branch, most, attention));
                Done::GaveUp { branch, head, tree, pushed: pushed.transpose()? }
            }
            Effect::Reapply(request) => {
                Done::Reapplied(self.worktree()?.repository().reapply(request)?)
            }
            Effect::CloseWorkspace(_) if self.glance.is_some() => {
                Done::WorkspaceClosed { notes: Vec::new() }
            }
            Effect::CloseWorkspace(request) => {
                let mut notes = self.carry()?;
                notes.extend(self.worktree()?.close(request)?);
                notes.extend(self.note_ignored());
                Done::WorkspaceClosed { notes }
            }
        })
    }

    fn look(&self, prompt_file: Option<&str>) -> Result<Looked, Failure> {
        let requests = inbox::read(&self.layout.inbox()).unwrap_or_default();
        let prompt = match prompt_file {
            None => None,
            Some(path) => Some(prompt(path)?),
        };
        Ok(Looked { requests, prompt })
    }

    pub(crate) fn worktree(&mut self) -> Result<&mut Worktree, Failure> {
        self.worktree.as_mut().ok_or_else(not_open)
    }
}

fn not_open() -> Failure {
    Failure {
        class: FailureClass::Bug,
        what: "the workspace is not open".into(),
        help: "please report this with the run's journal".into(),
    }
}

/// The text of the prompt file, which the agent of the call before may have replaced.
fn prompt(path: &str) -> Result<String, Failure> {
    project_file::text(Path::new(path), project_file::LARGEST_TEXT).map_err(|error| {
        let help = Unfit::of(&error).map_or("put it back", Unfit::help);
        Failure {
            class: FailureClass::Preflight,
            what: format!("cannot read the prompt file {path}: {error}"),
            help: format!("{help}, then ralph resume"),
        }
    })
}
