//! `ralph fleet steer|pause|resume|stop`: what people want of a loop, handed to it as the inbox file it becomes.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use ralph_core::{input, vocabulary::Steer};
use ralph_text::redact::Redactor;
use serde_json::json;

use super::{
    context::Context,
    reach::{Reached, is_open},
    restart,
};
use crate::{
    cli::{LoopArg, NowArgs, SteerArgs},
    error::{CommandError, exit},
    print,
    wire::Wish,
};

/// Runs `ralph fleet steer`.
pub(super) async fn steer(args: &SteerArgs, context: &Context) -> Result<u8, CommandError> {
    let text = words(&args.text)?;
    if !Steer::fits(&text) {
        let count = text.trim().chars().count();
        let help = "shorten it, or put it in a file in the repository and name that file";
        return Err(CommandError::usage(
            format!("the message has {count} characters, and 2000 is the limit"),
            help,
        ));
    }
    let task = args.task.as_deref().map(Into::into);
    let when = if args.now {
        "restarts the current call with the message"
    } else {
        "includes the message in the next call"
    };
    send(&args.which, input::Wish::Steer { task, text, now: args.now }, when, context).await
}

/// Runs `ralph fleet pause`.
pub(super) async fn pause(args: &NowArgs, context: &Context) -> Result<u8, CommandError> {
    let when = if args.now { "pauses now" } else { "pauses after this iteration" };
    send(&args.which, input::Wish::Pause { now: args.now }, when, context).await
}

/// Runs `ralph fleet stop`.
pub(super) async fn stop(args: &NowArgs, context: &Context) -> Result<u8, CommandError> {
    let (wish, when) = if args.now {
        (input::Wish::StopNow, "stops now")
    } else {
        (input::Wish::Stop, "stops after this iteration")
    };
    send(&args.which, wish, when, context).await
}

/// Runs `ralph fleet resume`: a paused loop continues, one that ended is started again where its truth is.
pub(super) async fn resume(args: &LoopArg, context: &Context) -> Result<u8, CommandError> {
    let reached = Reached::new(&context.client().await?, &args.id);
    if is_open(&reached.describe().await?) {
        return send(args, input::Wish::Resume, "continues", context).await;
    }
    restart::exec(&reached, context).await
}

async fn send(
    which: &LoopArg,
    wish: input::Wish,
    when: &str,
    context: &Context,
) -> Result<u8, CommandError> {
    let reached = Reached::new(&context.client().await?, &which.id);
    let wish = Wish { id: wish_id(), wish };
    reached.wish(wish.clone()).await?;
    told(&reached, &wish, when, context)?;
    Ok(exit::DONE)
}

pub(super) fn told(
    reached: &Reached,
    wish: &Wish,
    when: &str,
    context: &Context,
) -> Result<(), CommandError> {
    if context.printer.is_json {
        return print::answer_json(&json!({ "v": 1, "loop": reached.id, "wish": wish.id }));
    }
    context.printer.done(&format!("{} {when}", reached.id))
}

/// A person's words without secrets: they pass the server on their way.
pub(super) fn words(text: &str) -> Result<String, CommandError> {
    if text.trim().is_empty() {
        return Err(CommandError::usage("the message is empty", "write the message in quotes"));
    }
    Ok(Redactor::default().text(text).into_owned())
}

/// A name for the inbox: sorted by time, and never the same twice.
pub(crate) fn wish_id() -> String {
    static SENT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let number = SENT.fetch_add(1, Ordering::Relaxed);
    format!("{now:013}-{}-{number:06}.json", std::process::id())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn ids_of_wishes_sort_in_their_order_and_end_as_the_inbox_reads_them() {
        let ids: Vec<String> = (0..20).map(|_| wish_id()).collect();
        assert!(
            ids.is_sorted()
                && ids.iter().all(|id| Path::new(id).extension().is_some_and(|end| end == "json"))
        );
    }

    #[test]
    fn secrets_do_not_travel() {
        let secret = ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat();
        assert!(!words(&format!("use {secret} for it")).unwrap().contains(&secret));
        assert_eq!(words("use tabs").unwrap(), "use tabs");
        assert!(words("  ").is_err());
    }
}
