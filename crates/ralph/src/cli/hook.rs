//! `ralph hook`: answers an agent's hook on standard output. Reads no settings and asks no git within a run, so that it
//! is quick, and always exits with 0: what it has to say stands in the answer.

use std::{
    ffi::OsString,
    io::{self, Read, Write as _},
    path::PathBuf,
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use ralph_agents::hooks::{Answer, Call, HookEvent};
use ralph_engine::hooks::{answer, answer_outside, call_at};

use crate::{env_vars, exit, session::project::Project};

/// Most bytes of an event: a tool may be given a big file.
const MOST: u64 = 64 << 20;

/// `ralph hook`.
#[derive(Debug, Clone, Args)]
pub(crate) struct HookArgs {
    /// Event, such as pre-tool-use or stop; its JSON is read from stdin
    #[arg(hide_possible_values = true, value_parser = PossibleValuesParser::new(HookEvent::ALL.map(HookEvent::word))
        .try_map(|word| HookEvent::from_word(&word).ok_or("no such event")))]
    event: HookEvent,
    /// Answer for an interactive session, as the plugin does
    #[arg(long)]
    plugin: bool,
}

/// Answers.
pub(crate) fn exec(args: &HookArgs) -> u8 {
    // Always to its end, even where there is nothing to answer: a CLI must never write into a closed pipe.
    let event = event_text(io::stdin().lock());
    let said = heard(args, &event);
    if let Some(text) = said.text() {
        // A CLI that no longer listens needs no answer.
        let _ = writeln!(io::stdout().lock(), "{text}");
    }
    exit::DONE
}

fn heard(args: &HookArgs, event: &[u8]) -> Answer {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let call = variable(env_vars::CALL).map(PathBuf::from);
    match (call, args.plugin) {
        // Within a run its own hooks answer.
        (Some(_), true) | (None, false) => Answer::Nothing,
        (Some(file), false) => match call_at(&file) {
            Some(call) => {
                let call = windowed(call, variable(env_vars::CONTEXT_WINDOW));
                answer(args.event, event, &call)
            }
            None => Answer::Nothing,
        },
        (None, true) => {
            let home = variable(env_vars::HOME).map(PathBuf::from).unwrap_or_default();
            answer_outside(args.event, event, &home, &Project::state_home())
        }
    }
}

/// The call with the window that the user names, if one is named.
fn windowed(call: Call, window: Option<OsString>) -> Call {
    let chosen = window.and_then(|text| text.to_str()?.parse().ok()).filter(|tokens| *tokens > 0);
    Call { window: chosen.or(call.window), ..call }
}

/// What the CLI says; nothing that can be read, if it is too long.
fn event_text(mut from: impl Read) -> Vec<u8> {
    let mut text = Vec::new();
    let read = from.by_ref().take(MOST + 1).read_to_end(&mut text);
    match read {
        Ok(size) if size as u64 <= MOST => text,
        _ => {
            // What could not be drained is the writer's loss alone: there is no answer to it anyway.
            let _ = io::copy(&mut from, &mut io::sink());
            Vec::new()
        }
    }
}
