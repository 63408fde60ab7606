//! `ralph report`: what a run came to, from its journal, as Markdown or JSON.

use std::io::{IsTerminal as _, Write as _};

use ralph_core::report::{Report, markdown};
use ralph_engine::journal;

use crate::{
    args::commands::{ReportArgs, ReportFormat},
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::plain,
    session::run_store::RunStore,
};

/// Runs `ralph report`.
pub(crate) fn exec(args: &ReportArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let run = place.run(args.run.as_deref())?;
    let report = Report::of(&journal::recover(&place.layout.journal(&run))?.state);
    if context.json || args.format == ReportFormat::Json {
        answer_json(&report)?;
        return Ok(exit::DONE);
    }
    let text = markdown(&report);
    let mut out = std::io::stdout().lock();
    let text = if out.is_terminal() { plain::clean(&text) } else { text };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(exit::DONE)
}
