//! A draft in a person's own editor: the file that it is kept in, read again once the editor is left.

use std::path::Path;

use ralph_core::plan::{Plan, formats::plan_json};
use ralph_engine::project_file;

use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
    env_vars,
    session::probe,
};

/// The plan as it was left in the editor. Where that is no plan, the person is told why.
pub(super) fn edited(
    file: &Path,
    root: &Path,
    context: &Context,
) -> Result<Option<Plan>, CommandError> {
    let set = |name: &&str| variable(name).filter(|editor| !editor.is_empty());
    let editor = env_vars::EDITORS.iter().find_map(set).unwrap_or_else(|| "vi".into());
    // An editor may come with flags, as git takes it.
    let command = format!("{editor} \"$1\"");
    let status =
        probe::outside(root).command_for("sh").args(["-c", &command, "sh"]).arg(file).status();
    let status = status.map_err(CommandError::file("edit", file))?;
    if !status.success() {
        context.warn(format!("{editor}: {status}; EDITOR names another editor"))?;
        return Ok(None);
    }
    let text = project_file::text(file, project_file::LARGEST)
        .map_err(CommandError::file("read", file))?;
    match plan_json::parse(&text) {
        Ok(plan) => Ok(Some(plan)),
        Err(error) => {
            context.warn(format!("the edited file is not a plan: {error} ({})", error.help))?;
            Ok(None)
        }
    }
}
