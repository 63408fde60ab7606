//! What can be typed after `ralph fleet worker`. Declares it, does nothing.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use ralph_core::settings::Length;

use super::times::length;

/// `ralph fleet worker`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkerArgs {
    /// Account whose loops it works on
    #[arg(long, env = "FLEET_ACCOUNT", default_value = "default")]
    pub(crate) account: String,
    /// What it does: brain decides, hands hold agents
    #[arg(long, value_enum, default_value_t)]
    pub(crate) role: Role,
    /// Most agents at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) slots: u16,
    /// Name of this host in the fleet; no two workers may share one [default: the machine's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// Folder for mirrors and loops [default: $XDG_STATE_HOME/ralph-fleet]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The ralph that works [default: the one beside this program, then the one on PATH]
    #[arg(long, value_name = "FILE", env = "FLEET_RALPH")]
    pub(crate) ralph: Option<PathBuf>,
    /// Home of ralph and its agents, with the operator's settings below .config [default: the worker's own]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// How this host reaches repositories whose address begins with FROM
    #[arg(long, value_name = "FROM=TO", value_parser = rewrite)]
    pub(crate) rewrite: Option<(String, String)>,
    /// Folder whose repositories loops may name by path; may be repeated [default: none]
    #[arg(long, value_name = "DIR")]
    pub(crate) local: Vec<PathBuf>,
    /// Open only repositories whose address begins with START, such as https://git.example.com/; may be repeated
    /// [default: any]
    #[arg(long, value_name = "START", env = "FLEET_REPOS", value_delimiter = ',')]
    pub(crate) repos: Vec<String>,
    /// Git credential helper for the repositories that --repos allows
    #[arg(long, value_name = "COMMAND", env = "FLEET_CREDENTIALS")]
    pub(crate) credentials: Option<String>,
    /// Serve metrics for Prometheus here, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<SocketAddr>,
    /// When drained, let agents work on for so long before they are asked to end
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "30m")]
    pub(crate) drain: Length,
    /// Ask the server this often whether it is there
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
    /// Runs workflows and holds no agent; may die at any time
    Brain,
    /// Holds agents of one account
    Hands,
    /// Both in one process, for one machine
    #[default]
    Both,
}
