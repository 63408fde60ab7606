//! What the hooks of a call must know, in a file that only they read, and how they find it.

use std::{io, path::Path};

use ralph_agents::{
    CommandSpec,
    hooks::{CALL_FILE, Call},
};
use ralph_core::{effect::AgentCall, settings::CALL_VARIABLE};

use super::{Live, call_files::CallFiles};

impl Live {
    /// Writes the file and tells the agent by its environment.
    pub(super) fn equip(
        &self,
        command: &mut CommandSpec,
        call: &AgentCall,
        files: &CallFiles<'_>,
        worktree: &Path,
    ) -> io::Result<()> {
        let key = (call.agent.clone(), call.model.clone());
        let told = Call {
            kind: Some(call.kind),
            agent: ralph_agents::of_call(call).name().to_owned(),
            worktree: worktree.to_string_lossy().into_owned(),
            home: self.text_variable("HOME").unwrap_or_default(),
            scratch: files.scratch().to_string_lossy().into_owned(),
            window: self.windows.get(&key).copied(),
            guard: self.settings.guard.rules(),
        };
        files.write(call, CALL_FILE, &serde_json::to_vec(&told)?)?;
        let file = files.folder().join(CALL_FILE);
        command.env.push((CALL_VARIABLE.into(), file.to_string_lossy().into_owned()));
        Ok(())
    }
}

/// This program, as an agent that is not in a box can call it.
pub(super) fn own_program() -> String {
    let path = std::env::current_exe().unwrap_or_default().to_string_lossy().into_owned();
    // A newer one may have taken its place.
    path.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(path)
}
