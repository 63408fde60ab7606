//! What can be typed after `ralph fleet`. Declares it, does nothing.

mod money;
mod submit;
mod task;
mod times;
mod worker;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use money::BudgetArgs;
pub(crate) use submit::SubmitArgs;
pub(crate) use task::{AnswerArgs, LoopArg, SkipArgs, TaskArgs};
pub(crate) use times::{TimesArgs, unsafe_times};
pub(crate) use worker::{Role, WorkerArgs};

/// Many loops on many machines.
#[derive(Debug, Parser)]
#[command(
    name = "ralph fleet",
    bin_name = "ralph fleet",
    version,
    about = "Run loops on a fleet of workers and steer them from anywhere",
    disable_help_subcommand = true,
    after_help = "TEMPORAL_ADDRESS [default: 127.0.0.1:7233] and TEMPORAL_NAMESPACE [default: default] name the server; \
                  set TEMPORAL_API_KEY or TEMPORAL_TLS_… if it requires them."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct CommonArgs {
    /// Run as if started in this folder [default: the current folder]
    #[arg(
        short = 'C',
        long,
        global = true,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    pub(crate) project_dir: PathBuf,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// Print JSON to stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a plan, push it to its repository and start a loop on it
    Submit(Box<SubmitArgs>),
    /// List loops
    List(ListArgs),
    /// Show the state of a loop and the host that works on it
    Status(LoopArg),
    /// Watch a loop as if it ran on this machine, and exit with its exit code
    Watch(WatchArgs),
    /// Send a message to the agents of one task or of all tasks
    Steer(SteerArgs),
    /// Answer the question of a task
    Answer(AnswerArgs),
    /// Approve the work of a task that waits for you; gates and checks still apply
    Approve(TaskArgs),
    /// Restart a task that waits for you from the beginning
    Retry(TaskArgs),
    /// Skip a task that waits for you
    Skip(SkipArgs),
    /// Pause a loop until `ralph fleet resume`
    Pause(NowArgs),
    /// Continue a paused loop, or restart one that ended with work left
    Resume(LoopArg),
    /// Stop a loop after this iteration
    Stop(NowArgs),
    /// Run a worker: schedule loops (brain) or run agents (hands); SIGTERM drains it
    Worker(Box<WorkerArgs>),
    /// Check the server, the repository and this machine
    Doctor(DoctorArgs),
    /// Show or set a tenant's budget for a month
    Budget(BudgetArgs),
}

/// `ralph fleet list`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// Only loops of this tenant
    #[arg(long)]
    pub(crate) tenant: Option<String>,
    /// Only loops of this account
    #[arg(long)]
    pub(crate) account: Option<String>,
    /// Only loops in this state; finished and unfinished loops have ended
    #[arg(long, value_enum)]
    pub(crate) state: Option<State>,
    /// Include loops that have ended
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Maximum number of loops to list
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,
}

/// What a loop said of itself last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum State {
    Queued,
    Working,
    Waiting,
    NeedsPerson,
    Paused,
    /// Ended with all its work done
    Finished,
    /// Ended with work left
    Unfinished,
}

/// `ralph fleet watch`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) which: LoopArg,
    /// The ralph to show it with [default: the one beside this program, then on PATH]
    #[arg(long, value_name = "FILE", env = "FLEET_RALPH")]
    pub(crate) ralph: Option<PathBuf>,
}

/// `ralph fleet steer`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SteerArgs {
    #[command(flatten)]
    pub(crate) which: LoopArg,
    /// The message, in quotes
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// Send it only to the agents of this task
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// Stop the agent now and restart it with this message
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph fleet pause` and `ralph fleet stop`.
#[derive(Debug, Clone, Args)]
pub(crate) struct NowArgs {
    #[command(flatten)]
    pub(crate) which: LoopArg,
    /// Stop the agent now instead of after this iteration
    #[arg(long)]
    pub(crate) now: bool,
}

/// `ralph fleet doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// Create search attributes that the server lacks
    #[arg(long)]
    pub(crate) fix: bool,
    /// Repository to test an atomic push on [default: origin of the current folder]
    #[arg(long, value_name = "URL")]
    pub(crate) repo: Option<String>,
    /// Account whose hands to look for
    #[arg(long, env = "FLEET_ACCOUNT", default_value = "default")]
    pub(crate) account: String,
    /// The ralph whose sandbox to test [default: the one beside this program, then on PATH]
    #[arg(long, value_name = "FILE", env = "FLEET_RALPH")]
    pub(crate) ralph: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_variable_looks_like_a_setting_of_ralph_which_would_complain_of_it() {
        for command in Cli::command().get_subcommands() {
            for name in command.get_arguments().filter_map(clap::Arg::get_env) {
                assert!(!name.to_string_lossy().starts_with("RALPH_"), "{}", name.display());
            }
        }
    }

    #[test]
    fn every_command_says_what_it_does() {
        for command in Cli::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && !about.ends_with('.'), "{}", command.get_name());
        }
    }
}
