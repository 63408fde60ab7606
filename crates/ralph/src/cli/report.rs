//! `ralph report`: a run's results, from its journal, as Markdown or JSON.

use std::io::{IsTerminal as _, Write as _};

use ralph_core::report::{Report, markdown};
use ralph_engine::journal;

use crate::{
    args::commands::{ReportArgs, ReportFormat},
    context::{Context, answer_text},
    diagnostics::CommandError,
    exit,
    reporters::plain,
    session::run_store::{RunStore, redactor},
};

/// Runs `ralph report`.
pub(crate) fn exec(args: &ReportArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let run = place.run(args.run.as_deref())?;
    let state = journal::recover(&place.layout.journal(&run))?.state;
    let (report, redactor) = (Report::of(&state), redactor(&state.start.settings));
    if context.json || args.format == ReportFormat::Json {
        let text = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
        answer_text(&redactor.text(&text))?;
        return Ok(exit::DONE);
    }
    let text = redactor.text(&markdown(&report)).into_owned();
    let mut out = std::io::stdout().lock();
    let text = if out.is_terminal() { plain::clean(&text) } else { text };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(exit::DONE)
}
