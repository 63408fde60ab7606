//! Which agent and model a call goes to: by kind, by task, and up the ladder when a task is stuck.

use super::{Kind, RunState};

/// Who is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) agent: String,
    pub(super) flags: Vec<String>,
    pub(super) model: String,
    pub(super) fallback_model: String,
    pub(super) max_turns: u32,
}

/// Who works on a task in an iteration of this kind.
pub(super) fn who(state: &RunState, at: usize, kind: Kind) -> Who {
    let settings = state.start.settings.agent.for_kind(kind);
    let mut who = Who {
        agent: settings.command.to_owned(),
        flags: settings.flags.to_vec(),
        model: settings.model.to_owned(),
        fallback_model: settings.fallback_model.to_owned(),
        max_turns: settings.max_turns,
    };
    if kind == Kind::Review {
        return who;
    }
    if let Some(task) = state.start.plan.tasks.get(at) {
        if let Some(agent) = &task.agent {
            who.change_to(agent, task.model.as_deref().unwrap_or_default());
        } else if let Some(model) = &task.model {
            who.model.clone_from(model);
        }
        who.max_turns = task.max_turns.unwrap_or(who.max_turns);
    }
    if let Some(rung) = rung(state, at) {
        let (agent, model) = rung.split_once(':').unwrap_or((rung, ""));
        who.change_to(agent, model);
    }
    who
}

impl Who {
    /// Another agent knows neither the flags nor the models of this one.
    fn change_to(&mut self, agent: &str, model: &str) {
        if self.agent != agent {
            agent.clone_into(&mut self.agent);
            self.flags.clear();
            self.model.clear();
            self.fallback_model.clear();
        }
        if !model.is_empty() {
            model.clone_into(&mut self.model);
        }
    }
}

/// How far up the ladder the task is, if it is on it.
fn rung(state: &RunState, at: usize) -> Option<&str> {
    let climbed = state.detail(at)?.escalated.rungs;
    let index = usize::try_from(climbed).ok()?.checked_sub(1)?;
    state.start.settings.escalation.agents.get(index).map(String::as_str)
}
