//! `[memory]`: when what iterations leave is compacted, by whom, and how much of it is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who compacts memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompactBy {
    /// The agent of `[agent.compact]`, if it takes MCP servers and a schema; ralph itself otherwise, and whenever
    /// that call fails.
    #[default]
    Agent,
    /// ralph itself, without a call.
    BuiltIn,
}

/// What a run remembers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// Coding iterations between compactions; 0 turns this trigger off.
    pub interval: u32,
    /// Bytes of handoffs after which memory is compacted; 0 turns this trigger off.
    pub threshold_bytes: u64,
    /// Maximum tokens of a prompt, as far as its task allows, and of the stored context in any case.
    pub context_budget_tokens: usize,
    /// Maximum turns of the compacting agent, unless `agent.compact` sets its own.
    pub max_turns: u32,
    /// Who compacts: `agent` calls the agent of `[agent.compact]` if it supports MCP servers and a schema, and ralph does it
    /// itself whenever that fails; `built-in` never calls an agent.
    pub compactor: CompactBy,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            interval: 5,
            threshold_bytes: 32_000,
            context_budget_tokens: 8_000,
            max_turns: 10,
            compactor: CompactBy::Agent,
        }
    }
}
