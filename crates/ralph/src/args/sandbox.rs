//! `--sandbox[=MODE]` and `--no-sandbox`, wherever something is started that can be isolated.

use clap::{Args, builder::PossibleValuesParser};
use ralph_core::settings::{Flag, SandboxMode};

use crate::diagnostics::CommandError;

/// How agents and gates are to be isolated.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// One of auto (default), bubblewrap, seatbelt, sbx, landlock, off
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "auto", conflicts_with = "no_sandbox", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(SandboxMode::ALL.map(SandboxMode::as_str)))]
    pub(crate) sandbox: Option<String>,
    /// Same as `--sandbox=off`: the agent can do everything you can
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

impl SandboxArgs {
    /// A mode that was given as a word of its own, where it is taken for the name of a task.
    pub(crate) fn misread(&self, words: &[String]) -> Option<CommandError> {
        self.sandbox.as_ref()?;
        let is_mode = |word: &&String| SandboxMode::ALL.iter().any(|mode| mode.as_str() == *word);
        let mode = words.first().filter(is_mode)?;
        let help = format!("write --sandbox={mode}");
        Some(CommandError::usage("--sandbox needs `=` before its mode", help))
    }

    /// The setting that was given.
    pub(crate) fn flag(&self) -> Option<Flag> {
        let (name, mode) = match (self.no_sandbox, &self.sandbox) {
            (true, _) => ("--no-sandbox", SandboxMode::Off.as_str()),
            (false, Some(mode)) => ("--sandbox", mode.as_str()),
            (false, None) => return None,
        };
        Some(Flag { name: name.into(), key: "sandbox.mode".into(), value: mode.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_mode() {
        let command = SandboxArgs::augment_args(clap::Command::new("ralph"));
        let help = command.get_arguments().find_map(|arg| arg.get_help()).map(ToString::to_string);
        for mode in SandboxMode::ALL {
            assert!(help.as_ref().is_some_and(|help| help.contains(mode.as_str())), "{help:?}");
        }
    }
}
