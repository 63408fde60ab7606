//! The command tree. Says what can be said, does nothing.

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{ArgAction, Args, Parser, Subcommand};

use crate::{
    args::{
        commands::{
            ArchiveArgs, ConfigCommand, GateCommand, LogsArgs, PauseArgs, ReplayArgs, ReportArgs,
            SteerArgs, StopArgs, TrustArgs, UndoArgs,
        },
        run::{PromptArgs, ResumeArgs, RunArgs},
        task::TaskCommand,
    },
    cli::{doctor::DoctorArgs, guard::GuardArgs, hook::HookArgs, init::InitArgs, plan::PlanArgs},
    context::Context,
};

/// Keeps coding agents working through a plan until the work is proved done.
#[derive(Debug, Parser)]
#[command(
    name = "ralph",
    version,
    disable_version_flag = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Without a command, ralph shows where things stand and what to type next."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Work as if started in this folder
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) project_dir: Option<PathBuf>,
    /// Another settings file, read in place of the project's own
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Data as JSON on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show more
    #[arg(short = 'V', long, global = true)]
    pub(crate) verbose: bool,
    /// Print the version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,
}

impl Global {
    /// What the command is given of it.
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
        }
    }
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR or TERM=dumb say otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at the project and write .ralph/settings.toml
    Init(InitArgs),
    /// Have a plan drafted or revised by an agent, or take one over from another tool
    Plan(Box<PlanArgs>),
    /// Work through the plan, named tasks, or a prompt
    #[command(alias = "build")]
    Run(Box<RunArgs>),
    /// Work on a prompt file until the agent claims completion and the gates pass
    Prompt(Box<PromptArgs>),
    /// Show where the plan and the last run stand
    Status,
    /// Show logs of the last run: the whole session, a task's record, one of its tries, or a gate
    Logs(LogsArgs),
    /// Tell what a run came to: proof, failures, what needs a person, cost
    Report(ReportArgs),
    /// Show a run again as it was
    Replay(ReplayArgs),
    /// Tell the agents something: those of one task, or all that are still to come
    Steer(SteerArgs),
    /// Let the running loop start nothing new until ralph resume
    Pause(PauseArgs),
    /// List the runs of this repository and what they still hold
    Runs,
    /// Let a paused run go on, or take up an interrupted one
    Resume(ResumeArgs),
    /// Ask the running loop to stop after this iteration, or end one that died
    Stop(StopArgs),
    /// See and change the tasks of the plan, also while a run goes on
    #[command(subcommand)]
    Task(Box<TaskCommand>),
    /// List or run the gates
    #[command(subcommand)]
    Gate(GateCommand),
    /// Go back to before an iteration of the last run
    Undo(UndoArgs),
    /// Put the plan and what belongs to it away under .ralph/archive, with a summary
    Archive(ArchiveArgs),
    /// Show settings or their schema
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List the agents ralph can call: where they are, whether they are logged in, what they can do
    Agents,
    /// Show the agent configuration that the repository brings, and let runs load it
    Trust(TrustArgs),
    /// Check git, agents, settings and this machine
    Doctor(DoctorArgs),
    /// Judge a shell command as the agents' hook does: exit code 0 allows it, 7 denies it
    Guard(GuardArgs),
    /// Answer a hook of an agent; called by agents, not by people
    Hook(HookArgs),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}
