//! `ralph notify test`: a message by every channel, and whether it arrived.

use ralph_core::{
    notify::Message,
    settings::{ChannelKind, NotifyChannel},
};
use ralph_engine::{clock, notify::Undelivered};
use serde_json::json;

use crate::{
    args::commands::NotifyCommand,
    context::{Context, Entry, Line, Sign, answer_json},
    diagnostics::CommandError,
    exit,
    session::{
        notifier::{ready, surroundings},
        project::Project,
    },
};

/// Runs `ralph notify`.
pub(crate) fn exec(command: &NotifyCommand, context: &Context) -> Result<u8, CommandError> {
    let NotifyCommand::Test { kind } = command;
    let project = Project::open(context, &[])?;
    let settings = project.resolved.settings.notify;
    let mut channels = settings.channels();
    if channels.is_empty() {
        let help =
            "add a [[notify.channel]] to ~/.config/ralph/settings.toml (docs/notifications.md)";
        return Err(CommandError::usage("no channel is set up", help));
    }
    if let Some(kind) = kind {
        let known: Vec<String> = channels.iter().map(name).collect();
        channels.retain(|channel| channel.kind.as_str() == kind);
        if channels.is_empty() {
            let what = format!("no channel of kind {kind} is set up");
            return Err(CommandError::unknown(
                what,
                ("channels", &known),
                "see docs/notifications.md",
            ));
        }
    }
    let around = surroundings(&channels, project.repository.root(), "test".into());
    let message = Message::test(clock::now());
    let tried = channels.iter().map(|channel| {
        let sent =
            ready(channel, &settings, (&around, None)).and_then(|mut one| one.deliver(&message));
        (channel, sent)
    });
    show(&tried.collect::<Vec<_>>(), context)
}

fn name(channel: &NotifyChannel) -> String {
    channel.kind.as_str().to_owned()
}

fn show(
    tried: &[(&NotifyChannel, Result<(), Undelivered>)],
    context: &Context,
) -> Result<u8, CommandError> {
    if context.json {
        let of = |(channel, sent): &(&NotifyChannel, Result<(), Undelivered>)| {
            let why = sent.as_ref().err().map(ToString::to_string);
            json!({ "kind": name(channel), "delivered": sent.is_ok(), "why": why })
        };
        let channels: Vec<_> = tried.iter().map(of).collect();
        answer_json(&json!({ "v": 1, "channels": channels }))?;
    } else {
        let of = |(channel, sent): &(&NotifyChannel, Result<(), Undelivered>)| match sent {
            Ok(()) => {
                let text = match channel.kind {
                    ChannelKind::Terminal => "sent to this terminal",
                    _ => "delivered",
                };
                Entry::led(Line::signed(Sign::Ok), format!("{}: {text}", name(channel)))
            }
            Err(why) => Entry::led(Line::signed(Sign::Bad), format!("{}: {why}", name(channel))),
        };
        context.answer(&tried.iter().map(of).collect::<Vec<_>>())?;
    }
    let is_delivered = tried.iter().all(|(_, sent)| sent.is_ok());
    Ok(if is_delivered { exit::DONE } else { exit::UNFINISHED })
}
