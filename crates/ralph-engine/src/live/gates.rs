//! Gates on exactly the captured tree, and on the one that the run begins with.

use ralph_agents::live_event::{Chatter, News, Said};
use ralph_core::{
    effect::{CaptureTree, RunGates},
    gates::report::{FailedSetup, GateResults},
    input::{Captured, Failure, FailureClass},
};

use super::{Live, ground::Layered, layers::Writer, not_open, setup::Prepared};
use crate::{
    clock,
    gates::{
        BASELINE_LOGS, GateError, GateNotice, GatePlace,
        baseline_cache::{BaselineCache, BaselineKey, Surroundings},
        iteration_logs, run_gates,
    },
    process::Attention,
};

/// Most bytes of an iteration's patch that are kept for people.
const PATCH: usize = 1 << 20;

impl Live {
    pub(super) fn run_gates(
        &mut self,
        request: &RunGates,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        self.worktree()?.ensure(&request.tree)?;
        self.judge(request, &iteration_logs(request.iteration), attention)
    }

    /// The gates on the tree the run begins with; remembered where they are green. Only if a person has taken that
    /// tree does what they write stay for others: it may be what agents made in an earlier run.
    pub(super) fn baseline(
        &mut self,
        request: &RunGates,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        let cache = BaselineCache::new(self.layout.truth());
        let workspace = self.worktree()?.root().to_owned();
        let around = Surroundings {
            workspace: &workspace,
            sandbox: self.enclosure.name(),
            env: &self.gate_environment,
        };
        let key = BaselineKey::new(&request.tree, &request.gates, around);
        let is_taken = self.worktree()?.begins_taken(&request.tree)?;
        let base = self.base_key();
        let is_warm = base == Some(self.setup_of(&request.tree)?.key);
        let stays = is_warm || !is_taken || !self.enclosure.has_room();
        if let Some(known) = cache.load(&key).filter(|_| stays) {
            return Ok(known);
        }
        self.worktree()?.ensure(&request.tree)?;
        let results = if is_taken {
            if !is_warm {
                self.clear_layers(Writer::Baseline)?;
            }
            self.lay_out(&request.tree)?;
            let results = self.gates_on(request, BASELINE_LOGS, Writer::Baseline, attention)?;
            // What could not be installed is tried again by the next run.
            if results.failed_setup.is_none() {
                self.remember_base(&request.tree)?;
            }
            results
        } else {
            self.judge(request, BASELINE_LOGS, attention)?
        };
        if results.failed_setup.is_none() {
            let _ = cache.store(&key, &results);
        }
        Ok(results)
    }

    /// Gates of which nothing stays but what they say.
    fn judge(
        &mut self,
        request: &RunGates,
        logs: &str,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        self.clear_layers(Writer::Gate)?;
        self.lay_out(&request.tree)?;
        let results = self.gates_on(request, logs, Writer::Gate, attention)?;
        self.clear_layers(Writer::Gate)?;
        Ok(results)
    }

    /// Installs what the gates need, if that is due, and runs them over the tree. What they change of it is put back.
    fn gates_on(
        &mut self,
        request: &RunGates,
        logs: &str,
        writer: Writer,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        let has_room = self.enclosure.has_room();
        let pending = if has_room { self.pending(&request.tree, writer)? } else { None };
        self.at_gates(request, logs, writer, |place| {
            let prepared = match &pending {
                Some(pending) => Self::install(pending, request, place, attention)?,
                None => Prepared::Yes,
            };
            let failed_setup = match prepared {
                Prepared::No(results) => return Ok(results),
                Prepared::Perhaps(failed) => Some(failed),
                Prepared::Yes => None,
            };
            let mut results = run_gates(request, place, attention)?;
            for gate in results.gates.iter_mut().filter(|gate| !gate.end.succeeded()) {
                if let Some(FailedSetup { command, output, .. }) = &failed_setup {
                    gate.output =
                        format!("`{command}` failed before it:\n{output}\n{}", gate.output);
                }
            }
            Ok(GateResults { failed_setup, ..results })
        })
    }

    fn at_gates(
        &mut self,
        request: &RunGates,
        logs: &str,
        writer: Writer,
        run: impl FnOnce(&GatePlace<'_>) -> Result<GateResults, Failure>,
    ) -> Result<GateResults, Failure> {
        let workspace = self.worktree()?.root().to_owned();
        let sandbox_request = self.sandbox_request(&workspace, writer);
        let folder = self.layout.run_views(&self.run);
        let publish = self.publish.clone();
        let notices = self.layout.gate_notices(&self.run, request.iteration);
        let redacted = self.redacted.clone();
        let watch = |notice: GateNotice<'_>| {
            let chatter =
                Chatter { at: clock::now(), iteration: request.iteration, said: said(notice) };
            // For whoever looks on: failing to write it changes nothing.
            let _ = redacted.append_line(&notices, &chatter);
            publish(News::Chatter(chatter));
        };
        let room = self.settings.gates.room;
        // It is the gates' as long as they run.
        let mut worktree = self.worktree.take();
        let ground = worktree.as_mut().map(|worktree| match writer {
            Writer::Baseline => Layered::shared(worktree, &request.tree, sandbox_request),
            _ => Layered::of_their_own(worktree, &request.tree, sandbox_request, room),
        });
        let results = ground.ok_or_else(not_open).and_then(|ground| {
            run(&GatePlace {
                supervisor: &self.supervisor,
                run: &self.run,
                workspace: &workspace,
                run_folder: &folder,
                logs,
                env: &self.gate_environment,
                enclosure: &self.enclosure,
                ground: &ground,
                redacted: &self.redacted,
                watch: &watch,
            })
        });
        self.worktree = worktree;
        results
    }

    /// The iteration's patch is a view: failing to write it changes nothing.
    pub(super) fn write_patch(&self, request: &CaptureTree, captured: &Captured) {
        let path = self.layout.iteration(&self.run, request.iteration).join("diff.patch");
        if let Some(tree) = captured.tree.as_ref().filter(|tree| **tree != request.start)
            && let Ok(patch) = self.repository.patch(&request.start, tree, PATCH)
        {
            let _ = self.redacted.write(&path, &patch);
        }
    }
}

fn said(notice: GateNotice<'_>) -> Said {
    match notice {
        GateNotice::Started { gate } => Said::GateStarted { gate: gate.into() },
        GateNotice::Slow { gate, after } => Said::Slow { what: gate.into(), after },
        GateNotice::RunsAgain { gate, end } => Said::GateRunsAgain { gate: gate.into(), end },
        GateNotice::Ended { gate, end, took } => {
            Said::GateFinished { gate: gate.into(), end, took }
        }
    }
}

impl From<GateError> for Failure {
    fn from(error: GateError) -> Self {
        let class = match error {
            GateError::Log { .. } | GateError::NotStarted { .. } | GateError::Ground { .. } => {
                FailureClass::Workspace
            }
            GateError::Enclosure { .. } => FailureClass::Policy,
            GateError::Process { .. } => FailureClass::Bug,
        };
        Self { class, what: error.to_string(), help: error.help().into() }
    }
}
