//! `ralph hook`: answers an agent's hook on standard output. Reads no settings and asks no git within a run, so that it
//! is quick, and always exits with 0: what it has to say stands in the answer.

use std::{
    ffi::OsString,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use ralph_core::hooks::{Answer, Call, HookEvent};
use ralph_engine::hooks::{answer, answer_outside, call_at};

use crate::{env_vars, exit, session::project::Project};

/// Most bytes of an event: a tool may be given a big file.
const MOST: u64 = 64 << 20;

/// `ralph hook`.
#[derive(Debug, Clone, Args)]
pub(crate) struct HookArgs {
    /// What happens in the agent's session; its JSON is read from standard input
    #[arg(value_parser = PossibleValuesParser::new(HookEvent::ALL.map(HookEvent::word))
        .try_map(|word| HookEvent::from_word(&word).ok_or("no such event")))]
    event: HookEvent,
    /// Answer for a session of a person, as the plugin does
    #[arg(long)]
    plugin: bool,
}

/// Answers.
pub(crate) fn exec(args: &HookArgs) -> u8 {
    let said = heard(args);
    if let Some(text) = said.text() {
        // A CLI that does not listen any more needs no answer.
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }
    exit::DONE
}

fn heard(args: &HookArgs) -> Answer {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let call = variable(env_vars::CALL).map(PathBuf::from);
    match (call, args.plugin) {
        // Within a run its own hooks answer.
        (Some(_), true) | (None, false) => Answer::Nothing,
        (Some(file), false) => match call_at(&file) {
            Some(call) => within(args.event, call, variable(env_vars::CONTEXT_WINDOW)),
            None => Answer::Nothing,
        },
        (None, true) => {
            let home = variable(env_vars::HOME).map(PathBuf::from).unwrap_or_default();
            outside(args.event, &home)
        }
    }
}

fn within(event: HookEvent, call: Call, window: Option<OsString>) -> Answer {
    let chosen = window.and_then(|text| text.to_str()?.parse().ok()).filter(|tokens| *tokens > 0);
    answer(event, &event_text(), &Call { window: chosen.or(call.window), ..call })
}

fn outside(event: HookEvent, home: &Path) -> Answer {
    answer_outside(event, &event_text(), home, &Project::state_home())
}

/// What the CLI says; nothing that can be read, if it is too long.
fn event_text() -> Vec<u8> {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(MOST + 1).read_to_end(&mut text);
    match read {
        Ok(size) if size as u64 <= MOST => text,
        _ => Vec::new(),
    }
}
