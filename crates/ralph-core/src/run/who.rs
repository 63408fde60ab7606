//! Which agent and model a call goes to: by kind, by task, up the ladder when a task is stuck, and to another one
//! while the one that is meant rests.

use super::{Iteration, RunState};
use crate::{time::Timestamp, vocabulary::Kind};

/// Who is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) agent: String,
    pub(super) flags: Vec<String>,
    pub(super) model: String,
    pub(super) fallback_model: String,
    pub(super) max_turns: u32,
}

/// Who may work on a task in an iteration of this kind: the one that is meant, then those to fall back to.
pub(super) fn candidates(state: &RunState, at: usize, kind: Kind) -> Vec<Who> {
    let meant = meant(state, at, kind);
    let mut all = vec![meant.clone()];
    for entry in &state.start.settings.agent.fallback {
        let (agent, model) = entry.split_once(':').unwrap_or((entry, ""));
        // One without a model is that agent as it is usually called, whatever the one that rests was called with.
        let mut other = Who { max_turns: meant.max_turns, ..usual(state, kind) };
        other.change_to(agent, model);
        if all.iter().all(|known| known.key() != other.key()) {
            all.push(other);
        }
    }
    all
}

/// Who is called next.
pub(super) enum Choice {
    Free(Who),
    /// Everyone rests; the first is back then, if one ever is.
    AllRest {
        until: Option<Timestamp>,
        why: String,
    },
}

/// The first that does not rest now, as far as the ones before it need not be waited for.
pub(super) fn choose(state: &RunState, now: Timestamp, at: usize, kind: Kind) -> Choice {
    let mut resting = Vec::new();
    for who in candidates(state, at, kind) {
        let rest = state.resting.get(&who.key()).filter(|_| !is_free(state, now, &who));
        let Some(rest) = rest else {
            return Choice::Free(who);
        };
        let why = format!("{} {}", who.agent, rest.why);
        if rest.is_waited_for {
            return Choice::AllRest { until: rest.until, why };
        }
        resting.push((rest.until.map_or(i64::MAX, |until| until.0), rest.until, why));
    }
    let first = resting.into_iter().min_by_key(|(order, ..)| *order);
    let (_, until, why) = first.unwrap_or_default();
    Choice::AllRest { until, why }
}

/// Whether somebody else than the agent of this iteration could take it over: now, or at all.
pub(super) fn another_can(state: &RunState, iteration: &Iteration, now: Option<Timestamp>) -> bool {
    let own = of(state, iteration).key();
    let comes_back =
        |who: &Who| state.resting.get(&who.key()).is_none_or(|rest| rest.until.is_some());
    let can = |who: &Who| now.map_or_else(|| comes_back(who), |now| is_free(state, now, who));
    candidates(state, iteration.task, iteration.kind).iter().any(|who| who.key() != own && can(who))
}

fn is_free(state: &RunState, now: Timestamp, who: &Who) -> bool {
    let rest = state.resting.get(&who.key());
    rest.is_none_or(|rest| rest.until.is_some_and(|until| until <= now))
}

/// Who works in an iteration that has begun.
pub(super) fn of(state: &RunState, iteration: &Iteration) -> Who {
    let meant = meant(state, iteration.task, iteration.kind);
    if iteration.agent.is_empty() {
        return meant;
    }
    chosen(state, iteration.kind, meant, (&iteration.agent, &iteration.model))
}

/// The one that was chosen by name: the one that is meant, or one that stands in for it.
fn chosen(state: &RunState, kind: Kind, meant: Who, (agent, model): (&str, &str)) -> Who {
    if meant.agent == agent && meant.model == model {
        return meant;
    }
    let mut who = Who { max_turns: meant.max_turns, ..usual(state, kind) };
    who.change_to(agent, model);
    model.clone_into(&mut who.model);
    who
}

/// Who is called for this kind where no task and no ladder says otherwise.
fn usual(state: &RunState, kind: Kind) -> Who {
    let settings = state.start.settings.agent.for_kind(kind);
    let mut who = Who {
        agent: settings.command.to_owned(),
        flags: settings.flags.to_vec(),
        model: settings.model.to_owned(),
        fallback_model: settings.fallback_model.to_owned(),
        max_turns: settings.max_turns,
    };
    if kind == Kind::Compact {
        let own = state.start.settings.agent.compact.max_turns;
        who.max_turns = own.unwrap_or(state.start.settings.memory.max_turns);
    }
    who
}

/// Who is meant to work on a task in an iteration of this kind.
pub(super) fn meant(state: &RunState, at: usize, kind: Kind) -> Who {
    let mut who = usual(state, kind);
    if matches!(kind, Kind::Review | Kind::Plan | Kind::Compact) {
        return who;
    }
    if let Some(task) = state.task(at) {
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

/// Who compacts memory, once it was chosen.
pub(super) fn compacting(state: &RunState, agent: &str, model: &str) -> Who {
    let meant = meant(state, usize::MAX, Kind::Compact);
    chosen(state, Kind::Compact, meant, (agent, model))
}

impl Who {
    /// What a usage limit holds for.
    pub(super) fn key(&self) -> String {
        if self.model.is_empty() {
            self.agent.clone()
        } else {
            format!("{}:{}", self.agent, self.model)
        }
    }

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
pub(super) fn rung(state: &RunState, at: usize) -> Option<&str> {
    let climbed = state.detail(at)?.escalated.rungs;
    let index = usize::try_from(climbed).ok()?.checked_sub(1)?;
    state.start.settings.escalation.agents.get(index).map(String::as_str)
}
