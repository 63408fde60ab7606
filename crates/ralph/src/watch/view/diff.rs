//! What the shown try changed, from its patch. While its agent works only the files that its tools named are known:
//! git never looks at a tree that is being written.

use super::title;
use crate::{
    reporters::line::{Line, Tone},
    watch::{model::Model, patch},
    words,
};

/// Most lines of a patch that are shown.
const MOST: usize = 5_000;

/// The pane's lines.
pub(super) fn lines(model: &Model) -> Vec<Line> {
    let mut lines = vec![title::of_try(model)];
    let Some(patch) = &model.shown.patch else {
        lines.extend(named(model));
        return lines;
    };
    let count = |mark: char, but: &str| {
        let is_line = |line: &&str| line.starts_with(mark) && !line.starts_with(but);
        patch.lines().filter(is_line).count()
    };
    let files = patch.lines().filter(|line| line.starts_with("diff --git ")).count();
    let sum = format!("  {}", words::count(files as u64, "file"));
    let risky = match model.shown.exposed.len() {
        0 => String::new(),
        1 => "  ! 1 file runs on your machine".to_owned(),
        count => format!("  ! {count} files run on your machine"),
    };
    lines.push(
        Line::new()
            .plain(sum)
            .add(Tone::Good, format!("  +{}", count('+', "+++")))
            .add(Tone::Bad, format!(" -{}", count('-', "---")))
            .add(Tone::Warn, risky),
    );
    let marked = |text: &str| {
        let why = patch::path(text).and_then(|path| model.shown.exposed.get(path));
        let mark = why.map(|why| format!("  ! runs on your machine: {why}")).unwrap_or_default();
        line(text).add(Tone::Warn, mark)
    };
    lines.extend(patch.lines().take(MOST).map(marked));
    if patch.lines().nth(MOST).is_some() {
        lines.push(Line::new().dim("  (the rest is in diff.patch: o)"));
    }
    lines
}

fn line(text: &str) -> Line {
    let tone = match text.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Tone::Dim,
        [b'+', ..] => Tone::Good,
        [b'-', ..] => Tone::Bad,
        [b'@', b'@', ..] => Tone::Accent,
        _ if text.starts_with("diff --git ") => Tone::Bold,
        [b' ', ..] => Tone::Plain,
        _ => Tone::Dim,
    };
    Line::new().add(tone, text)
}

/// Files by the agent's own word.
fn named(model: &Model) -> Vec<Line> {
    let files = &model.shown.stream.files;
    if files.is_empty() {
        let text = if model.is_live() { "nothing was changed so far" } else { "no change is kept" };
        return vec![Line::new().dim(format!("  {text}"))];
    }
    let head = Line::new().dim("  files that its tools named, by its own word:");
    std::iter::once(head)
        .chain(files.iter().map(|file| Line::new().plain("    ").plain(file)))
        .collect()
}
