//! What waits for a person, and the command that each answer equals.

use crate::{
    reporters::{
        line::{Line, Sign, Tone},
        plain,
    },
    watch::{
        asks::{self, Ask},
        model::{Focus, Model},
    },
};

/// The line that the chosen one begins at.
pub(super) fn chosen(model: &Model, columns: usize) -> usize {
    let all = asks::all(model);
    let before = all.iter().take(model.ask.min(all.len().saturating_sub(1)));
    before.map(|ask| of(model, ask, false, columns).len()).sum()
}

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let all = asks::all(model);
    if all.is_empty() {
        return vec![Line::signed(Sign::Ok).plain("nothing waits for you")];
    }
    let is_chosen = |nth: usize| nth == model.ask.min(all.len() - 1) && model.focus == Focus::Pane;
    let lines =
        all.iter().enumerate().flat_map(|(nth, ask)| of(model, ask, is_chosen(nth), columns));
    let hint = Line::new().dim("Enter answers or decides; j/k choose, PgUp/PgDn scroll");
    lines.chain([hint]).collect()
}

/// The lines of one thing that waits.
fn of(model: &Model, ask: &Ask, is_chosen: bool, columns: usize) -> Vec<Line> {
    let (sign, head, text, command) = shown(ask);
    let is_sent = model.sent.iter().any(|wish| ask.is_decided_by(wish));
    let mark = if is_chosen { "> " } else { "  " };
    let lead = Line::new().add(Tone::Bold, mark).sign(sign).plain(" ");
    let tone = if is_chosen { Tone::Bold } else { Tone::Plain };
    let sent = Line::new().add(Tone::Accent, if is_sent { "  ~ sent" } else { "" });
    let room = columns.saturating_sub(6).max(10);
    let text = plain::wrap(&plain::one_line(&text), room, room).into_iter();
    let text = text.map(|part| Line::new().plain("      ").plain(part));
    // On another machine it is answered from here, and by other commands.
    let is_here = !model.timeline.is_elsewhere;
    let command = is_here.then(|| Line::new().dim(format!("      = {command}")));
    std::iter::once(lead.add(tone, head).join(sent)).chain(text).chain(command).collect()
}

fn shown(ask: &Ask) -> (Sign, String, String, String) {
    match ask {
        Ask::Question { task, text } => (
            Sign::Warning,
            format!("{task} asks you"),
            text.clone(),
            format!("ralph task answer {task} \"…\""),
        ),
        Ask::Proposal { number, text, why, change } => (
            Sign::Warning,
            format!("proposal {number}: {text}"),
            format!("{change}{}because: {why}", if change.is_empty() { "" } else { "; " }),
            format!("ralph task proposals --accept {number}, or --decline {number}"),
        ),
        Ask::Failed { task, text } => (
            Sign::Bad,
            format!("{task} failed"),
            text.clone(),
            format!("ralph task retry {task}, or ralph task skip {task}"),
        ),
    }
}
