//! Markdown: checklists, and plans whose headings are tasks. One renderer, which the same reader reads back.

mod commands;
mod format;
mod head;
mod inline;
mod items;
mod label;
mod line;
mod read;
mod render;
mod task;
mod tick;
mod walk;

pub(super) use format::FORMAT;
pub(super) use tick::checklist;
