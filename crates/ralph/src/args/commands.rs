//! What can be typed after the smaller commands. Declares it, does nothing.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ralph_core::settings::Length;

use super::limits::length;

/// `ralph logs`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LogsArgs {
    /// Task whose history and latest attempt to show
    pub(crate) task: Option<String>,
    /// Attempt of the task [default: latest]
    #[arg(long, visible_alias = "try", value_name = "N", requires = "task")]
    pub(crate) attempt: Option<u32>,
    /// Iteration of the run
    #[arg(long, value_name = "N", conflicts_with_all = ["task", "attempt", "follow"])]
    pub(crate) iteration: Option<u32>,
    /// Gate of that attempt or iteration
    #[arg(long, value_name = "NAME", conflicts_with = "follow")]
    pub(crate) gate: Option<String>,
    /// Run to show [default: latest]
    #[arg(long)]
    pub(crate) run: Option<String>,
    /// Follow the current run until it ends
    #[arg(short, long, conflicts_with_all = ["task", "run"])]
    pub(crate) follow: bool,
}

/// `ralph replay`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Run to replay [default: latest]
    pub(crate) run: Option<String>,
}

/// `ralph watch`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WatchArgs {
    /// Run to watch [default: the current one, or the latest]
    pub(crate) run: Option<String>,
    /// Folders of several repositories to watch [default: the current folder]
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Leave when the run ends, with its exit code
    #[arg(long)]
    pub(crate) exit: bool,
    /// Send a notification if the run's process dies
    #[arg(long)]
    pub(crate) notify: bool,
}

/// `ralph report`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportArgs {
    /// Run to show [default: latest]
    pub(crate) run: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
    /// File to write instead of stdout, readable by you only
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Propose lasting rules for AGENTS.md or CLAUDE.md
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with_all = ["format", "out"])]
    pub(crate) rules: Option<String>,
    /// With --rules, add them without asking
    #[arg(short, long, requires = "rules")]
    pub(crate) yes: bool,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    #[default]
    Md,
    Json,
    Html,
}

/// `ralph steer`.
#[derive(Debug, Clone, Args)]
#[command(override_usage = "ralph steer [OPTIONS] [TASK] <TEXT>")]
pub(crate) struct SteerArgs {
    /// Task to send it to, if only one, and the message in quotes
    #[arg(value_name = "TASK> <TEXT", required = true, num_args = 1..=2)]
    pub(crate) words: Vec<String>,
    /// Stop the agent now and restart it with this message
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph pause`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PauseArgs {
    /// Stop the agent now instead of after this iteration
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph stop`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StopArgs {
    /// Stop the agent now instead of after this iteration
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph undo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct UndoArgs {
    /// Iteration to undo, together with all later ones
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iteration: u32,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `ralph archive`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ArchiveArgs {
    /// Name of the archive after the date [default: the plan's branch]
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// Do not ask for confirmation, even if tasks are open
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `ralph clean`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CleanArgs {
    /// Minimum age of what is removed, such as 12h or 90d
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "30d")]
    pub(crate) older_than: Length,
    /// Only list what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also remove work that exists nowhere else
    #[arg(long)]
    pub(crate) delete_unmerged: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `ralph trust`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrustArgs {
    /// Do not ask for confirmation
    #[arg(short, long, conflicts_with_all = ["show", "revoke"])]
    pub(crate) yes: bool,
    /// Show it without asking
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) show: bool,
    /// Stop trusting this repository's agent configuration
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// `ralph gate`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum GateCommand {
    /// List the gates
    List,
    /// Run gates on the working tree
    Run {
        /// Gates to run [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

/// `ralph notify`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum NotifyCommand {
    /// Send a test message by every channel of the settings
    Test {
        /// Only by channels of this kind, such as ntfy or webhook
        kind: Option<String>,
    },
}

/// `ralph config`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the effective settings
    Show {
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON Schema of the settings
    Schema,
    /// Write the built-in prompt templates to .ralph/prompts for editing
    EjectPrompts {
        /// Replace existing templates
        #[arg(long)]
        force: bool,
    },
}
