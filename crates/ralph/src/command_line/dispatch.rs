//! From words to a command, and from its result to an exit code.

use std::{ffi::OsString, io::Write as _};

use clap::{
    CommandFactory as _, Parser as _,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{
    args::{Cli, Command},
    manual,
};
use crate::{
    args::{commands::WatchArgs, run::RunArgs, start as start_args},
    cli::{
        agents, archive, clean, config, doctor, fleet, gate, guard, hook, init, logs, notify,
        pause, plan, replay, report, runs, start, status, steer, stop, task, trust, undo,
    },
    context::Context,
    diagnostics::{self, CommandError},
    exit,
    session::{
        background::{self, Started},
        launch, stint,
    },
    watch,
};

/// Parses, runs, reports errors; the result is the exit code.
pub(crate) fn main(words: Vec<OsString>) -> u8 {
    let cli = match parse(words) {
        Ok(cli) => cli,
        Err((error, hint)) => return misunderstood(&error, hint),
    };
    let context = cli.global.context();
    match exec(cli.command, &context) {
        Ok(code) => code,
        Err(CommandError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read the output has seen enough, as in `ralph logs | head`.
            exit::DONE
        }
        Err(error) => {
            // Nothing can be done if even stderr is gone; the exit code still tells.
            let _ = diagnostics::print(&error, &mut std::io::stderr(), &context.stderr());
            error.exit_code()
        }
    }
}

/// Reads the words; an error comes with a hint, where what was typed reads like a sentence without its quotes.
fn parse(words: Vec<OsString>) -> Result<Cli, (clap::Error, Option<String>)> {
    let words = start_args::spelled_out(words);
    let error = match Cli::try_parse_from(&words) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Err((error, None));
    }
    let Ok(cli) = Cli::try_parse_from(start_args::as_start(&words)) else {
        return Err((error, None));
    };
    let Some(Command::Start(args)) = &cli.command else { return Err((error, None)) };
    // Options may stand before the text: nothing but a whole sentence is taken for one.
    let is_option_first =
        words.get(1).is_some_and(|first| first.to_string_lossy().starts_with('-'));
    if is_option_first && start_args::is_sentence(&args.words) {
        return Ok(cli);
    }
    let is_command = Cli::command().find_subcommand(&args.words[0]).is_some();
    Err((error, start_args::quoted(&words, &args.words, is_command)))
}

fn exec(command: Option<Command>, context: &Context) -> Result<u8, CommandError> {
    match command {
        None | Some(Command::Status) => status::exec(context),
        Some(Command::Start(args)) => start::exec(&args, context),
        Some(Command::Init(args)) => init::exec(&args, context),
        Some(Command::Plan(args)) => plan::exec(&args, context),
        Some(Command::Run(args)) => run(&args, context),
        Some(Command::Prompt(args)) => launch::run(&args.request()?, &args.options, context),
        Some(Command::Watch(args)) => watch::exec(&args, context),
        Some(Command::Logs(args)) => logs::exec(&args, context),
        Some(Command::Report(args)) => report::exec(&args, context),
        Some(Command::Replay(args)) => replay::exec(&args, context),
        Some(Command::Runs) => runs::exec(context),
        Some(Command::Resume(args)) => pause::resume(&args, context),
        Some(Command::Steer(args)) => steer::exec(&args, context),
        Some(Command::Pause(args)) => pause::exec(&args, context),
        Some(Command::Stop(args)) => stop::exec(&args, context),
        Some(Command::Task(command)) => task::exec(&command, context),
        Some(Command::Gate(command)) => gate::exec(&command, context),
        Some(Command::Trust(args)) => trust::exec(&args, context),
        Some(Command::Guard(args)) => guard::exec(&args, context),
        Some(Command::Undo(args)) => undo::exec(&args, context),
        Some(Command::Archive(args)) => archive::exec(&args, context),
        Some(Command::Clean(args)) => clean::exec(&args, context),
        Some(Command::Config(command)) => config::exec(&command, context),
        Some(Command::Notify(command)) => notify::exec(&command, context),
        Some(Command::Agents) => agents::exec(context),
        Some(Command::Doctor) => doctor::exec(context),
        Some(Command::Fleet(args)) => fleet::exec(&args, context),
        Some(Command::Hook(args)) => Ok(hook::exec(&args)),
        Some(Command::Stint(args)) => stint::stint(&args, context),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man) => manual::page(),
        Some(Command::Version) => manual::version(),
    }
}

/// A run here, or in the background.
fn run(args: &RunArgs, context: &Context) -> Result<u8, CommandError> {
    if args.in_background {
        background::leave()?;
    }
    if !args.detach {
        return launch::run(&args.request()?, &args.options, context);
    }
    match background::start(context)? {
        Started::Ended(code) => Ok(code),
        Started::Run(run) if args.watch => {
            watch::exec(&WatchArgs { run: Some(run.0), ..WatchArgs::default() }, context)
        }
        Started::Run(_) => Ok(exit::DONE),
    }
}

/// Help and version go to stdout; all else is clap's error.
fn misunderstood(error: &clap::Error, hint: Option<String>) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let shown = error.print().and_then(|()| std::io::stdout().flush());
        return if shown.is_ok() { exit::DONE } else { exit::USAGE };
    }
    let text = error.render().to_string();
    let help = hint.or_else(|| not_on_resume(error));
    let help = help.unwrap_or_else(|| "add --help for usage".into());
    let text = text.replace("For more information, try '--help'.", &format!("help: {help}"));
    let _ = std::io::stderr().write_all(text.as_bytes());
    exit::USAGE
}

/// Why a flag of `ralph run` is none of `ralph resume`.
fn not_on_resume(error: &clap::Error) -> Option<String> {
    let typed = std::env::args().nth(1).filter(|word| word == "resume");
    let flag = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(flag) => flag.trim_start_matches('-').to_owned(),
        _ => return None,
    };
    let run = Cli::command().find_subcommand("run").cloned()?;
    let is_of_run = run.get_arguments().any(|one| one.get_long() == Some(flag.as_str()));
    typed.filter(|_| is_of_run).map(|_| {
        format!(
            "--{flag} says how a run begins, and a resumed run continues as it began; \
             ralph run --fresh --{flag} starts a new one"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::args::Global;

    #[test]
    fn flags_of_every_command_may_stand_before_or_after_it() {
        for line in ["ralph -C x --json status", "ralph status --json -C x"] {
            let cli = Cli::try_parse_from(line.split(' '));
            let Ok(Cli { global: Global { project_dir, json, .. }, .. }) = cli else {
                panic!("{line}")
            };
            assert_eq!((project_dir, json), (Some("x".into()), true), "{line}");
        }
    }
}
