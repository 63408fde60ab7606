//! What is too long for a pane, in the user's pager: cleaned, because not every pager makes text harmless.

use std::{
    io::{self, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use ralph_engine::project_file;

use super::{model::Pane, tab::Tab, terminal::Screen};
use crate::{context::variable, reporters::plain, session::probe};

/// Most bytes of a file that are shown.
const LARGEST: u64 = 64 << 20;

/// What the chosen call gave, or the file behind the pane, in the user's pager.
pub(super) fn open(tab: &mut Tab, screen: &mut Screen) -> io::Result<()> {
    let Some(text) = text(tab) else {
        tab.model.note = Some("there is nothing to show yet".into());
        return Ok(());
    };
    let pager = variable("PAGER").filter(|pager| !pager.trim().is_empty());
    let pager = pager.unwrap_or_else(|| "less".into());
    let text = plain::clean(&text);
    screen.lend(|| feed(command(&pager, tab.folder()), &text)).or_else(|error| {
        tab.model.note = Some(format!("! {pager}: {error}"));
        Ok(())
    })
}

fn text(tab: &Tab) -> Option<String> {
    let output = tab.model.chosen_call().and_then(|place| tab.source.output(place));
    if let Some(output) = output.filter(|_| tab.model.pane == Pane::Stream) {
        return Some(output);
    }
    let folder = tab.source.folder(&tab.model)?;
    let name = match tab.model.pane {
        Pane::Diff => "diff.patch",
        Pane::Gates => "gates.jsonl",
        _ => "events.jsonl",
    };
    project_file::text(&folder.join(name), LARGEST).ok()
}

/// Found nowhere that agents write, and started at home.
fn command(pager: &str, folder: &Path) -> Command {
    let mut words = pager.split_whitespace();
    let mut command = probe::outside(folder).command_for(words.next().unwrap_or("less"));
    command.args(words);
    command
}

fn feed(mut pager: Command, text: &str) -> io::Result<()> {
    let mut pager = pager.stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = pager.stdin.take() {
        // A pager that was left early has read enough.
        let _ = stdin.write_all(text.as_bytes());
    }
    pager.wait().map(drop)
}
