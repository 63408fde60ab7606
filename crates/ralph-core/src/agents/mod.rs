//! Agents: how each is started, how its stream is read, how its endings are told apart.
//!
//! Adding an agent is adding one file and one line in [`BUILT_IN`]. Nobody else names an agent's module.

mod claude;
pub mod event;
mod exit;
mod port;
pub mod reset;
mod text;
pub mod watch;

pub use exit::{EndedBy, ExitFacts};
pub use port::{Agent, CommandProblem, CommandSpec, LineParser, Place, StreamReport};

/// Every agent ralph knows by name.
pub static BUILT_IN: &[&dyn Agent] = &[&claude::Claude, &text::Text];

/// The built-in agent of this name.
pub fn find(name: &str) -> Option<&'static dyn Agent> {
    BUILT_IN.iter().copied().find(|agent| agent.name() == name)
}

/// The agent that `agent.command` means: a built-in by its name or by the file name of a path to it;
/// any other command is run as plain text.
pub fn of_command(command: &str) -> &'static dyn Agent {
    let words = shell_words::split(command).unwrap_or_default();
    let file = words.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    find(file).unwrap_or(&text::Text)
}

/// Whether the agent that this command means hands over by structured output of its own.
pub fn has_structured_output(command: &str) -> bool {
    of_command(command).name() != text::Text.name()
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
