//! What the run and its task have used of what they may use, as `ralph status` tells it.

use ralph_core::{
    run::{Phase, RunState},
    time::Millis,
    usage::{MicroUsd, Usage},
};
use serde::Serialize;

use crate::reporters::budget::Caps;

/// Limits; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CapsView {
    pub(crate) cost_usd: Option<f64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) duration_ms: Option<u64>,
}

impl CapsView {
    /// Those that are set.
    pub(crate) fn of(caps: &Caps) -> Self {
        Self {
            cost_usd: Some(caps.usd).filter(|usd| *usd > 0.0),
            tokens: Some(caps.tokens).filter(|tokens| *tokens > 0),
            duration_ms: Some(caps.time.0).filter(|time| *time > 0),
        }
    }

    /// The same for words.
    pub(crate) fn caps(&self) -> Caps {
        Caps {
            usd: self.cost_usd.unwrap_or_default(),
            tokens: self.tokens.unwrap_or_default(),
            time: Millis(self.duration_ms.unwrap_or_default()),
        }
    }
}

/// What a task has used in this run; the call under way is not counted yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct UsedView {
    pub(crate) id: String,
    pub(crate) cost_usd_micros: u64,
    pub(crate) cost_is_estimate: bool,
    pub(crate) tokens: u64,
    /// Time of its agents.
    pub(crate) agent_ms: u64,
    pub(crate) limits: CapsView,
}

impl UsedView {
    /// The task that an iteration is about now.
    pub(crate) fn under_way(state: &RunState) -> Option<Self> {
        let Phase::Iterating(iteration) = &state.phase else { return None };
        let (usage, time) = state
            .detail(iteration.task)
            .map(|detail| (detail.usage, detail.time))
            .unwrap_or_default();
        Some(Self {
            id: state.task_id(iteration.task).0,
            cost_usd_micros: usage.cost.0,
            cost_is_estimate: usage.is_estimate,
            tokens: usage.tokens(),
            agent_ms: time.0,
            limits: CapsView::of(&Caps::of_task(&state.start.settings.limits)),
        })
    }

    /// `T-002: $0.31 of $5`, where it is limited.
    pub(crate) fn words(&self) -> Option<String> {
        let usage = usage(self.cost_usd_micros, self.cost_is_estimate, self.tokens);
        let used = self.limits.caps().used(&usage, Millis(self.agent_ms))?;
        Some(format!("{}: {used}", self.id))
    }
}

/// Sums as a usage, for words: of the tokens only the sum matters.
pub(crate) fn usage(cost: u64, is_estimate: bool, tokens: u64) -> Usage {
    Usage { input: tokens, cost: MicroUsd(cost), is_estimate, ..Usage::default() }
}
