//! `[agent]`: which agent works in which kind of iteration, and how it is started.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::Kind;

/// Which agent works, and how it is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// A built-in name (`claude`, `text`) or a program.
    pub command: String,
    /// Extra arguments; each entry is split like shell words.
    pub flags: Vec<String>,
    /// Model, as the agent spells it; empty means the agent's default.
    pub model: String,
    /// Model to use while the first is overloaded.
    pub fallback_model: String,
    /// Maximum turns per call; 0 means the agent's own limit.
    pub max_turns: u32,
    /// Agents to switch to while this one is at its usage limit, tried in order; each is `agent` or `agent:model`.
    pub fallback: Vec<String>,
    /// Environment variables passed through to the agent.
    pub env: Vec<String>,
    /// Overrides for review iterations; anything not set here comes from `[agent]`.
    pub review: KindAgent,
    /// Overrides for fix iterations; anything not set here comes from `[agent]`.
    pub fix: KindAgent,
    /// Overrides for plan iterations; anything not set here comes from `[agent]`.
    pub plan: KindAgent,
    /// Overrides for compacting memory; anything not set here comes from `[agent]`.
    pub compact: KindAgent,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            command: "claude".into(),
            flags: Vec::new(),
            model: String::new(),
            fallback_model: String::new(),
            max_turns: 0,
            fallback: Vec::new(),
            env: Vec::new(),
            review: KindAgent::default(),
            fix: KindAgent::default(),
            plan: KindAgent::default(),
            compact: KindAgent::default(),
        }
    }
}

impl AgentSettings {
    /// The tables that override `[agent]`: for which kind of iteration, and the key of the command.
    pub(crate) fn overrides(&self) -> [(Kind, &'static str, &KindAgent); 4] {
        [
            (Kind::Review, "agent.review.command", &self.review),
            (Kind::Fix, "agent.fix.command", &self.fix),
            (Kind::Plan, "agent.plan.command", &self.plan),
            (Kind::Compact, "agent.compact.command", &self.compact),
        ]
    }

    /// The setting that names the agent of an iteration.
    pub fn named_by(&self, kind: Kind) -> &'static str {
        let names = |of: &(Kind, &str, &KindAgent)| of.0 == kind && of.2.command.is_some();
        self.overrides().into_iter().find(names).map_or("agent.command", |(_, key, _)| key)
    }

    /// How the agent of an iteration is started.
    ///
    /// Flags and models are words of one agent: they never carry over to another command.
    pub fn for_kind(&self, kind: Kind) -> ResolvedAgent<'_> {
        let own = self.overrides().into_iter().find(|(of, ..)| *of == kind).map(|(.., own)| own);
        let command = own.and_then(|own| own.command.as_deref()).unwrap_or(&self.command);
        let is_same = command == self.command;
        let of_same = |text| if is_same { text } else { "" };
        let flags: &[String] = if is_same { &self.flags } else { &[] };
        let model = own.and_then(|own| own.model.as_deref());
        ResolvedAgent {
            command,
            flags: own.and_then(|own| own.flags.as_deref()).unwrap_or(flags),
            model: model.unwrap_or(of_same(&self.model)),
            fallback_model: of_same(&self.fallback_model),
            max_turns: own.and_then(|own| own.max_turns).unwrap_or(self.max_turns),
        }
    }
}

/// What differs from `[agent]` in one kind of iteration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KindAgent {
    /// A built-in name or a program; if it differs from `[agent]`, the flags and models there do not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Extra arguments; each entry is split like shell words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<String>>,
    /// Model, as the agent spells it; empty means the agent's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Maximum turns per call; 0 means the agent's own limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
}

/// The agent of one kind of iteration, with everything that falls back to `[agent]` filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedAgent<'a> {
    pub command: &'a str,
    pub flags: &'a [String],
    pub model: &'a str,
    pub fallback_model: &'a str,
    pub max_turns: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> AgentSettings {
        AgentSettings {
            flags: vec!["--verbose".into()],
            model: "opus".into(),
            fallback_model: "sonnet".into(),
            max_turns: 40,
            ..AgentSettings::default()
        }
    }

    #[test]
    fn what_a_kind_does_not_set_is_as_for_all() {
        let mut agent = agent();
        agent.review.model = Some("haiku".into());
        agent.fix.max_turns = Some(0);
        agent.fix.flags = Some(Vec::new());
        let implement = agent.for_kind(Kind::Implement);
        let all = ResolvedAgent {
            command: "claude",
            flags: &agent.flags,
            model: "opus",
            fallback_model: "sonnet",
            max_turns: 40,
        };
        assert_eq!(implement, all);
        assert_eq!(agent.for_kind(Kind::Prompt), all);
        assert_eq!(agent.for_kind(Kind::Review), ResolvedAgent { model: "haiku", ..all });
        assert_eq!(agent.for_kind(Kind::Fix), ResolvedAgent { max_turns: 0, flags: &[], ..all });
    }

    #[test]
    fn another_command_gets_neither_the_flags_nor_the_models_of_the_first() {
        let mut agent = agent();
        agent.review.command = Some("codex".into());
        let review = agent.for_kind(Kind::Review);
        assert_eq!((review.command, review.model, review.fallback_model), ("codex", "", ""));
        assert_eq!((review.flags.len(), review.max_turns), (0, 40));
        agent.review.model = Some("gpt".into());
        agent.review.flags = Some(vec!["--json".into()]);
        let review = agent.for_kind(Kind::Review);
        assert_eq!((review.model, review.flags), ("gpt", &["--json".to_owned()][..]));
        agent.review.command = Some("claude".into());
        assert_eq!(agent.for_kind(Kind::Review).fallback_model, "sonnet");
    }
}
