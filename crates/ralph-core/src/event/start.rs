//! What a run is made of, pinned when it starts: nothing that changes later changes it.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    agent_facts::{Abilities, short_name},
    effect::DirtyPolicy,
    gates::report::GateSpec,
    ids::TaskId,
    isolation::Isolation,
    memory::context::Context,
    outcome::Outcome,
    plan::{Plan, Status, Task, amend::Ruled},
    planning::PlanRequest,
    prompt::Library,
    settings::{Flag, Settings},
};

/// Everything a run is made of, pinned when it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// Version of ralph that wrote this.
    pub version: String,
    pub source: Source,
    pub settings: Settings,
    /// Shared by everything that folds this run: a large plan is in memory once.
    pub plan: Arc<Plan>,
    /// Settings' gates and the plan's verify commands, in order.
    pub gates: Vec<GateSpec>,
    pub max_iterations: u32,
    /// How `max_iterations` came about, for people.
    pub max_iterations_why: String,
    /// A person gave `max_iterations`: only they raise it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_limit_given: bool,
    pub branch: String,
    pub dirty: DirtyPolicy,
    pub linked_worktree: bool,
    /// The file that the plan was read from, if it is not the project's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_file: Option<String>,
    /// What the last run of the project knew at its end.
    #[serde(default, skip_serializing_if = "Context::is_empty")]
    pub memory: Context,
    /// Exit 0 where a limit ends the run.
    pub ok_on_limit: bool,
    /// What kept its agents in when it started.
    #[serde(default)]
    pub isolation: Isolation,
    /// The user's own texts for agents.
    #[serde(default, skip_serializing_if = "Library::is_empty")]
    pub library: Library,
    /// What the words are made from that reviews in plain text must carry; no agent knows it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
    /// Changes of the plan that agents wanted in the run before and nobody has decided on, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<(u32, Ruled)>,
    /// What the command line has said of the settings so far; it holds when they are read anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// What agents can do that others cannot, by the name of their program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: BTreeMap<String, Abilities>,
}

impl RunStart {
    /// What this agent can do; those that the user describes can do what every agent can.
    pub fn abilities_of(&self, agent: &str) -> Abilities {
        let is_described = self.settings.agents.contains_key(agent);
        let pinned = self.abilities.get(&short_name(agent)).filter(|_| !is_described);
        pinned.copied().unwrap_or_default()
    }

    /// The exit code of a run that was started like this and ended like that.
    pub fn exit_code(&self, outcome: &Outcome) -> u8 {
        match outcome {
            Outcome::Limit { .. } if self.ok_on_limit => Outcome::Done.exit_code(),
            _ => outcome.exit_code(),
        }
    }

    /// How a run ended that was started like this, as a sentence: a plan may have more than what was asked for, and
    /// what was skipped is not done.
    pub fn describe(&self, outcome: &Outcome, status: impl Fn(&Task) -> Status) -> String {
        let is_selected = |task: &&Task| self.source.selects(&task.id);
        let mut selected = self.plan.tasks.iter().filter(is_selected);
        let verb = if selected.all(|task| status(task) == Status::Skipped) {
            "was skipped"
        } else {
            "is done"
        };
        match (outcome, &self.source) {
            (Outcome::Done, Source::Prompt { .. }) => format!("the prompt {verb}"),
            (Outcome::Done, Source::Tasks { ids }) => match ids.as_slice() {
                [one] => format!("{one} {verb}"),
                _ => "all named tasks are done".into(),
            },
            _ => outcome.describe(),
        }
    }
}

/// Settings and the gates that follow from them, and the user's texts as they are now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pinned {
    pub settings: Settings,
    pub gates: Vec<GateSpec>,
    #[serde(default, skip_serializing_if = "Library::is_empty")]
    pub library: Library,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
}

/// Where the work comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    Plan,
    /// Only these tasks of the plan.
    Tasks {
        ids: Vec<TaskId>,
    },
    /// One text, until the agent claims completion and the gates agree.
    Prompt {
        file: Option<String>,
        text: String,
    },
    /// A plan is to be drafted; nothing is worked on.
    Planning {
        request: Box<PlanRequest>,
    },
}

impl Source {
    /// Whether a task is one of those that the work is about.
    pub fn selects(&self, task: &TaskId) -> bool {
        match self {
            Self::Tasks { ids } => ids.contains(task),
            Self::Plan | Self::Prompt { .. } | Self::Planning { .. } => true,
        }
    }
}
