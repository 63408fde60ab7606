//! Who may be called when, and what each ending must lead to under the scenario's settings.

use std::collections::BTreeMap;

use ralph_core::{
    ending::Ending,
    event::{IterationStart, Uncharged},
    settings::Policy,
    time::Timestamp,
    usage::MicroUsd,
    vocabulary::Kind,
};

use super::{Invariant, Oracle, attempts::is_work};
use crate::sim::tree::Tree;

/// What is known about the agents of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Agents {
    /// When a used-up allowance comes back, as the agents themselves said.
    not_before: BTreeMap<String, Timestamp>,
    /// Who rests until when, as the journal says; `None` until the run is taken up again.
    resting: BTreeMap<String, Option<Timestamp>>,
}

impl Agents {
    pub(super) fn rested(&mut self, agent: &str, until: Option<Timestamp>) {
        self.resting.insert(agent.to_owned(), until);
    }

    /// Somebody took the run up again, perhaps after mending what was wrong; where it had ended because nobody
    /// could be called, everybody is tried.
    pub(super) fn resumed(&mut self, was_unusable: bool) {
        self.resting.retain(|_, until| until.is_some() && !was_unusable);
        if was_unusable {
            self.not_before.clear();
        }
    }

    fn is_free(&self, agent: &str, at: Timestamp) -> bool {
        self.resting.get(agent).is_none_or(|until| until.is_some_and(|until| until <= at))
    }
}

/// What a call must lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Judged,
    SetAside(Uncharged),
    Parked,
    /// The task or the run ends.
    Ended,
}

