//! What is asked or typed, on the last rows, with the command that it equals. Help and runs take the whole body.

use ratatui::{buffer::Buffer, layout::Rect};

use super::help;
use crate::{
    ask::Editor,
    reporters::{
        line::{Line, Tone},
        width,
    },
    watch::{
        model::Model,
        paint,
        prompt::{FAILED, Prompt, RULE, STOP},
    },
};

/// Draws what is asked over the screen.
pub(super) fn draw(model: &Model, prompt: &Prompt, buffer: &mut Buffer) {
    let area = buffer.area;
    let columns = usize::from(area.width);
    let lines = match prompt {
        Prompt::Help { top } => {
            let lines = help::lines();
            let room = usize::from(area.height.saturating_sub(2));
            let top = (*top).min(lines.len().saturating_sub(room));
            lines.into_iter().skip(top).take(room).collect()
        }
        Prompt::Runs { runs, choice } => {
            let room = usize::from(area.height.saturating_sub(3));
            let top = choice.saturating_sub(room / 2).min(runs.len().saturating_sub(room));
            let head =
                Line::new().add(Tone::Bold, "runs of this repository: Enter watches, Esc returns");
            let rows = runs.iter().enumerate().skip(top).take(room).map(|(nth, (run, text))| {
                let mark = if nth == *choice { "> " } else { "  " };
                Line::new().add(Tone::Bold, mark).plain(run.as_str()).dim(format!("  {text}"))
            });
            std::iter::once(head).chain(rows).collect()
        }
        Prompt::Steer { task, scope, editor } => {
            let whom = task.as_ref().filter(|_| scope.word().starts_with("task"));
            let whom = whom.map_or_else(|| "all".to_owned(), ToString::to_string);
            typed(&format!("steer {whom}"), editor, columns)
                .into_iter()
                .chain([equals(model, prompt, &format!("Tab: {}  Enter sends  Esc", scope.word()))])
                .collect()
        }
        Prompt::Answer { task, editor } => typed(&format!("answer {task}"), editor, columns)
            .into_iter()
            .chain([equals(model, prompt, "Enter sends  Esc")])
            .collect(),
        Prompt::Search { editor } => typed("/", editor, columns),
        Prompt::Rule { number, choice } => {
            let head = format!("proposal {number}?");
            vec![choices(&head, &RULE, *choice), equals(model, prompt, "Enter")]
        }
        Prompt::Failed { task, choice } => {
            vec![choices(&format!("{task}?"), &FAILED, *choice), equals(model, prompt, "Enter")]
        }
        Prompt::Stop { choice } => {
            vec![choices("stop?", &STOP, *choice), equals(model, prompt, "Enter")]
        }
    };
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let is_whole = matches!(prompt, Prompt::Help { .. } | Prompt::Runs { .. });
    let (y, height) = if is_whole { (1, area.height - 2) } else { (area.height - height, height) };
    let area = Rect { y: area.y + y, height, ..area };
    paint::empty(buffer, area);
    model.brush.lines(buffer, area, &lines);
}

fn typed(head: &str, editor: &Editor, columns: usize) -> Vec<Line> {
    let lead = Line::new().add(Tone::Bold, format!("{head} > "));
    let room = columns.saturating_sub(head.chars().count() + 5).max(10);
    let (rows, (row, column)) = editor.rows(room);
    let shown = rows.get(row).cloned().unwrap_or_default();
    let mut before = String::new();
    let mut used = 0;
    for (c, wide) in width::columns(&shown) {
        if used >= column {
            break;
        }
        before.push(c);
        used += wide;
    }
    let after = shown.get(before.len()..).unwrap_or_default();
    vec![lead.plain(&before).add(Tone::Accent, "_").plain(after)]
}

fn choices(head: &str, all: &[&str], chosen: usize) -> Line {
    let line = Line::new().add(Tone::Bold, head);
    all.iter().enumerate().fold(line, |line, (nth, word)| {
        if nth == chosen {
            line.add(Tone::Bold, format!("  [{word}]"))
        } else {
            line.plain(format!("   {word} "))
        }
    })
}

/// The command that Enter equals, if it is one of this machine.
fn equals(model: &Model, prompt: &Prompt, keys: &str) -> Line {
    let is_here = !model.timeline.is_elsewhere;
    let command = is_here.then(|| format!("  = {}", prompt.equals()));
    Line::new().dim(command.unwrap_or_default()).dim(format!("   {keys}"))
}
