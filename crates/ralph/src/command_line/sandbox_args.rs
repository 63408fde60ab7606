//! `--sandbox[=MODE]` and `--no-sandbox`, wherever something is started that can be isolated.

use clap::{Args, builder::PossibleValuesParser};
use ralph_core::settings::{Flag, SandboxMode};

/// How agents and gates are to be isolated.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// Isolate agents and gates; without a value: by what this system has, or refuse
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "auto", conflicts_with = "no_sandbox",
        value_parser = PossibleValuesParser::new(SandboxMode::ALL.map(SandboxMode::as_str)))]
    pub(crate) sandbox: Option<String>,
    /// The same as `--sandbox=off`: the agent can do what you can do
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

impl SandboxArgs {
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
