//! Who must be there before a run begins, and where they are named.

use std::collections::BTreeSet;

use super::{
    RunState, judge,
    who::{candidates, rung},
};
use crate::{
    ids::TaskId,
    settings::{Policy, Settings},
    vocabulary::Kind,
};

/// Where an agent is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedBy {
    /// A setting, by its key.
    Setting(&'static str),
    /// `agent` of a task.
    Task(TaskId),
}

/// The agents of a call, as they are tried: one of them must be there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Callable {
    pub by: NamedBy,
    pub names: Vec<String>,
}

impl RunState {
    /// Who is called for the open tasks, or may be.
    pub fn callable(&self) -> BTreeSet<Callable> {
        let settings = &self.start.settings;
        let is_open =
            |task: &usize| self.tasks.get(*task).is_some_and(|one| !one.status.satisfies());
        let most = if stands_in(settings) { usize::MAX } else { 1 };
        let call = |task, kind| {
            let tried = candidates(self, task, kind).into_iter().take(most);
            Callable { by: self.named_by(task, kind), names: tried.map(|who| who.agent).collect() }
        };
        let mut all = BTreeSet::new();
        for task in self.selected().into_iter().filter(is_open) {
            all.insert(call(task, self.kind_of(task)));
            if judge::is_reviewed(self, task) {
                all.insert(call(task, Kind::Review));
            }
        }
        if !all.is_empty() {
            let has_ladder = !self.is_planning();
            let is_used = |one: &Callable| has_ladder || one.by != LADDER;
            all.extend(listed(settings).into_iter().filter(is_used));
        }
        all
    }

    fn named_by(&self, at: usize, kind: Kind) -> NamedBy {
        if !matches!(kind, Kind::Review | Kind::Plan | Kind::Compact) {
            if rung(self, at).is_some() {
                return LADDER;
            }
            if let Some(task) = self.task(at).filter(|task| task.agent.is_some()) {
                return NamedBy::Task(task.id.clone());
            }
        }
        NamedBy::Setting(self.start.settings.agent.named_by(kind))
    }
}

const LADDER: NamedBy = NamedBy::Setting("escalation.agents");

/// Who may be called later: while the one that is meant rests, or because a task is stuck.
pub fn listed(settings: &Settings) -> Vec<Callable> {
    let name = |entry: &String| entry.split(':').next().unwrap_or(entry).to_owned();
    let fallback = || settings.agent.fallback.iter().map(name);
    let stands_in = stands_in(settings);
    let by = NamedBy::Setting("agent.fallback");
    let resting = fallback().map(|name| Callable { by: by.clone(), names: vec![name] });
    let ladder = settings.escalation.agents.iter().map(|entry| Callable {
        by: LADDER,
        names: std::iter::once(name(entry)).chain(fallback().filter(|_| stands_in)).collect(),
    });
    resting.filter(|_| !stands_in).chain(ladder).collect()
}

/// Only where the settings say so does another one stand in for an agent that is not there.
fn stands_in(settings: &Settings) -> bool {
    settings.endings.not_found == Some(Policy::Fallback)
}
