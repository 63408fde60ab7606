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

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let all = asks::all(model);
    if all.is_empty() {
        return vec![Line::signed(Sign::Ok).plain("nothing waits for you")];
    }
    let mut lines = vec![Line::new().dim("Enter answers or decides; j/k move")];
    for (nth, ask) in all.iter().enumerate() {
        let is_chosen = nth == model.ask.min(all.len() - 1) && model.focus == Focus::Pane;
        let (sign, head, text, command) = shown(ask);
        let is_sent = model.sent.iter().any(|wish| ask.is_decided_by(wish));
        let mark = if is_chosen { "> " } else { "  " };
        let lead = Line::new().add(Tone::Bold, mark).sign(sign).plain(" ");
        let tone = if is_chosen { Tone::Bold } else { Tone::Plain };
        let sent = Line::new().add(Tone::Accent, if is_sent { "  ~ sent" } else { "" });
        lines.push(lead.add(tone, head).join(sent));
        let room = columns.saturating_sub(6).max(10);
        for part in plain::wrap(&plain::one_line(&text), room, room) {
            lines.push(Line::new().plain("      ").plain(part));
        }
        lines.push(Line::new().dim(format!("      = {command}")));
    }
    lines
}

fn shown(ask: &Ask) -> (Sign, String, String, String) {
    match ask {
        Ask::Question { task, text } => (
            Sign::Warning,
            format!("{task} asks you"),
            text.clone(),
            format!("ralph task answer {task} \"…\""),
        ),
        Ask::Proposal { number, text, why } => (
            Sign::Warning,
            format!("proposal {number}: {text}"),
            why.clone(),
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
