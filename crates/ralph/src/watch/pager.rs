//! What is too long for a pane, in the user's pager.

use std::{
    io::{self, Write as _},
    process::{Command, Stdio},
};

use super::{model::Pane, tab::Tab, terminal::Screen};
use crate::{context::variable, reporters::plain};

/// What the chosen call gave, or the file behind the pane, in the user's pager. That makes a file harmless itself (`less`
/// without `-r`).
pub(super) fn open(tab: &mut Tab, screen: &mut Screen) -> io::Result<()> {
    let pager = variable("PAGER").filter(|pager| !pager.trim().is_empty());
    let pager = pager.unwrap_or_else(|| "less".into());
    let failed = |tab: &mut Tab, error: &io::Error| {
        tab.model.note = Some(format!("! {pager}: {error}"));
    };
    let output = tab.model.chosen_call().and_then(|place| tab.source.output(place));
    if let Some(output) = output.filter(|_| tab.model.pane == Pane::Stream) {
        let text = plain::clean(&output);
        return screen.lend(|| feed(&pager, &text)).or_else(|error| {
            failed(tab, &error);
            Ok(())
        });
    }
    let Some(folder) = tab.source.folder(&tab.model) else { return Ok(()) };
    let file = match tab.model.pane {
        Pane::Diff => folder.join("diff.patch"),
        Pane::Gates => folder.join("gates.jsonl"),
        _ => folder.join("events.jsonl"),
    };
    if !file.is_file() {
        tab.model.note = Some("there is no file yet".into());
        return Ok(());
    }
    screen.lend(|| command(&pager).arg(&file).status().map(drop)).or_else(|error| {
        failed(tab, &error);
        Ok(())
    })
}

fn command(pager: &str) -> Command {
    let mut words = pager.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("less"));
    command.args(words);
    command
}

fn feed(pager: &str, text: &str) -> io::Result<()> {
    let mut pager = command(pager).stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = pager.stdin.take() {
        // A pager that was left early has read enough.
        let _ = stdin.write_all(text.as_bytes());
    }
    pager.wait().map(drop)
}
