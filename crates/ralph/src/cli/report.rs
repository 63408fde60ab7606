//! `ralph report`: a run's results, from its journal: rendered on a terminal, as Markdown elsewhere, or as JSON.

use std::io::{IsTerminal as _, Write as _};

use ralph_core::report::{self as core, Report, markdown_with};
use ralph_engine::{journal, run_reports};

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
    let (report, redactor) = (Report::of(&state), redactor(&state.start.settings));
    if context.json || args.format == ReportFormat::Json {
        let report = report.in_time(run_reports::timeline(&place.layout, &run));
        let text = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
        answer_text(&redactor.text(&text))?;
        return Ok(exit::DONE);
    }
    if std::io::stdout().is_terminal() {
        let screen = context.stdout();
        let text = markdown_with(&report, &|at| clock::full(at, &screen.zone));
        context.answer(&markdown::entries(&plain::clean(&redactor.text(&text))))?;
        return Ok(exit::DONE);
    }
    std::io::stdout().lock().write_all(redactor.text(&core::markdown(&report)).as_bytes())?;
    Ok(exit::DONE)
}
