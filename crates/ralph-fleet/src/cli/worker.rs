//! What can be typed after `ralph fleet worker`. Declares it, does nothing.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use ralph_core::settings::Length;

use super::times::length;

/// `ralph fleet worker`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkerArgs {
    /// Account whose loops to work on
    #[arg(long, env = "FLEET_ACCOUNT", default_value = "default")]
    pub(crate) account: String,
    /// What the worker does
    #[arg(long, value_enum, default_value_t)]
    pub(crate) role: Role,
    /// Maximum number of agents at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) slots: u16,
    /// Name of this host, unique in the fleet [default: the machine's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// Folder for mirrors and loops [default: $XDG_STATE_HOME/ralph-fleet]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The ralph to work with [default: the one beside this program, then on PATH]
    #[arg(long, value_name = "FILE", env = "FLEET_RALPH")]
    pub(crate) ralph: Option<PathBuf>,
    /// Home for ralph and its agents, with the operator's settings in .config/ralph [default: the worker's]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Replace FROM at the start of repository addresses with TO on this host [default: none]
    #[arg(long, value_name = "FROM=TO", value_parser = rewrite)]
    pub(crate) rewrite: Option<(String, String)>,
    /// Folder whose repositories loops may name by path; repeatable [default: none]
    #[arg(long, value_name = "DIR")]
    pub(crate) local: Vec<PathBuf>,
    /// Open only repositories below START, such as https://git.example.com/; repeatable [default: any]
    #[arg(long, value_name = "START", env = "FLEET_REPOS", value_delimiter = ',')]
    pub(crate) repos: Vec<String>,
    /// Git credential helper for the repositories that --repos allows [default: none]
    #[arg(long, value_name = "COMMAND", env = "FLEET_CREDENTIALS")]
    pub(crate) credentials: Option<String>,
    /// Serve Prometheus metrics at this address, such as 127.0.0.1:9464 [default: off]
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<SocketAddr>,
    /// After SIGTERM, let agents continue for this long before asking them to end
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "30m")]
    pub(crate) drain: Length,
    /// Check the connection to the server this often
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "5s")]
    pub(crate) probe: Length,
}

fn rewrite(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once('=').ok_or("write FROM=TO")?;
    Ok((from.to_owned(), to.to_owned()))
}

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Role {
    /// Schedules loops and runs no agents; may die at any time
    Brain,
    /// Runs agents of one account
    Hands,
    /// Both in one process, for one machine
    #[default]
    Both,
}
