//! Gates on exactly the captured tree: run, then whatever they changed is put back.

use ralph_core::{
    effect::{CaptureTree, RunGates},
    gates::report::GateResults,
    input::{Captured, Failure, FailureClass},
    news::{Chatter, News, Said},
};

use super::Live;
use crate::{
    clock,
    gates::{
        BASELINE_LOGS, GateError, GateNotice, GatePlace,
        baseline_cache::{BaselineCache, BaselineKey},
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
        let logs = iteration_logs(request.iteration);
        let mut results = self.gates_on_tree(request, &logs, attention)?;
        results.meddled = self.worktree()?.undo_meddling(&request.tree)?;
        Ok(results)
    }

    /// The gates on the tree the run begins with; remembered by tree and definitions.
    pub(super) fn baseline(
        &mut self,
        request: &RunGates,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        let cache = BaselineCache::new(self.layout.truth());
        let key = BaselineKey::new(&request.tree, &request.gates);
        if let Some(known) = cache.load(&key) {
            return Ok(known);
        }
        self.worktree()?.ensure(&request.tree)?;
        let mut results = self.gates_on_tree(request, BASELINE_LOGS, attention)?;
        results.meddled = self.worktree()?.undo_meddling(&request.tree)?;
        let _ = cache.store(&key, &results);
        Ok(results)
    }

    fn gates_on_tree(
        &mut self,
        request: &RunGates,
        logs: &str,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Failure> {
        let workspace = self.worktree()?.root().to_owned();
        let errand = self.errand(&workspace);
        let folder = self.layout.run_views(&self.run);
        let publish = self.publish.clone();
        let watch = |notice: GateNotice<'_>| {
            let chatter =
                Chatter { at: clock::now(), iteration: request.iteration, said: said(notice) };
            publish(News::Chatter(chatter));
        };
        let place = GatePlace {
            supervisor: &self.supervisor,
            run: &self.run,
            workspace: &workspace,
            run_folder: &folder,
            logs,
            env: &self.gate_environment,
            enclosure: &self.enclosure,
            errand: &errand,
            mouth: &self.mouth,
            watch: &watch,
        };
        run_gates(request, &place, attention).map_err(Failure::from)
    }

    /// The iteration's patch is a view: failing to write it changes nothing.
    pub(super) fn write_patch(&self, request: &CaptureTree, captured: &Captured) {
        let path = self.layout.iteration(&self.run, request.iteration).join("diff.patch");
        if let Some(tree) = captured.tree.as_ref().filter(|tree| **tree != request.start)
            && let Ok(patch) = self.repository.patch(&request.start, tree, PATCH)
        {
            let _ = self.mouth.write(&path, &patch);
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
            GateError::Log { .. } | GateError::NotStarted { .. } => FailureClass::Workspace,
            GateError::Enclosure { .. } => FailureClass::Policy,
            GateError::Process { .. } => FailureClass::Bug,
        };
        Self { class, what: error.to_string(), help: error.help().into() }
    }
}
