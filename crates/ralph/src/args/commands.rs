//! What can be typed after the smaller commands. Says what can be said, does nothing.

use clap::{Args, Subcommand};

/// `ralph logs`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LogsArgs {
    /// Task whose record and last try are shown
    pub(crate) task: Option<String>,
    /// Which try of the task
    #[arg(long = "try", value_name = "N", requires = "task")]
    pub(crate) attempt: Option<u32>,
    /// Which gate of that try
    #[arg(long, value_name = "NAME", requires = "task")]
    pub(crate) gate: Option<String>,
    /// Another run than the last
    #[arg(long)]
    pub(crate) run: Option<String>,
}

/// `ralph replay`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Which run; the last if none is named
    pub(crate) run: Option<String>,
}

/// `ralph report`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportArgs {
    /// Which run; the last if none is named
    pub(crate) run: Option<String>,
    /// Markdown for people, or JSON for programs
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    #[default]
    Md,
    Json,
}

/// `ralph steer`.
#[derive(Debug, Clone, Args)]
#[command(override_usage = "ralph steer [OPTIONS] [TASK] <TEXT>")]
pub(crate) struct SteerArgs {
    /// The task it is about, if it is about one, and what to say, quoted
    #[arg(value_name = "TASK> <TEXT", required = true, num_args = 1..=2)]
    pub(crate) words: Vec<String>,
    /// End the agent's call now and begin it again with the word
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph pause`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PauseArgs {
    /// End the agent's call now instead of after this iteration
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph stop`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StopArgs {
    /// End the agent now instead of after this iteration
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph undo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct UndoArgs {
    /// The iteration whose effect, and all later ones', is taken back
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iteration: u32,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `ralph archive`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ArchiveArgs {
    /// Name of the archive after the date [default: the branch of the plan]
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// Do not ask, even if tasks are open
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `ralph trust`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrustArgs {
    /// Do not ask
    #[arg(short, long, conflicts_with_all = ["show", "revoke"])]
    pub(crate) yes: bool,
    /// Only show it
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) show: bool,
    /// Trust nothing in this repository any more
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// `ralph gate`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum GateCommand {
    /// List the gates and where they come from
    List,
    /// Run gates on the working tree
    Run {
        /// Which gates; all if none is named
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

/// `ralph config`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the effective settings
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON Schema of the settings
    Schema,
    /// Write the built-in prompt templates to .ralph/prompts, to be changed there
    EjectPrompts {
        /// Replace templates that are there already
        #[arg(long)]
        force: bool,
    },
}
