//! `ralph fleet worker`: what was typed, as the worker understands it.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::which_ralph;
use crate::{
    cli::{Role, WorkerArgs},
    connect::Server,
    error::{CommandError, exit},
    hands::Say,
    print,
    stint::{Allowed, Host},
    worker::{self, Asked, HandsRole, Manner, SelfTest},
};

/// Runs `ralph fleet worker` until it is asked to leave and has handed over.
pub(super) async fn exec(args: &WorkerArgs) -> Result<u8, CommandError> {
    let name = host_name(args)?;
    let hands = if args.role == Role::Brain { None } else { Some(hands(args, &name)?) };
    let _held = hands.as_ref().map(|hands| hold(&hands.host.root)).transpose()?;
    let role = worker::Role { decides: args.role != Role::Hands, hands };
    let client = Server::from_environment()?.client_named(&name).await?;
    let manner = Manner {
        grace: Duration::from_millis(args.drain.0.0),
        probe: Duration::from_millis(args.probe.0.0),
        metrics: args.metrics,
        say: say(name),
    };
    let ended = match Asked::by_signals() {
        Ok(asked) => worker::run(client, role, manner, asked).await,
        Err(error) => Err(error),
    };
    ended.map(|()| exit::DONE).map_err(|error| {
        let why = error.chain().map(ToString::to_string).collect();
        CommandError::new(
            exit::REFUSED,
            "the worker failed",
            "ralph fleet doctor checks the server and this machine",
        )
        .because(why)
    })
}

fn hands(args: &WorkerArgs, name: &str) -> Result<HandsRole, CommandError> {
    let mut host = Host::new(name, root(args)?, which_ralph::find(args.ralph.as_deref())?);
    host.allowed = Allowed::new(&args.repos);
    if args.credentials.is_some() && host.allowed.is_any() {
        let what = "--credentials without --repos would offer the credentials to any host that a loop names";
        let help = "say what they are for, such as --repos https://git.example.com/ (FLEET_REPOS)";
        return Err(CommandError::usage(what, help));
    }
    host.rewrite.clone_from(&args.rewrite);
    let ways: Vec<String> = args.repos.iter().map(|start| host.way_to(start)).collect();
    let hosts = Allowed::new(&ways).hosts();
    if args.credentials.is_some() && hosts.is_empty() {
        let what = "--repos names no http or https address for the credentials";
        let help = "add one, such as --repos https://git.example.com/, or omit --credentials";
        return Err(CommandError::usage(what, help));
    }
    host.git.credentials = args.credentials.clone().map(|helper| (helper, hosts));
    host.local.clone_from(&args.local);
    host.home.clone_from(&args.home);
    let (account, slots) = (args.account.clone(), usize::from(args.slots));
    Ok(HandsRole { account, host, slots, self_test: SelfTest::Needed })
}

/// A worker has its folder for itself: what it tidies away there must not be another one's.
fn hold(root: &Path) -> Result<File, CommandError> {
    let unusable = |error: io::Error| {
        let what = format!("cannot use {}", root.display());
        CommandError::usage(what, "name another folder with --root DIR")
            .because(vec![error.to_string()])
    };
    fs::create_dir_all(root).map_err(unusable)?;
    let file = File::create(root.join("lock")).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CommandError::new(
            exit::LOCKED,
            format!("another worker is using {}", root.display()),
            "stop that worker, or give this one its own folder with --root DIR",
        )),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

fn host_name(args: &WorkerArgs) -> Result<String, CommandError> {
    let own = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = args.host.clone().or_else(own).map(|name| name.trim().to_owned());
    name.filter(|name| !name.is_empty()).ok_or_else(|| {
        CommandError::usage("this machine has no name", "give it one with --host NAME")
    })
}

fn root(args: &WorkerArgs) -> Result<PathBuf, CommandError> {
    let variable =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state =
        || variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    let root = args.root.clone().or_else(|| Some(state()?.join("ralph-fleet")));
    root.and_then(|root| std::path::absolute(root).ok()).ok_or_else(|| {
        CommandError::usage(
            "no folder for loops: XDG_STATE_HOME and HOME are not set",
            "name one with --root DIR",
        )
    })
}

/// What a worker says goes where logs are read, with its name. Nobody reads a log that cannot be written.
fn say(name: String) -> Say {
    Arc::new(move |text| {
        let _ = print::note(&format!("[{name}] {text}"));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_worker_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let held = hold(root.path()).unwrap();
        assert_eq!(hold(root.path()).unwrap_err().exit_code(), exit::LOCKED);
        drop(held);
        hold(root.path()).unwrap();
    }
}
