//! The format as a whole: how it is recognised, read and written.

use super::{
    super::{Look, PlanFormat},
    head, line,
    read::Read,
    render, tick, walk,
};
pub(in super::super) static FORMAT: PlanFormat = PlanFormat {
    name: "markdown",
    aliases: &["md"],
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