impl Oracle<'_> {
    /// The name that limits hold for.
    pub(super) fn key(start: &IterationStart) -> String {
        match start.model.as_str() {
            "" => start.agent.clone(),
            model => format!("{}:{model}", start.agent),
        }
    }

    /// An agent is called: never before its allowance is back.
    pub(super) fn check_rest(&mut self, start: &IterationStart, at: Timestamp) {
        let key = Self::key(start);
        let is_asked_for = matches!(
            self.scenario.start.settings.endings.usage_limit,
            None | Some(Policy::Wait | Policy::Fallback)
        );
        let reset = self.agents.not_before.get(&key).copied().filter(|_| is_asked_for);
        self.must(reset.is_none_or(|reset| at >= reset), Invariant::WaitsHold, || {
            format!("{key} is called at {at} and its limit ends at {reset:?}")
        });
        self.check_who(start, at);
        let is_free = self.agents.is_free(&key, at);
        self.must(is_free, Invariant::WaitsHold, || format!("{key} is called while it rests"));
    }

    /// The reviewer that is set, the rung of the ladder that the task has climbed to, or the usual agent.
    fn meant(&self, task: usize, kind: Kind) -> &str {
        let settings = &self.scenario.start.settings;
        let rungs = usize::try_from(self.tasks[task].rungs).unwrap_or(0);
        let rung = rungs.checked_sub(1).and_then(|at| settings.escalation.agents.get(at));
        match (kind, rung) {
            (Kind::Review, _) => {
                settings.agent.review.command.as_deref().unwrap_or(&settings.agent.command)
            }
            (_, Some(rung)) => rung,
            (_, None) => &settings.agent.command,
        }
    }

    /// An iteration begins with whoever is meant, or with one that stands in for it while it rests.
    fn check_who(&mut self, start: &IterationStart, at: Timestamp) {
        let key = Self::key(start);
        let meant = self.meant(self.position(&start.task), start.kind).to_owned();
        let others = &self.scenario.start.settings.agent.fallback;
        let stands_in = others.contains(&key) && !self.agents.is_free(&meant, at);
        self.must(key == meant || stands_in, Invariant::StuckIsProved, || {
            format!("{key} begins instead of {meant}")
        });
    }

    /// A limit that an agent told of.
    pub(super) fn note_limit(&mut self, ending: &Ending, at: Timestamp) {
        let key = self.underway.as_ref().map(|underway| underway.agent.clone());
        if let (Some(key), Ending::UsageLimit { resets_at: Some(reset), .. }) = (key, ending)
            && *reset > at
        {
            self.agents.not_before.insert(key, *reset);
        }
    }

    /// Waiting is right only while nobody else could be called, where others may be.
    pub(super) fn check_wait(&mut self, at: Timestamp) {
        let settings = &self.scenario.start.settings;
        let switches = matches!(settings.endings.usage_limit, None | Some(Policy::Fallback));
        let is_limit = matches!(self.last_ending, Some(Ending::UsageLimit { .. }));
        let free = settings.agent.fallback.iter().find(|other| self.agents.is_free(other, at));
        self.must(!(switches && is_limit) || free.is_none(), Invariant::WaitsHold, || {
            format!("a wait though {free:?} could be called")
        });
    }

    /// What this ending of the call under way must lead to, if nobody asks the run to stop.
    pub(super) fn leads_to(&self, ending: &Ending, task: usize, at: Timestamp) -> Due {
        if matches!(ending, Ending::TimedOut | Ending::Budget) && self.is_used_up(at) {
            return Due::SetAside(Uncharged::Cut);
        }
        let built_in = match ending {
            Ending::UsageLimit { .. } | Ending::Overloaded { .. } => {
                Due::SetAside(Uncharged::Limit)
            }
            Ending::ContextOverflow if self.tasks[task].overflowed => Due::Judged,
            Ending::ContextOverflow => Due::SetAside(Uncharged::Overflow),
            Ending::Budget => Due::Ended,
            // Not a word, but work.
            Ending::Empty if self.has_left_work() => Due::Judged,
            ending if is_work(ending) => Due::Judged,
            _ => Due::SetAside(Uncharged::Failure),
        };
        let own = self.underway.as_ref().map(|underway| underway.agent.as_str());
        let kind = self.underway.as_ref().map_or(Kind::Implement, |underway| underway.kind);
        let meant = self.meant(task, kind);
        let others = &self.scenario.start.settings.agent.fallback;
        let is_for_good = matches!(ending, Ending::AuthFailed { .. } | Ending::NotFound { .. });
        let can = |other: &str| match self.agents.resting.get(other) {
            Some(until) if is_for_good => until.is_some(),
            _ => self.agents.is_free(other, at),
        };
        let mut all = others.iter().map(String::as_str).chain([meant]);
        let another = all.any(|other| Some(other) != own && can(other));
        match self.policy(ending) {
            Some(Policy::Retry | Policy::Stop) => Due::SetAside(Uncharged::Failure),
            Some(Policy::Wait) => Due::SetAside(Uncharged::Limit),
            Some(Policy::Fallback) if another => Due::SetAside(Uncharged::Limit),
            Some(Policy::Park) => Due::Parked,
            None | Some(Policy::Fallback) => built_in,
        }
    }

    /// Whether the settings park a task whose call ended like the last one.
    pub(super) fn parks_by_policy(&self) -> bool {
        let last = self.last_ending.as_ref();
        last.is_some_and(|ending| self.policy(ending) == Some(Policy::Park))
    }

    fn has_left_work(&self) -> bool {
        let Some(underway) = &self.underway else { return false };
        let tree = underway.captured.as_ref().and_then(|captured| captured.tree.as_ref());
        tree.and_then(Tree::read).is_some_and(|tree| tree != underway.base)
    }

    pub(super) fn policy(&self, ending: &Ending) -> Option<Policy> {
        let endings = &self.scenario.start.settings.endings;
        match ending {
            Ending::UsageLimit { .. } => endings.usage_limit,
            Ending::Overloaded { .. } => endings.overloaded,
            Ending::AuthFailed { .. } => endings.auth_failed,
            Ending::NotFound { .. } => endings.not_found,
            Ending::Crashed { .. } => endings.crashed,
            Ending::Empty => endings.empty,
            Ending::Malformed { .. } => endings.malformed,
            Ending::ContextOverflow => endings.context_overflow,
            Ending::Refused { .. } => endings.refused,
            Ending::TimedOut => endings.timed_out,
            Ending::Stalled => endings.stalled,
            Ending::MaxTurns => endings.max_turns,
            _ => None,
        }
    }

    /// Whether an end as unusable is right for the way the last call ended.
    pub(super) fn may_end_unusable(&self) -> bool {
        let Some(ending) = &self.last_ending else {
            return false;
        };
        let by_nature = matches!(
            ending,
            Ending::AuthFailed { .. }
                | Ending::NotFound { .. }
                | Ending::UsageLimit { .. }
                | Ending::Overloaded { .. }
        );
        by_nature
            || matches!(self.policy(ending), Some(Policy::Stop | Policy::Wait | Policy::Fallback))
            || !self.agents.resting.is_empty()
    }

    /// Whether the run's money, tokens or time are gone.
    fn is_used_up(&self, at: Timestamp) -> bool {
        let limits = self.limits();
        let money = MicroUsd::from_dollars(limits.max_cost_usd).0;
        let time = limits.max_duration.0;
        (money > 0 && self.cost >= money)
            || (limits.max_tokens > 0 && self.tokens >= limits.max_tokens)
            || (!time.is_zero() && self.took(at) >= time)
    }
}
