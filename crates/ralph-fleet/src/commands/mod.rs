//! The commands of `ralph fleet`, one file or folder each, and what all of them are given.

mod budget;
mod context;
mod decisions;
mod doctor;
mod git;
mod list;
mod patience;
mod pollers;
mod reach;
mod restart;
mod result;
mod status;
mod submit;
mod watch;
mod which_ralph;
mod wishes;
mod worker;

use std::{env, ffi::OsString};

use clap::Parser as _;

use self::context::Context;
use crate::{
    cli::{Cli, Command},
    error::{CommandError, exit},
    print::Printer,
};

/// The version of the ralph that started this program, if one did.
const CALLER: &str = "FLEET_CALLER";

/// Does what the command line says; the result is the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // A screen that cannot be written to has nobody in front of it.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(exit::USAGE);
        }
    };
    let printer = Printer::new(cli.common.color, cli.common.json);
    let context = Context { folder: cli.common.project_dir, printer };
    if let Err(error) = check_caller(env::var(CALLER).ok().as_deref()) {
        printer.error(&error);
        return error.exit_code();
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(dispatch(&cli.command, &context));
            // What a command that was ended still asks git is of no use to anybody.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(error.into()),
    };
    ended.unwrap_or_else(|error| {
        printer.error(&error);
        error.exit_code()
    })
}

/// Refuses a `ralph fleet` of another version: the two would not agree on what a journal holds.
fn check_caller(version: Option<&str>) -> Result<(), CommandError> {
    let own = env!("CARGO_PKG_VERSION");
    match version {
        Some(other) if other != own => Err(CommandError::usage(
            format!("ralph is version {other}, ralph-fleet is {own}"),
            "install the same version of both",
        )),
        _ => Ok(()),
    }
}

async fn dispatch(command: &Command, context: &Context) -> Result<u8, CommandError> {
    match command {
        Command::Submit(args) => submit::exec(args, context).await,
        Command::List(args) => list::exec(args, context).await,
        Command::Status(args) => status::exec(args, context).await,
        Command::Watch(args) => watch::exec(args, context).await,
        Command::Steer(args) => wishes::steer(args, context).await,
        Command::Answer(args) => decisions::answer(args, context).await,
        Command::Approve(args) => decisions::approve(args, context).await,
        Command::Retry(args) => decisions::retry(args, context).await,
        Command::Skip(args) => decisions::skip(args, context).await,
        Command::Pause(args) => wishes::pause(args, context).await,
        Command::Resume(args) => wishes::resume(args, context).await,
        Command::Stop(args) => wishes::stop(args, context).await,
        Command::Worker(args) => worker::exec(args).await,
        Command::Doctor(args) => doctor::exec(args, context).await,
        Command::Budget(args) => budget::exec(args, context).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ralph_of_another_version_is_refused() {
        assert!(check_caller(None).is_ok());
        assert!(check_caller(Some(env!("CARGO_PKG_VERSION"))).is_ok());
        assert_eq!(check_caller(Some("9.9.9")).unwrap_err().exit_code(), exit::USAGE);
    }
}
