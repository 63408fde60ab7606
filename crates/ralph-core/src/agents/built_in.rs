//! The agents that ralph knows by name.

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
    let words = shell_words::split(command).unwrap_or_default();
    let file = words.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    find(file).unwrap_or(&text::Text)
}

/// An agent's name for people: the file name of the program, without its path and arguments.
pub fn short_name(command: &str) -> String {
    let words = shell_words::split(command).unwrap_or_default();
    let program = words.first().map_or(command, String::as_str).trim_end_matches('/');
    program.rsplit('/').next().unwrap_or(program).to_owned()
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
    fn people_see_the_program_and_not_its_whole_command_line() {
        for (command, name) in [
            ("claude", "claude"),
            ("'/opt/my agents/run-it' --model x --very long", "run-it"),
            ("python3 agent.py", "python3"),
            ("'unbalanced", "'unbalanced"),
            ("", ""),
        ] {
            assert_eq!(short_name(command), name, "{command}");
        }
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
