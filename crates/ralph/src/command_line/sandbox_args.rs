//! `--sandbox[=MODE]` and `--no-sandbox`, wherever something is started that can be isolated.

use clap::{Args, ValueEnum};
use ralph_core::settings::Flag;

/// How agents and gates are to be isolated.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// Isolate agents and gates; without a value: by what this system has, or refuse
    #[arg(long, value_enum, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "auto", conflicts_with = "no_sandbox")]
    pub(crate) sandbox: Option<Mode>,
    /// The same as `--sandbox=off`: the agent can do what you can do
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// Values of `--sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Auto,
    Bubblewrap,
    Seatbelt,
    Sbx,
    Landlock,
    Off,
}

impl Mode {
    /// As the settings spell it.
    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bubblewrap => "bubblewrap",
            Self::Seatbelt => "seatbelt",
            Self::Sbx => "sbx",
            Self::Landlock => "landlock",
            Self::Off => "off",
        }
    }
}

impl SandboxArgs {
    /// The setting that was given.
    pub(crate) fn flag(&self) -> Option<Flag> {
        let (name, mode) = match (self.no_sandbox, self.sandbox) {
            (true, _) => ("--no-sandbox", Mode::Off),
            (false, Some(mode)) => ("--sandbox", mode),
            (false, None) => return None,
        };
        Some(Flag { name: name.into(), key: "sandbox.mode".into(), value: mode.word().into() })
    }
}
