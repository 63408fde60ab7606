//! `ralph report --rules`: rules that may outlive a run, shown, and added to the project's own file once the user agrees.

use ralph_core::{memory::lasting, report::Rules, run::RunState};
use ralph_engine::{
    layout::Layout,
    project_file,
    run_reports::{self, RULE_FILES},
};
use ralph_text::redact::Redactor;
use serde_json::json;

use crate::{
    cli::init::folder::{self, Existing},
    context::{Context, Entry, Tone, answer_json},
    diagnostics::CommandError,
    exit, words,
};

/// What stands above the rules that were added.
const HEADING: &str = "## Rules from ralph's runs";

/// Shows what is proposed for the file that is named, or for the one that the project has.
pub(super) fn exec(
    (named, yes): (&str, bool),
    (layout, state, redactor): (&Layout, &RunState, &Redactor),
    context: &Context,
) -> Result<u8, CommandError> {
    let root = layout.views().parent().unwrap_or(layout.views());
    let has_file = !named.is_empty() || RULE_FILES.iter().any(|file| root.join(file).is_file());
    if !has_file && !lasting(&state.memory).is_empty() {
        let what = "this project has no AGENTS.md and no CLAUDE.md";
        return Err(CommandError::usage(what, "ralph report --rules=AGENTS.md makes one"));
    }
    let named = Some(named).filter(|named| !named.is_empty());
    let Some(Rules { file, lines }) = run_reports::rules(layout, state, named) else {
        context.done("this run left no lasting rules that are not there yet")?;
        return Ok(exit::DONE);
    };
    let lines: Vec<String> = lines.iter().map(|line| redactor.text(line).into_owned()).collect();
    if context.json {
        answer_json(&json!({ "v": 1, "file": file, "lines": lines }))?;
    } else {
        let shown = lines.iter().map(|line| Entry::text(2, Tone::Plain, format!("- {line}")));
        context.answer(&shown.collect::<Vec<_>>())?;
    }
    let question = format!("Add {} to {file}?", words::count_of(&lines, "line"));
    if !yes && !context.can_ask() {
        context.note(format!("nothing is written; ralph report --rules={file} --yes adds them"))?;
    } else if context.agrees(yes, &question)? {
        let path = root.join(&file);
        let mut text = String::new();
        if path.exists() {
            text = project_file::text(&path, project_file::LARGEST_TEXT)
                .map_err(CommandError::file("read", &path))?;
        }
        folder::write(&path, &with_rules(&text, &lines), Existing::Replace)?;
        context.done(format!("{file} has {} more", words::count_of(&lines, "line")))?;
    }
    Ok(exit::DONE)
}

/// The text with the rules below their heading.
fn with_rules(text: &str, lines: &[String]) -> String {
    let added = format!("- {}\n", lines.join("\n- "));
    let heading = format!("{HEADING}\n\n");
    match text.split_once(&heading) {
        Some((before, after)) => format!("{before}{heading}{added}{after}"),
        None if text.trim().is_empty() => format!("{heading}{added}"),
        None => format!("{}\n\n{heading}{added}", text.trim_end()),
    }
}
