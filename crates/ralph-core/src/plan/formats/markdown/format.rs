//! The format as a whole: its facts, and criteria as lines of Markdown for other formats.

use super::{
    super::{
        Look, PlanFormat, criterion,
        format::{EVERY_FIELD, EVERY_STATUS},
    },
    head, inline, line,
    read::Read,
    render, tick, walk,
};
use crate::plan::Criterion;

pub(in super::super) static FORMAT: PlanFormat = PlanFormat {
    name: "markdown",
    aliases: &["md"],
    task_fields: EVERY_FIELD,
    plan_fields: EVERY_FIELD,
    statuses: EVERY_STATUS,
    recognises,
    parse: |text| walk::read(text).and_then(Read::into_plan),
    render: Some(render::render),
    write_back: Some(tick::write_back),
};

fn recognises(look: &Look<'_>) -> bool {
    let is_named = look.ends_with(&[".md", ".markdown", ".mdx"]);
    let is_task = |line: &str| {
        line::item(line).is_some_and(|item| item.tick.is_some())
            || line::heading(line).is_some_and(|h| head::of_heading(h.level, h.text).is_some())
    };
    is_named || (look.json.is_none() && look.text.lines().any(is_task))
}

/// Criteria as the lines of a checklist.
pub(in super::super) fn criteria_text(criteria: &[Criterion]) -> String {
    let lines = criteria.iter().map(|c| format!("- [ ] {}", inline::escape(&criterion::write(c))));
    lines.collect::<Vec<_>>().join("\n")
}

/// Criteria from lines, with or without bullets and boxes.
pub(in super::super) fn criteria(text: &str) -> Vec<Criterion> {
    let content = |line| line::item(line).map_or_else(|| str::trim(line), |item| item.content);
    let lines = text.split('\n').map(content).filter(|content| !content.is_empty());
    lines.map(|content| criterion::read(&inline::unescape(content))).collect()
}
