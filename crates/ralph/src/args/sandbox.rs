//! `--sandbox[=MODE]` and `--no-sandbox`, wherever something is started that can be isolated.

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use ralph_core::settings::{DROPPED_WORDS, Flag, SandboxMode};

use crate::diagnostics::CommandError;

/// How agents and gates are to be isolated.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// One of auto (default), bubblewrap, seatbelt, off
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "auto", conflicts_with = "no_sandbox", hide_possible_values = true,
        value_parser = modes())]
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

/// The modes; of one that was dropped it says what to do instead.
fn modes() -> impl TypedValueParser<Value = String> {
    let dropped = || DROPPED_WORDS.iter().filter(|it| it.key == "sandbox.mode");
    let modes = SandboxMode::ALL.map(|mode| PossibleValue::new(mode.as_str()));
    let hidden = dropped().map(|it| PossibleValue::new(it.word).hide(true));
    PossibleValuesParser::new(modes.into_iter().chain(hidden)).try_map(move |mode| {
        dropped().find(|it| it.word == mode).map_or(Ok(mode), |it| Err(it.help))
    })
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
