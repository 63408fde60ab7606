//! The agents that ralph knows by name.

use std::collections::BTreeMap;

use ralph_core::agent_facts::{Abilities, HandoffBy, short_name};

use super::{amp, claude, cline, codex, copilot, gemini, opencode, port::Agent, qwen, text};

/// Every agent ralph knows by name.
pub static BUILT_IN: &[&dyn Agent] = &[
    &claude::Claude,
    &codex::Codex,
    &gemini::Gemini,
    &qwen::Qwen,
    &opencode::OpenCode,
    &cline::Cline,
    &copilot::Copilot,
    &amp::Amp,
    &text::Text,
];

/// The built-in agent of this name.
pub fn find(name: &str) -> Option<&'static dyn Agent> {
    BUILT_IN.iter().copied().find(|agent| agent.name() == name)
}

/// The agent that `agent.command` means: a built-in by its name or by the file name of a path to it;
/// any other command is run as plain text.
pub fn of_command(command: &str) -> &'static dyn Agent {
    find(&short_name(command)).unwrap_or(&text::Text)
}

/// What the machine must know of the agents that can do more than others, by the name of their program.
pub fn abilities() -> BTreeMap<String, Abilities> {
    let known = BUILT_IN.iter().map(|agent| {
        let is_structured = agent.facts().handoff == HandoffBy::Schema;
        (agent.name().to_owned(), Abilities { is_structured, can_compact: agent.can_compact() })
    });
    known.filter(|(_, abilities)| *abilities != Abilities::default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for agent in BUILT_IN {
            assert_eq!(BUILT_IN.iter().filter(|a| a.name() == agent.name()).count(), 1);
            assert_eq!(find(agent.name()).map(Agent::name), Some(agent.name()));
        }
        assert!(find("nobody").is_none());
    }

    #[test]
    fn a_command_means_a_built_in_by_name_or_by_file_name_and_plain_text_otherwise() {
        for (command, name) in [
            ("claude", "claude"),
            ("/opt/my agents/claude", "text"),
            ("'/opt/my agents/claude' --x", "claude"),
            ("./claude", "claude"),
            ("text", "text"),
            ("my-agent --quiet", "text"),
            ("", "text"),
            ("'unbalanced", "text"),
        ] {
            assert_eq!(of_command(command).name(), name, "{command}");
        }
    }
}
