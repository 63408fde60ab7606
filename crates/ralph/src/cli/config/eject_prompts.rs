//! `ralph config eject-prompts`: writes the built-in templates where a project can change them.

use std::path::Path;

use ralph_core::prompt::TemplateName;
use ralph_engine::project_file;

use crate::{
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{block::Entry, line::Tone},
    session::project::Project,
};

/// What happens to templates that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    Kept,
    Replaced,
}

/// Runs `ralph config eject-prompts`.
pub(super) fn exec(existing: Existing, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let folder = project.layout.views().join("prompts");
    let told = eject(&folder, existing)?;
    let mut entries: Vec<_> =
        told.into_iter().map(|line| Entry::text(0, Tone::Plain, line)).collect();
    let note = "the next run uses them; remove the ones you do not change (docs/prompts.md)";
    entries.push(Entry::text(0, Tone::Plain, note));
    context.tell(&entries)?;
    Ok(exit::DONE)
}

/// Writes every template; a line for each says what became of it.
fn eject(folder: &Path, existing: Existing) -> Result<Vec<String>, CommandError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CommandError::File { doing: "write", path, source }
    };
    let mut told = Vec::new();
    for name in TemplateName::ALL {
        let path = folder.join(format!("{}.md", name.name()));
        let shown = path.display();
        if existing == Existing::Kept && path.symlink_metadata().is_ok() {
            told.push(format!("kept   {shown} (--force replaces it)"));
            continue;
        }
        project_file::replace(&path, name.ejected().as_bytes()).map_err(failed(&path))?;
        told.push(format!("wrote  {shown}"));
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use ralph_core::prompt::check_template;

    #[test]
    fn templates_are_written_once_and_replaced_only_by_force()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let prompts = folder.path().join("prompts");
        let told = eject(&prompts, Existing::Kept)?;
        assert!(told.iter().all(|line| line.starts_with("wrote")), "{told:?}");
        let fix = prompts.join("fix.md");
        assert_eq!(check_template(&fs::read_to_string(&fix)?), Ok(()));
        assert!(fs::read_to_string(&fix)?.contains("  criteria        the task's criteria alone"));
        fs::write(&fix, "mine")?;
        let told = eject(&prompts, Existing::Kept)?;
        assert!(told.iter().all(|line| line.starts_with("kept")), "{told:?}");
        assert_eq!(fs::read_to_string(&fix)?, "mine");
        eject(&prompts, Existing::Replaced)?;
        assert_ne!(fs::read_to_string(&fix)?, "mine");
        Ok(())
    }
}
