//! A planning run: how it begins, what it remembers, and what its agent is told. It works on no task.

use serde::{Deserialize, Serialize};

use super::{Detail, RunState, StartOptions};
use crate::{
    effect::DirtyPolicy,
    event::{RunStart, Source},
    isolation::Isolation,
    memory::context::Context,
    plan::{Plan, Task},
    planning::{Draft, PlanRequest},
    prompt::{PlanWork, Work},
    settings::Settings,
};

/// Drafts that are asked for before the run gives up: one, and two corrections.
pub(super) const MOST_DRAFTS: u32 = 3;

/// The id of the one thing a planning run is about.
const TASK: &str = "plan";

/// How far a planning run has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Planning {
    /// Drafts in a row that could not be used.
    pub unusable: u32,
    /// What was wrong with the last of them.
    pub mistakes: Vec<String>,
    /// It was no draft at all.
    pub is_shapeless: bool,
    /// The one that can be used.
    pub draft: Option<Box<Draft>>,
}

impl RunState {
    /// Whether this run only drafts a plan.
    pub fn is_planning(&self) -> bool {
        matches!(self.start.source, Source::Planning { .. })
    }
}

/// Pins a planning run. It verifies nothing and commits nothing, so neither gates nor a branch matter.
pub(super) fn begin(
    source: Source,
    plan: Plan,
    settings: Settings,
    options: StartOptions,
) -> RunStart {
    let task = Task { id: TASK.into(), title: "draft a plan".into(), ..Task::default() };
    RunStart {
        version: options.version,
        source,
        settings,
        plan: Plan { tasks: vec![task], ..plan },
        gates: Vec::new(),
        max_iterations: MOST_DRAFTS,
        max_iterations_why: "a draft and two corrections of it".into(),
        is_limit_given: false,
        branch: String::new(),
        dirty: DirtyPolicy::default(),
        linked_worktree: false,
        plan_file: None,
        ok_on_limit: false,
        isolation: Isolation::off(),
        library: options.library,
        memory: Context::default(),
        seal: String::new(),
        proposals: Vec::new(),
        flags: options.flags,
        abilities: options.abilities,
    }
}

/// What the planner is told.
pub(super) fn work(state: &RunState, detail: Option<&Detail>) -> Work {
    let request = match &state.start.source {
        Source::Planning { request } => (**request).clone(),
        Source::Plan | Source::Tasks { .. } | Source::Prompt { .. } => PlanRequest::default(),
    };
    Work::Plan(Box::new(PlanWork {
        request,
        mistakes: state.planning.mistakes.clone(),
        is_short: detail.is_some_and(|detail| detail.overflowed),
    }))
}
