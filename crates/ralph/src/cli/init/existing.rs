//! Settings that are there already: what holds is shown, and a person says whether they go.

use std::path::Path;

use crate::{
    ask::{Asker, Lean},
    cli::config::{self, Origins, Style},
    context::Context,
    diagnostics::CommandError,
    reporters::{
        block::{Block, Entry},
        line::{Line, Tone},
    },
    session::project::Project,
};

/// Shows what holds and asks whether new settings may take its place.
pub(super) fn may_replace(
    path: &Path,
    asker: &mut Asker,
    context: &Context,
) -> Result<bool, CommandError> {
    context.tell(&shown(path, context))?;
    asker.confirm("Replace these settings? The old file is kept beside the new one.", Lean::No)
}

/// What is set, and where; or why it cannot be read.
fn shown(path: &Path, context: &Context) -> Block {
    let mut block = vec![Entry::text(0, Tone::Plain, format!("{} already exists", path.display()))];
    match Project::open(context, &[]) {
        Ok(project) => {
            let text = config::show(&project.resolved, Origins::OnlySet, Style::Toml);
            let lines = text.lines().map(|line| Entry::Cut(Line::new().dim(format!("  {line}"))));
            block.extend(lines);
        }
        Err(error) => {
            block.push(Entry::text(2, Tone::Warn, error.to_string()));
            block.extend(error.why().into_iter().map(|why| Entry::text(2, Tone::Plain, why)));
        }
    }
    block
}
