//! `ralph report`: a run's results, from its journal: rendered on a terminal, as Markdown elsewhere, as JSON or as a page.

mod rules;

use std::{
    io::{IsTerminal as _, Write as _},
    path::Path,
};

use ralph_core::report::{self as core, Report, markdown_with};
use ralph_engine::{
    atomic_write::{self, Access},
    git::Repository,
    journal, run_reports,
};

use crate::{
    args::commands::{ReportArgs, ReportFormat},
    context::{Context, answer_text},
    diagnostics::CommandError,
    exit,
    reporters::{clock, markdown, plain},
    session::run_store::{RunStore, redactor},
};

/// Runs `ralph report`.
pub(crate) fn exec(args: &ReportArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let run = place.run(args.run.as_deref())?;
    let state = journal::recover(&place.layout.journal(&run))?.state;
    let redactor = redactor(&state.start.settings);
    if let Some(file) = &args.rules {
        let about = (&place.layout, &state, &redactor);
        return rules::exec((file, args.yes), about, context);
    }
    let rules = run_reports::rules_here(&place.layout, &state);
    let whole = || {
        let timeline = run_reports::timeline(&place.layout, &run);
        run_reports::whole(
            &state,
            timeline,
            Repository::discover(&context.project_dir).ok().as_ref(),
        )
        .with_rules(rules.clone())
    };
    let short = || Report::of(&state).with_rules(rules.clone());
    let format = if context.json { ReportFormat::Json } else { args.format };
    let text = match format {
        ReportFormat::Json => {
            let json = serde_json::to_string_pretty(&whole()).map_err(std::io::Error::from)?;
            if args.out.is_none() {
                answer_text(&redactor.text(&json))?;
                return Ok(exit::DONE);
            }
            json
        }
        ReportFormat::Html => run_reports::page(&whole(), None),
        ReportFormat::Md if args.out.is_none() && std::io::stdout().is_terminal() => {
            let screen = context.stdout();
            let text = markdown_with(&short(), &|at| clock::full(at, &screen.zone));
            context.answer(&markdown::entries(&plain::clean(&redactor.text(&text))))?;
            return Ok(exit::DONE);
        }
        ReportFormat::Md => core::markdown(&short()),
    };
    let text = redactor.text(&text);
    match &args.out {
        Some(file) => write(file, text.as_bytes(), context)?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(exit::DONE)
}

/// For the user's eyes only: a report quotes what agents and gates wrote.
fn write(file: &Path, text: &[u8], context: &Context) -> Result<(), CommandError> {
    atomic_write::replace(file, text, Access::Private)
        .map_err(CommandError::file("write", file))?;
    context.done(format!("wrote {}", file.display()))
}
