//! `ralph run --dry-run`: what a run would do first, and starts nothing.

use ralph_core::{
    agents::{self, Place},
    event::RunStart,
    run::{self, RunState},
};
use ralph_engine::clock;

use super::project::{Project, told};
use crate::command_line::context::Context;
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{block::Entry, console::review_words, line::Tone},
};

/// Prints limits, gates, the first command line and the first prompt.
pub(crate) fn show(
    project: &Project,
    start: RunStart,
    context: &Context,
) -> Result<u8, CommandError> {
    let state = RunState::new(ralph_engine::run::new_id(), clock::now(), start);
    let mut lines = vec![
        format!("branch      {}", state.start.branch),
        format!(
            "iterations  at most {}: {}",
            state.start.max_iterations, state.start.max_iterations_why
        ),
        "sandbox     not isolated".to_owned(),
        format!("review      {}", review_words(&state.start)),
    ];
    for gate in &state.start.gates {
        lines.push(format!("gate        {} ({:?}): {}", gate.name, gate.severity, gate.command));
    }
    match run::first_call(&state) {
        None => lines.push("work        nothing is left to do".into()),
        Some(call) => {
            let place =
                Place { run: state.run.clone(), started: clock::now(), folder: "FOLDER".into() };
            let command = agents::of_call(&call).command(&call, &place).map_err(|error| {
                told(error.to_string(), Vec::new(), error.help().into(), exit::USAGE)
            })?;
            let words: Vec<_> = command.args.iter().map(|word| quoted(word)).collect();
            lines.push(format!("task        {}", call.task));
            lines.push(format!("command     {} {}", command.program, words.join(" ")));
            lines.push(format!("folder      {}", project.repository.root().display()));
            lines.push(String::new());
            lines.extend(call.prompt.lines().map(str::to_owned));
        }
    }
    let entries: Vec<_> = lines.into_iter().map(|line| Entry::text(0, Tone::Plain, line)).collect();
    context.answer(&entries)?;
    Ok(exit::DONE)
}

/// An argument as a shell would need it, long ones cut.
fn quoted(word: &str) -> String {
    let cut: String = word.chars().take(60).collect();
    let dots = if cut.len() < word.len() { "…" } else { "" };
    if !cut.is_empty() && cut.chars().all(|c| c.is_alphanumeric() || "-_./=,:".contains(c)) {
        format!("{cut}{dots}")
    } else {
        format!("'{cut}{dots}'")
    }
}
