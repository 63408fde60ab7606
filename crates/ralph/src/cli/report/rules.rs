//! `ralph report --rules`: rules that may outlive a run, shown, and added to the project's own file once the user agrees.

use std::path::Path;

use ralph_core::{report::Rules, run::RunState};
use ralph_engine::{layout::Layout, run_reports};
use ralph_text::redact::Redactor;
use serde_json::json;

use crate::{
    context::{Context, Entry, Tone, answer_json},
    diagnostics::CommandError,
    exit, words,
};

/// Shows what is proposed for the file that is named, or for the one that the project has.
pub(super) fn exec(
    (named, yes): (&str, bool),
    (layout, state, redactor): (&Layout, &RunState, &Redactor),
    context: &Context,
) -> Result<u8, CommandError> {
    let named = Some(named).filter(|named| !named.is_empty());
    let Some(file) = named.or_else(|| run_reports::rule_file(layout)) else {
        let what = "this project has no AGENTS.md and no CLAUDE.md";
        return Err(CommandError::usage(what, "ralph report --rules=AGENTS.md makes one"));
    };
    let Some(mut rules) = run_reports::rules(layout, state, file) else {
        context.done("this run left no lasting rules that are not there yet")?;
        return Ok(exit::DONE);
    };
    for line in &mut rules.lines {
        *line = redactor.text(line).into_owned();
    }
    let Rules { file, lines } = &rules;
    if context.json {
        answer_json(&json!({ "v": 1, "file": file, "lines": lines }))?;
    } else {
        let shown = lines.iter().map(|line| Entry::text(2, Tone::Plain, format!("- {line}")));
        context.answer(&shown.collect::<Vec<_>>())?;
    }
    let count = words::count_of(lines, "line");
    if !yes && !context.can_ask() {
        context.note(format!("nothing is written; ralph report --rules={file} --yes adds them"))?;
    } else if context.agrees(yes, &format!("Add {count} to {file}?"))? {
        run_reports::add_rules(layout, &rules)
            .map_err(CommandError::file("write", Path::new(file)))?;
        context.done(format!("{file} has {count} more"))?;
    }
    Ok(exit::DONE)
}
