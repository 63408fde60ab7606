//! `ralph trust`: shows the agent configuration of the repository, what in it runs code, and lets the user trust it.

use ralph_agents::trust::{self, ProjectConfig};
use ralph_engine::{git::Repository, trust::Standing};
use serde_json::json;

use crate::{
    args::commands::TrustArgs,
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    session::trust::{ledger, unheld},
    words,
};

/// Runs `ralph trust`.
pub(crate) fn exec(args: &TrustArgs, context: &Context) -> Result<u8, CommandError> {
    let repository = Repository::discover(&context.project_dir)?;
    let ledger = ledger(&repository);
    if args.revoke {
        let was_there = ledger.revoke().map_err(|error| disk(&error))?;
        return say(context, if was_there { "no longer trusted" } else { "nothing was trusted" });
    }
    let standing = ledger.standing(repository.root());
    let config = match &standing {
        Standing::Nothing => {
            show(&standing, None, context)?;
            return Ok(exit::DONE);
        }
        Standing::Unreadable { why } => return Err(unreadable(why)),
        Standing::Trusted(config)
        | Standing::Unknown(config)
        | Standing::Changed { config, .. } => config,
    };
    if args.show || context.json || matches!(standing, Standing::Trusted(_)) {
        show(&standing, Some(config), context)?;
        return Ok(exit::DONE);
    }
    context.tell(&lines(&standing, Some(config)))?;
    let question = "Let agents load this, and run what it names, in every run in this repository?";
    if !context.agrees(args.yes, question)? {
        return Ok(exit::DONE);
    }
    // What was shown is what is trusted: a change since then makes another digest.
    ledger.trust(config).map_err(|error| disk(&error))?;
    say(context, "trusted as it is now; run ralph trust again after any change")
}

fn show(
    standing: &Standing,
    config: Option<&ProjectConfig>,
    context: &Context,
) -> Result<(), CommandError> {
    if !context.json {
        return context.answer(&lines(standing, config));
    }
    let state = match standing {
        Standing::Nothing => "nothing",
        Standing::Trusted(_) => "trusted",
        Standing::Unknown(_) => "unknown",
        Standing::Changed { .. } => "changed",
        Standing::Unreadable { .. } => "unreadable",
    };
    let file = |file: &trust::ConfigFile| json!({ "path": file.path, "digest": file.digest, "agents": file.agents(), "runs": file.runs });
    let files: Vec<_> = config.into_iter().flat_map(|config| &config.files).map(file).collect();
    let changed = match standing {
        Standing::Changed { paths, .. } => paths.as_slice(),
        _ => &[],
    };
    let digest = config.map(ProjectConfig::digest);
    answer_json(
        &json!({ "v": 1, "standing": state, "digest": digest, "files": files, "changed": changed }),
    )
}

fn lines(standing: &Standing, config: Option<&ProjectConfig>) -> Block {
    let Some(config) = config else {
        return vec![Entry::text(0, Tone::Plain, "no agent configuration in this repository")];
    };
    let changed = match standing {
        Standing::Changed { paths, .. } => paths.as_slice(),
        _ => &[],
    };
    let mut block = Vec::new();
    for file in &config.files {
        let sign = if file.runs.is_empty() { Sign::Ok } else { Sign::Warning };
        let mark = if changed.contains(&file.path) { ", changed" } else { "" };
        let text = format!("{} ({}{mark})", file.path, words::list(file.agents()));
        block.push(Entry::led(Line::signed(sign), text));
        block.extend(
            file.runs.iter().map(|what| Entry::text(4, Tone::Warn, format!("runs {what}"))),
        );
    }
    let gone = changed.iter().filter(|path| config.files.iter().all(|file| file.path != **path));
    block
        .extend(gone.map(|path| Entry::led(Line::signed(Sign::Warning), format!("{path} (gone)"))));
    let state = match standing {
        Standing::Trusted(_) => "trusted as it is: runs load it",
        Standing::Changed { .. } => "changed since you trusted it: no run loads it",
        _ => "not trusted: no run loads it",
    };
    block.push(Entry::text(0, Tone::Bold, state));
    block.extend(unheld(standing).map(|text| Entry::text(0, Tone::Warn, text)));
    block
}

fn say(context: &Context, text: &str) -> Result<u8, CommandError> {
    context.done(text)?;
    Ok(exit::DONE)
}

fn unreadable(why: &str) -> CommandError {
    let what = format!("the agent configuration cannot be trusted: {why}");
    CommandError::new(exit::REFUSED, what, "remove that, then run ralph trust")
}

fn disk(error: &std::io::Error) -> CommandError {
    let help = "make sure that your state folder (XDG_STATE_HOME, ~/.local/state) can be written";
    CommandError::usage(format!("cannot save what is trusted: {error}"), help)
}
