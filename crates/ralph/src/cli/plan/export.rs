//! `ralph plan --export`: the plan as it stands, in the format of another tool.

use std::io::Write as _;

use ralph_core::plan::formats;

use super::origin;
use crate::{
    args::plan::PlanArgs,
    cli::init::folder::{self, Existing},
    context::Context,
    diagnostics::CommandError,
    exit,
    session::plan_status::PlanStatus,
    words,
};

/// Runs `ralph plan --export`.
pub(super) fn exec(
    format: &str,
    file: Option<&str>,
    args: &PlanArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let format = origin::named(format)?;
    let plan = PlanStatus::find(&context.project_dir)?.plan;
    let name = format.name;
    let Some(render) = format.render else {
        let written: Vec<_> = formats::ALL
            .iter()
            .filter(|format| format.render.is_some())
            .map(|format| format.name)
            .collect();
        let what = format!("{name} can only be imported, not exported");
        let help = format!("formats for export: {}", written.join(", "));
        return Err(CommandError::usage(what, help));
    };
    let text = render(&plan);
    match file.filter(|file| *file != "-") {
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        Some(file) => {
            let path = context.project_dir.join(file);
            let question = format!("{file} already exists. Replace it?");
            if path.exists() && !context.agrees(args.yes, &question)? {
                return Ok(exit::DONE);
            }
            folder::write(&path, &text, Existing::Replace)?;
            context.done(format!("wrote {file} with {}", words::count_of(&plan.tasks, "task")))?;
        }
    }
    Ok(exit::DONE)
}
