//! All tables of `settings.toml` together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentSettings, Attempts, Claims, CustomAgent, Display, Endings, Escalation, Gate,
    GatesSettings, Git, GuardSettings, Limits, MemorySettings, PlanSettings, PromptSettings,
    Review, Sandbox, Scm, SecretSettings, Timeouts,
};
use crate::usage::Prices;

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Settings of ralph")]
pub struct Settings {
    /// Which agent works, and how it is started.
    pub agent: AgentSettings,
    /// An agent of your own, called by its name.
    pub agents: BTreeMap<String, CustomAgent>,
    /// Other policies than the built-in ones for how an agent's call ended.
    pub endings: Endings,
    /// What the tokens of a model cost, for agents that report only tokens: US dollars per million.
    pub prices: Prices,
    /// What makes every run end.
    pub limits: Limits,
    /// How long agents and gates may take.
    pub timeouts: Timeouts,
    /// Commands that ralph runs after each iteration.
    pub gate: Vec<Gate>,
    /// Rules for all gates.
    pub gates: GatesSettings,
    /// What happens to rejected attempts.
    pub attempts: Attempts,
    /// Review of each accepted piece of work by a fresh agent.
    pub review: Review,
    /// Who works on a task that another agent is stuck on.
    pub escalation: Escalation,
    /// What agents may do to the plan.
    pub plan: PlanSettings,
    /// Isolation of agents and gates.
    pub sandbox: Sandbox,
    /// Rules for the commands of agents, beside the built-in ones.
    pub guard: GuardSettings,
    /// Files that may hold what looks like a secret.
    pub secrets: SecretSettings,
    /// Where the work happens and how it is committed.
    pub git: Git,
    /// Commands after each accepted commit.
    pub scm: Scm,
    /// What a run remembers, and when that is compacted.
    pub memory: MemorySettings,
    /// How an agent may claim completion.
    pub claims: Claims,
    /// What goes into prompts.
    pub prompt: PromptSettings,
    /// What the console shows.
    pub display: Display,
}
