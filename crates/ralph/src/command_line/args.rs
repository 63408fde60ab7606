//! The command tree. Declares what can be typed, does nothing.

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{ArgAction, Args, Parser, Subcommand};

use crate::{
    args::{
        commands::{
            ArchiveArgs, CleanArgs, ConfigCommand, GateCommand, LogsArgs, NotifyCommand, PauseArgs,
            ReplayArgs, ReportArgs, SteerArgs, StopArgs, TrustArgs, UndoArgs, WatchArgs,
        },
        plan::PlanArgs,
        run::{PromptArgs, ResumeArgs, RunArgs},
        start::StartArgs,
        stint::StintArgs,
        task::TaskCommand,
    },
    cli::{fleet::FleetArgs, guard::GuardArgs, hook::HookArgs, init::InitArgs},
    context::Context,
};

/// Keeps coding agents working through a plan until the work is proved done.
#[derive(Debug, Parser)]
#[command(
    name = "ralph",
    version,
    disable_version_flag = true,
    max_term_width = 100,
    after_help = "Without a command, ralph shows the current status and what to type next."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Run as if started in this folder [default: the current folder]
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) project_dir: Option<PathBuf>,
    /// Settings file to use instead of .ralph/settings.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colour: auto, always, never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Color,
    /// Print JSON to stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show more detail
    #[arg(short = 'v', long, global = true)]
    pub(crate) verbose: bool,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

impl Global {
    /// As the context of a command.
    pub(crate) fn context(&self) -> Context {
        Context {
            project_dir: self.project_dir.clone().unwrap_or_else(|| ".".into()),
            config: self.config.clone(),
            json: self.json,
            verbose: self.verbose,
            color: match self.color {
                Color::Auto => ColorChoice::Auto,
                Color::Always => ColorChoice::Always,
                Color::Never => ColorChoice::Never,
            },
            proposed: None,
        }
    }
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    #[default]
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up, plan and run in one go; `ralph "what you want"` is short for it
    Start(Box<StartArgs>),
    /// Set up a project: find agents and gates, write .ralph/settings.toml
    Init(InitArgs),
    /// Draft or revise a plan with an agent, or import one from another tool
    Plan(Box<PlanArgs>),
    /// Work through the plan, selected tasks, or a prompt
    #[command(alias = "build")]
    Run(Box<RunArgs>),
    /// Work on a prompt file until the agent claims completion and the gates pass
    Prompt(Box<PromptArgs>),
    /// Show the status of the plan and the latest run
    Status,
    /// Watch a run on the whole terminal
    Watch(WatchArgs),
    /// Show logs of the latest run: the session, a task, one of its attempts, or a gate
    Logs(LogsArgs),
    /// Show a run's results: proof, failures, open questions, cost
    Report(ReportArgs),
    /// Replay a run's output
    Replay(ReplayArgs),
    /// Send a message to the agents of one task, or to all of them
    Steer(SteerArgs),
    /// Pause the current run until `ralph resume`
    Pause(PauseArgs),
    /// List this repository's runs and what they still hold
    Runs,
    /// Resume a paused or interrupted run
    Resume(ResumeArgs),
    /// Stop the current run after this iteration, or clean up after one that died
    Stop(StopArgs),
    /// Show and change the plan's tasks, even during a run
    #[command(subcommand)]
    Task(Box<TaskCommand>),
    /// List or run the gates
    #[command(subcommand)]
    Gate(GateCommand),
    /// Undo the latest run's work from an iteration on
    Undo(UndoArgs),
    /// Move the plan and its files to .ralph/archive, with a summary
    Archive(ArchiveArgs),
    /// Remove what old runs left: logs, kept trees, given-up branches
    Clean(CleanArgs),
    /// Show settings or their schema, or write out the prompt templates
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Test the channels that notify you
    #[command(subcommand)]
    Notify(NotifyCommand),
    /// List the agents ralph can use, with path, version, login and features
    Agents,
    /// Show the repository's agent configuration and let runs load it
    Trust(TrustArgs),
    /// Check git, agents, settings and this machine
    Doctor,
    /// Run plans on many machines, and watch and steer them
    Fleet(FleetArgs),
    /// Judge a shell command as the agents' hook does: exit 0 allows it, 7 denies it
    Guard(GuardArgs),
    /// Answer an agent's hook; called by agents, not by people
    Hook(HookArgs),
    /// One process's share of a run; started by the fleet's workers
    #[command(name = "__stint", hide = true)]
    Stint(StintArgs),
    /// Print shell completions
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Print the version
    Version,
}
