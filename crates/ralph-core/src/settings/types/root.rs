//! All tables of `settings.toml` together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentSettings, Attempts, Claims, CustomAgent, Display, Endings, Escalation, Gate,
    GatesSettings, Git, GuardSettings, Limits, MemorySettings, NotifySettings, PlanSettings,
    PromptSettings, ReportSettings, Review, Sandbox, Scm, SecretSettings, Timeouts,
};
use crate::usage::Prices;

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Settings of ralph")]
pub struct Settings {
    /// Which agent works, and how it is started.
    pub agent: AgentSettings,
    /// A custom agent, called by its name.
    pub agents: BTreeMap<String, CustomAgent>,
    /// What to do when an agent's call ends in a certain way, instead of the default.
    pub endings: Endings,
    /// What the tokens of a model cost, for agents that report only tokens: US dollars per million.
    pub prices: Prices,
    /// Limits that end a run.
    pub limits: Limits,
    /// How long agents and gates may take.
    pub timeouts: Timeouts,
    /// Commands that ralph runs after each iteration.
    pub gate: Vec<Gate>,
    /// Rules for all gates.
    pub gates: GatesSettings,
    /// What happens to rejected attempts.
    pub attempts: Attempts,
    /// Review of accepted work by a fresh agent.
    pub review: Review,
    /// Agents that take over a task when another one is stuck on it.
    pub escalation: Escalation,
    /// What agents may do to the plan.
    pub plan: PlanSettings,
    /// Isolation of agents and gates.
    pub sandbox: Sandbox,
    /// Rules for agents' commands, in addition to the built-in ones.
    pub guard: GuardSettings,
    /// Files that may contain what looks like a secret.
    pub secrets: SecretSettings,
    /// Where the work happens and how it is committed.
    pub git: Git,
    /// Commands after each accepted commit.
    pub scm: Scm,
    /// What a run remembers, and when it is compacted.
    pub memory: MemorySettings,
    /// How an agent may claim completion.
    pub claims: Claims,
    /// What goes into prompts.
    pub prompt: PromptSettings,
    /// What the console shows.
    pub display: Display,
    /// What a run writes for people to read.
    pub report: ReportSettings,
    /// Who is notified when a run needs somebody or ends.
    pub notify: NotifySettings,
}
