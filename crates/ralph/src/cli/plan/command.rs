//! `ralph plan`: which of its ways is meant. The ways themselves are others'.

use std::path::Path;

use super::{check, export, import, write_back};
use crate::{args::plan::PlanArgs, context::Context, diagnostics::CommandError, session::planning};

/// Runs `ralph plan`.
pub(crate) fn exec(args: &PlanArgs, context: &Context) -> Result<u8, CommandError> {
    if let Some(from) = &args.import {
        import::exec(from, args, context)
    } else if let [format, file @ ..] = args.export.as_slice() {
        export::exec(format, file.first().map(String::as_str), args, context)
    } else if args.write_back {
        write_back::exec(context)
    } else if let Some(file) = &args.check {
        let file = Some(Path::new(file)).filter(|file| !file.as_os_str().is_empty());
        check::exec(file, args, context)
    } else {
        planning::plan(args, context)
    }
}
